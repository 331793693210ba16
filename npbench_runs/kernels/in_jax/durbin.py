"""Durbin's recursion as a scan over the predictor, with a leading one, and its mirror image: no index depends on k."""

import jax.numpy as jnp
from jax import lax


def kernel(r):
    def step(carry, _):
        forward, backward, error = carry
        reflection = -(r @ backward[1:]) / error
        raised = backward + reflection * forward
        forward = forward + reflection * backward
        backward = jnp.concatenate([jnp.zeros(1, r.dtype), raised[:-1]])
        return (forward, backward, error * (1.0 - reflection**2)), None

    start = jnp.zeros(r.shape[0] + 1, r.dtype)
    carry = start.at[0].set(1.0), start.at[1].set(1.0), jnp.ones((), r.dtype)
    (forward, _, _), _ = lax.scan(step, carry, None, length=r.shape[0])
    return forward[1:]
