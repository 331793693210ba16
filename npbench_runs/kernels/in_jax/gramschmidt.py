"""The Gram-Schmidt process by halves: products between blocks of columns, column after column within small ones."""

import jax.numpy as jnp
from jax import lax

BLOCK = 32


def orthogonalise(A):
    columns = jnp.arange(A.shape[1])

    def step(rest, k):
        q = rest[:, k] / jnp.sqrt(rest[:, k] @ rest[:, k])
        return rest - jnp.outer(q, jnp.where(columns > k, q @ rest, 0.0)), q

    _, rows = lax.scan(step, A, columns)
    return rows.T


def kernel(A):
    if A.shape[1] <= BLOCK:
        return orthogonalise(A)
    half = A.shape[1] // 2
    left, right = kernel(A[:, :half]), A[:, half:]
    return jnp.hstack([left, kernel(right - left @ (left.T @ right))])
