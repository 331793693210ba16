"""Sums in a tree that the number of terms alone decides: neighbours are added in pairs, and pairs in pairs.

Whoever sums an aligned block of a power of two of terms has computed a node of the tree, so that many can share the
work, in blocks of any such size, and the sum has the same bits. Its rounding error grows with the logarithm of the
number of terms (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.frontend import structures


class PairwiseSum:
    """Terms come in order; a term of level `n` is the sum of 2 ** n members, the last one perhaps of fewer."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, Any]] = []

    def add(self, value: Any, level: int = 0) -> None:
        """The next term."""
        while self._nodes and self._nodes[-1][0] == level:
            value, level = added(self._nodes.pop()[1], value), level + 1
        self._nodes.append((level, value))

    def total(self) -> Any:
        """Of all terms; there is at least one."""
        (_, total), *before = reversed(self._nodes)
        for _, value in before:
            total = added(value, total)
        return total


def added(first: Any, second: Any) -> Any:
    """The sum of two structures of the same kind, in new arrays."""
    if type(first) is tuple and type(second) is tuple and len(first) == len(second):  # as most results are
        return tuple(map(added, first, second))
    return _sum(first, second) if isinstance(first, np.ndarray | np.generic) else mapped(_sum, first, second)


def scaled(value: Any, count: int) -> Any:
    """The mean of `count` members whose sum is the value."""
    return mapped(lambda leaf: None if leaf is None else leaf / count, value)


def mapped(change: Callable[..., Any], value: Any, *others: Any) -> Any:
    """The structure of `change(leaf, ...)`."""
    found = structures.inner(value)
    if found is None:
        return change(value, *others)
    theirs = [dict(structures.inner(other) or ()) for other in others]
    if any([*their] != [step for step, _ in found] for their in theirs):
        raise BadArgument("The gradients of the members have different structures.", hint=APART)
    items = {step: mapped(change, item, *(their[step] for their in theirs)) for step, item in found}
    like = value if structures.parts(value) is not None else structures.Opened(value, {n[1:]: i for n, i in found})
    return structures.closed(structures.rebuilt(like, lambda step, _: items[step]))


APART = "Use reduce=None, and add up what belongs together."


def _sum(first: Any, second: Any) -> Any:
    if first is None and second is None:
        return None
    if np.shape(first) != np.shape(second):
        message = f"Members have results of shapes {np.shape(first)} and {np.shape(second)}, which have no sum."
        raise BadArgument(message, hint=APART)
    return first + second
