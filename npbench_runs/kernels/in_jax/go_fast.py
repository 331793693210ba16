"""The trace of tanh over the diagonal, added to the matrix."""

import jax.numpy as jnp


def kernel(a):
    return a + jnp.tanh(jnp.diagonal(a)).sum()
