"""Does a parallel assignment read, at one point, what it writes at another? And the domains of assignments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from daad.analysis.alias import may_meet_apart
from daad.analysis.context import Scope
from daad.frontend.staging.values import ONE, ZERO, Shape, axis, is_axis, substitute, substitute_index
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Expr, Index, Load, Nest, Range
from daad.ir.symbols import Kind, form, symbol
from daad.ir.walk import loads


def domain_of(shape: Shape, place: tuple[Index, ...]) -> tuple[list[Range], dict[str, Index]]:
    """The domain of all elements of a target, and what its axes become in it.

    The variables are those of the base where the target has step 1, so that `B[1:-1]` runs from 1 to n - 1.
    """
    domain: list[Range] = []
    values: dict[str, Index] = {}
    for number, extent in enumerate(shape):
        if extent == ONE:
            values[axis(number)] = ZERO
            continue
        offset = _offset(axis(number), place)
        variable = symbol(Kind.POINT, number)
        domain.append(Range(variable, offset, offset + extent))
        values[axis(number)] = Affine.of(variable) - offset
    return domain, values


def plain_domain(extents: Sequence[Affine]) -> tuple[list[Range], tuple[Affine, ...]]:
    """The domain from 0 to each extent, and its point; axes of one element have no variable."""
    domain: list[Range] = []
    point: list[Affine] = []
    for number, extent in enumerate(extents):
        if extent == ONE:
            point.append(ZERO)
            continue
        domain.append(Range(symbol(Kind.POINT, number), ZERO, extent))
        point.append(form(Kind.POINT, number))
    return domain, tuple(point)


def aligned(nest: Nest) -> Nest:
    """The nest with each variable shifted to where all accesses along it start, so that indices read plainly."""
    starts = {r.var: _common_start(nest, r.var) for r in nest.domain if r.start == ZERO}
    moved = {variable: start for variable, start in starts.items() if start not in (None, ZERO)}
    if not moved:
        return nest
    values: dict[str, Index] = {v: Affine.of(v) - start for v, start in moved.items() if start is not None}
    domain = tuple(_moved(r, moved.get(r.var)) for r in nest.domain)
    assigns = tuple(
        Assign(
            Access(a.target.array, tuple(substitute_index(i, values) for i in a.target.index)),
            a.op,
            substitute(a.value, values),
        )
        for a in nest.assigns
    )
    return replace(nest, domain=domain, assigns=assigns)


def _moved(r: Range, start: Affine | None) -> Range:
    return r if start is None else Range(r.var, r.start + start, r.stop + start)


def _common_start(nest: Nest, variable: str) -> Affine | None:
    """What all indices with the variable add to it, if that is the same everywhere."""
    starts = {form - Affine.of(variable) for form in _indices(nest) if form.coefficient(variable)}
    start = starts.pop() if len(starts) == 1 else None
    inner = {r.var for r in nest.domain}
    return None if start is None or inner & set(start.names) else start


def _indices(nest: Nest) -> Iterator[Affine]:
    for assign in nest.assigns:
        accesses: list[Access | Load] = [assign.target, *loads(assign.value)]
        accesses += [load for i in assign.target.index if not isinstance(i, Affine) for load in loads(i)]
        yield from (i for access in accesses for i in access.index if isinstance(i, Affine))


def _offset(name: str, place: tuple[Index, ...]) -> Affine:
    """The index where the axis starts, if the place moves along with it in steps of one and with no other axis."""
    forms = [form for form in place if isinstance(form, Affine) and form.coefficient(name)]
    if len(forms) != 1 or forms[0].coefficient(name) != 1 or sum(map(is_axis, forms[0].names)) != 1:
        return ZERO
    return forms[0] - Affine.of(name)


def overlaps(
    base: str, place: tuple[Index, ...], element: Expr, domain: Sequence[Range], facts: Sequence[Affine]
) -> bool:
    """Whether some point may read from `base` what another point writes there; False is a proof."""
    if not domain:
        return False
    indices = [load for index in place if not isinstance(index, Affine) for load in loads(index)]
    target, known = Access(base, place), Scope(tuple(facts))
    read = [load for load in (*loads(element), *indices) if load.array == base and load.index != place]
    return any(may_meet_apart(target, load, domain, known) for load in read)


def meets_itself(base: str, place: tuple[Index, ...], domain: Sequence[Range], facts: Sequence[Affine]) -> bool:
    """Whether two points may write one element; False is a proof. Of places that are computed it is not asked."""
    if not all(isinstance(index, Affine) for index in place):
        return False
    target = Access(base, place)
    return may_meet_apart(target, target, domain, Scope(tuple(facts)))
