"""Reads of what certainly holds a constant become the constant: a seed of ones multiplies nothing.

Forward through the tree goes which elements of an array hold which constant. Loops stay as they are: sums of many
iterations may be a product of matrices, one of which has the constants.

    program f(x: float64[9])
      local seed: float64[]
      seed = 1.0
      for i in 0 .. 9:  x[i] = seed * x[i]

becomes

    program f(x: float64[9])
      local seed: float64[]
      seed = 1.0
      for i in 0 .. 9:  x[i] = 1.0 * x[i]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daad.analysis.access_regions import touches
from daad.analysis.context import Scope
from daad.analysis.element_liveness import over_iterations, past
from daad.analysis.regular_sections import Box, Known, add, covers, exact, hull, remove
from daad.ir.affine import Affine
from daad.ir.constructors import add as add_values
from daad.ir.constructors import is_value
from daad.ir.nodes import Array, Assign, Branch, Const, Expr, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import altered, loads, map_expr, variables
from daad.passes.definition import Pass


@dataclass(frozen=True)
class Held:
    """Elements of an array that all hold one value, which names no variable."""

    value: Expr
    known: Known


Facts = Mapping[str, tuple[Held, ...]]
MOST_VALUES = 64
"""That are known of one array at a time: tables of numbers hold others everywhere."""


@dataclass(frozen=True)
class Place:
    """Where an assign is: the arrays there are, those of them that never change, and what holds around it."""

    arrays: Mapping[str, Array]
    steady: frozenset[str] = frozenset()
    scope: Scope = field(default_factory=Scope)

    def enter(self, loop: Loop) -> Place:
        """Inside a loop."""
        return replace(self, scope=self.scope.enter(loop))


PASS = Pass(
    "constant-propagation",
    lambda program, goal: propagate_constants(program),
    "Reads of what certainly holds a constant become the constant.",
    source="Wegman and Zadeck 1991",
)


def propagate_constants(program: Program) -> Program:
    """Zeros are left to `initialization`, which knows what they spare."""
    body, _ = _forward(program.body, {}, Place(program.arrays))
    return replace(program, body=body)


def _forward(body: tuple[Node, ...], facts: Facts, place: Place) -> tuple[tuple[Node, ...], Facts]:
    """The nodes, and what is known behind them."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            node, facts = with_constants(node, facts, place)
            out.append(node)
            continue
        stays = without(facts, node)
        if isinstance(node, Branch):
            then, orelse = (_forward(side, facts, place)[0] for side in (node.then, node.orelse))
            node = altered(node, then=then, orelse=orelse)
        out.append(node)
        facts = stays
    return tuple(out), facts


def without(facts: Facts, node: Node) -> Facts:
    """What is known of arrays that a node does not write."""
    return {name: held for name, held in facts.items() if name not in node.written}


def in_iteration(facts: Facts, loop: Loop, place: Place) -> Facts:
    """What is known at the start of an iteration, inside: no iteration before it has written there."""
    first, last = past(loop)
    affine = isinstance(first, Affine) and isinstance(last, Affine)
    shapes = {name: array.shape for name, array in place.arrays.items()}
    found = dict(facts)
    for name in sorted(facts.keys() & loop.written):
        written = (t.box for t in touches(loop.body, name, shapes, place.scope) if t.assign) if affine else ()
        for box in written:
            found[name] = _remaining(found[name], over_iterations(box, loop.var, (first, last)), place.scope)
    return found if affine else without(facts, loop)


def with_constants(nest: Nest, facts: Facts, place: Place) -> tuple[Nest, Facts]:
    """The nest with constants in the place of loads, and what is known behind it: no point reads what another point
    writes."""
    assigns: list[Assign] = []
    for assign in nest.assigns:
        if not facts.keys().isdisjoint(load.array for load in loads(assign.value)):
            assign = altered(assign, value=_value(assign.value, nest.domain, facts, place))
        assigns.append(assign)
        facts = _after(assign, nest.domain, facts, place)
    return altered(nest, assigns=tuple(assigns)), facts


def _value(value: Expr, domain: tuple[Range, ...], facts: Facts, place: Place) -> Expr:
    def leaf(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in facts:
            return None
        return _at(facts[expr.array], hull(expr.index, domain, place.arrays[expr.array].shape), place.scope)

    return map_expr(value, leaf)


def _at(held: tuple[Held, ...], box: Box, scope: Scope) -> Expr | None:
    """The value that all elements of a box hold."""
    return next((h.value for h in held if covers(h.known, box, scope)), None)


def _after(assign: Assign, domain: tuple[Range, ...], facts: Facts, place: Place) -> Facts:
    """What is known behind an assign."""
    array, index, scope = place.arrays[assign.target.array], assign.target.index, place.scope
    held, value = facts.get(array.name, ()), _constant(assign, array, place)
    if not held and value is None:
        return facts
    box = exact(index, domain, array.shape)
    if assign.op != "=" and value is not None:
        before = None if box is None else _at(held, box, scope)
        value = None if before is None else add_values(before, value, array.dtype)
    rest = _remaining(held, hull(index, domain, array.shape), scope)
    if value is not None and box is not None:
        same = next((h.known for h in rest if h.value == value), ())
        others = tuple(h for h in rest if h.value != value)[1 - MOST_VALUES :]
        rest = (*others, Held(value, add(same, box, scope)))
    return {**facts, array.name: rest}


def _remaining(held: tuple[Held, ...], box: Box, scope: Scope) -> tuple[Held, ...]:
    """What is still known when a box has been written."""
    rest = (replace(h, known=remove(h.known, box, scope)) for h in held)
    return tuple(h for h in rest if h.known)


def _constant(assign: Assign, array: Array, place: Place) -> Expr | None:
    """What the assign makes its target, or adds to it."""
    value = assign.value
    if assign.op not in ("=", "+=") or value.dtype != array.dtype or array.extents:
        return None
    if not isinstance(value, Const) and (
        variables(value) or not place.steady.issuperset(x.array for x in loads(value))
    ):
        return None
    return None if is_value(value, 0) else value
