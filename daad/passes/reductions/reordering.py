"""Sums over earlier iterations become updates of later ones, or the other way round, where memory likes that better.

`for j: for p in 0 .. j: x[j] += x[p] * U[p, j]` runs down the columns of U; `for j: for p in j + 1 .. n: x[p] += x[j] *
U[j, p]` along its rows. The products are the same, each is only added in the iteration that the other index counts.

    program f(U: float64[900, 900], x: float64[900])
      loop j = 0 .. 900:
        for p in 0 .. j:  x[j] += x[p] * U[p, j]
        x[j] = x[j] / U[j, j]

becomes

    program f(U: float64[900, 900], x: float64[900])
      loop j = 0 .. 900:
        x[j] = x[j] / U[j, j]
        for p in j + 1 .. 900:  x[p] += x[j] * U[j, p]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from daad.analysis.alias import Place, is_valid, may_conflict, reads_of, there
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.sites import affine_range, domain_bounds
from daad.ir.affine import Affine, names_of
from daad.ir.nodes import Loop, Nest, Node, Program, Range
from daad.ir.walk import substitute_assign
from daad.passes.definition import Pass

MAX_NESTS = 12  # the order is asked for each pair
LEAST_POINTS = 40  # on average: shorter runs are over before vectors have paid for themselves


PASS = Pass(
    "reduction-reordering",
    lambda program, goal: reorder_reductions(program),
    "Sums over earlier iterations become updates of later ones, or the other way round.",
    source="Allen and Kennedy 2001, 5.2",
)


def reorder_reductions(program: Program) -> Program:
    """Innermost loops, if nothing but nests is in them."""

    def rewrite(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        return tuple(turned(node, scope) if isinstance(node, Loop) else node for node in body)

    return replace(program, body=map_scoped_bodies(program.body, rewrite, Scope()))


def turned(loop: Loop, scope: Scope) -> Loop:
    """The loop with its updates where memory likes them best."""
    over = affine_range(loop)
    body = tuple(n for n in loop.body if isinstance(n, Nest))
    if over is None or len(body) < len(loop.body) or len(body) > MAX_NESTS:
        return loop
    times = _Times(over, loop.step, scope)
    better: tuple[Nest, ...] | None = body
    while better is not None:
        body, better = better, next(_improvements(better, times), None)
    return replace(loop, body=body)


@dataclass(frozen=True)
class _Times:
    """The iterations of a loop, as times at which its statements happen."""

    range: Range
    step: int
    scope: Scope

    def wait(self, first: Affine, second: Affine) -> Affine:
        """From the first iteration to the second."""
        return (second - first) * self.step


@dataclass(frozen=True)
class _Move:
    """An update that happens in the iteration that `var` counts instead, the same after the exchange of names."""

    update: Nest
    var: str
    exchanged: Nest


def _improvements(body: tuple[Nest, ...], times: _Times) -> Iterator[tuple[Nest, ...]]:
    """The body with one update moved."""
    for place, nest in enumerate(body):
        for number in range(len(nest.assigns)):
            update = replace(nest, assigns=(nest.assigns[number],))
            before = [*body[:place], *_with_assigns(nest, 0, number)]
            after = [*_with_assigns(nest, number + 1, len(nest.assigns)), *body[place + 1 :]]
            rest = [*body[:place], *_without(nest, number), *body[place + 1 :]]
            for move in _moves(update, times):
                if _may_move(move, before, after, times, at_start=False):
                    yield (*rest, move.exchanged)
                elif _may_move(move, before, after, times, at_start=True):
                    yield (move.exchanged, *rest)


def _with_assigns(nest: Nest, first: int, last: int) -> list[Nest]:
    return [replace(nest, assigns=nest.assigns[first:last])] if first < last else []


def _without(nest: Nest, number: int) -> list[Nest]:
    rest = (*nest.assigns[:number], *nest.assigns[number + 1 :])
    return [replace(nest, assigns=rest)] if rest else []


def _moves(update: Nest, times: _Times) -> Iterator[_Move]:
    """All that make better use of memory."""
    if update.assigns[0].op == "=":
        return
    for r in update.domain:
        exchanged = _exchanged(update, r, times)
        if exchanged is not None and _contiguity(exchanged) > _contiguity(update):
            yield _Move(update, r.var, exchanged)


def _exchanged(update: Nest, r: Range, times: _Times) -> Nest | None:
    """The update with the loop's variable for that of `r` and the other way round; None where no range describes it."""
    time, own = times.range.var, Affine.of(r.var)
    inside = times.scope.with_domain((times.range, r))
    if not all(inside.proves(form.substitute({time: own})) for form in domain_bounds((times.range,))):
        return None
    names = {time: own, r.var: Affine.of(time)}
    bounds = [form.substitute(names) for form in domain_bounds((times.range, r))]
    new = _range_of(r.var, bounds, times.scope.with_domain((times.range,)))
    others = [x for x in update.domain if x is not r]
    if new is None or time in names_of(form for x in others for form in (x.start, x.stop)):
        return None
    if max(_points(r, times), _points(new, times)) < LEAST_POINTS:
        return None
    domain = tuple(new if x is r else x for x in update.domain)
    exchanged = replace(update, domain=domain, assigns=tuple(substitute_assign(a, names) for a in update.assigns))
    return exchanged if is_valid(exchanged, times.scope.with_domain((times.range,))) else None


def _points(r: Range, times: _Times) -> float:
    """The middle of what is possible; too few where both bounds move, but there are as many the other way round."""
    middle = times.scope.with_domain((times.range,)).middle(r.width)
    return LEAST_POINTS if middle is None else middle


def _range_of(var: str, bounds: Sequence[Affine], scope: Scope) -> Range | None:
    """The values of `var` at which all `bounds` are >= 0, if the scope tells which of them decide."""
    value = Affine.of(var)
    lows = [value - form for form in bounds if form.coefficient(var) == 1]
    highs = [value + form for form in bounds if form.coefficient(var) == -1]
    rest = [form for form in bounds if abs(form.coefficient(var)) != 1]
    if not all(not form.coefficient(var) and scope.proves(form) for form in rest):
        return None
    low = next((a for a in lows if all(scope.at_most(b, a) for b in lows)), None)
    high = next((a for a in highs if all(scope.at_most(a, b) for b in highs)), None)
    return None if low is None or high is None else Range(var, low, high + 1)


def _may_move(move: _Move, before: Sequence[Nest], after: Sequence[Nest], times: _Times, at_start: bool) -> bool:
    """Whether each statement still sees what it saw; the update is the first or the last one of its iteration."""
    if _overtakes_itself(move, times):
        return False
    return not any(
        _overtakes(move, other, times, was_later=n < len(before), at_start=at_start)
        for n, other in enumerate([*before, *after])
    )


def _overtakes(move: _Move, other: Nest, times: _Times, was_later: bool, at_start: bool) -> bool:
    """Whether the update, once after another statement in each iteration (`was_later`), changes places with it."""
    old, new, other_time = Affine.of(times.range.var), Affine.of(move.var), there(times.range.var)
    once_after = times.wait(other_time, old) - (0 if was_later else 1)
    now_before = times.wait(new, other_time) - (0 if at_start else 1)
    once_before = times.wait(old, other_time) - (1 if was_later else 0)
    now_after = times.wait(other_time, new) - (1 if at_start else 0)
    orders = ((once_after, now_before), (once_before, now_after))
    return any(_may_meet(move.update, other, times, *order) for order in orders)


def _overtakes_itself(move: _Move, times: _Times) -> bool:
    old, new = Affine.of(times.range.var), Affine.of(move.var)
    order = times.wait(there(times.range.var), old) - 1, times.wait(new, there(move.var)) - 1
    return _may_meet(move.update, move.update, times, *order)


def _may_meet(one: Nest, other: Nest, times: _Times, *order: Affine) -> bool:
    """Whether the two touch one element, which one of them writes, in an order of iterations."""
    first, second = (replace(nest, domain=(times.range, *nest.domain)) for nest in (one, other))
    return may_conflict(first, second, times.scope, *order)


def _contiguity(nest: Nest) -> float:
    """How well accesses follow each other in memory along the best dimension."""
    places: list[Place] = [a.target for a in nest.assigns]
    places += [load for a in nest.assigns for load in reads_of(a)]
    return max((sum(_along(place, r.var) for place in places) for r in nest.domain), default=0.0)


def _along(place: Place, var: str) -> float:
    if not all(isinstance(i, Affine) for i in place.index):
        return -0.5
    steps = [i.coefficient(var) for i in place.index if isinstance(i, Affine)]
    if not any(steps):
        return 0.25
    return 1.0 if abs(steps[-1]) == 1 and not any(steps[:-1]) else -1.0
