"""Gather form: contributions to shifted elements of one array become one sum per element, so that no two points meet.

A nest of the reverse mode adds to `X_bar[i - 1]`, `X_bar[i]`, `X_bar[i + 1]` from point i; here the nest runs over the
elements of `X_bar` instead, and each takes what its neighbours have for it, guarded where there is no neighbour.

    program f(x: float64[9], y: float64[9])
      for i in 1 .. 8:
        y[i - 1] += x[i]
        y[i + 1] += 2.0 * x[i]

becomes

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] += (x[i + 1] if i < 7 else 0) + 2.0 * (x[i - 1] if i >= 2 else 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.analysis.alias import can_share, conflicts, may_meet, may_meet_apart, reads_of
from daad.analysis.context import Scope, map_scoped_leaves
from daad.analysis.subscripts import is_injective
from daad.ir.affine import Affine
from daad.ir.constructors import add
from daad.ir.nodes import Access, Assign, Load, Nest, Node, Program, Range, variables
from daad.ir.walk import altered
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.gather_terms import Term, gathered, terms_by_form

ALL_POINTS, SCATTERED = "each point", "by index arrays"


@dataclass
class Unit:
    """Assigns that are emitted together: updates of one array, or a single other assign."""

    assigns: list[Assign]

    @property
    def sums_into(self) -> str | None:
        return self.assigns[0].target.array if self.assigns[0].op == "+=" else None


PASS = Pass(
    "gather-form",
    lambda program, goal: to_gather_form(program),
    "Contributions to shifted elements become one sum per element.",
    source="Hueckelheim et al. 2019 (adjoint stencils)",
    requires=forms(Form.SCATTERED),
    establishes=forms(Form.GATHERED),
    ends=forms(Form.SCATTERED),
)


def to_gather_form(program: Program) -> Program:
    """Splits and reshapes every nest with several assigns."""
    shapes = {name: array.shape for name, array in program.arrays.items()}

    def rewrite(nest: Nest, scope: Scope) -> tuple[Node, ...]:
        return gather_nest(nest, scope, shapes)

    return replace(program, body=map_scoped_leaves(program.body, rewrite, Scope()))


def gather_nest(nest: Nest, scope: Scope, shapes: dict[str, tuple[int, ...]]) -> tuple[Node, ...]:
    """The nests that together do what the assigns do, one after the other."""
    if any(r.stop == r.start or scope.at_most(r.stop, r.start) for r in nest.domain):
        return ()
    if len(nest.assigns) == 1 or not nest.domain:
        return (_summed(nest),)
    parts: list[Nest] = []
    for unit in _units(nest, scope):
        parts.extend(_unit_nests(unit, nest, scope, shapes))
    return tuple(_merged(parts, scope))


def evaluations(nest: Nest, scope: Scope) -> list[object]:
    """Per assign a key: those with the same key find their values together, at one point of one nest."""
    keys: dict[Access, object] = {}
    for number, unit in enumerate(_units(nest, scope)):
        for group in terms_by_form(unit.assigns, nest.domain) if unit.sums_into else ():
            places = {term.assign.target for term in group}
            for place in places:
                keys[place] = (number, place) if len(places) > 1 else _kind(place, nest)
    return [keys.get(a.target, ALL_POINTS) for a in nest.assigns]


def _kind(place: Access, nest: Nest) -> object:
    """Elements of their own are found together, sums over the same variables, too."""
    if _is_scattered(place):
        return SCATTERED
    return ALL_POINTS if is_injective(place.index, nest.domain) else frozenset(map(variables, place.index))


def _summed(nest: Nest) -> Nest:
    """Neighbouring updates of one element become one."""
    out: list[Assign] = []
    for assign in nest.assigns:
        if out and _adds_to_same(out[-1], assign):
            out[-1] = _sum(out[-1], assign)
        else:
            out.append(assign)
    return altered(nest, assigns=tuple(out))


def _adds_to_same(a: Assign, b: Assign) -> bool:
    if a.op != "+=" or b.op != "+=" or a.target != b.target or a.value.dtype != b.value.dtype:
        return False
    return all(load.array != b.target.array for load in reads_of(b))


def _sum(a: Assign, b: Assign) -> Assign:
    return replace(a, value=add(a.value, b.value, a.value.dtype))


def _units(nest: Nest, scope: Scope) -> list[Unit]:
    """In an order with the same effect; an update joins the earliest unit of its array that it may be moved to."""
    units: list[Unit] = []
    for assign in nest.assigns:
        home = _home(assign, units, nest.domain, scope)
        if home is None:
            units.append(Unit([assign]))
        else:
            home.assigns.append(assign)
    return units


def _home(assign: Assign, units: list[Unit], domain: tuple[Range, ...], scope: Scope) -> Unit | None:
    if assign.op != "+=":
        return None
    for unit in reversed(units):
        same_dtype = unit.assigns[0].value.dtype == assign.value.dtype
        if unit.sums_into == assign.target.array and same_dtype and not _reads_array(assign, unit, domain, scope):
            return unit
        if any(_conflict(a, assign, domain, scope) for a in unit.assigns):
            return None
    return None


def _reads_array(assign: Assign, unit: Unit, domain: tuple[Range, ...], scope: Scope) -> bool:
    """Whether updates of one array depend on each other through what they read."""
    others = unit.assigns
    return any(_reads_target(assign, a, domain, scope) or _reads_target(a, assign, domain, scope) for a in others)


def _reads_target(reader: Assign, writer: Assign, domain: tuple[Range, ...], scope: Scope) -> bool:
    return any(may_meet(load, domain, writer.target, domain, scope) for load in reads_of(reader))


def _conflict(a: Assign, b: Assign, domain: tuple[Range, ...], scope: Scope) -> bool:
    """Whether the order of the two matters."""
    return any(may_meet(x, domain, y, domain, scope) for x, y in conflicts((a,), (b,)))


def _unit_nests(unit: Unit, nest: Nest, scope: Scope, shapes: dict[str, tuple[int, ...]]) -> list[Nest]:
    if unit.sums_into is None:
        return [replace(nest, assigns=(a,)) for a in unit.assigns]
    out: list[Nest] = []
    for group in terms_by_form(_equal_targets_summed(unit.assigns), nest.domain):
        out.extend(_group_nests(group, nest, scope, shapes[unit.assigns[0].target.array]))
    return out


def _equal_targets_summed(assigns: Sequence[Assign]) -> list[Assign]:
    sums: dict[Access, Assign] = {}
    for assign in assigns:
        known = sums.get(assign.target)
        sums[assign.target] = assign if known is None else _sum(known, assign)
    return list(sums.values())


def _group_nests(group: list[Term], nest: Nest, scope: Scope, shape: tuple[int, ...]) -> list[Nest]:
    """One gather nest where the elements of the terms overlap and all is provable, else one nest per term."""
    plain = [replace(nest, assigns=(t.assign,)) for t in group]
    if len(group) == 1:
        return plain
    shared = gathered(group, nest, scope, shape)
    if shared is None or _reads_own_box(shared, group, nest, scope):
        return plain
    return [shared]


def _reads_own_box(shared: Nest, group: list[Term], nest: Nest, scope: Scope) -> bool:
    """Whether some value reads an element of the box that is summed into, be it only by adding zero there."""
    target = shared.assigns[0].target
    loads: list[Load] = [load for t in group for load in reads_of(t.assign) if load.array == target.array]
    return any(may_meet(target, shared.domain, load, nest.domain, scope) for load in loads)


def _merged(parts: list[Nest], scope: Scope) -> list[Nest]:
    """Neighbours over the same domain together again, where that makes a valid nest of independent points."""
    out: list[Nest] = []
    for part in parts:
        if (
            out
            and out[-1].domain == part.domain
            and (_are_scattered(out[-1], part) or _independent(out[-1], part, scope))
            and can_share(out[-1], part, scope)
        ):
            out[-1] = replace(out[-1], assigns=(*out[-1].assigns, *part.assigns))
        else:
            out.append(part)
    return out


def _are_scattered(first: Nest, second: Nest) -> bool:
    """Whether all targets are found by index arrays: point after point, with the same indices for several of them."""
    return all(_is_scattered(a.target) for a in (*first.assigns, *second.assigns))


def _is_scattered(place: Access) -> bool:
    return not all(isinstance(index, Affine) for index in place.index)


def _independent(first: Nest, second: Nest, scope: Scope) -> bool:
    """Whether all updates of the two stay injective: reductions run better on their own."""
    assigns = (*first.assigns, *second.assigns)
    if not all(is_injective(a.target.index, first.domain) for a in assigns):
        return False
    pairs = ((a, b) for a in first.assigns for b in second.assigns)
    return not any(may_meet_apart(a.target, b.target, first.domain, scope) for a, b in pairs)
