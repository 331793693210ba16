"""Elimination as a scan of updates of rank one."""

import jax.numpy as jnp
from jax import lax


def kernel(A):
    rows = jnp.arange(A.shape[0])

    def eliminate(A, k):
        below = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
        A = A - jnp.outer(below, jnp.where(rows > k, A[k], 0.0))
        return A.at[:, k].set(jnp.where(rows > k, below, A[:, k])), None

    return lax.scan(eliminate, A, rows)[0]
