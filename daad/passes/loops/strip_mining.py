"""Runs of statements that are independent along a dimension go through it in slabs that stay in the cache.

`for i: a[i] = …` and what follows, whole loops included, becomes `loop over blocks of i: all of it on the block`.
Arrays that only live within the run hold no more than a block.

    program f(x: float64[4000, 1000], y: float64[4000, 1000])
      local t: float64[4000, 1000]
      for i in 0 .. 4000, j in 0 .. 1000:  t[i, j] = sin(x[i, j])
      loop k = 1 .. 1000:
        for i in 0 .. 4000:  t[i, k] += t[i, k - 1]
      for i in 0 .. 4000, j in 0 .. 1000:  y[i, j] = t[i, j] * x[i, j]

becomes

    program f(x: float64[4000, 1000], y: float64[4000, 1000])
      local t: float64[32, 1000]
      loop i_slab = 0 .. 125:
        for i in 32*i_slab .. 32*i_slab + 32, j in 0 .. 1000:  t[i - 32*i_slab, j] = sin(x[i, j])
        loop k = 1 .. 1000:
          for i in 32*i_slab .. 32*i_slab + 32:  t[i - 32*i_slab, k] += t[i - 32*i_slab, k - 1]
        for i in 32*i_slab .. 32*i_slab + 32, j in 0 .. 1000:  y[i, j] = t[i - 32*i_slab, j] * x[i, j]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from daad.analysis.context import Scope
from daad.analysis.cost.execution_time import Traffic, Windows
from daad.analysis.independence import Part, Run, Seat, find_run, leaves
from daad.analysis.privatization import private_in
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Branch, Loop, Nest, Node, Program
from daad.ir.walk import node_loads, variables
from daad.passes.definition import Form, Pass, forms
from daad.passes.loops.window_contraction import Window, contracted_array, narrowed, pieces

GAIN = 0.8
"""Slabs are made where they are estimated to take at most this part of the time."""

VECTOR = 8  # neighbouring elements that are computed at once
WHOLE = 16  # elements that fill cache lines, if they have four bytes or more
MOST_NESTS = 400  # of a body that is looked at
GROWTH = 4  # times the nests that there were

Names = frozenset[str]
Arrays = Mapping[str, Array]


PASS = Pass(
    "strip-mining",
    lambda program, goal: strip_mine(program, goal.live),
    "Statements that are independent along a dimension go through it in slabs that stay in the cache.",
    source="Allen and Kennedy 2001, 9.3",
    requires=forms(Form.SPLIT),
    establishes=forms(Form.SLABBED),
    for_caches=True,
)


def strip_mine(program: Program, live: Names) -> Program:
    """The program in slabs wherever that keeps statements in the cache that would not be; `live` as in `Goal`."""
    traffic = Traffic(dict(program.arrays))
    if traffic.is_near(program.body):
        return program
    hidden = Usage(program, live).hidden
    whole = _Body(traffic.arrays, NameSupply.of(program), Scope(), hidden, lambda: hidden, traffic)
    found = whole.slabs(program.body)
    return replace(program, body=found.body, arrays=found.arrays) if found else program


@dataclass(frozen=True)
class Slabs:
    """Statements in slabs, and the arrays with what is left of them."""

    body: tuple[Node, ...]
    arrays: Arrays


@dataclass(frozen=True)
class _Body:
    """Where a body stands: a supply of names, what is known about variables, arrays that nothing else touches (`own`),
    and those among them of which it reads nothing that was there before (`private`, which takes long to find); `known`
    are estimates that others asked for."""

    arrays: Arrays
    names: NameSupply
    scope: Scope
    own: Names
    find_private: Callable[[], Names]
    known: Traffic

    @cached_property
    def private(self) -> Names:
        return self.find_private()

    @property
    def traffic(self) -> Traffic:
        return self.known.on(self.arrays)

    def slabs(self, body: tuple[Node, ...]) -> Slabs | None:
        """None where nothing is gained."""
        if self.traffic.is_near(body):
            return None
        out: list[Node] = []
        here, rest, barren = self, body, 0
        parts = [Part(node) for node in body]
        few = _few(parts)
        while rest:
            start = len(parts) - len(rest)
            found = _longest(parts[start:]) if start >= few and not barren else None
            found = found and here._handing_over_less(found, parts[start:])
            made = here._first(found, rest, out) if found else None
            inner = here._inside(rest[0], (*out, *rest[1:])) if made is None else None
            if inner is not None:
                made = inner, rest[1:]
            barren = found[1][-1] if found and made is None else max(0, barren - 1)
            ready, rest = made or (Slabs(rest[:1], here.arrays), rest[1:])
            out += ready.body
            here = here if ready.arrays is here.arrays else replace(here, arrays=ready.arrays)
        return Slabs(tuple(out), here.arrays) if tuple(out) != body else None

    def _handing_over_less(self, found: _Found, parts: Sequence[Part]) -> _Found:
        """The run without nests at its end that only hand its values to the next one, where they hand over more."""
        chosen = found[1]
        least, best = self._handed_over(parts, chosen), found
        for count in range(1, len(chosen)):
            first, kept = chosen[-count], chosen[:-count]
            if not _ends_with(parts, chosen, count):
                break
            handed = self._handed_over(parts, kept)
            shorter = _longest(parts[:first]) if handed < least else None
            if shorter and shorter[1] == kept and _is_taken(_longest(parts[first:]), count):
                least, best = handed, shorter
        return best

    def _handed_over(self, parts: Sequence[Part], chosen: Sequence[int]) -> int:
        """Bytes of the local arrays that some nodes write and others behind them touch."""
        written = frozenset[str]().union(*(parts[n].writes for n in chosen)) & self.own
        behind = [parts[n] for n in range(chosen[0], len(parts)) if n not in chosen]
        touched = frozenset[str]().union(*(part.reads | part.writes for part in behind))
        return sum(self.arrays[name].nbytes for name in written & touched)

    def _first(self, found: _Found, body: tuple[Node, ...], before: Sequence[Node]) -> _Made | None:
        """The run that begins with the first statement in slabs, what has to be before it in front, and the rest."""
        run, chosen = found
        between = tuple(body[n] for n in range(chosen[-1]) if n not in chosen)
        rest = body[chosen[-1] + 1 :]
        made = self._best(run, lambda: _touched((*before, *between, *rest)))
        return (replace(made, body=(*between, *made.body)), rest) if made else None

    def _best(self, run: Run, find_others: Callable[[], Names]) -> Slabs | None:
        """The size of slabs that is estimated to be fastest, if any is worth it."""
        if self.traffic.is_near(run.nodes):
            return None
        least, best, others = GAIN * self.traffic.seconds(run.nodes), None, find_others()
        contracted = {
            name: seat
            for name, seat in sorted(run.seats.items())
            if name in self.private and name not in others and not self.arrays[name].extents
        }
        moving, is_even = 0.0, _is_even(run)
        for size in _sizes(run) if self.traffic.least(run.nodes, contracted) < least else ():
            if moving + self.traffic.busy(run.nodes, _windows(run, size)) >= least or _is_too_long(run, size):
                continue
            made = self._in_slabs(run, size, contracted, others)
            traffic = self.traffic.on(made.arrays)
            moved = traffic.moving(made.body)
            seconds = moved + traffic.busy(made.body)
            if seconds < least and len(list(leaves(made.body))) <= GROWTH * len(run.leaves):
                least, best = seconds, made
            if is_even and size % WHOLE == 0:  # larger slabs move no less
                moving = moved
        return best

    def _in_slabs(self, run: Run, size: int, contracted: Mapping[str, Seat], others: Names) -> Slabs:
        smaller = {
            name: contracted_array(self.arrays[name], seat.axis, size, size == 1) for name, seat in contracted.items()
        }
        arrays: Arrays = {name: smaller.get(name, array) for name, array in self.arrays.items()}
        names = self.names.within(())
        var = names.new(f"{run.lanes[0].var}_slab")
        inner = replace(
            self,
            arrays=arrays,
            names=names,
            own=(self.own & _touched(run.nodes)) - others - run.sums,
        )
        out: list[Node] = []
        windows = [_Windows(run, piece, size, var, contracted) for piece in pieces(run)]
        for number, piece in enumerate(windows):
            body = piece.each
            if size == 1 and piece.is_loop:
                elsewhere = _touched([n for w in (*windows[:number], *windows[number + 1 :]) for n in w.each])
                body, arrays = inner.replaced(arrays, piece, elsewhere, self.private)
            out += piece.nodes(body)
        return Slabs(tuple(out), arrays)

    def replaced(
        self, arrays: Arrays, piece: _Windows, elsewhere: Names, private: Names
    ) -> tuple[tuple[Node, ...], Arrays]:
        """The body for one coordinate, in slabs along another dimension where that helps."""
        own = self.own - elsewhere
        scope = self.scope.with_variable(piece.var, *piece.over)
        found = replace(self, arrays=arrays, scope=scope, own=own, find_private=lambda: own & private)
        deeper = found.slabs(piece.each)
        return (deeper.body, deeper.arrays) if deeper else (piece.each, arrays)

    def _inside(self, node: Node, others: Sequence[Node]) -> Slabs | None:
        """A loop or branch with slabs in its body."""
        if isinstance(node, Nest):
            return None
        own = self.own - _touched(others) - {load.array for load in node_loads(node)}
        if isinstance(node, Loop):
            inner = replace(
                self,
                scope=self.scope.enter(node),
                own=own,
                find_private=partial(private_in, node, own, self.arrays, self.scope),
            )
            found = inner.slabs(node.body)
            return found and Slabs((replace(node, body=found.body),), found.arrays)
        return self._inside_branch(node, own)

    def _inside_branch(self, branch: Branch, own: Names) -> Slabs | None:
        arrays, sides = self.arrays, [branch.then, branch.orelse]
        for side in (0, 1):
            mine = own - _touched(sides[1 - side])
            inner = replace(self, arrays=arrays, own=mine, find_private=partial(self._private_of, mine))
            found = inner.slabs(sides[side])
            if found is not None:
                sides[side], arrays = found.body, found.arrays
        if sides == [branch.then, branch.orelse]:
            return None
        return Slabs((replace(branch, then=sides[0], orelse=sides[1]),), arrays)

    def _private_of(self, own: Names) -> Names:
        return self.private & own


@dataclass(frozen=True)
class _Windows:
    """A piece of a run in windows of at most `size` coordinates, one after the other."""

    run: Run
    piece: tuple[int, int]
    size: int
    var: str
    contracted: Mapping[str, Seat]

    @property
    def low(self) -> Affine:
        return self.run.base + self.piece[0]

    @property
    def count(self) -> int:
        return self.piece[1] - self.piece[0]

    @property
    def is_loop(self) -> bool:
        return self.count > self.size

    @property
    def over(self) -> tuple[Affine, Affine]:
        """Bounds of the variable, which counts coordinates where each has a window of its own."""
        return (self.low, self.low + self.count) if self.size == 1 else (Affine(0), Affine(self.count // self.size))

    @cached_property
    def each(self) -> tuple[Node, ...]:
        """The body of the loop, or the only window."""
        if not self.is_loop:
            return self._at(self.low, self.count)
        var = Affine.of(self.var)
        return self._at(var if self.size == 1 else self.low + var * self.size, self.size)

    def nodes(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """All windows, `body` being each but the last."""
        if not self.is_loop:
            return body
        rest = self.count % self.size
        return (Loop(self.var, *self.over, 1, body), *(self._at(self.low + self.count - rest, rest) if rest else ()))

    def _at(self, low: Affine, width: int) -> tuple[Node, ...]:
        return narrowed(self.run, Window(low, width, self.piece), self.contracted, self.size == 1)


_Found = tuple[Run, tuple[int, ...]]
"""A run and the positions of its nodes."""

_Made = tuple[Slabs, tuple[Node, ...]]
"""Statements in slabs, and those behind them."""


def _few(parts: Sequence[Part]) -> int:
    """The position from which on there are no more nests than are looked at."""
    nests = 0
    for position in reversed(range(len(parts))):
        nests += len(parts[position].leaves)
        if nests > MOST_NESTS:
            return position + 1
    return 0


def _longest(parts: Sequence[Part]) -> _Found | None:
    """The run from the first node on that holds the most nests."""
    found = [run for var in parts[0].starts if (run := find_run(parts, var)) is not None]
    found = [(run, chosen) for run, chosen in found if len(run.leaves) > 1]
    return max(found, key=lambda f: len(f[0].leaves), default=None)


def _ends_with(parts: Sequence[Part], chosen: Sequence[int], count: int) -> bool:
    """Whether the last so many nodes are nests, one after the other, that write what no node before them touches."""
    first = chosen[-count]
    if not isinstance(parts[first].node, Nest) or first != chosen[-1] - count + 1:
        return False
    return all(parts[first].writes.isdisjoint(parts[n].reads | parts[n].writes) for n in chosen[:-count])


def _is_taken(found: _Found | None, count: int) -> bool:
    """Whether a run has the first so many nodes, and others."""
    return found is not None and len(found[1]) > count and found[1][:count] == tuple(range(count))


def _touched(body: Sequence[Node]) -> Names:
    return frozenset[str]().union(*[node.touched for node in body])


def _windows(run: Run, size: int) -> Windows:
    lanes = zip(run.leaves, run.lanes, strict=True)
    return Windows({id(leaf.nest): lane.var for leaf, lane in lanes if lane.var is not None}, size)


def _is_even(run: Run) -> bool:
    """Whether each access of an array moves by one along one axis: larger slabs have larger boxes, and nothing is the
    same in all of them."""
    places = [(p.index, lane.var) for leaf, lane in zip(run.leaves, run.lanes, strict=True) for p, _ in leaf.touched]
    return all(
        var and [f.coefficient(var) if isinstance(f, Affine) else 0 for f in index if var in variables(f)] == [1]
        for index, var in places
        if index
    )


def _is_too_long(run: Run, size: int) -> bool:
    """Whether slabs of that size need too many nests: a piece in two kinds of windows has its nests twice."""
    nests = 0
    for first, last in pieces(run):
        kinds = 2 if last - first > size and (last - first) % size else 1
        nests += kinds * sum(low <= first < high for low, high in run.spans)
    return nests > GROWTH * len(run.leaves)


def _sizes(run: Run) -> Iterator[int]:
    """Coordinates in a slab: whole vectors, and as far as they divide the longest piece, or nearly."""
    longest = max((last - first for first, last in pieces(run)), default=0)
    for power in range(longest.bit_length()):
        for size in (2**power, 3 * 2 ** (power - 1)) if power >= VECTOR.bit_length() else (2**power,):
            step = VECTOR if size >= VECTOR else 1
            near = range(size, 5 * size // 4 + 1, step)
            if size < longest:
                yield next((n for n in near if longest % n == 0), size)
