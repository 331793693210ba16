"""The modified Gram-Schmidt process as a scan; all columns to the right are made orthogonal together."""

import jax.numpy as jnp
from jax import lax


def kernel(A):
    columns = jnp.arange(A.shape[1])

    def orthogonalise(A, k):
        q = A[:, k] / jnp.sqrt(A[:, k] @ A[:, k])
        row = jnp.where(columns > k, q @ A, 0.0)
        return A - jnp.outer(q, row), q

    _, rows = lax.scan(orthogonalise, A, columns)
    return rows.T
