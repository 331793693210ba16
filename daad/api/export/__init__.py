"""Gradients as libraries for C, C++, Fortran, and for Python with NumPy alone."""
