"""Why JAX is faster, for the kernels on which it is; the report shows these beside the ratio."""

from __future__ import annotations

from collections.abc import Mapping

BLAS = "products of matrices on two threads of OpenBLAS take nearly all of the time; the fastest samples are {}"

REASONS: Mapping[str, str] = {
    "covariance2": BLAS.format("equal"),
    "k2mm": BLAS.format("twice as fast as JAX's"),
}
