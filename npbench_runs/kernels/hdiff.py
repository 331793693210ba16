"""Horizontal diffusion of a field in an atmosphere: fluxes of the Laplacian, none where they run up the gradient."""

import numpy as np

SIZES = {
    "tiny": {"I": 3, "J": 4, "K": 2},
    "S": {"I": 64, "J": 64, "K": 60},
    "M": {"I": 128, "J": 128, "K": 160},
    "L": {"I": 384, "J": 384, "K": 160},
    "paper": {"I": 256, "J": 256, "K": 160},
}
OUTPUT = "out_field"


def initialise(I, J, K):  # noqa: E741
    rng = np.random.default_rng(42)
    return rng.random((I + 4, J + 4, K)), rng.random((I, J, K)), rng.random((I, J, K))


def limited(flux, gradient):
    return np.where(flux * gradient > 0.0, 0.0, flux)


def kernel(in_field, out_field, coeff):
    beside = in_field[2:, 1:-1] + in_field[:-2, 1:-1] + in_field[1:-1, 2:] + in_field[1:-1, :-2]
    laplacian = 4.0 * in_field[1:-1, 1:-1] - beside
    flux_x = limited(laplacian[1:, 1:-1] - laplacian[:-1, 1:-1], in_field[2:-1, 2:-2] - in_field[1:-2, 2:-2])
    flux_y = limited(laplacian[1:-1, 1:] - laplacian[1:-1, :-1], in_field[2:-2, 2:-1] - in_field[2:-2, 1:-2])
    outflow = flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1]
    out_field[:] = in_field[2:-2, 2:-2] - coeff * outflow
