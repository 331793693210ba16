"""What SciPy's distributions of several variables take of a covariance matrix, and densities by kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.linear import cholesky_of_scipy, from_triangle, solve_triangular
from daad.frontend.library.special import logsumexp

Array = Any  # staged while the program is read
NEGLIGIBLE = 1e6 * float(np.finfo(float).eps)
"""SciPy's: eigenvalues below so much of the largest count as zero."""


class Whitening:
    """A matrix `U` with `U @ U.T` the inverse: by Cholesky, where SciPy takes eigenvectors.

    Only the product matters, and neither the signs of eigenvectors nor equal eigenvalues trouble this one.
    """

    def __init__(self, matrix: Array, lower: bool) -> None:
        factor = cholesky_of_scipy(from_triangle(matrix, lower), lower=True)
        self._M = matrix
        self.rank = matrix.shape[0]
        self.U = solve_triangular(factor, np.eye(self.rank), lower=True).T
        self.log_pdet = 2.0 * np.sum(np.log(np.diag(factor)))

    @property
    def pinv(self) -> Array:
        return self.U @ self.U.T

    def is_regular(self) -> Any:
        """Whether no eigenvalue is as small as those that SciPy leaves out: bounded by norms of Frobenius."""
        squares = np.sum(self.pinv**2) * np.sum(self._M**2)
        return squares < NEGLIGIBLE**-2

    @staticmethod
    def _support_mask(x: Array) -> Array:
        return np.ones(np.shape(x)[:-1], dtype=bool)


def whitening(M: Array, lower: bool = True, allow_singular: bool = True) -> Whitening:
    found = Whitening(np.asarray(M), lower)
    if allow_singular and not found.is_regular():
        raise ValueError("Singular covariance matrices are not supported")
    return found


def _whitened(self: Any, points: Array) -> tuple[Array, Array]:
    """Half the squared distances of points from the data, in standard deviations, and the kernel's factor."""
    place = np.atleast_2d(np.asarray(points))
    if place.shape[0] != self.d:
        if place.shape[0] != 1 or place.shape[1] != self.d:
            raise ValueError(f"points have dimension {place.shape[0]}, dataset has dimension {self.d}")
        place = np.reshape(place, (self.d, 1))
    factor = np.linalg.cholesky(np.atleast_2d(self.covariance))
    data, there = np.linalg.solve(factor, self.dataset), np.linalg.solve(factor, place)
    apart = data[:, :, np.newaxis] - there[:, np.newaxis, :]
    return 0.5 * np.sum(apart * apart, axis=0), (2.0 * np.pi) ** (-0.5 * self.d) / np.prod(np.diag(factor))


def evaluate(self: Any, points: Array) -> Array:
    """The density that kernels around the data make."""
    apart, factor = _whitened(self, points)
    return factor * (self.weights @ np.exp(-apart))


def logpdf(self: Any, x: Array) -> Array:
    apart, factor = _whitened(self, x)
    return logsumexp(-apart, axis=0, b=np.asarray(self.weights)[:, np.newaxis]) + np.log(factor)


KERNELS: dict[str, Callable[..., Any]] = {"gaussian_kde.evaluate": evaluate, "gaussian_kde.logpdf": logpdf}
STATS: dict[str, Callable[..., Any]] = {"_PSD": whitening}


def correlated(numbers: Array, mean: Array, cov: Array) -> Array:
    """What `RandomState.multivariate_normal` makes of standard normal numbers."""
    _, values, vectors = np.linalg.svd(cov)
    return mean + np.dot(numbers, np.sqrt(values)[:, None] * vectors)


def correlated_by(numbers: Array, mean: Array, cov: Array, method: str = "svd") -> Array:
    """What `Generator.multivariate_normal` makes of them."""
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        factor = vectors * np.sqrt(np.abs(values))
    else:
        left, values, _ = np.linalg.svd(cov)
        factor = left * np.sqrt(values)
    return mean + np.dot(numbers, factor.T)
