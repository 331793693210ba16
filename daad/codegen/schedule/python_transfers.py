"""Numbers that go into a record for Python, and results that come from it, which lie next to each other in memory.

    loop k = 0 .. 9:
      token = python_put(token, x[k])
    for i in 0 .. 9:  y[i] = python_get(token, i + 3)

are two calls rather than eighteen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.strides import position
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Expr, IndexValue, Load, Loop, Nest, Op, Range

NUMBER = "float64"
ZERO = Affine(0)


@dataclass(frozen=True)
class Transfer:
    """`count` numbers from an element of `array` on, the first one at `start` behind the array's own, which go into the
    record of a `token`, or come from its results from a `place` on. `nest` is what it does."""

    nest: Nest
    token: str
    array: str
    start: Affine
    count: int
    place: Affine = ZERO

    @property
    def is_put(self) -> bool:
        return self.nest.written == {self.token}


def numbers_put(loop: Loop, context: Context) -> Transfer | None:
    """What a loop puts into a record, None if it does anything else."""
    nest = _as_nest(loop)
    call = None if nest is None else _call(nest, "python_put", context)
    if nest is None or call is None:
        return None
    (assign,), (token, value) = nest.assigns, call
    if not isinstance(value, Load) or assign.target != Access(token.array, token.index):
        return None
    row = _row(value, nest.domain, context)
    return row and Transfer(nest, token.array, value.array, *row)


def results_taken(nest: Nest, context: Context) -> Transfer | None:
    """What a nest takes from the results of a record, None if it does anything else."""
    call = _call(nest, "python_get", context)
    if call is None:
        return None
    target, (token, value) = nest.assigns[0].target, call
    place = value.form if isinstance(value, IndexValue) else None
    where = position(target, context.arrays[target.array])
    if place is None or where is None or {r.var for r in nest.domain} & {*(where - place).names}:
        return None
    row = _row(target, sorted(nest.domain, key=lambda r: -where.coefficient(r.var)), context)
    return row and Transfer(nest, token.array, target.array, *row, place - where + row[0])


def _as_nest(loop: Loop) -> Nest | None:
    """The loops around a single statement as its domain, outermost first."""
    ranges: list[Range] = []
    node: object = loop
    while isinstance(node, Loop):
        if not isinstance(node.start, Affine) or not isinstance(node.stop, Affine):
            return None
        if node.step != 1 or node.sharing is not None or node.ending is not None or len(node.body) != 1:
            return None
        ranges.append(Range(node.var, node.start, node.stop))
        (node,) = node.body
    if not isinstance(node, Nest) or node.domain:
        return None
    return Nest(tuple(ranges), node.assigns, node.at)


def _call(nest: Nest, name: str, context: Context) -> tuple[Load, Expr] | None:
    """The token and the other operand of the one call that a nest consists of, between arrays of numbers as Python
    takes them."""
    if context.is_portable or len(nest.assigns) != 1 or nest.assigns[0].op != "=":
        return None
    (assign,) = nest.assigns
    value = assign.value
    if not isinstance(value, Op) or value.name != name or not isinstance(value.args[0], Load) or value.args[0].index:
        return None
    touched = (value.args[0], Load(assign.target.array, assign.target.index, NUMBER), value.args[1])
    arrays = [context.arrays[one.array] for one in touched if isinstance(one, Load)]
    return (value.args[0], value.args[1]) if all(a.dtype == NUMBER and not a.extents for a in arrays) else None


def _row(access: Access | Load, ranges: Sequence[Range], context: Context) -> tuple[Affine, int] | None:
    """Where the elements begin that the ranges go through, the last one fastest, and how many they are; None if they
    are not neighbours."""
    where, step = position(access, context.arrays[access.array]), 1
    if where is None or not all(r.width.is_const and r.width.const > 0 for r in ranges):
        return None
    for r in reversed(ranges):
        if where.coefficient(r.var) != step and r.width != Affine(1):
            return None
        step *= r.width.const
    return where.substitute({r.var: r.start for r in ranges}), prod(r.width.const for r in ranges)
