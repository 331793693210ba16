"""Calls: of the program's functions, Python's builtins, and what is read in place."""
