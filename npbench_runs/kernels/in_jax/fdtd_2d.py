"""Maxwell's equations: a scan over the source's values carries the three fields."""

import jax.numpy as jnp
from jax import lax


def kernel(TMAX, ex, ey, hz, _fict_):
    def step(fields, source):
        ex, ey, hz = fields
        ey = ey.at[0].set(source).at[1:].add(-0.5 * jnp.diff(hz, axis=0))
        ex = ex.at[:, 1:].add(-0.5 * jnp.diff(hz, axis=1))
        curl = jnp.diff(ex[:-1], axis=1) + jnp.diff(ey[:, :-1], axis=0)
        hz = hz.at[:-1, :-1].add(-0.7 * curl)
        return (ex, ey, hz), None

    (ex, _, _), _ = lax.scan(step, (ex, ey, hz), _fict_)
    return ex
