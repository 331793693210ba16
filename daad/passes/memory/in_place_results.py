"""Before a result is written, its memory holds a local array of the same shape that nobody needs afterwards.

    program f(x: float64[9])
      local t: float64[9], r: float64[9]
      for i in 0 .. 9:  t[i] = sin(x[i])
      for i in 1 .. 9:  x[i] += t[i - 1]
      for i in 0 .. 9:  r[i] = cos(x[i])
      return r

becomes

    program f(x: float64[9])
      local r: float64[9]
      for i in 0 .. 9:  r[i] = sin(x[i])
      for i in 1 .. 9:  x[i] += r[i - 1]
      for i in 0 .. 9:  r[i] = cos(x[i])
      return r
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from daad.analysis.access_regions import touches
from daad.analysis.alias import Place, may_meet_apart, reads_of
from daad.analysis.context import Scope
from daad.analysis.element_liveness import future, over_iterations, past
from daad.analysis.regular_sections import Box, disjoint
from daad.analysis.sites import loop_bounds
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Loop, Nest, Node, Program
from daad.ir.walk import renamed, walk
from daad.passes.definition import Form, Pass, forms

Shapes = dict[str, tuple[int, ...]]


PASS = Pass(
    "in-place-results",
    lambda program, goal: program if goal.is_planned else reuse_results(program, goal.live),
    "Before a result is written, its memory holds a local array of the same shape.",
    source="Hudak and Bloss 1985",
    requires=forms(Form.SERIAL),
)


def reuse_results(program: Program, live: frozenset[str]) -> Program:
    """Local arrays become results, one after the other; `live` arrays are visible at the end.

    Those of one statement of the program's own body stay: its iterations may have one each.
    """
    for result in dict.fromkeys(program.results):
        for local in [] if result in program.parameters else _alike(result, program, live):
            shapes = {name: a.shape for name, a in program.arrays.items()}
            if _Order(local, result, shapes).holds(program.body, Scope()):
                arrays = {n: a for n, a in program.arrays.items() if n != local}
                body = tuple(renamed(n, {local: result}) for n in program.body)
                program = replace(program, body=body, arrays=arrays)
    return program


def _alike(result: str, program: Program, live: frozenset[str]) -> list[str]:
    """Local arrays like the result that no thread has for itself, the last one first: what one of them does not allow
    allows no more once others have become the result."""
    array = program.arrays[result]
    alike = [a.name for a in program.arrays.values() if array.shape and replace(a, name=result) == array]
    at = {name: [n for n, node in enumerate(program.body) if name in node.touched] for name in alike}
    shared = [node.sharing for node in walk(program.body) if isinstance(node, Loop) and node.sharing]
    common = Usage(program, live).hidden.intersection(alike).difference(*(sharing.own for sharing in shared))
    several = {name for name in common if len(at[name]) > 1}
    return sorted(several, key=lambda name: (-at[name][-1], name))


@dataclass(frozen=True)
class _Order:
    """Asks whether each element of `first` is done with before that of `second` is touched."""

    first: str
    second: str
    shapes: Shapes

    def holds(self, body: Sequence[Node], scope: Scope) -> bool:
        """For statements that run one after the other."""
        begun: dict[Box, None] = {}
        for node in body:
            if node.touched.isdisjoint((self.first, self.second)):
                continue
            early = self._boxes(node, self.first, scope)
            if not all(disjoint(a, b, scope) for a in early for b in begun):
                return False
            late = self._boxes(node, self.second, scope)
            if early and late and not self._within(node, scope):
                return False
            begun.update(dict.fromkeys(late))
        return True

    def _boxes(self, node: Node, name: str, scope: Scope) -> list[Box]:
        return list(dict.fromkeys(t.box for t in touches((node,), name, self.shapes, scope)))

    def _within(self, node: Node, scope: Scope) -> bool:
        if isinstance(node, Nest):
            return self._in_nest(node, scope)
        if isinstance(node, Loop):
            return self._in_loop(node, scope)
        return all(self.holds(side, scope) for side in (node.then, node.orelse))

    def _in_loop(self, loop: Loop, scope: Scope) -> bool:
        """No later iteration, or no other one if threads share them, touches of `first` what this one touches of
        `second`."""
        if not all(isinstance(bound, Affine) for bound in loop_bounds(loop)):
            return False
        inner = scope.enter(loop)
        early = [t.box for t in touches(loop.body, self.first, self.shapes, inner)]
        late = [t.box for t in touches(loop.body, self.second, self.shapes, inner)]
        others = (future(loop), past(loop)) if loop.sharing else (future(loop),)
        later = {over_iterations(box, loop.var, values) for box in early for values in others}
        return all(disjoint(a, b, inner) for a in later for b in late) and self.holds(loop.body, inner)

    def _in_nest(self, nest: Nest, scope: Scope) -> bool:
        """At a point `first` comes before `second`, and no two points touch the same element."""
        early, late = list(self._touched(nest, self.first)), list(self._touched(nest, self.second))
        return all(
            a < b and not may_meet_apart(replace(x, array=self.second), y, nest.domain, scope)
            for a, x in early
            for b, y in late
        )

    def _touched(self, nest: Nest, name: str) -> Iterator[tuple[int, Place]]:
        """Accesses of an array, with the order in which a point makes them."""
        for number, assign in enumerate(nest.assigns):
            yield from ((2 * number, load) for load in reads_of(assign) if load.array == name)
            if assign.target.array == name:
                yield 2 * number + 1, Access(name, assign.target.index)
