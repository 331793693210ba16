"""Loops whose bounds are read from tables of integers, such as those of a schedule: how long they are on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Const, Expr, Index, IndexValue, Load, Loop, Nest, Node, Op

Tables = Mapping[str, np.ndarray]


def averaged(body: tuple[Node, ...], tables: Tables) -> tuple[Node, ...]:
    """The body with loops over rows of a table (rows, columns; a scalar is one number) as long as they are on average,
    around the middle of all their iterations, which moves from row to row as on average.

    Rows are read equally often, so the sum over all iterations is exact where the work is linear in the variable.
    """
    return tuple(_averaged(node, tables) for node in body)


def _averaged(node: Node, tables: Tables) -> Node:
    if isinstance(node, Nest):
        return node
    if isinstance(node, Branch):
        return replace(node, then=averaged(node.then, tables), orelse=averaged(node.orelse, tables))
    assert isinstance(node, Loop)
    first, last = (_column(index, tables) for index in (node.start, node.stop))
    body = averaged(node.body, tables)
    if first is None or last is None:
        return replace(node, body=body)
    (row, firsts), (_, lasts) = first, last
    lengths, middles = lasts - firsts, (firsts + lasts) / 2
    weights = np.abs(lengths) if lengths.any() else np.ones(len(lengths))
    ends = (float(np.average(middles, weights=weights) + side * np.mean(lengths) / 2) for side in (-1, 1))
    start, stop = (_moving(end, _slope(middles, weights), row, len(lengths)) for end in ends)
    return replace(node, start=start, stop=stop, body=body)


def _slope(values: np.ndarray, weights: np.ndarray) -> float:
    """By how much the values grow from row to row, on average."""
    rows = np.arange(len(values)) - np.average(np.arange(len(values)), weights=weights)
    spread = float(weights @ rows**2)
    return float(weights @ (rows * values)) / spread if spread else 0.0


def _moving(end: float, slope: float, row: Affine, rows: int) -> Expr:
    """An end of a loop that is `end` in the middle of the rows."""
    middle = Const(end - slope * (rows - 1) / 2, "float64")
    return Op("add", (middle, Op("multiply", (Const(slope, "float64"), IndexValue(row)), "float64")), "float64")


def _column(index: Index, tables: Tables) -> tuple[Affine, np.ndarray] | None:
    """The row that a bound is read from, and the values of all rows, None if it is not read from a table; it may have a
    number added."""
    if isinstance(index, Op) and index.name == "add" and isinstance(index.args[1], Const):
        column = _column(index.args[0], tables)
        return None if column is None else (column[0], column[1] + index.args[1].value)
    if not isinstance(index, Load) or index.array not in tables:
        return None
    if not index.index:
        return Affine(0), tables[index.array].reshape(1)
    row, column_number = index.index
    assert isinstance(row, Affine), "a row is chosen by a loop"
    assert isinstance(column_number, Affine), "tables are read row by row"
    return row, tables[index.array][:, column_number.const]
