"""How eigenvectors and singular vectors turn: the rest of `v.T @ da @ v` over the differences of eigenvalues.

Vectors of equal eigenvalues are any basis of their space. What depends on the space alone has no derivative by turns
within it; what depends on the basis gets one without bound. The adjoint says which of both a program is: within the
space it is symmetric but for rounding, or it is not. Where the program depends on the eigenvalues, too, as functions of
matrices do, a turn of the equal ones counts, and nothing here says how much: that is NaN, unless it cannot count.
Tangents are those of a program that depends on the space, and NaN where it depends on the values, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import custom_vjp
from daad.frontend.library.anchored import has_adjoint

Array = Any  # staged while the program is read

STEEP = {"d": 1e300, "f": 1e35}
"""What stands for a slope without bound, where eigenvalues are equal but for rounding."""
UNSEEN = {"d": 1e-8, "f": 1e-3}
"""Up to this part of the largest one, differences of an adjoint are rounding."""
UNKNOWN: dict[str, Any] = {"d": np.float64(np.nan), "f": np.float32(np.nan)}
"""What stands for a derivative that exists, but is not known."""


def slopes_of(w: Array) -> Array:
    """One over the differences of eigenvalues, zero on the diagonal.

    Where they are equal but for rounding the two slopes do not cancel: whatever depends on these vectors gets a
    derivative without bound.
    """
    gaps = w - w[:, np.newaxis]
    close = np.abs(gaps) <= 8 * len(w) * np.finfo(w.dtype).eps * np.max(np.abs(w))
    steep = STEEP[w.dtype.char] * (np.triu(np.ones_like(gaps), 1) + 0.71 * np.tril(np.ones_like(gaps), -1))
    return np.where(close, steep, 1.0 / np.where(close, 1.0, gaps))


def slopes_of_sums(s: Array) -> Array:
    """One over the sums of singular values, zero on the diagonal; without bound where they are rounding errors."""
    sums = s + s[:, np.newaxis]
    close = sums <= 8 * len(s) * np.finfo(s.dtype).eps * np.max(s)
    slopes = np.where(close, STEEP[s.dtype.char], 1.0 / np.where(close, 1.0, sums))
    return np.where(np.eye(len(s), dtype=bool), 0.0, slopes)


@custom_vjp
def turned(slopes: Array, change: Array) -> Array:
    """The change times the slopes."""
    return change * slopes


def _turned(slopes: Array, change: Array) -> Any:
    return change * slopes, slopes


def _turned_back(slopes: Array, seed: Array) -> Any:
    return None, seed * _seen(slopes, seed)


def _turning(primals: Any, tangents: Any) -> Any:
    slopes, change = primals
    return change * slopes, tangents[1] * np.where(_steep(slopes), 0.0, slopes)


turned.defvjp(_turned, _turned_back)
turned.defjvp(_turning)


@custom_vjp
def moved(slopes: Array, v: Array, values: Array, change: Array) -> Any:
    """What changes eigenvalues, and what turns their vectors `v`, which are of one space."""
    return values, change * slopes


def _moved(slopes: Array, v: Array, values: Array, change: Array) -> Any:
    return (values, change * slopes), (slopes, v)


def _moved_back(kept: Any, seeds: Any) -> Any:
    slopes, v = kept
    along, seed = seeds
    unknown, is_untold = UNKNOWN[slopes.dtype.char], has_adjoint(along) & _untold(slopes, v, along, seed)
    turn = np.where(is_untold, unknown, seed * _seen(slopes, seed))
    is_lost = ~has_adjoint(seed.real) & np.any(is_untold, axis=0)
    return None, None, np.where(is_lost, unknown, along), np.where(has_adjoint(seed.real), turn, seed)


def _untold(slopes: Array, v: Array, along: Array, seed: Array) -> Array:
    """Where eigenvalues are equal, the program depends on them, and a turn may count. It cannot where neither vectors
    nor values count, or values by their sum; that of vectors which are axes may be another function's by chance."""
    unseen = UNSEEN[slopes.dtype.char]
    is_axis, count = np.max(np.abs(v), axis=0) == 1.0, np.abs(along) > unseen * np.max(np.abs(along))
    are_alike = np.abs(along - along[:, np.newaxis]) <= unseen * np.max(np.abs(along))
    by_sum = are_alike & ~(is_axis & count & (is_axis & count)[:, np.newaxis])
    return _steep(slopes) & ~(by_sum & (np.abs(seed) <= unseen * np.max(np.abs(seed))))


def _moving(primals: Any, tangents: Any) -> Any:
    slopes, _, values, change = primals
    return (values, change * slopes), (tangents[2], tangents[3] * np.where(_steep(slopes), 0.0, slopes))


moved.defvjp(_moved, _moved_back)
moved.defjvp(_moving)


@custom_vjp
def beside(slopes: Array, values: Array, turn: Array) -> Array:
    """The values beside vectors that `turn`: their tangents, too, are unknown where values are equal and both count."""
    return values


def _beside(primals: Any, tangents: Any) -> Any:
    slopes, values, turn = primals
    is_untold = has_adjoint(turn) & np.any(_steep(slopes), axis=0)
    return values, tangents[1] * np.where(is_untold, UNKNOWN[slopes.dtype.char], 1.0)


beside.defvjp(lambda slopes, values, turn: (values, None), lambda _, seed: (None, seed, None))
beside.defjvp(_beside)


def _seen(slopes: Array, seed: Array) -> Array:
    """The slopes, zero where they are steep and the adjoint is that of a program that depends on the space alone."""
    differences = np.abs(seed - np.conj(seed.T))
    is_of_space = differences <= UNSEEN[slopes.dtype.char] * np.max(np.abs(seed))
    return np.where(_steep(slopes) & is_of_space, 0.0, slopes)


def _steep(slopes: Array) -> Array:
    return np.abs(slopes) > STEEP[slopes.dtype.char] ** 0.75


def phases(change: Array, first: Array) -> tuple[Array, Array]:
    """How complex vectors, the columns that `change`, are turned so that their `first` elements stay real; and which
    ones are not, as these are zero but for rounding."""
    is_loose = np.abs(first) <= UNSEEN[first.dtype.char]
    return np.where(is_loose, 0.0, change.imag / np.where(is_loose, 1.0, first)), is_loose


@custom_vjp
def of_any_phase(is_loose: Array, *parts: Array) -> Any:
    """Real and imaginary parts of sets of vectors that have one phase each, without a derivative where a loose phase
    counts. Behind them are those of the values of the vectors."""
    return parts[: len(parts) // 2]


def _of_any_phase(is_loose: Array, *parts: Array) -> Any:
    count = len(parts) // 2
    return parts[:count], (is_loose, *parts[count:])


def _of_any_phase_back(kept: Any, seeds: Any) -> Any:
    is_loose, *values = kept
    turns = [seeds[k + 1] * values[k] - seeds[k] * values[k + 1] for k in range(0, len(values), 2)]
    turn = np.abs(sum(np.sum(part, axis=0) for part in turns))
    largest = np.max(np.abs(np.concatenate([np.ravel(seed) for seed in seeds])))
    counts = is_loose & (turn > UNSEEN[turn.dtype.char] * largest)
    return None, *(np.where(counts, UNKNOWN[turn.dtype.char], seed) for seed in seeds), *(None for _ in values)


def _of_any_phase_moving(primals: Any, tangents: Any) -> Any:
    _, *parts = primals
    count = len(parts) // 2
    return tuple(parts[:count]), tuple(tangents[1 : 1 + count])


of_any_phase.defvjp(_of_any_phase, _of_any_phase_back)
of_any_phase.defjvp(_of_any_phase_moving)
