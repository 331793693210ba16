"""Deriche's smoothing: the filters forth and back are one scan, the rows of the latter flipped."""

import jax.numpy as jnp
from jax import lax


def smooth(x, alpha):
    decay = jnp.exp(-alpha)
    gain = (1.0 - decay) ** 2 / (1.0 + alpha * decay - jnp.exp(2.0 * alpha))
    b1, b2 = 2.0**-alpha, -(decay**2)
    here, before = gain, gain * decay * (alpha - 1.0)
    after, second = gain * decay * (alpha + 1.0), gain * b2
    shifted = jnp.pad(x, ((2, 2), (0, 0)))
    forth = here * x + before * shifted[1:-3]
    back = after * shifted[3:-1] + second * shifted[4:]

    def recur(carry, row):
        last, one_before = carry
        y = row + b1 * last + b2 * one_before
        return (y, last), y

    rows = jnp.stack([forth, back[::-1]], axis=1)
    _, y = lax.scan(recur, (jnp.zeros_like(rows[0]),) * 2, rows, unroll=8)
    return y[:, 0] + y[::-1, 1]


def kernel(alpha, imgIn):
    return smooth(smooth(imgIn.T, alpha).T, alpha)
