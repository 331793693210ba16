"""Loops whose iterations do not depend on each other become nests, in which any order is allowed."""

from __future__ import annotations

from dataclasses import replace

from daad.analysis.alias import MARK, is_valid
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.nest_conflicts import conflicts, may_be_same
from daad.analysis.sites import domain_bounds, loop_bounds
from daad.ir.affine import Affine, names_of
from daad.ir.nodes import Loop, Nest, Node, Program, Range

MAX_NESTS = 12  # the question is asked for each pair


def loops_to_nests(program: Program) -> Program:
    """Innermost loops first, so that whole nests of loops collapse."""

    def rewrite(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in body:
            nests = _as_nests(node, scope) if isinstance(node, Loop) else None
            out.extend((node,) if nests is None else nests)
        return tuple(out)

    return replace(program, body=map_scoped_bodies(program.body, rewrite, Scope()))


def _as_nests(loop: Loop, scope: Scope) -> list[Nest] | None:
    """The loop as one nest for each of its body, None where an iteration may need another."""
    low, high = loop_bounds(loop)
    body = [n for n in loop.body if isinstance(n, Nest)]
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return None
    if len(body) < len(loop.body) or len(body) > MAX_NESTS or any(_is_skewed(n, loop.var) for n in body):
        return None
    r = Range(loop.var, low, high)
    nests = [replace(n, domain=(r, *n.domain)) for n in body]
    if not all(is_valid(n, scope) for n in nests):
        return None
    pairs = ((nests[a], nests[b]) for b in range(len(nests)) for a in range(b))
    return None if any(_meets_earlier(a, b, r, loop.step, scope) for a, b in pairs) else nests


def _is_skewed(nest: Nest, var: str) -> bool:
    """Whether bounds of the nest move with the loop."""
    return var in names_of(form for r in nest.domain for form in (r.start, r.stop))


def _meets_earlier(first: Nest, second: Nest, r: Range, step: int, scope: Scope) -> bool:
    """Whether `second` in some iteration may touch what `first` touches in a later one, where one of them writes."""
    renamed = {x.var: Affine.of(x.var + MARK) for x in second.domain}
    ahead = (Affine.of(r.var) - renamed[r.var]) * step - 1
    bounds = [*scope.constraints, *domain_bounds(first.domain), ahead]
    bounds += [form.substitute(renamed) for form in domain_bounds(second.domain)]
    return any(may_be_same(a, b, renamed, bounds) for a, b in conflicts(first, second))
