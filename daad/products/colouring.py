"""Colours for the columns of a sparse matrix: two that share a row have different ones, so that products with one
vector for each colour hold all entries apart (Curtis, Powell and Reid 1974; Gebremedhin, Manne and Pothen 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

SMALL = 20_000
"""Columns up to which a greedy colouring is tried as well where a lattice has been found."""
COMBINATIONS = 4096
"""Lattices that are tried at most."""
SAMPLE = 4096
"""Rows on which a lattice is tried first."""


def colours(pattern: Any, shapes: Sequence[tuple[int, ...]]) -> np.ndarray:
    """A colour for each column, from 0 on; `shapes` are those of the arrays whose elements the columns are.

    Stencils are coloured by lattices, `sum(a * i) mod p`, with as few colours as the longest row has entries where
    there is one; all else greedily, columns with most neighbours first.
    """
    longest = int(np.diff(pattern.indptr).max(initial=0))
    found = _lattice(pattern, shapes, longest) if len(shapes) == 1 and shapes[0] else None
    if found is not None and (pattern.shape[1] > SMALL or int(found.max(initial=0)) + 1 <= longest):
        return found
    greedy = _greedy(pattern)
    return greedy if found is None or greedy.max(initial=0) < found.max(initial=0) else found


def is_colouring(pattern: Any, colour: np.ndarray) -> bool:
    """Whether no two columns of one row have the same colour."""
    count = int(colour.max(initial=0)) + 1
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return bool(np.bincount(rows * count + colour[pattern.indices], minlength=1).max(initial=0) <= 1)


def _lattice(pattern: Any, shapes: Sequence[tuple[int, ...]], longest: int) -> np.ndarray | None:
    """The lattice with the fewest colours, of those that are tried."""
    places = np.indices(shapes[0]).reshape(len(shapes[0]), -1)
    step = max(1, pattern.shape[0] // SAMPLE)
    sample = pattern[::step] if step > 1 else pattern
    tried = 0
    for count in range(max(longest, 1), 2 * longest + 2):
        for factors in product(range(count), repeat=len(shapes[0])):
            tried += 1
            if tried > COMBINATIONS:
                return None
            colour = np.tensordot(factors, places, 1) % count
            if is_colouring(sample, colour) and (step == 1 or is_colouring(pattern, colour)):
                return np.unique(colour, return_inverse=True)[1]
    return None


def _greedy(pattern: Any) -> np.ndarray:
    """At distance two: each column in turn gets the first colour that none of its neighbours has."""
    by_column = pattern.tocsc()
    rows = [by_column.indices[a:b] for a, b in zip(by_column.indptr[:-1], by_column.indptr[1:], strict=True)]
    used: list[set[int]] = [set() for _ in range(pattern.shape[0])]
    lengths = np.diff(pattern.indptr)
    degree = np.array([int(lengths[each].sum()) for each in rows])
    colour = np.zeros(pattern.shape[1], dtype=np.int64)
    for column in np.argsort(-degree, kind="stable"):
        taken = set().union(*[used[row] for row in rows[column]])
        chosen = next(k for k in range(len(taken) + 1) if k not in taken)
        colour[column] = chosen
        for row in rows[column]:
            used[row].add(chosen)
    return colour
