"""Deriche's smoothing: the recurrences of the filters forth and back are scans along the rows."""

import jax.numpy as jnp
from jax import lax


def smooth(x, alpha):
    decay = jnp.exp(-alpha)
    gain = (1.0 - decay) ** 2 / (1.0 + alpha * decay - jnp.exp(2.0 * alpha))
    b1, b2 = 2.0**-alpha, -(decay**2)
    here, before = gain, gain * decay * (alpha - 1.0)
    after, second = gain * decay * (alpha + 1.0), gain * b2
    around = jnp.pad(x, ((1, 2), (0, 0)))

    def recur(carry, row):
        one_ago, two_ago = carry
        y = row + b1 * one_ago + b2 * two_ago
        return (y, one_ago), y

    nothing = jnp.zeros_like(x[0]), jnp.zeros_like(x[0])
    _, forth = lax.scan(recur, nothing, here * x + before * around[:-3])
    _, back = lax.scan(recur, nothing, after * around[2:-1] + second * around[3:], reverse=True)
    return forth + back


def kernel(alpha, imgIn):
    return smooth(smooth(imgIn.T, alpha).T, alpha)
