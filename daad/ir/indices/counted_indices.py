"""Indices that compiled code counts from the front, as the user counts them."""

from __future__ import annotations

from collections.abc import Iterator

from daad.ir.intervals import index_interval
from daad.ir.nodes import Access, Const, Expr, IndexValue, Load, Nest, Node, Op, Program
from daad.ir.walk import node_loads

FAR = 1 << 32
"""Is added to indices that do not fit the axis of a part of an array, and might fit the array."""
Found = tuple[int, int]
"""An index, and the size of the axis that it is for."""


def as_written(program: Program, statements: tuple[Node, ...], found: Found) -> Found:
    """What the user's index was where `found` is outside of an array; the same where that cannot be told.

    Negative indices count from the end, and those of a part of an array from its beginning.
    """
    written = {
        own
        for statement in statements
        for place in _places(statement)
        for index, extent in zip(place.index, program.arrays[place.array].shape, strict=True)
        if extent == found[1] and isinstance(index, Expr) and (own := _own(index, found)) is not None
    }
    return written.pop() if len(written) == 1 else found  # several accesses of one statement may be the one


def _places(statement: Node) -> Iterator[Load | Access]:
    yield from node_loads(statement)
    if isinstance(statement, Nest):
        yield from (assign.target for assign in statement.assigns)


def _own(index: Expr, found: Found) -> Found | None:
    """The index behind this one, if this is the one that was found, and the size of its axis; None where it is not."""
    line, bounds = _line(index), index_interval(index, {})
    if bounds is not None and not bounds[0] <= found[0] <= bounds[1]:
        return None
    if line is None:
        return found
    slope, offset, size = line
    counted, rest = divmod(found[0] - offset, slope)
    if rest or 0 <= counted < size:
        return None
    return (counted if counted >= 0 else counted - size), size


def _line(index: Expr) -> tuple[int, int, int] | None:
    """Slope and offset by which a place depends on an index counted from the front, and the size of that one's axis."""
    if not isinstance(index, Op):
        return None
    size = _size(index)
    if size is not None:
        return 1, 0, size
    size = _size_of_part(index)
    if size is not None:
        return 1, FAR, size
    if index.name == "negative":
        inner = _line(index.args[0])
        return inner and (-inner[0], -inner[1], inner[2])
    if index.name not in ("add", "subtract", "multiply"):
        return None
    own, other = index.args if _number(index.args[0]) is None or index.name == "subtract" else index.args[::-1]
    if (number := _number(other)) is None:
        return None
    inner = _line(own)
    if inner is None or (index.name == "multiply" and not number):
        return None
    slope, offset, size = inner
    if index.name == "multiply":
        return slope * number, offset * number, size
    return slope, offset + (number if index.name == "add" else -number), size


def _size(index: Op) -> int | None:
    """Of an axis whose end negative indices count from: `i + size if i < 0 else i`."""
    if index.name != "where":
        return None
    negative, counted, own = index.args
    if not isinstance(negative, Op) or not isinstance(counted, Op) or counted.name != "add":
        return None
    is_own = negative.args[0] == own == counted.args[0] and _number(negative.args[1]) == 0
    return _number(counted.args[1]) if is_own else None


def _size_of_part(index: Op) -> int | None:
    """Of a part of an array: `i if i >= 0 and i < size else i + FAR`."""
    if index.name != "where" or not isinstance(index.args[0], Op) or index.args[0].name != "logical_and":
        return None
    sides = [side for side in index.args[0].args if isinstance(side, Op) and side.name == "less"]
    beyond = index.args[2]
    is_far = isinstance(beyond, Op) and beyond.name == "add" and _number(beyond.args[1]) == FAR
    return _number(sides[0].args[1]) if is_far and sides else None


def _number(expr: Expr) -> int | None:
    if isinstance(expr, Const):
        return int(expr.value)
    return expr.form.const if isinstance(expr, IndexValue) and expr.form.is_const else None
