"""Cholesky's factor by LAPACK, of the symmetric matrix that the lower triangle stands for; the upper one is kept."""

import jax.numpy as jnp
from jax.lax import linalg


def kernel(A):
    symmetric = jnp.tril(A) + jnp.tril(A, -1).T
    return linalg.cholesky(symmetric, symmetrize_input=False) + jnp.triu(A, 1)
