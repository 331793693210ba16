"""What fills an array goes into the statement that overwrites all of it, and there into what stays as it was.

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = 0.0
      for i in 0 .. 9:  y[i] = sin(x[i]) if x[i] > 0.0 else y[i]

becomes

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i]) if x[i] > 0.0 else 0.0

Then an array has one value rather than two, and may be needed no more at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from daad.analysis.cost.operation_cost import is_function, work
from daad.analysis.coverage import covers
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Branch, Expr, Load, Loop, Nest, Node, Program
from daad.ir.walk import altered, loads, map_expr, nodes, substitute
from daad.passes.definition import Pass

PASS = Pass(
    "fill-forwarding",
    lambda program, goal: forward_fills(program),
    "What fills an array goes into the statement that overwrites all of it.",
    source="Muchnick 1997, 12.5",
)
MOST_WORK = 8
"""Of a value that is computed where the array stays as it was."""


@dataclass(frozen=True)
class _Fill:
    """The place of a statement in its body, its variables in the order of the array's dimensions, and what it assigns
    to all elements."""

    place: int
    order: tuple[str, ...]
    value: Expr


def forward_fills(program: Program) -> Program:
    """The program without fills that one statement overwrites."""
    return replace(program, body=_body(program.body, program.arrays))


def _body(body: tuple[Node, ...], arrays: Mapping[str, Array]) -> tuple[Node, ...]:
    out: list[Node | None] = []
    fills: dict[str, _Fill] = {}
    for node in body:
        if isinstance(node, Loop):
            node = altered(node, body=_body(node.body, arrays))
        elif isinstance(node, Branch):
            node = altered(node, then=_body(node.then, arrays), orelse=_body(node.orelse, arrays))
        elif (known := _overwritten(node, fills, arrays)) is not None:
            out[known.place] = None
            node = _with_fill(node, known)
        fills = {n: f for n, f in fills.items() if n not in node.touched and node.written.isdisjoint(f.value.arrays)}
        if isinstance(node, Nest) and (order := _filled(node, arrays)) is not None:
            (assign,) = node.assigns
            array = arrays[assign.target.array]
            is_whole = assign.value.dtype == array.dtype and array.name not in assign.value.arrays
            if is_whole and _is_cheap(assign.value):
                fills[array.name] = _Fill(len(out), order, assign.value)
        out.append(node)
    return tuple(node for node in out if node is not None)


def _filled(nest: Nest, arrays: Mapping[str, Array]) -> tuple[str, ...] | None:
    """The variables that stand for the dimensions of the array that a nest fills by its only assign; numbers stay,
    which may be tokens."""
    if len(nest.assigns) != 1 or nest.assigns[0].op != "=" or not nest.domain:
        return None
    (assign,) = nest.assigns
    order = tuple(i.names[0] if isinstance(i, Affine) and i.names else "" for i in assign.target.index)
    if assign.target.index != tuple(map(Affine.of, order)) or {r.var for r in nest.domain} != {*order}:
        return None
    return order if covers(assign, nest.domain, arrays[assign.target.array]) else None


def _is_cheap(value: Expr) -> bool:
    return work(value) <= MOST_WORK and not any(is_function(node) for node in nodes(value))


def _overwritten(nest: Nest, fills: Mapping[str, _Fill], arrays: Mapping[str, Array]) -> _Fill | None:
    """What filled the array that a nest overwrites, if it reads of it only what each point overwrites."""
    target = nest.assigns[0].target
    if target.array not in fills or target.array not in nest.loaded or _filled(nest, arrays) is None:
        return None
    own = [load for load in loads(nest.assigns[0].value) if load.array == target.array]
    return fills[target.array] if all(load.index == target.index for load in own) else None


def _with_fill(nest: Nest, fill: _Fill) -> Nest:
    (assign,) = nest.assigns
    index = [i for i in assign.target.index if isinstance(i, Affine)]
    value = substitute(fill.value, dict(zip(fill.order, index, strict=True)))

    def leaf(node: Expr) -> Expr | None:
        return value if isinstance(node, Load) and node.array == assign.target.array else None

    return altered(nest, assigns=(altered(assign, value=map_expr(assign.value, leaf)),))
