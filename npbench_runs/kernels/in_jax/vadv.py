"""Vertical advection: all columns' tridiagonal systems in one call."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_vjp
def solved_first(x):
    """Makes the adjoint's solve wait for this one: two at once wait for each other's threads, for ever (0.10.2)."""
    return x


solved_first.defvjp(lambda x: (x, x), lambda x, x_bar: (x_bar + 0.0 * x,))


def kernel(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    wind = 0.125 * (wcon[1:, :, 1:] + wcon[:-1, :, 1:])
    ends = (0, 0), (0, 0), (1, 1)
    advected = jnp.pad(wind * jnp.diff(u_stage), ends)
    wind = jnp.pad(wind, ends)
    below, above = -wind[:, :, :-1], wind[:, :, 1:]
    right = dtr_stage * u_pos + utens + utens_stage - advected[:, :, 1:] - advected[:, :, :-1]
    x = lax.linalg.tridiagonal_solve(below, dtr_stage - below - above, above, right[..., None])[..., 0]
    return dtr_stage * (solved_first(x) - u_pos)
