"""Loops over all indices of a shape (`np.ndindex`, `np.ndenumerate`) as loops inside of each other."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.syntax.made_nodes import SCOPES, kept
from daad.frontend.python.values.iterators import Grid, Once, Place
from daad.frontend.staging.iterables import make_range
from daad.ir.symbols import Kind, symbol


class Nested(NamedTuple):
    """The outermost loop, and names that only daad knows: of what each loop runs over, of the array, of the indices."""

    loop: ast.For
    ranges: tuple[str, ...]
    array: str
    names: tuple[str, ...]


def nested_in(node: ast.For, value: Any) -> Grid | None:
    """What the loop goes through, if there are loops for it: unless a `break` leaves them all. None of it is left."""
    if not isinstance(value, Once) or value.place != Place() or not isinstance(value.source, Grid):
        return None
    grid = value.source
    if not grid.extents or node.orelse or any(map(_breaks, node.body)):
        return None
    value.spend()
    return grid


def run_grid(reader: Reader, node: ast.For, grid: Grid, rest: Sequence[ast.stmt]) -> Signal:
    """Loops inside of each other, and the rest of the block, which a `return` may leave out."""
    loop, ranges, array, names = _nested_once(node, len(grid.extents), grid.array is not None)
    reader.scope.own |= {*names, *ranges, array}
    for name, extent in zip(ranges, grid.extents, strict=True):
        reader.bind(name, make_range(reader.stage, [reader.stage.affine(extent)]))
    reader.bind(array, grid.array)
    return reader.execute([loop, *rest]) or Signal.END


def _nested_once(node: ast.For, rank: int, has_elements: bool) -> Nested:
    """The loops that stand for this one, the same ones whenever the program is read."""
    return kept(node, f"{rank} {has_elements}", lambda: _nested(node, rank, has_elements))


def _nested(node: ast.For, rank: int, has_elements: bool) -> Nested:
    place = f"{node.lineno}:{node.col_offset}"
    names = tuple(symbol(Kind.HIDDEN, f"i{k}", place) for k in range(rank))
    ranges = tuple(symbol(Kind.HIDDEN, f"range{k}", place) for k in range(rank))
    array = symbol(Kind.HIDDEN, "array", place)
    point: ast.expr = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
    if has_elements:
        element = ast.Subscript(ast.Name(array, ast.Load()), point, ast.Load())
        point = ast.Tuple([point, element], ast.Load())
    body: list[ast.stmt] = [_placed(ast.Assign([node.target], point), node), *node.body]
    for name, over in zip(reversed(names), reversed(ranges), strict=True):
        body = [_placed(ast.For(ast.Name(name, ast.Store()), ast.Name(over, ast.Load()), body, []), node)]
    (loop,) = body
    assert isinstance(loop, ast.For), "there is an index at least"
    return Nested(loop, ranges, array, names)


def _placed(statement: ast.stmt, node: ast.For) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(statement, node.target))


def _breaks(node: ast.AST) -> bool:
    """Whether a `break` in a statement leaves the loop that it stands in."""
    if isinstance(node, ast.Break):
        return True
    if isinstance(node, ast.For | ast.While):
        return any(map(_breaks, node.orelse))
    return not isinstance(node, SCOPES) and any(map(_breaks, ast.iter_child_nodes(node)))
