"""Runs a Program with NumPy, slowly and obviously: the oracle that every pass and every compiled result must equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from daad.errors import IndexOutside, Location
from daad.ir.affine import Affine
from daad.ir.constructors import choice_of
from daad.ir.indices.index_errors import locations
from daad.ir.nodes import Assign, Branch, Const, Expr, Index, IndexValue, Load, Loop, Nest, Node, Op, Program
from daad.ir.operations import OPERATIONS
from daad.ir.walk import computes
from daad.runtime.python_calls import new_frame

Values = dict[str, Any]
Reader = Callable[[Index, Mapping[str, np.ndarray], Values, Location | None], Any]
NOTHING: Mapping[str, np.ndarray] = {}


@dataclass(frozen=True)
class Execution:
    """One execution of a nest; `values` holds the loops' variables and the integers, `at` the place of the nest, or of
    what is around it."""

    nest: Nest
    values: Values
    at: Location | None


def run(
    program: Program, arguments: Mapping[str, Any], scratch: Mapping[str, np.ndarray] = NOTHING
) -> dict[str, np.ndarray]:
    """The content of all arrays at the end; `arguments` (arrays, and ints by name) are left untouched.

    Local arrays start as NaN (integers: a large negative number), so that reading what was never written shows; those
    of `scratch` are used as they are.
    """
    arrays, values = start(program, arguments)
    arrays |= scratch
    try:
        for execution in executions(program.body, arrays, values):
            run_nest(execution, arrays)
    except IndexOutside as found:
        found.site = locations(program).index(found.at) if found.at is not None else -1
        raise
    return arrays


def start(program: Program, arguments: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], Values]:
    """All arrays, and the integers, before the first statement; what Python is called for belongs to this run."""
    if computes(program.body, {"python_start"}):
        new_frame()
    arrays = {name: blank(array.shape, array.dtype) for name, array in program.arrays.items()}
    for name in program.parameters:
        array = program.arrays[name]
        arrays[name] = np.array(arguments[name], dtype=array.dtype, order="C").reshape(array.shape)
    return arrays, {name: int(arguments[name]) for name in program.integers}


class TooLong(Exception):
    """A run would compute more points than it may."""


NEST = 1000
"""What a nest without points takes, in points."""


def run_at_most(most: int, body: tuple[Node, ...], arrays: dict[str, np.ndarray], values: Values) -> int:
    """Runs statements on the arrays; gives the points that were computed, TooLong where they would be too many."""
    effort = 0
    for execution in executions(body, arrays, values):
        effort += NEST + prod(max(0, r.width.evaluate(execution.values)) for r in execution.nest.domain)
        if effort > most:
            raise TooLong
        run_nest(execution, arrays)
    return effort


def blank(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """What an array holds that nobody has written."""
    kind = np.dtype(dtype).kind
    large = max(-(2**30), np.iinfo(dtype).min) if kind == "i" else 0
    return np.full(shape, np.nan if kind in "fc" else large, dtype=dtype)


def executions(
    body: tuple[Node, ...],
    arrays: Mapping[str, np.ndarray],
    values: Values,
    at: Location | None = None,
    read: Reader | None = None,
) -> Iterator[Execution]:
    """The nests in the order in which they are executed; the caller runs each before it asks for the next.

    `read` gives the values of bounds and conditions; to watch them.
    """
    read = read or _read
    for node in body:
        here = node.at or at
        if isinstance(node, Nest):
            yield Execution(node, values, here)
        elif isinstance(node, Loop):
            first, stop = (int(read(bound, arrays, values, here)) for bound in (node.start, node.stop))
            for i in _order(range(first, stop, node.step), node, arrays):
                if node.ending is not None and not read(node.ending.goes_on, arrays, values, here):
                    break
                yield from executions(node.body, arrays, {**values, node.var: i}, here, read)
        else:
            assert isinstance(node, Branch), f"unknown node {node!r}"
            taken = bool(read(node.condition, arrays, values, here))
            yield from executions(node.then if taken else node.orelse, arrays, values, here, read)


def _order(iterations: range, loop: Loop, arrays: Mapping[str, np.ndarray]) -> Iterator[int]:
    """The iterations; those of a shared loop the other way round, each with nothing in what belongs to a thread."""
    if loop.sharing is None:
        yield from iterations
        return
    for i in reversed(iterations):
        yield i
        for name in loop.sharing.own:
            arrays[name][...] = blank(arrays[name].shape, arrays[name].dtype.name)


def _read(index: Index, arrays: Mapping[str, np.ndarray], values: Values, at: Location | None) -> Any:
    try:
        with np.errstate(all="ignore"):
            return Evaluation(arrays, values).index(index)
    except IndexOutside as found:
        found.at = at
        raise


def run_nest(execution: Execution, arrays: dict[str, np.ndarray]) -> None:
    """Executes the nest on the arrays."""
    points = all_points(execution)
    if points is None:
        return
    try:
        with np.errstate(all="ignore"):
            for assign in execution.nest.assigns:
                evaluation = Evaluation(arrays, points)
                place = evaluation.place(arrays[assign.target.array], assign.target.index)
                write(assign, arrays[assign.target.array], place, evaluation.value(assign.value), points)
    except IndexOutside as found:
        found.at = execution.at
        raise


def all_points(execution: Execution) -> Values | None:
    """The variables of loops and, with one number for each point, of the domain; None where the domain is empty."""
    domain, values = execution.nest.domain, execution.values
    axes = [np.arange(r.start.evaluate(values), r.stop.evaluate(values)) for r in domain]
    if any(axis.size == 0 for axis in axes):
        return None
    grids = np.meshgrid(*axes, indexing="ij")
    return {**values, **{r.var: grid.ravel() for r, grid in zip(domain, grids, strict=True)}}


def write(assign: Assign, target: np.ndarray, index: tuple[Any, ...], value: Any, points: Values) -> None:
    """`target op value` at the index, for all points."""
    if assign.op == "=":
        target[(*index, ...)] = value  # also a domain of one point, for a place that does not depend on it
        return
    size = max((p.size for p in points.values() if isinstance(p, np.ndarray)), default=1)
    flat, index = target.reshape(-1), tuple(np.broadcast_to(i, (size,)) for i in index)
    places = np.ravel_multi_index(index, target.shape) if index else np.zeros(size, dtype=np.int64)
    assign.combine.ufunc.at(flat, places, np.broadcast_to(np.asarray(value, dtype=target.dtype), (size,)))


class Evaluation:
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
        choice = choice_of(expr)
        if expr.name == "where" and choice:
            return self._where(expr, *choice)
        try:
            return self._apply(expr)
        except IndexOutside:
            if choice is None:
                raise
            return self._where(expr, *choice)

    def _apply(self, expr: Op) -> Any:
        args = [np.asarray(self.value(a)) for a in expr.args]
        dtype = np.dtype(expr.dtype)
        if expr.name == "cast":
            return args[0].astype(dtype)
        operation = OPERATIONS[expr.name]
        if not operation.is_question and dtype.kind != "b":
            args = [a.astype(dtype) for a in args]
        return np.asarray(operation.evaluate(*args)).astype(dtype)[()]

    def _where(self, expr: Op, condition: Expr, then: Expr, orelse: Expr) -> Any:
        mask = np.asarray(self.value(condition)).astype(bool)
        if mask.ndim == 0:
            return np.dtype(expr.dtype).type(self.value(then if mask else orelse))
        result = np.empty(mask.shape, dtype=expr.dtype)
        for side, chosen in ((then, mask), (orelse, ~mask)):
            if chosen.any():
                result[chosen] = self.narrowed(chosen).value(side)
        return result

    def narrowed(self, chosen: np.ndarray) -> Evaluation:
        """The same at some of the points."""
        subset = {n: p[chosen] if isinstance(p, np.ndarray) else p for n, p in self.points.items()}
        return Evaluation(self.arrays, subset)
