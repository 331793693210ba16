"""How eigenvectors and singular vectors turn: the rest of `v.T @ da @ v` over the differences of eigenvalues.

Vectors of equal eigenvalues are any basis of their space. What depends on the space alone has no derivative by turns
within it; what depends on the basis gets one without bound. The adjoint says which of both a program is: within the
space it is symmetric but for rounding, or it is not. A tangent is that of a program that depends on the space.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import custom_vjp

Array = Any  # staged while the program is read

STEEP = {"d": 1e300, "f": 1e35}
"""What stands for a slope without bound, where eigenvalues are equal but for rounding."""
UNSEEN = {"d": 1e-8, "f": 1e-3}
"""Up to this part of the largest one, differences of an adjoint are rounding."""


def slopes_of(w: Array) -> Array:
    """One over the differences of eigenvalues, zero on the diagonal.

    Where they are equal but for rounding the two slopes do not cancel: whatever depends on these vectors gets a
    derivative without bound.
    """
    gaps = w - w[:, np.newaxis]
    close = np.abs(gaps) <= 8 * len(w) * np.finfo(w.dtype).eps * np.max(np.abs(w))
    steep = STEEP[w.dtype.char] * (np.triu(np.ones_like(gaps), 1) + 0.71 * np.tril(np.ones_like(gaps), -1))
    return np.where(close, steep, 1.0 / np.where(close, 1.0, gaps))


@custom_vjp
def turned(slopes: Array, *changes: Array) -> Any:
    """Each of the changes times the slopes; vectors of several sets that turn together are one space."""
    return tuple(change * slopes for change in changes)


def _turned(slopes: Array, *changes: Array) -> Any:
    return tuple(change * slopes for change in changes), slopes


def _turned_back(slopes: Array, seeds: Any) -> Any:
    together = sum(seeds)
    differences = np.abs(together - np.conj(together.T))
    largest = np.max(np.abs(together))
    kept = np.where(_steep(slopes) & (differences <= UNSEEN[slopes.dtype.char] * largest), 0.0, slopes)
    return None, *(seed * kept for seed in seeds)


def _turning(primals: Any, tangents: Any) -> Any:
    slopes, *changes = primals
    kept = np.where(_steep(slopes), 0.0, slopes)
    return tuple(change * slopes for change in changes), tuple(tangent * kept for tangent in tangents[1:])


def _steep(slopes: Array) -> Array:
    return np.abs(slopes) > STEEP[slopes.dtype.char] ** 0.75


turned.defvjp(_turned, _turned_back)
turned.defjvp(_turning)
