"""Eigenvalues, singular values, and their vectors."""
