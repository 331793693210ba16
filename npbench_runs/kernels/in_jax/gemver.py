"""The two outer products as one matrix product, whose gradient is two, then two products with a vector."""

import jax.numpy as jnp


def kernel(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A = A + jnp.stack([u1, u2], axis=1) @ jnp.stack([v1, v2])
    x = x + beta * (y @ A) + z
    return w + alpha * (A @ x)
