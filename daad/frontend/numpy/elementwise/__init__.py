"""Operators, ufuncs and Python's numbers: one value at each point."""
