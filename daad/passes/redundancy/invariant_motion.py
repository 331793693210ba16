"""What each iteration of a loop makes anew from the same values is made once, before the loop.

Coefficients of a sweep, say, that every step of time computes again: the statements that make them leave the loops that
they share with others.

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      loop k = 0 .. 5:
        for i in 0 .. 9:  t[i] = sin(x[i])
        for i in 0 .. 9:  y[i] = t[i] * y[i]

becomes

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = sin(x[i])
      loop k = 0 .. 5:
        for i in 0 .. 9:  y[i] = t[i] * y[i]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from daad.analysis.access_regions import touches
from daad.analysis.alias import may_meet
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.element_liveness import Facts, runs, sweep
from daad.analysis.regular_sections import add, covers, remove, whole
from daad.analysis.sites import loop_bounds
from daad.analysis.subscripts import is_injective
from daad.analysis.uses import Usage, reader_counts
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Index, Loop, Nest, Node, Program, Range
from daad.ir.walk import loads, variables, writes
from daad.passes.definition import Pass

Names = frozenset[str]


PASS = Pass(
    "invariant-motion",
    lambda program, goal: hoist_invariants(program, goal.live),
    "What each iteration of a loop makes anew from the same values is made before the loop.",
    source="Allen and Cocke 1972",
)


def hoist_invariants(program: Program, live: Names) -> Program:
    """Loops inside others first, so that what is made in both leaves both; `live` arrays are seen from outside."""
    usage = Usage(program, live)

    def rewrite(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in body:
            made = _made_again(node, usage, scope) if isinstance(node, Loop) else frozenset[str]()
            if isinstance(node, Loop) and made:
                rest = _only(node.body, made, False)
                out += [*_only(node.body, made, True), *((replace(node, body=rest),) if rest else ())]
            else:
                out.append(node)
        return tuple(out)

    return replace(program, body=map_scoped_bodies(program.body, rewrite, Scope()))


def _only(body: Sequence[Node], made: Names, wanted: bool) -> tuple[Node, ...]:
    """The statements that make these arrays, or the others; loops left empty disappear."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            out += (node,) if (node.written <= made) == wanted else ()
        elif isinstance(node, Loop):
            inner = _only(node.body, made, wanted)
            out += (replace(node, body=inner),) if inner else ()
        else:
            out += () if wanted else (node,)
    return tuple(out)


@dataclass(frozen=True)
class _Site:
    """A nest of a loop's body, and the loops between, None for those that hold a branch around it."""

    nest: Nest
    loops: tuple[Loop, ...] | None

    @property
    def domain(self) -> tuple[Range, ...] | None:
        """Of the loops between and of the nest; None where bounds are computed."""
        bounds = [(loop.var, *loop_bounds(loop)) for loop in self.loops or ()]
        between = tuple(Range(v, a, b) for v, a, b in bounds if isinstance(a, Affine) and isinstance(b, Affine))
        return (*between, *self.nest.domain) if self.loops is not None and len(between) == len(bounds) else None


def _sites(body: Sequence[Node], loops: tuple[Loop, ...] | None) -> Iterator[_Site]:
    for node in body:
        if isinstance(node, Nest):
            yield _Site(node, loops)
        elif isinstance(node, Loop):
            yield from _sites(node.body, None if loops is None else (*loops, node))
        else:
            yield from _sites((*node.then, *node.orelse), None)


def _made_again(loop: Loop, usage: Usage, scope: Scope) -> Names:
    """Arrays that each iteration fills with the same values, before anybody reads them."""
    arrays, sites = usage.program.arrays, list(_sites(loop.body, ()))
    written = writes(loop.body)
    found = frozenset(name for name in usage.hidden & written if not arrays[name].extents)
    if not runs(loop, scope):
        found = frozenset(name for name in found if _is_for(loop, name, sites, usage))
    while found:
        same = frozenset(n for n in found if _is_made_of_the_same(n, sites, loop.var, found, written))
        once = frozenset(n for n in same if _is_written_once(n, sites, scope.enter(loop)))
        made = _made_before_read(loop, once, arrays, scope) if once == found else once
        if made == found:
            break
        found = made
    return found


def _made_before_read(loop: Loop, names: Names, arrays: Mapping[str, Array], scope: Scope) -> Names:
    """Those arrays of which an iteration reads nothing but what it has written; what it writes may be read later."""
    shapes, inner = {name: array.shape for name, array in arrays.items()}, scope.enter(loop)
    after = {name: add((), whole(shapes[name]), inner) for name in names}
    for name in sorted(names):
        for touch in touches(loop.body, name, shapes, inner):
            after[name] = after[name] if touch.assign is None else remove(after[name], touch.box, inner)
    before = sweep(loop.body, after, Facts(shapes), inner).dead
    return frozenset(name for name in names if covers(before[name], whole(shapes[name]), inner))


def _is_made_of_the_same(name: str, sites: Sequence[_Site], var: str, made: Names, written: set[str]) -> bool:
    """Whether all statements that write an array do the same in each iteration if the arrays `made` are the same."""
    for site in sites:
        if name not in site.nest.written:
            continue
        domain = site.domain
        if domain is None or not site.nest.written <= made or any(a.op != "=" for a in site.nest.assigns):
            return False
        if site.nest.loaded & (written - made) or any(var in (*r.start.names, *r.stop.names) for r in domain):
            return False
        if any(var in variables(i) for a in site.nest.assigns for i in (a.value, *a.target.index)):
            return False
    return True


def _is_written_once(name: str, sites: Sequence[_Site], scope: Scope) -> bool:
    """Whether an iteration writes no element twice."""
    targets = [(a.target, s.domain) for s in sites for a in s.nest.assigns if a.target.array == name]
    known: list[tuple[Access, tuple[Range, ...]]] = [(target, over) for target, over in targets if over is not None]
    if len(known) < len(targets) or not all(is_injective(target.index, over) for target, over in known):
        return False
    return not any(may_meet(a, over, b, other, scope) for (a, over), (b, other) in combinations(known, 2))


def _is_for(loop: Loop, name: str, sites: Sequence[_Site], usage: Usage) -> bool:
    """Whether nobody would notice that an array is made though the loop does not run."""
    makers = [site.nest for site in sites if name in site.nest.written]
    indices: list[Index] = [i for nest in makers for a in nest.assigns for i in a.target.index]
    indices += [i for nest in makers for a in nest.assigns for load in loads(a.value) for i in load.index]
    alone = reader_counts(loop.body)[name] == usage.readers[name]
    return alone and all(isinstance(i, Affine) for i in indices)
