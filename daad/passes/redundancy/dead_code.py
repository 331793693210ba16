"""Removes what nobody reads.

    program f(x: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = sin(x[i])
      for i in 0 .. 9:  x[i] = cos(x[i])

becomes

    program f(x: float64[9])
      for i in 0 .. 9:  x[i] = cos(x[i])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from daad.analysis.coverage import effects
from daad.ir.nodes import Array, Assign, Branch, Loop, Nest, Node, Program
from daad.ir.walk import altered, loads, reads, runs_once, writes
from daad.passes.definition import Pass

Names = frozenset[str]


@dataclass(frozen=True)
class _Swept:
    """What is left of a body, and the arrays whose contents matter before it."""

    body: tuple[Node, ...]
    live: Names


PASS = Pass(
    "dead-code-elimination",
    lambda program, goal: remove_dead(program, goal.live),
    "What nobody reads is not computed.",
    source="Muchnick 1997, 18.10",
)


def remove_dead(program: Program, live: Names) -> Program:
    """Without the assigns whose target nobody reads later, if it is not in `live`, and without unused arrays."""
    swept = _sweep(program.body, live, program.arrays)
    return replace(program, body=swept.body, arrays=_used(program, swept.body, live))


def _used(program: Program, body: tuple[Node, ...], live: Names) -> dict[str, Array]:
    used = {*program.parameters, *program.results, *live} | reads(body) | writes(body)
    return {name: array for name, array in program.arrays.items() if name in used}


def _sweep(body: tuple[Node, ...], live: Names, arrays: Mapping[str, Array]) -> _Swept:
    kept: list[Node] = []
    for node in reversed(body):
        swept = _sweep_node(node, live, arrays)
        kept[:0] = swept.body
        live = swept.live
    return _Swept(tuple(kept), live)


def _sweep_node(node: Node, live: Names, arrays: Mapping[str, Array]) -> _Swept:
    if isinstance(node, Nest):
        return _sweep_nest(node, live, arrays)
    return _sweep_loop(node, live, arrays) if isinstance(node, Loop) else _sweep_branch(node, live, arrays)


def _sweep_loop(loop: Loop, live: Names, arrays: Mapping[str, Array]) -> _Swept:
    around = live
    if runs_once(loop):
        inner = _sweep(loop.body, live, arrays)
        bounds = frozenset(load.array for bound in loop.header for load in loads(bound))
        return _Swept((altered(loop, body=inner.body),) if inner.body else (), inner.live | bounds)
    while True:
        inner = _sweep(loop.body, around, arrays)
        if inner.live <= around:
            break
        around |= inner.live
    if not inner.body:
        return _Swept((), live)
    bounds = frozenset(load.array for bound in loop.header for load in loads(bound))
    return _Swept((altered(loop, body=inner.body),), around | bounds)


def _sweep_branch(branch: Branch, live: Names, arrays: Mapping[str, Array]) -> _Swept:
    then, orelse = _sweep(branch.then, live, arrays), _sweep(branch.orelse, live, arrays)
    if not then.body and not orelse.body:
        return _Swept((), live)
    condition = frozenset(load.array for load in loads(branch.condition))
    node = altered(branch, then=then.body, orelse=orelse.body)
    return _Swept((node,), then.live | orelse.live | condition)


def _sweep_nest(nest: Nest, live: Names, arrays: Mapping[str, Array]) -> _Swept:
    """Assigns are executed one after the other, so the last that overwrites an array kills it for those before."""
    kept: list[Assign] = []
    for effect in effects(nest):
        if effect.assign.target.array in live:
            kept.insert(0, effect.assign)
            live = effect.before(live, arrays)
    return _Swept((altered(nest, assigns=tuple(kept)),) if kept else (), live)
