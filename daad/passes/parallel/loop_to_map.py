"""Loops whose iterations do not depend on each other become nests, in which any order is allowed.

    program f(x: float64[9], y: float64[9])
      loop i = 0 .. 9:
        y[i] = sin(x[i])

becomes

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i])
"""

from __future__ import annotations

from dataclasses import replace

from daad.analysis.alias import earlier, is_valid, may_conflict
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.sites import affine_range
from daad.ir.affine import names_of
from daad.ir.nodes import Loop, Nest, Node, Program
from daad.passes.definition import Pass

MAX_NESTS = 12  # the question is asked for each pair


PASS = Pass(
    "loop-to-map",
    lambda program, goal: loops_to_nests(program),
    "Loops whose iterations do not depend on each other become nests, in which any order is allowed.",
    source="Ben-Nun et al. 2019",
)


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
    r = affine_range(loop)
    body = [n for n in loop.body if isinstance(n, Nest)]
    if r is None or len(body) < len(loop.body) or len(body) > MAX_NESTS or any(_is_skewed(n, loop.var) for n in body):
        return None
    nests = [replace(n, domain=(r, *n.domain)) for n in body]
    if not all(is_valid(n, scope) for n in nests):
        return None
    pairs = ((nests[a], nests[b]) for b in range(len(nests)) for a in range(b))
    return None if any(may_conflict(a, b, scope, earlier(r.var, loop.step)) for a, b in pairs) else nests


def _is_skewed(nest: Nest, var: str) -> bool:
    """Whether bounds of the nest move with the loop."""
    return var in names_of(form for r in nest.domain for form in (r.start, r.stop))
