"""Domains that cover whole arrays, with readable variables."""

from __future__ import annotations

from collections.abc import Collection

from daad.ir.affine import Affine
from daad.ir.fresh_names import fresh
from daad.ir.nodes import Array, Range

AXES = "ijklmn"


def axes(count: int, taken: Collection[str]) -> list[str]:
    """Names for domain variables: i, j, k, … that are not taken."""
    names: list[str] = []
    for axis in range(count):
        names.append(fresh(AXES[axis % len(AXES)], {*taken, *names}))
    return names


def all_points(array: Array, taken: Collection[str]) -> tuple[tuple[Range, ...], tuple[Affine, ...]]:
    """The domain of all elements of an array, and the index of each."""
    names = axes(len(array.shape), taken)
    domain = tuple(Range(n, Affine(0), Affine(extent)) for n, extent in zip(names, array.shape, strict=True))
    return domain, tuple(Affine.of(n) for n in names)
