"""Sums that a loop takes over a triangle leave it as running sums, or summed once, where that is far less work than a
product.

`loop i: for k in 0 .. i: x[i] += a[k]` needs all of `a` for each `i`; but one element more than for the `i` before.

    program f(a: float64[900], x: float64[900])
      loop i = 0 .. 900:
        for k in 0 .. i + 1:  x[i] += a[k]

becomes

    program f(a: float64[900], x: float64[900])
      local x_sum: float64[]
      x_sum = 0
      loop i = 0 .. 900:
        x_sum += a[i]
        x[i] += x_sum
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from daad.analysis.alias import reads_of
from daad.analysis.sites import loop_bounds
from daad.analysis.subscripts import Side, subscript
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Loop, Nest, Node, Program, Range
from daad.ir.walk import loads, walk, writes
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.range_sums import Shared, shared_over
from daad.passes.reductions.reduction_simplification import BLAS, points
from daad.passes.reductions.triangular_sums import Sum, moving, pairs, steadied, sum_over
from daad.passes.scalar.constant_propagation import Facts, Place, in_iteration, with_constants, without

CUTS = 4  # of one nest, where what is known of its operands ends


PASS = Pass(
    "prefix-sums",
    lambda program, goal: to_prefix_sums(program),
    "Sums over a triangle are running sums.",
    source="Gautam and Rajopadhye 2006",
    requires=forms(Form.GATHERED),
)


def to_prefix_sums(program: Program) -> Program:
    """The program itself where nothing changes. Constants that operands certainly hold are put in their place: with
    them a sum over a triangle often is one, without them a product of matrices."""
    if not any(_range(node) for node in walk(program.body) if isinstance(node, Loop)):
        return program
    runner = Runner(program)
    body = runner.body(program.body, {}, runner.place)
    return program if body == program.body else replace(program, body=body, arrays=runner.arrays)


@dataclass(frozen=True)
class Piece:
    """A part of a nest without the loop around it: a running sum, sums that are spread, or a nest of its own."""

    made: Sum | Shared | Nest

    @property
    def points(self) -> int:
        return points(self.made.domain) if isinstance(self.made, Nest) else self.made.points


class Runner:
    """Rewrites bodies; `arrays` grows by the arrays of running sums."""

    def __init__(self, program: Program) -> None:
        self.arrays, self.names = dict(program.arrays), NameSupply.of(program)
        self.place = Place(program.arrays, frozenset(program.parameters) - writes(program.body))

    def body(self, body: tuple[Node, ...], facts: Facts, place: Place) -> tuple[Node, ...]:
        """With what is known before it."""
        out: list[Node] = []
        for node in body:
            if isinstance(node, Nest):
                out.append(node)
                _, facts = with_constants(node, facts, place)
                continue
            facts, before = without(facts, node), facts
            if isinstance(node, Loop):
                node = replace(node, body=self.body(node.body, facts, place.enter(node)))
                out.extend(self.loop(node, before, place))
            else:
                then, orelse = (self.body(side, before, place) for side in (node.then, node.orelse))
                out.append(replace(node, then=then, orelse=orelse))
        return tuple(out)

    def loop(self, loop: Loop, facts: Facts, place: Place) -> tuple[Node, ...]:
        """The loop, and behind it the sums that have left it; `facts` are those before it."""
        r = _range(loop)
        if r is None:
            return (loop,)
        kept: list[Node] = []
        sums: list[Node] = []
        inner = place.enter(loop)
        steps = list(_with_facts(loop, facts, inner))
        loaded = frozenset[str]().union(*(constant.loaded for _, constant, _ in steps))
        for node, _, known in steps:
            pieces = _pieces(node, loop, r, known, inner) if _is_sum(node, loop, loaded, place) else ()
            sums.extend(new for piece in pieces for new in self._nodes(piece))
            kept.extend(() if pieces else (node,))
        rest = (replace(loop, body=tuple(kept)),) if kept else ()
        return (*rest, *sums) if sums else (loop,)

    def _nodes(self, piece: Piece) -> tuple[Node, ...]:
        if isinstance(piece.made, Nest):
            return (piece.made,)
        made = piece.made
        array = Array(self.names.new(f"{made.target.array}_sum"), made.sums, made.dtype)
        self.arrays[array.name] = array
        return made.nodes(array)


def _range(loop: Loop) -> Range | None:
    """The range of a loop of nests over numbers, of which one sums over what moves with it."""
    low, high = loop_bounds(loop)
    if not (isinstance(low, Affine) and isinstance(high, Affine) and low.is_const and high.is_const and low < high):
        return None
    sums = (n for n in loop.body if isinstance(n, Nest) and any(a.op == "+=" for a in n.assigns))
    if not all(isinstance(n, Nest) for n in loop.body) or not any(moving(n, loop.var) for n in sums):
        return None
    return Range(loop.var, low, high)


def _with_facts(loop: Loop, facts: Facts, place: Place) -> Iterator[tuple[Nest, Nest, Facts]]:
    """The nests of a loop as they are and with constants for their loads, and what is known before them."""
    facts = in_iteration(facts, loop, place)
    for node in loop.body:
        assert isinstance(node, Nest), "a loop with a range has nests only"
        for nest in _apart(node):
            constant, behind = with_constants(nest, facts, place)
            yield nest, constant, facts
            facts = behind


def _apart(nest: Nest) -> Sequence[Nest]:
    """A nest for each of its updates, if it does not read what it updates."""
    if any(a.op != "+=" for a in nest.assigns) or nest.written & nest.loaded:
        return (nest,)
    return [replace(nest, assigns=(assign,)) for assign in nest.assigns]


def _is_sum(nest: Nest, loop: Loop, loaded: frozenset[str], place: Place) -> bool:
    """Whether the nest adds to what the loop only adds to; `loaded` are the arrays whose contents the loop needs."""
    target = nest.assigns[0].target.array
    dtype = place.arrays[target].dtype
    if len(nest.assigns) > 1 or not moving(nest, loop.var) or target in loaded:
        return False
    if nest.assigns[0].value.dtype != dtype or not is_float(dtype):
        return False
    return all(a.op == "+=" for n in loop.body if isinstance(n, Nest) for a in n.assigns if a.target.array == target)


def _pieces(nest: Nest, loop: Loop, r: Range, facts: Facts, place: Place) -> Sequence[Piece]:
    """The nest of all iterations in pieces that take far less time than a product; none if there are no such."""
    [skewed, *more] = moving(nest, r.var)
    others = [x for x in nest.domain if x is not skewed]
    if more or not all(x.start.is_const and x.stop.is_const for x in others):
        return ()
    parts = _cut(nest, facts, place, CUTS)
    if any(load.array in loop.written for part in parts for load in reads_of(part.assigns[0])):
        return ()
    pieces = [_piece(steadied(part, r), r) for part in parts]
    found = [p for p in pieces if p is not None]
    cheap = sum(p.points for p in found) * BLAS <= pairs(r, skewed) * points(others)
    return found if len(found) == len(pieces) and cheap else ()


def _piece(nest: Nest, r: Range) -> Piece | None:
    if not moving(nest, r.var):
        return Piece(replace(nest, domain=(r, *nest.domain)))
    made = sum_over(nest, r) or shared_over(nest, r)
    return None if made is None else Piece(made)


def _cut(nest: Nest, facts: Facts, place: Place, times: int) -> list[Nest]:
    """The nest with constants for its loads, in parts where these are not the same all over it."""
    whole, _ = with_constants(nest, facts, place)
    found = next(_cuts(whole, facts, place), None) if times else None
    if found is None:
        return [whole]
    parts = (replace(nest, domain=tuple(part if r.var == part.var else r for r in nest.domain)) for part in found)
    return [new for part in parts for new in _cut(part, facts, place, times - 1)]


def _cuts(nest: Nest, facts: Facts, place: Place) -> Iterator[tuple[Range, Range]]:
    """Ranges cut in two where what is known of a load begins or ends."""
    for load in loads(nest.assigns[0].value):
        parts = [part for held in facts.get(load.array, ()) for part in held.known]
        for box in (box for part in parts for box in (part.box, *part.holes)):
            for form, side in zip(load.index, box, strict=True):
                yield from _cut_ranges(form, side, nest, place) if isinstance(form, Affine) else ()


def _cut_ranges(form: Affine, side: Side, nest: Nest, place: Place) -> Iterator[tuple[Range, Range]]:
    ranges = {r.var: r for r in nest.domain}
    axis = subscript(form, ranges)
    if axis is None or axis.var is None:
        return
    r = ranges[axis.var]
    for at in axis.values_within(*side)[:: axis.sign]:
        if at in (r.start, r.stop) or not (place.scope.at_most(r.start, at) and place.scope.at_most(at, r.stop)):
            continue
        yield replace(r, stop=at), replace(r, start=at)
