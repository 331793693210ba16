"""The haversine formula."""

import jax.numpy as jnp


def kernel(theta_1, phi_1, theta_2, phi_2):
    north = jnp.sin(0.5 * (theta_2 - theta_1)) ** 2
    east = jnp.sin(0.5 * (phi_2 - phi_1)) ** 2
    haversine = north + jnp.cos(theta_1) * jnp.cos(theta_2) * east
    return 2.0 * jnp.arctan2(jnp.sqrt(haversine), jnp.sqrt(1.0 - haversine))
