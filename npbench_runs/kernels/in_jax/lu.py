"""Doolittle's factors by halves: solves and products between blocks, updates of rank one within small ones."""

import jax.numpy as jnp
from jax import lax
from jax.scipy.linalg import solve_triangular

BLOCK = 32


def eliminate(A):
    rows = jnp.arange(A.shape[0])

    def step(rest, k):
        row = jnp.where(rows >= k, rest[k], 0.0)
        column = jnp.where(rows > k, rest[:, k] / rest[k, k], 0.0)
        return rest - jnp.outer(column, row), (column, row)

    _, (L, U) = lax.scan(step, A, rows)
    return L.T + U


def kernel(A):
    if A.shape[0] <= BLOCK:
        return eliminate(A)
    half = A.shape[0] // 2
    first = kernel(A[:half, :half])
    U = solve_triangular(first, A[:half, half:], lower=True, unit_diagonal=True)
    L = solve_triangular(first, A[half:, :half].T, trans="T").T
    return jnp.block([[first, U], [L, kernel(A[half:, half:] - L @ U)]])
