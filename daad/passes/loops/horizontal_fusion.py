"""Nests over one domain that work on the same arrays become one nest: one pass over memory, fewer loops.

Updates of an element stay in order and are added one by one, so that the bits of a sum do not depend on what else is
between them: plans for different memory limits have other statements there. Two sums over one loop become one sum: a
second one takes as long as what it adds. Products of matrices stay alone: they are BLAS's.

    program f(x: float64[9], y: float64[9], z: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i])
      for i in 0 .. 9:  z[i] = y[i] * x[i]

becomes

    program f(x: float64[9], y: float64[9], z: float64[9])
      for i in 0 .. 9:
        y[i] = sin(x[i])
        z[i] = y[i] * x[i]

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i])
      for i in 0 .. 9:  y[i] += cos(x[i])

becomes

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i]) + cos(x[i])
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from daad.analysis.alias import Place, are_apart, can_share, may_conflict, may_meet_apart, reads_of
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.matrix_products import is_whole_product
from daad.analysis.subscripts import is_injective
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Nest, Node, Op, Program
from daad.ir.operations.updates import Combine
from daad.ir.walk import depth, substitute_assign
from daad.passes.definition import Form, Pass, forms
from daad.passes.scalar.forward_substitution import DEEPEST

Fits = Callable[[Nest, Nest, Scope], bool]
LOOK_BACK = 8  # nests
LOOK_FAR_BACK = 32  # for what an update belongs to: where parameters are copied and tangents begin, there are many
ORDERLESS = tuple(combine.sign for combine in Combine if not combine.is_ordered)  # to the last bit
MAX_ARRAYS = 10  # more streams than that do not fit the registers and prefetchers of a core


PASS = Pass(
    "horizontal-fusion",
    lambda program, goal: fuse_horizontally(program),
    "Nests over the same elements become one pass over memory.",
    source="Kennedy and McKinley 1993",
    requires=forms(Form.GATHERED),
    establishes=forms(Form.MERGED),
    ends=forms(Form.REVERSIBLE),
)
JOINING = Pass(
    "update-joining",
    lambda program, goal: join_updates(program),
    "Updates of the same elements become one assignment.",
)


def fuse_horizontally(program: Program) -> Program:
    """After differentiation only: the reverse mode reads one assign per nest."""
    return _merged_program(program, _fits)


def join_updates(program: Program) -> Program:
    """Only updates of the same elements: `x[i] = a; x[i] += b` becomes `x[i] = a + b`, where `b` is known."""
    joined = _merged_program(program, _is_update)
    return replace(joined, body=map_scoped_bodies(joined.body, _joined_later, Scope()))


def _joined_later(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
    """What fills an array waits for the first update of all of it, if it keeps nothing as large from being freed."""
    out: list[Node] = []
    for node in body:
        place = _filled(node, out, scope) if isinstance(node, Nest) else None
        first = None if place is None else out.pop(place)
        out.append(_joined(first, _turned(node, first)) if isinstance(first, Nest) and isinstance(node, Nest) else node)
    return tuple(out)


def _filled(nest: Nest, before: list[Node], scope: Scope) -> int | None:
    """The position of the nest that fills what this one updates."""
    for place in reversed(range(max(0, len(before) - LOOK_BACK), len(before))):
        other = before[place]
        if not nest.written & other.touched:
            continue
        if not isinstance(other, Nest) or not _is_cheap_to_hold(other) or other.assigns[0].op != "=":
            return None
        if any(node.written & other.loaded for node in before[place + 1 :] if isinstance(node, Nest)):
            return None
        if not all(isinstance(node, Nest) for node in before[place + 1 :]):
            return None
        return place if _is_update(other, _turned(nest, other), scope) else None
    return None


def _is_cheap_to_hold(nest: Nest) -> bool:
    """One assign, of values from arrays with fewer dimensions."""
    dimensions = len(nest.assigns[0].target.index)
    return len(nest.assigns) == 1 and all(len(load.index) < dimensions for load in reads_of(nest.assigns[0]))


def _turned(nest: Nest, like: Nest) -> Nest:
    """The nest with its ranges in the order of another one, which has the same places in its target."""
    ranges, order = {r.var: r for r in nest.domain}, {r.var: n for n, r in enumerate(like.domain)}
    positions: dict[str, int] = {}
    for a, b in zip(nest.assigns[0].target.index, like.assigns[0].target.index, strict=False):
        if isinstance(a, Affine) and isinstance(b, Affine) and len(a.terms) == len(b.terms) == 1:
            positions[a.terms[0][0]] = order.get(b.terms[0][0], -1)
    if sorted(positions.values()) != [*range(len(like.domain))] or positions.keys() != ranges.keys():
        return nest
    return replace(nest, domain=tuple(ranges[name] for name in sorted(positions, key=positions.__getitem__)))


def _merged_program(program: Program, fits: Fits) -> Program:
    def rewrite(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        return _merge(body, scope, fits)

    return replace(program, body=map_scoped_bodies(program.body, rewrite, Scope()))


def _merge(body: tuple[Node, ...], scope: Scope, fits: Fits) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in body:
        place = _partner(node, out, scope, fits) if isinstance(node, Nest) else None
        partner = None if place is None else out[place]
        if place is not None and isinstance(node, Nest) and isinstance(partner, Nest):
            out[place] = _joined(partner, node)
        else:
            out.append(node)
    return tuple(out)


def _partner(nest: Nest, before: list[Node], scope: Scope, fits: Fits) -> int | None:
    """The position of the last nest that can take the assigns of this one, with nothing between in the way."""
    look_back = LOOK_FAR_BACK if fits is _is_update else LOOK_BACK
    for place in reversed(range(max(0, len(before) - look_back), len(before))):
        other = before[place]
        if not isinstance(other, Nest):
            return None
        if fits(other, nest, scope):
            return place
        if _conflict(other, nest, scope):
            return None
    return None


def _is_update(first: Nest, second: Nest, scope: Scope) -> bool:
    """Whether the second nest only adds to elements that the first assigns."""
    if not second.written <= first.written:
        return False
    renamed = _with_names(second, first)
    if first.domain != renamed.domain or not all(_added(a, [*first.assigns], ("=",)) for a in renamed.assigns):
        return False
    return can_share(first, renamed, scope)


def _fits(first: Nest, second: Nest, scope: Scope) -> bool:
    shared, every = first.touched & second.touched, first.touched | second.touched
    if not shared or len(every) > MAX_ARRAYS or is_whole_product(first) or is_whole_product(second):
        return False
    if not first.domain or not second.domain:
        return first.domain == second.domain
    second = _with_names(second, first)
    if first.domain != second.domain or not _same_kind(first, second):
        return False
    return can_share(first, second, scope) and not _race(first, second, scope)


def _with_names(nest: Nest, like: Nest) -> Nest:
    """The nest with the variables of another one, where the domains are the same but for the names."""
    if len(nest.domain) != len(like.domain):
        return nest
    if any(a.start != b.start or a.stop != b.stop for a, b in zip(nest.domain, like.domain, strict=True)):
        return nest
    names = {a.var: Affine.of(b.var) for a, b in zip(nest.domain, like.domain, strict=True) if a.var != b.var}
    if not names:
        return replace(nest, domain=like.domain)
    return replace(nest, domain=like.domain, assigns=tuple(substitute_assign(a, names) for a in nest.assigns))


def _same_kind(first: Nest, second: Nest) -> bool:
    """Both without reductions, or both reductions over the same variables."""
    return len({_kept_variables(a, first) for a in (*first.assigns, *second.assigns)}) == 1


def _kept_variables(assign: Assign, nest: Nest) -> frozenset[str] | None:
    """Variables of the domain in the target; None if points may meet though all are there."""
    own = {r.var for r in nest.domain}
    kept = frozenset(n for i in assign.target.index if isinstance(i, Affine) for n in i.names if n in own)
    return kept if kept != own or is_injective(assign.target.index, nest.domain) else None


def _race(first: Nest, second: Nest, scope: Scope) -> bool:
    """Whether updates of the two may meet at different points."""
    pairs = [(a, b) for a in first.assigns for b in second.assigns if a.target.array == b.target.array]
    return any(
        a.target != b.target and not _are_scattered(a, b) and may_meet_apart(a.target, b.target, first.domain, scope)
        for a, b in pairs
    )


def _are_scattered(*updates: Assign) -> bool:
    """Whether all are sums at places that data say."""
    return all(a.op == "+=" and any(not isinstance(i, Affine) for i in a.target.index) for a in updates)


def _conflict(first: Nest, second: Nest, scope: Scope) -> bool:
    """Whether their order matters."""
    if not (first.written & second.touched or second.written & first.touched):
        return False
    return may_conflict(first, second, scope, free=ORDERLESS)


def _joined(first: Nest, second: Nest) -> Nest:
    assigns = list(first.assigns)
    ops = ("=",) if _kept_variables(assigns[0], first) == frozenset(r.var for r in first.domain) else ("=", "+=")
    for assign in _with_names(second, first).assigns:
        if not _added(assign, assigns, ops):
            assigns.append(assign)
    return replace(first, assigns=tuple(assigns))


def _added(assign: Assign, assigns: list[Assign], ops: Collection[str]) -> bool:
    """Adds an update to what is assigned, or added, to the same element, where nothing between looks at it."""
    if assign.op != "+=" or any(load.array == assign.target.array for load in reads_of(assign)):
        return False
    for place in reversed(range(len(assigns))):
        other = assigns[place]
        if other.target == assign.target and other.op in ops and other.value.dtype == assign.value.dtype:
            if depth(other.value) > DEEPEST:
                return False
            assigns[place] = replace(other, value=Op("add", (other.value, assign.value), assign.value.dtype))
            return True
        others: list[Place] = [other.target, *reads_of(other)]
        if not all(are_apart(assign.target, x) for x in others):
            return False
        if not all(are_apart(other.target, load) for load in reads_of(assign)):
            return False
    return False
