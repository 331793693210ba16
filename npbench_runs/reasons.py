"""Why JAX is faster, for the kernels on which it is; the report shows these beside the ratio."""

from __future__ import annotations

from collections.abc import Mapping

BLAS = "products of matrices on two threads of OpenBLAS take nearly all of the time; the fastest samples are {}"

TRIANGLE = "the program, and daad, go through a triangle row by row, in tiles; JAX's is one product of matrices"

REASONS: Mapping[str, str] = {
    "correlation": TRIANGLE,
    "covariance": TRIANGLE,
    "covariance2": BLAS.format("equal"),
    "k2mm": BLAS.format("twice as fast as JAX's"),
}
