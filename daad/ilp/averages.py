"""Loops whose bounds are read from tables of integers, such as those of a schedule: how long they are on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from daad.program.affine import Affine
from daad.program.nodes import Branch, Const, Expr, Index, Load, Loop, Nest, Node
from daad.program.walk import map_expr

Tables = Mapping[str, np.ndarray]


def averaged(body: tuple[Node, ...], tables: Tables) -> tuple[Node, ...]:
    """The body with the average of its column in the place of each bound that is read from a table (rows, columns).

    Rows are read equally often, so the sum over all iterations is exact where the work is linear in the bounds.
    """
    return tuple(_averaged(node, tables) for node in body)


def _averaged(node: Node, tables: Tables) -> Node:
    if isinstance(node, Nest):
        return node
    if isinstance(node, Branch):
        return replace(node, then=averaged(node.then, tables), orelse=averaged(node.orelse, tables))
    assert isinstance(node, Loop)
    start, stop = (_bound(index, tables) for index in (node.start, node.stop))
    return replace(node, start=start, stop=stop, body=averaged(node.body, tables))


def _bound(index: Index, tables: Tables) -> Index:
    def mean(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in tables:
            return None
        column = expr.index[-1]
        assert isinstance(column, Affine), "tables are read row by row"
        return Const(float(np.mean(tables[expr.array][:, column.const])), "float64")

    return index if isinstance(index, Affine) else map_expr(index, mean)
