"""Runs a Program with NumPy, slowly and obviously: the oracle that every pass and every compiled result must equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from daad.errors import Location
from daad.program.affine import Affine
from daad.program.nodes import Assign, Branch, Const, Expr, Index, IndexValue, Load, Loop, Nest, Node, Op, Program
from daad.program.outside import IndexOutside, locations

Values = dict[str, Any]
Places = Mapping[Location, int]
COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
UNCONVERTED = COMPARISONS | {"isnan", "isinf", "isfinite", "signbit"}
REDUCERS = {"+=": np.add, "max=": np.maximum, "min=": np.minimum}


def run(program: Program, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The content of all arrays at the end; `arguments` (arrays, and ints by name) are left untouched.

    Local arrays start as NaN (integers: a large negative number), so that reading what was never written shows.
    """
    arrays = {name: _blank(array.shape, array.dtype) for name, array in program.arrays.items()}
    for name in program.parameters:
        array = program.arrays[name]
        arrays[name] = np.array(arguments[name], dtype=array.dtype, order="C").reshape(array.shape)
    values: Values = {name: int(arguments[name]) for name in program.integers}
    places = {at: site for site, at in enumerate(locations(program))}
    with np.errstate(all="ignore"):
        _run_body(program.body, arrays, values, places)
    return arrays


def _blank(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    kind = np.dtype(dtype).kind
    return np.full(shape, np.nan if kind in "fc" else (-(2**30) if kind == "i" else 0), dtype=dtype)


def _run_body(body: tuple[Node, ...], arrays: dict[str, np.ndarray], values: Values, places: Places) -> None:
    for node in body:
        try:
            _run_node(node, arrays, values, places)
        except IndexOutside as found:
            if found.site < 0 and node.at is not None:
                found.site = places[node.at]
            raise


def _run_node(node: Node, arrays: dict[str, np.ndarray], values: Values, places: Places) -> None:
    if isinstance(node, Nest):
        _run_nest(node, arrays, values)
    elif isinstance(node, Loop):
        start, stop = (int(_Evaluation(arrays, values).index(bound)) for bound in (node.start, node.stop))
        for i in range(start, stop, node.step):
            _run_body(node.body, arrays, {**values, node.var: i}, places)
    else:
        assert isinstance(node, Branch), f"unknown node {node!r}"
        taken = bool(_Evaluation(arrays, values).value(node.condition))
        _run_body(node.then if taken else node.orelse, arrays, values, places)


def _run_nest(nest: Nest, arrays: dict[str, np.ndarray], values: Values) -> None:
    axes = [np.arange(r.start.evaluate(values), r.stop.evaluate(values)) for r in nest.domain]
    if any(axis.size == 0 for axis in axes):
        return
    grids = np.meshgrid(*axes, indexing="ij")
    points = {**values, **{r.var: grid.ravel() for r, grid in zip(nest.domain, grids, strict=True)}}
    for assign in nest.assigns:
        _run_assign(assign, arrays, points)


def _run_assign(assign: Assign, arrays: dict[str, np.ndarray], points: Values) -> None:
    evaluation = _Evaluation(arrays, points)
    target = arrays[assign.target.array]
    index = evaluation.place(target, assign.target.index)
    value = evaluation.value(assign.value)
    if assign.op == "=":
        target[index] = value
        return
    size = max((p.size for p in points.values() if isinstance(p, np.ndarray)), default=1)
    flat, index = target.reshape(-1), tuple(np.broadcast_to(i, (size,)) for i in index)
    places = np.ravel_multi_index(index, target.shape) if index else np.zeros(size, dtype=np.int64)
    REDUCERS[assign.op].at(flat, places, np.broadcast_to(np.asarray(value, dtype=target.dtype), (size,)))


class _Evaluation:
    """Values of expressions at all points at once; a 'where' evaluates each side on its own points only."""

    def __init__(self, arrays: Mapping[str, np.ndarray], points: Values) -> None:
        self.arrays = arrays
        self.points = points
        self.memo: dict[Expr, Any] = {}

    def index(self, index: Index) -> Any:
        return index.evaluate(self.points) if isinstance(index, Affine) else self.value(index)

    def place(self, array: np.ndarray, index: tuple[Index, ...]) -> tuple[Any, ...]:
        place = tuple(self.index(i) for i in index)
        for i, extent in zip(place, array.shape, strict=True):
            outside = (np.asarray(i) < 0) | (np.asarray(i) >= extent)
            if np.any(outside):
                raise IndexOutside(int(np.broadcast_to(i, outside.shape)[outside][0]), extent, -1)
        return place

    def value(self, expr: Expr) -> Any:
        if expr not in self.memo:
            self.memo[expr] = self._value(expr)
        return self.memo[expr]

    def _value(self, expr: Expr) -> Any:
        if isinstance(expr, Const):
            return np.dtype(expr.dtype).type(expr.value)
        if isinstance(expr, IndexValue):
            return np.int64(1) * expr.form.evaluate(self.points)
        if isinstance(expr, Load):
            array = self.arrays[expr.array]
            return array[self.place(array, expr.index)]
        assert isinstance(expr, Op), f"unknown expression {expr!r}"
        return self._where(expr) if expr.name == "where" else self._apply(expr)

    def _apply(self, expr: Op) -> Any:
        args = [np.asarray(self.value(a)) for a in expr.args]
        dtype = np.dtype(expr.dtype)
        if expr.name == "cast":
            return args[0].astype(dtype)
        if expr.name not in UNCONVERTED and dtype.kind != "b":
            args = [a.astype(dtype) for a in args]
        return np.asarray(function_of(expr.name)(*args)).astype(dtype)[()]

    def _where(self, expr: Op) -> Any:
        condition, then, orelse = expr.args
        mask = np.asarray(self.value(condition)).astype(bool)
        if mask.ndim == 0:
            return np.dtype(expr.dtype).type(self.value(then if mask else orelse))
        result = np.empty(mask.shape, dtype=expr.dtype)
        for side, chosen in ((then, mask), (orelse, ~mask)):
            if chosen.any():
                subset = {n: p[chosen] if isinstance(p, np.ndarray) else p for n, p in self.points.items()}
                result[chosen] = _Evaluation(self.arrays, subset).value(side)
        return result


def function_of(name: str) -> Any:
    """The NumPy function that an operation is named after; 'erf' and its like come from the `math` module."""
    import math

    return getattr(np, name) if hasattr(np, name) else np.vectorize(getattr(math, name))
