"""Why JAX is faster, for the kernels on which it is; the report shows these beside the ratio."""

from __future__ import annotations

from collections.abc import Mapping

BLAS = "products of matrices on two threads of OpenBLAS take nearly all of the time; the fastest samples are {}"

HALVES = "the program, and daad, take one column after the other; the version in JAX is products of halves"

REASONS: Mapping[str, str] = {
    "covariance2": BLAS.format("equal"),
    "gramschmidt": HALVES,
    "k2mm": BLAS.format("twice as fast as JAX's"),
}
