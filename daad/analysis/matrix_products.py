"""Nests that are the product of a matrix and a vector for each row of a loop: over many rows, one of two matrices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from daad.analysis.alias import Place, moves, reads_of
from daad.analysis.context import Scope
from daad.ir.affine import Affine, names_of
from daad.ir.constructors import negative
from daad.ir.nodes import Access, Assign, Expr, Load, Nest, Op, Range
from daad.ir.walk import loads, substitute_assign, variables


@dataclass(frozen=True)
class Part:
    """What a loop does in each iteration; `whole`: it is one nest over a tile's iterations."""

    nest: Nest
    whole: bool


def as_products(nest: Nest, var: str, private: Collection[str]) -> list[Nest]:
    """The nest as products over the rows `var`, one for each term; empty if it is not such products alone.

    Of arrays that are `private` to a row there is one for each row.
    """
    terms = [replace(nest, assigns=(term,)) for assign in nest.assigns for term in _terms(assign)]
    written = {a.target.array for a in nest.assigns}
    if len(terms) > 1 and written & {load.array for a in nest.assigns for load in loads(a.value)}:
        return []
    found = [_as_product(term, var, private) for term in terms]
    return [f for f in found if f is not None] if all(found) else []


def _terms(assign: Assign) -> Iterator[Assign]:
    """An update as updates by each term of a sum."""
    value = assign.value
    if assign.op == "+=" and isinstance(value, Op) and value.name in ("add", "subtract"):
        a, b = value.args
        yield from _terms(replace(assign, value=a))
        yield from _terms(replace(assign, value=b if value.name == "add" else negative(b, b.dtype)))
    else:
        yield assign


def _as_product(nest: Nest, var: str, private: Collection[str]) -> Nest | None:
    """With ranges that move along with the rows, or against them, shifted so that two matrices are seen."""
    moving = [r for r in nest.domain if moves(r, var)]
    if not moving:
        return nest if _is_product(nest, var, private) else None
    if len(moving) > 1:
        return None
    r = moving[0]
    slopes = (0, r.start.coefficient(var), r.stop.coefficient(var))
    shifted = (_shifted(nest, r, Affine.of(var) * slope) for slope in dict.fromkeys(slopes))
    return next((n for n in shifted if _is_product(n, var, private) and _moving_bounds(n, var) <= 1), None)


def _moving_bounds(nest: Nest, var: str) -> int:
    return sum(bool(form.coefficient(var)) for r in nest.domain for form in (r.start, r.stop))


def _shifted(nest: Nest, r: Range, shift: Affine) -> Nest:
    """The same points, counted from elsewhere."""
    values = {r.var: Affine.of(r.var) + shift}
    domain = tuple(replace(x, start=x.start - shift, stop=x.stop - shift) if x is r else x for x in nest.domain)
    return replace(nest, domain=domain, assigns=tuple(substitute_assign(a, values) for a in nest.assigns))


def _is_product(nest: Nest, var: str, private: Collection[str]) -> bool:
    """Whether rows make a product of two matrices of what is none in one row."""
    assign = nest.assigns[0]
    own = frozenset((var, *(r.var for r in nest.domain)))
    factors = [f for f in _factors(assign.value) if variables(f) & own]
    places = [f for f in (*factors, assign.target) if isinstance(f, Load | Access)]
    if assign.op != "+=" or len(factors) != 2 or len(places) != 3 or not all(map(_is_affine, places)):
        return False
    named = [_names(place) | ({var} if place.array in private else set()) for place in places]
    roles = {name: tuple(name in names for names in named) for name in sorted(own)}
    return all(sum(role) == 2 for role in roles.values()) and _are_new(roles, var)


def _names(place: Place) -> set[str]:
    return names_of(i for i in place.index if isinstance(i, Affine))


def _is_affine(place: Place) -> bool:
    return all(isinstance(i, Affine) for i in place.index)


def _are_new(roles: dict[str, tuple[bool, ...]], var: str) -> bool:
    """All three roles are there, one of them by the rows alone."""
    return len({*roles.values()}) == 3 and sum(role == roles[var] for role in roles.values()) == 1


def _factors(value: Expr) -> Iterator[Expr]:
    if isinstance(value, Op) and value.name in ("multiply", "divide", "negative"):
        for argument in value.args:
            yield from _factors(argument)
    else:
        yield value


def parts(product: Nest, rows: Range, scope: Scope) -> list[Part]:
    """A product over the columns that all rows have, and the triangle that is left, row by row."""
    moving = [r for r in product.domain if moves(r, rows.var)]
    if not moving:
        return [Part(product, True)]
    r = moving[0]
    common = Range(r.var, _extreme(r.start, rows, 1), _extreme(r.stop, rows, -1))
    if not scope.at_most(common.start, common.stop):
        return [Part(product, False)]
    rest = Range(r.var, r.start, common.start) if r.start.coefficient(rows.var) else Range(r.var, common.stop, r.stop)
    return [Part(_over(product, r, common), True), Part(_over(product, r, rest), False)]


def _over(nest: Nest, r: Range, other: Range) -> Nest:
    return replace(nest, domain=tuple(other if x is r else x for x in nest.domain))


def _extreme(form: Affine, rows: Range, sign: int) -> Affine:
    """The largest (or with sign -1 the smallest) value over the rows."""
    rising = form.coefficient(rows.var) * sign > 0
    return form.substitute({rows.var: rows.last if rising else rows.start})


def multiplies(nest: Nest, var: str | None = None) -> bool:
    """Whether an assign is a product of matrices, which is better left whole, unless each value of a variable has one
    of its own."""
    return any(_is_matrix_product(assign, nest.domain, var) for assign in nest.assigns if assign.op == "+=")


def is_whole_product(nest: Nest) -> bool:
    """Whether it is a product of matrices with more points than elements: BLAS's, if nothing else is in the nest."""
    own = {r.var for r in nest.domain}
    places: list[Place] = [place for assign in nest.assigns for place in reads_of(assign)]
    places += [assign.target for assign in nest.assigns]
    return multiplies(nest) and all(_names(place) & own != own for place in places)


def _is_matrix_product(assign: Assign, domain: Sequence[Range], var: str | None) -> bool:
    kept = _names(assign.target)
    own = {r.var for r in domain}
    factors = [names for load in reads_of(assign) if (names := _names(load)) & (own - kept)]
    if len({frozenset(names & own) for names in factors}) < 2:
        return False
    return var not in kept or not all(var in names for names in factors)
