"""Lists of numbers that a long loop runs over: each iteration reads its row of a table."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import prod
from typing import Any

import numpy as np

from daad.frontend.python.reading.environment import same
from daad.frontend.python.values.iterators import Count, Fixed, Once, Place, Slots, Zip
from daad.frontend.staging import variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import Staged
from daad.frontend.staging.values import ArrayValue, Complex, View
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Nest, Node
from daad.ir.walk import nests

FEWEST_ITEMS = 8
"""Shorter lists are written out: what their items decide is decided while the program is read."""
MOST_NUMBERS, MOST_ARRAYS = 600, 6000
"""Values that the iterations may make when they are written out; operations on arrays, which are fused then, more."""
FEW_ELEMENTS = 64


@dataclass(frozen=True)
class Column:
    """One part of each item: elements or rows of an array, `first + step * k`, or the same."""

    content: ArrayValue | tuple[int, int] | bool | int | float | np.generic
    weak: bool

    def at(self, stage: Stage, position: Affine) -> Any:
        if isinstance(self.content, tuple):
            first, step = self.content
            return stage.affine(position * step + first)
        if not isinstance(self.content, ArrayValue):
            return self.content
        array = self.content
        if array.ndim > 1:
            return stage.reindexed(array, array.shape[1:], lambda point: (position, *point))
        return stage.lazy((), array.dtype, lambda _: array.element((position,)), self.weak)


@dataclass(frozen=True)
class Table(Staged):
    """Items of one structure, with numbers of one kind in each place; known items are themselves."""

    items: Sequence[Any]
    columns: tuple[Column, ...]
    skeleton: Any

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), Affine(len(self.items)), 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        if position.is_const:
            return self.items[position.const]
        return _staged(
            stage, variable_storage.rebuild(self.skeleton, iter([c.at(stage, position) for c in self.columns]))
        )


def _staged(stage: Stage, item: Any) -> Any:
    """The item, with parts of complex numbers that are arrays even where they are the same in all items."""
    if isinstance(item, Complex):
        return Complex(*map(stage.array, item.parts))
    return tuple(_staged(stage, part) for part in item) if type(item) is tuple else item


@dataclass(frozen=True)
class Known:
    """All items of an iterator that has given none; `lists` are those that hold them, `states` what it was like."""

    items: tuple[Any, ...]
    lists: tuple[tuple[Any, tuple[Any, ...]], ...]
    states: tuple[tuple[Once, dict[str, Any]], ...]

    def give_again(self) -> None:
        """The iterator stands before the first item."""
        for once, state in self.states:
            vars(once).update(state)

    def spend(self) -> None:
        """A loop has had all items."""
        for once, _ in self.states:
            once.spend()

    def held(self, stage: Stage) -> list[View]:
        """Other values for the places of items: while these live, a slot that is written gets another place."""
        return [stage.duplicate(item) for _, kept in self.lists for item in kept if isinstance(item, View)]

    def is_unchanged(self) -> bool:
        """Whether the lists hold the same items as then."""
        pairs = [(now, before) for items, kept in self.lists for now, before in zip_longest(items, kept)]
        return all(same(before, now) for now, before in pairs)


def known_items(once: Once, slots: Container[tuple[int, Any]]) -> Known | None:
    """The items of an iterator, if it may be asked for all of them at once; it still stands before the first.

    `slots`: those of lists whose content changes in place.
    """
    items = _items(once)
    if items is None:
        return None
    every = list(_every(once))
    lists = tuple((o.parts[0], tuple(o.parts[0])) for o in every if isinstance(o.source, Slots))
    if any((id(held), number) in slots for held, _ in lists for number in range(len(held))):
        return None
    return Known(tuple(items), lists, tuple((o, dict(vars(o))) for o in every))


def _every(once: Once) -> Iterator[Once]:
    yield once
    for part in once.parts:
        if isinstance(part, Once):
            yield from _every(part)


def _items(once: Once) -> Sequence[Any] | None:
    if once.place != Place():
        return None
    if isinstance(once.source, Fixed):
        return once.source.items
    if isinstance(once.source, Slots):
        held = list(once.parts[0])
        return held if once.source.last is None else held[::-1] if once.source.last == len(held) - 1 else None
    if not isinstance(once.source, Zip | Count) or len(set(map(id, _every(once)))) < len(list(_every(once))):
        return None
    found = [items for part in once.parts if (items := _items(part)) is not None]
    if len(found) < len(once.parts):
        return None
    rows = list(zip(*found, strict=False))
    return rows if isinstance(once.source, Zip) else [(once.source.start + k, item) for k, (item,) in enumerate(rows)]


def is_long(values: int, nodes: Sequence[Node]) -> bool:
    """Whether iterations that make so many values in all should be those of a loop; `nodes` are those of the first."""
    return values > (MOST_NUMBERS if all(map(_has_few_elements, nests(tuple(nodes)))) else MOST_ARRAYS)


def _has_few_elements(nest: Nest) -> bool:
    return all(r.width.is_const for r in nest.domain) and prod(r.width.const for r in nest.domain) <= FEW_ELEMENTS


def is_table(stage: Stage, items: Sequence[Any]) -> bool:
    """Whether a list has many items of one structure, with numbers of one kind in each place."""
    if len(items) < FEWEST_ITEMS:
        return False
    if isinstance(items[0], np.ndarray):
        return all(map(_is_row, items)) and len({(item.shape, item.dtype) for item in items}) == 1
    first = variable_storage.spec_of(items[0])
    if first is None or not all(_is_number(stage, leaf) for item in items for leaf in variable_storage.leaves(item)):
        return False
    return all(_is_like(first, variable_storage.spec_of(item)) for item in items)


def _is_like(first: variable_storage.Spec, spec: variable_storage.Spec | None) -> bool:
    return spec is not None and spec.kinds == first.kinds and variable_storage.join(first, spec) is not None


def _is_row(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "if"


def _is_number(stage: Stage, leaf: Any) -> bool:
    """Whether it is an integer or a float, and no array in memory that others see."""
    if isinstance(leaf, ArrayValue):
        return not leaf.shape and not stage.is_array(leaf) and leaf.dtype.kind in "if"
    return np.asarray(leaf).dtype.kind in "if"


def table(stage: Stage, items: Sequence[Any]) -> Table:
    """The table of the items, its arrays made here."""
    if isinstance(items[0], np.ndarray):
        return Table(items, (Column(stage.constant(np.stack(items)), weak=False),), variable_storage.LEAF)
    rows = [list(variable_storage.leaves(item)) for item in items]
    columns = tuple(_column(stage, list(column)) for column in zip(*rows, strict=True))
    return Table(items, columns, variable_storage.skeleton_of(items[0]))


def _column(stage: Stage, numbers: list[Any]) -> Column:
    first = numbers[0]
    weak = variable_storage.kind_of(first).weak
    if any(isinstance(number, ArrayValue) for number in numbers):
        return Column(_filled(stage, [stage.array(number) for number in numbers]), weak)
    if all(repr(number) == repr(first) for number in numbers):
        return Column(first, weak)
    if type(first) is int and all(number == first + k * (numbers[1] - first) for k, number in enumerate(numbers)):
        return Column((first, numbers[1] - first), weak)
    return Column(stage.constant(np.array(numbers)), weak)


def _filled(stage: Stage, numbers: list[ArrayValue]) -> View:
    """An array of its own with these numbers."""
    made = stage.allocate((Affine(len(numbers)),), numbers[0].dtype, "items")
    stage.nest((), lambda _: [(made, (Affine(k),), "=", number.element(())) for k, number in enumerate(numbers)])
    return made
