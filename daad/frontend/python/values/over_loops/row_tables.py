"""Lists of lists of numbers that a long loop runs over: each iteration has the row of an array for its list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.over_loops.growing_lists import exchange
from daad.frontend.python.values.over_loops.indexed_lists import Indexed, Lists, as_list, extents_of, numbers_in
from daad.frontend.python.values.over_loops.number_tables import FEWEST_ITEMS, Table, is_table, table
from daad.frontend.staging import variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import lists_in
from daad.frontend.staging.iterables import Staged
from daad.ir.affine import Affine
from daad.ir.nodes import Index

Place = tuple[int, ...]
"""Where a list stands in an item, in tuples in tuples."""


@dataclass(frozen=True)
class RowTable(Staged):
    """Items of one structure, with lists at the same places; known items are themselves."""

    items: Sequence[Any]
    others: Table
    rows: dict[Place, Indexed]

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return self.others.bounds(stage)

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        if position.is_const:
            return self.items[position.const]
        found = self.others.item(stage, position)
        for place, rows in self.rows.items():
            found = _with(found, place, rows.item(stage, stage.affine(position)))
        return found

    def leave(self, reader: Reader) -> None:
        """The loop has been read: lists are lists again, which it has not changed."""
        for rows in self.rows.values():
            exchange(reader, partial(as_list, rows.lists))
            if rows.lists.is_touched():
                rows.misused()
            rows.lists.is_over = True


def is_row_table(stage: Stage, items: Sequence[Any]) -> bool:
    """Whether each of many items holds lists of its own, all of one shape, with integers or floats that are known."""
    places = _places(items[0]) if len(items) >= FEWEST_ITEMS else []
    if not places or any(_places(item) != places for item in items):
        return False
    columns = [[_at(item, place) for item in items] for place in places]
    every = [one for rows in columns for one in lists_in(rows)]
    return (
        len(set(map(id, every))) == len(every)
        and all(map(_has_numbers, columns))
        and is_table(stage, [_without(item) for item in items])
    )


def row_table(reader: Reader, plan: Plan, items: Sequence[Any]) -> RowTable:
    rows = {place: _rows(reader, plan, [_at(item, place) for item in items]) for place in _places(items[0])}
    return RowTable(items, table(reader.stage, [_without(item) for item in items]), rows)


def _rows(reader: Reader, plan: Plan, rows: list[Any]) -> Indexed:
    extents, stage = extents_of(rows), reader.stage
    numbers = numbers_in(rows, extents) or []
    kind = variable_storage.kind_of(numbers[0])
    held = stage.place(stage.constant(np.array(numbers, kind.dtype).reshape(extents)), "rows")
    content = tuple((one, tuple(one)) for one in lists_in(rows))
    return Indexed(Lists(content, plan, (), kind, is_fixed=True), held)


def _has_numbers(rows: list[Any]) -> bool:
    numbers = numbers_in(rows, extents_of(rows))
    kinds = set(map(type, numbers or ()))
    return kinds in ({int}, {float})


def _places(item: Any) -> list[Place]:
    return list(_lists(item))


def _lists(item: Any) -> Iterator[Place]:
    if type(item) is list:
        yield ()
    if type(item) is tuple:
        for k, part in enumerate(item):
            yield from ((k, *place) for place in _lists(part))


def _at(item: Any, place: Place) -> Any:
    for k in place:
        item = item[k]
    return item


def _with(item: Any, place: Place, value: Any) -> Any:
    if not place:
        return value
    return tuple(_with(part, place[1:], value) if k == place[0] else part for k, part in enumerate(item))


def _without(item: Any) -> Any:
    """The item with a number for each list."""
    if type(item) is tuple:
        return tuple(map(_without, item))
    return 0 if type(item) is list else item
