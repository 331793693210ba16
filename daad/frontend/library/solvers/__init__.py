"""Solvers of SciPy's: SciPy iterates, in Python and at run time, and the derivative is that of the equation solved."""
