"""The covariance matrix as one product of the centred table."""

import jax.numpy as jnp


def kernel(M, float_n, data):
    centred = data - jnp.mean(data, axis=0)
    return centred.T @ centred / (float_n - 1.0)
