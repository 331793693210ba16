"""Domains that cover whole arrays, with readable variables."""

from __future__ import annotations

from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Range


def all_points(array: Array, names: NameSupply) -> tuple[tuple[Range, ...], tuple[Affine, ...]]:
    """The domain of all elements of an array, and the index of each."""
    variables = names.axes(len(array.shape))
    domain = tuple(Range(n, Affine(0), Affine(extent)) for n, extent in zip(variables, array.shape, strict=True))
    return domain, tuple(map(Affine.of, variables))
