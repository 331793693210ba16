"""Horizontal diffusion with limited fluxes."""

import jax.numpy as jnp


def limited(flux, gradient):
    return jnp.where(flux * gradient > 0.0, 0.0, flux)


def kernel(in_field, out_field, coeff):
    beside = in_field[2:, 1:-1] + in_field[:-2, 1:-1] + in_field[1:-1, 2:] + in_field[1:-1, :-2]
    laplacian = 4.0 * in_field[1:-1, 1:-1] - beside
    flux_x = limited(jnp.diff(laplacian[:, 1:-1], axis=0), jnp.diff(in_field[1:-1, 2:-2], axis=0))
    flux_y = limited(jnp.diff(laplacian[1:-1], axis=1), jnp.diff(in_field[2:-2, 1:-1], axis=1))
    outflow = jnp.diff(flux_x, axis=0) + jnp.diff(flux_y, axis=1)
    return in_field[2:-2, 2:-2] - coeff * outflow
