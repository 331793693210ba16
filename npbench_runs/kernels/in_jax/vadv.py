"""Vertical advection: Thomas's elimination is a scan along the levels, which come first; columns beside each other."""

import jax.numpy as jnp
from jax import lax


def kernel(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    u_stage, u_pos = jnp.moveaxis(u_stage, 2, 0), jnp.moveaxis(u_pos, 2, 0)
    known = jnp.moveaxis(utens + utens_stage, 2, 0)
    wind = 0.125 * jnp.moveaxis(wcon[1:, :, 1:] + wcon[:-1, :, 1:], 2, 0)
    advected = wind * jnp.diff(u_stage, axis=0)
    wind = jnp.pad(wind, ((1, 1), (0, 0), (0, 0)))
    advected = jnp.pad(advected, ((1, 1), (0, 0), (0, 0)))
    right = dtr_stage * u_pos + known - advected[1:] - advected[:-1]

    def forth(carry, level):
        c, d = carry
        below, above, right = level
        inverse = 1.0 / (dtr_stage + below - above + below * c)
        c, d = above * inverse, (right + below * d) * inverse
        return (c, d), (c, d)

    def back(x, level):
        c, d = level
        x = d - c * x
        return x, x

    zero = jnp.zeros_like(right[0])
    _, (c, d) = lax.scan(forth, (zero, zero), (wind[:-1], wind[1:], right))
    _, x = lax.scan(back, zero, (c, d), reverse=True)
    return jnp.moveaxis(dtr_stage * (x - u_pos), 0, 2)
