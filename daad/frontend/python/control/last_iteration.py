"""What variables hold after a staged loop: what its last iteration gave them, if there was one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from daad.frontend.python.control import checks
from daad.frontend.python.control.course import Course, begins, has_a_trip
from daad.frontend.python.reading.environment import Change
from daad.frontend.python.reading.fixpoint import Apart, Demand, Last, OneSide, is_variable_of_call
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import UNBOUND, Reader
from daad.frontend.python.reading.scope import MISSING, Unknown
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.staging import variable_storage
from daad.frontend.staging.values import (
    ArrayValue,
    Lazy,
    View,
    expr_of,
    index_names,
    put_together,
    substitute,
    substitute_index,
    taken_apart,
)
from daad.ir.affine import Affine
from daad.ir.constructors import add, negation
from daad.ir.nodes import Const, Expr, Index, Op


def last_of(reader: Reader, course: Course) -> Expr:
    """What counts, in the last of as many iterations as data say; that there is one is checked at run time."""
    stage, (start, stop) = reader.stage, (expr_of(bound) for bound in (course.start, course.stop))
    checks.note(reader, checks.Check(*UNBOUND, stage.at), negation(begins(course)))
    towards = Op("subtract", (stop, add(start, Const(1 if course.step > 0 else -1, "int64"), "int64")), "int64")
    step = Const(course.step, "int64")
    steps = Op("multiply", (Op("floor_divide", (towards, step), "int64"), step), "int64")
    return stage.copy(stage.lazy((), np.int64, lambda _: add(start, steps, "int64")), "last").element(())


def leave(reader: Reader, plan: Plan, found: Sequence[Change], course: Course, last: Index | None) -> None:
    """Names that the body bound hold the last iteration's values; where there may be none, they are unknown."""
    stage, trips = reader.stage, course.trips
    sure = has_a_trip(stage, course)
    pins = () if trips is None else stage.related_integers(trips)
    last = last if trips is None else course.at(trips - 1)
    for change in found:
        if not is_variable_of_call(change) or change.after is MISSING:
            continue
        if sure or (not pins and change.before is MISSING):
            value = _at_last(stage, change.after, plan.variable, last)
            change.hold(value)
            if isinstance(value, Unknown) and value == Unknown() and trips is None and not plan.has_last:
                change.hold(Unknown(demand=Last(plan)))
            elif (
                isinstance(change.after, Unknown)
                and change.after == Unknown()
                and (change.after.demand is None or isinstance(change.after.demand, OneSide))
                and not plan.peel
            ):
                change.hold(Unknown(demand=Apart(plan)))
            continue
        before, after = variable_storage.spec_of(change.before), variable_storage.spec_of(change.after)
        spec = None if before is None or after is None else variable_storage.join(before, after)
        change.hold(Unknown(tuple(pins), None if spec is None else Demand(plan, change.path, spec)))


def _at_last(stage: Any, value: Any, variable: str, last: Index | None) -> Any:
    """The value with the loop's variable replaced by its last one; Unknown where that has no affine form."""
    parts = taken_apart(value)
    if parts is not None:
        items = [_at_last(stage, item, variable, last) for item in parts]
        unknown = type(value) is not tuple and any(isinstance(item, Unknown) for item in items)
        return Unknown() if unknown else put_together(value, items)
    if isinstance(value, Indexed):
        items = _at_last(stage, value.items, variable, last)
        return replace(value, items=items) if isinstance(items, View) else Unknown()
    if not isinstance(value, ArrayValue):
        return value
    forms = [*value.shape, *(value.index if isinstance(value, View) else ())]
    uses = isinstance(value, Lazy) or any(not isinstance(f, Affine) or f.coefficient(variable) for f in forms)
    if not uses:
        return value
    if last is None or stage is None:
        return Unknown()
    if not isinstance(last, Affine) and any(extent.coefficient(variable) for extent in value.shape):
        return Unknown()
    values: dict[str, Index] = {variable: last}
    shape = value.shape if not isinstance(last, Affine) else tuple(e.substitute({variable: last}) for e in value.shape)
    if isinstance(value, View):
        index = [substitute_index(i, values) for i in value.index]
        return stage.view(value.base, shape, index, value.weak, value.doubt).continuing(value)
    assert isinstance(value, Lazy), "a value is a view or lazy"
    expr = substitute(value.expr, values)
    result = stage.lazy(shape, value.dtype, lambda _: expr, value.weak).continuing(value)
    if not (value.boxed or value.reads() or index_names(expr)):
        known = stage.known_float(result, "")
        if known is not None:
            return known
    return result.expr.value if value.weak and not shape and hasattr(expr, "value") else result
