"""Loops whose bounds are read from tables of integers, such as those of a schedule: how long they are on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from daad.program.affine import Affine
from daad.program.nodes import Branch, Const, Index, Load, Loop, Nest, Node, Op

Tables = Mapping[str, np.ndarray]


def averaged(body: tuple[Node, ...], tables: Tables) -> tuple[Node, ...]:
    """The body with loops over rows of a table (rows, columns) as long as they are on average, around the middle of all
    their iterations.

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
    lengths, middles = last - first, (first + last) / 2
    middle = np.average(middles, weights=np.abs(lengths)) if lengths.any() else np.mean(middles)
    ends = (float(middle + side * np.mean(lengths) / 2) for side in (-1, 1))
    start, stop = (Const(end, "float64") for end in ends)
    return replace(node, start=start, stop=stop, body=body)


def _column(index: Index, tables: Tables) -> np.ndarray | None:
    """The values of a bound, row by row, None if it is not read from a table; it may have a number added."""
    if isinstance(index, Op) and index.name == "add" and isinstance(index.args[1], Const):
        column = _column(index.args[0], tables)
        return None if column is None else column + index.args[1].value
    if not isinstance(index, Load) or index.array not in tables:
        return None
    column_number = index.index[-1]
    assert isinstance(column_number, Affine), "tables are read row by row"
    return tables[index.array][:, column_number.const]
