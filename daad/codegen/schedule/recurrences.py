"""Loops that carry one value from iteration to iteration, `state = factor * state + term`, with a factor that stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from daad.analysis.alias import earlier, may_meet, may_meet_at_a_point
from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import must_be_lazy
from daad.codegen.schedule.vector_lanes import MOST_NODES, REGISTER
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Const, Expr, Load, Loop, Nest, Op, Range
from daad.ir.walk import loads, map_expr, nodes, substitute_index, variables

STATE = "state__v"
"""Stands for the array that holds the state, in the values of an iteration."""

BLOCKS = 2  # a loop that has fewer is not worth them
FLOATS = frozenset(("float64", "float32"))

Values = Mapping[Access, Expr]
"""What an iteration writes, by place: values over what was in memory before it, and over the state."""


@dataclass(frozen=True, kw_only=True)
class Recurrence:
    """Each iteration finds a number at `state` and leaves `value`, which is `factor * number + term`, at `target`,
    where the next one finds it; `factor` is the same in all iterations, `term` does not depend on the number.

    No iteration reads anything else that an earlier one wrote. `others` is what it writes besides. The next iteration
    overwrites places of `passing`.
    """

    nest: Nest
    step: int
    dtype: str
    lanes: int
    state: Access
    target: Access
    value: Expr
    factor: Expr
    term: Expr
    others: Values
    passing: frozenset[Access]

    @property
    def range(self) -> Range:
        """The values of the loop's variable."""
        return self.nest.domain[0]

    @property
    def descends(self) -> bool:
        """Whether each iteration writes an element before the last one's, as neighbours in memory go."""
        last = self.target.index[-1] if self.target.index else None
        return isinstance(last, Affine) and last.coefficient(self.range.var) * self.step < 0


def find_recurrence(loop: Loop, context: Context) -> Recurrence | None:
    """The recurrence that a loop is, None if it is none or not worth blocks."""
    nest = as_nest(loop)
    if nest is None or must_be_lazy(nest, context):
        return None
    dtypes = {context.arrays[a.target.array].dtype for a in nest.assigns} | {a.value.dtype for a in nest.assigns}
    if len(dtypes) > 1 or not dtypes <= FLOATS:
        return None
    dtype = min(dtypes)
    if extent(nest.domain[0], context.known) < BLOCKS * _lanes(dtype):
        return None
    if len({assign.target for assign in nest.assigns}) > MOST_NODES:  # each has a value
        return None
    inner = context.inside_loop(loop)
    written = _executed(nest.assigns, dtype, inner) or {}
    found = (_with_state(nest, loop, target, written, inner) for target in written)
    return next((r for r in found if r is not None and _size(r) <= MOST_NODES), None)


def _lanes(dtype: str) -> int:
    return REGISTER // np.dtype(dtype).itemsize


def as_nest(loop: Loop) -> Nest | None:
    """All assigns of the body, if it is nothing but assigns; its only range counts the iterations upwards."""
    body = [n for n in loop.body if isinstance(n, Nest) and not n.domain]
    if not body or len(body) < len(loop.body):
        return None
    if not isinstance(loop.start, Affine) or not isinstance(loop.stop, Affine):
        return None
    low, high = (loop.start, loop.stop) if loop.step > 0 else (loop.stop + 1, loop.start + 1)
    return Nest((Range(loop.var, low, high),), tuple(a for n in body for a in n.assigns), body[0].at)


def _executed(assigns: Iterable[Assign], dtype: str, context: Context) -> Values | None:
    """What an iteration writes, None if it is not certain which places are the same."""
    known: dict[Access, Expr] = {}
    for assign in assigns:
        target = assign.target
        own = Load(target.array, target.index, dtype)
        touched = [*loads(assign.value), *(load for i in target.index for load in loads(i)), own]
        if assign.op not in ("=", "+=") or not all(_is_clear(load, known, context) for load in touched):
            return None
        if any(not isinstance(i, Affine) for i in target.index):
            return None
        value = map_expr(assign.value, lambda e: known.get(Access(e.array, e.index)) if isinstance(e, Load) else None)
        known[target] = value if assign.op == "=" else Op("add", (known.get(target, own), value), dtype)
    return known


def _is_clear(load: Load, known: Values, context: Context) -> bool:
    """Whether the load is of a place that has been written, or certainly of another one."""
    place = Access(load.array, load.index)
    return place in known or not any(may_meet_at_a_point(place, other, context.known.constraints) for other in known)


def _with_state(nest: Nest, loop: Loop, target: Access, written: Values, context: Context) -> Recurrence | None:
    """The recurrence whose new state goes to `target`, if there is one."""
    before = {loop.var: Affine.of(loop.var) - loop.step}
    state = Access(target.array, tuple(substitute_index(i, before) for i in target.index))
    dtype = context.arrays[target.array].dtype
    old, number = Load(state.array, state.index, dtype), Load(STATE, (), dtype)
    if old not in loads(written[target]):
        return None
    factor, term = _linear(_replaced(written[target], old, number), number) or (None, None)
    if factor is None or not _is_invariant(factor, loop.var, written):
        return None
    values = {t: _replaced(v, old, number) for t, v in written.items()}
    if not _is_apart(values, target, state, Order(nest.domain[0], loop.step, context)):
        return None
    passing = frozenset(t for t in values if not _moves(t, loop.var))
    return Recurrence(
        nest=nest,
        step=loop.step,
        dtype=dtype,
        lanes=_lanes(dtype),
        state=state,
        target=target,
        value=values[target],
        factor=factor,
        term=Const(0.0, dtype) if term is None else term,
        others={t: v for t, v in values.items() if t != target},
        passing=passing if state not in values else passing | {target},
    )


def _replaced(value: Expr, old: Load, number: Load) -> Expr:
    return map_expr(value, lambda e: number if e == old else None)


def _moves(place: Access, var: str) -> bool:
    return any(var in variables(i) for i in place.index)


@dataclass(frozen=True)
class Order:
    """Which places of different iterations may be the same."""

    range: Range
    step: int
    context: Context

    def meets_earlier(self, place: Access, other: Access) -> bool:
        """Whether an iteration may touch at `place` what an iteration before it touched at `other`."""
        over = (self.range,)
        return may_meet(place, over, other, over, self.context.known, earlier(self.range.var, self.step))


def _is_apart(values: Values, target: Access, state: Access, order: Order) -> bool:
    """Whether iterations meet nowhere but at the state, and at places that each iteration overwrites."""
    read = {Access(load.array, load.index) for value in values.values() for load in loads(value)}
    if any(order.meets_earlier(place, other) for place in read for other in values):
        return False
    for place in values:
        if _moves(place, order.range.var) and order.meets_earlier(place, place):
            return False
    for one, other in combinations(values, 2):
        if {one, other} == {target, state}:
            continue
        if order.meets_earlier(one, other) or order.meets_earlier(other, one):
            return False
    return True


def _is_invariant(value: Expr, var: str, written: Values) -> bool:
    return var not in variables(value) and not {load.array for load in loads(value)} & {t.array for t in written}


def _size(recurrence: Recurrence) -> int:
    return sum(1 for value in (recurrence.term, *recurrence.others.values()) for _ in nodes(value))


_Line = tuple[Expr | None, Expr | None]
"""Factor and term; None for nothing."""


def _linear(value: Expr, number: Load) -> _Line | None:
    """The value as `factor * number + term`, None if it is not linear."""
    if value == number:
        return Const(1.0, number.dtype), None
    if number not in loads(value):
        return None, value
    if not isinstance(value, Op) or value.dtype != number.dtype or value.name not in COMBINED:
        return None
    lines = [line for a in value.args if (line := _linear(a, number)) is not None]
    return COMBINED[value.name](value, *lines) if len(lines) == len(value.args) else None


def _sum(op: Op, a: _Line, b: _Line) -> _Line:
    return _plus(op, a[0], b[0]), _plus(op, a[1], b[1])


def _plus(op: Op, a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None and b is not None and op.name == "subtract":
        return Op("negative", (b,), op.dtype)
    return Op(op.name, (a, b), op.dtype) if a is not None and b is not None else a or b


def _negative(op: Op, a: _Line) -> _Line:
    factor, term = (part and Op("negative", (part,), op.dtype) for part in a)
    return factor, term


def _product(op: Op, a: _Line, b: _Line) -> _Line | None:
    return _quotient(op, a, b) if b[0] is None else _quotient(op, b, a)


def _quotient(op: Op, a: _Line, b: _Line) -> _Line | None:
    scale = b[1]
    if b[0] is not None or scale is None:
        return None
    factor, term = (part and Op(op.name, (part, scale), op.dtype) for part in a)
    return factor, term


COMBINED: Mapping[str, Callable[..., _Line | None]] = {
    "add": _sum,
    "subtract": _sum,
    "negative": _negative,
    "multiply": _product,
    "divide": _quotient,
}
