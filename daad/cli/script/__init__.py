"""A script of the user's: run as it is, and read as a function."""
