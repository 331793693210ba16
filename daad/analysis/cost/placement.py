"""Where scratch arrays lie in memory: those that never hold anything at the same time may lie in the same place."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daad.analysis.cost.machine import LINE
from daad.analysis.coverage import effects
from daad.ir.memo import remembered
from daad.ir.nodes import Array, Branch, Loop, Nest, Node, Program
from daad.ir.walk import nests, node_loads, runs_once, walk, writes

Names = frozenset[str]
SMALL, ALIGNMENT_OF_SMALL = 1024, 16
"""Arrays below so many bytes only start at multiples of the latter."""


@dataclass(frozen=True)
class Placement:
    """The first byte of each local array that is no scalar, in one piece of memory of `nbytes`.

    `frames`: for each shared loop by its number, where the arrays lie that a thread has for itself, if it is not the
    first one, which has them at `offsets`; that of the second thread begins at `shared`, others follow.
    """

    offsets: Mapping[str, int]
    nbytes: int
    shared: int = 0
    frames: Mapping[int, Placement] = field(default_factory=dict)


@remembered
def place(program: Program) -> Placement:
    """Largest first, of equal ones perhaps those that meet most, or first used first.

    Each array lies as low as those allow that hold something meanwhile.
    """
    outer = {*program.parameters, *program.results}
    local = [a for a in program.arrays.values() if a.name not in outer and a.shape]
    conflicts, crowd = _conflicts(program, frozenset(a.name for a in local))
    least = _least([program.arrays[name] for name in crowd], conflicts)
    first: Placement | None = None
    for order in _orders(local, conflicts):
        placed = _placed(order, conflicts)
        first = placed if first is None or placed.nbytes < first.nbytes else first
        if first.nbytes <= least:
            break
    assert first is not None, "there is an order of any arrays"
    return _with_frames(first, program, conflicts)


def _orders(local: Sequence[Array], conflicts: Mapping[str, set[str]]) -> Iterator[Sequence[Array]]:
    yield sorted(local, key=lambda a: -a.nbytes)
    nbytes = {a.name: a.nbytes for a in local}
    met = {name: sum([nbytes[n] for n in conflicts[name]]) for name in nbytes}
    yield sorted(local, key=lambda a: (-a.nbytes, -met[a.name]))
    yield local


def _least(crowd: Sequence[Array], conflicts: Mapping[str, set[str]]) -> int:
    """What no placement can do without: that of arrays all of which meet each other; 0 if they do not."""
    names = {a.name for a in crowd}
    if not crowd or not all(names <= conflicts[name] | {name} for name in names):
        return 0
    taken = [(a.nbytes, -(-a.nbytes // ALIGNMENT_OF_SMALL) * ALIGNMENT_OF_SMALL) for a in crowd]
    return sum(rounded for _, rounded in taken) - max(rounded - nbytes for nbytes, rounded in taken)


def _with_frames(first: Placement, program: Program, conflicts: Mapping[str, set[str]]) -> Placement:
    """The placement with memory for further threads; shared loops run one after the other."""
    shared = [node.sharing for node in walk(program.body) if isinstance(node, Loop) and node.sharing]
    start = _rounded_up(first.nbytes)
    frames: dict[int, Placement] = {}
    nbytes = first.nbytes
    for sharing in shared:
        arrays = [program.arrays[name] for name in sharing.own if program.arrays[name].shape]
        if not arrays:
            continue
        frame = _placed(sorted(arrays, key=lambda a: -a.nbytes), conflicts)
        frames[sharing.number] = replace(frame, nbytes=_rounded_up(frame.nbytes))
        nbytes = max(nbytes, start + (sharing.threads - 1) * frames[sharing.number].nbytes)
    return Placement(first.offsets, nbytes, start, frames)


def _rounded_up(nbytes: int) -> int:
    return -(-nbytes // LINE) * LINE


def _placed(arrays: Sequence[Array], conflicts: Mapping[str, set[str]]) -> Placement:
    offsets: dict[str, int] = {}
    taken: list[tuple[int, int, str, str]] = []  # by place
    for array in arrays:
        nbytes = array.nbytes
        offset = _lowest(nbytes, array.dtype, taken, conflicts[array.name])
        offsets[array.name] = offset
        insort(taken, (offset, offset + nbytes, array.name, array.dtype))
    return Placement(offsets, max([end for _, end, _, _ in taken], default=0))


def _lowest(nbytes: int, own: str, taken: Sequence[tuple[int, int, str, str]], others: set[str]) -> int:
    """The first aligned place between or behind those of the intervals that are taken which it must not meet."""
    offset, alignment = 0, LINE if nbytes >= SMALL else ALIGNMENT_OF_SMALL
    for start, end, name, dtype in taken:
        if offset + nbytes <= start:
            break
        # Compilers may assume that values of different types lie in different places.
        if end > offset and (name in others or dtype != own):
            offset = -(-end // alignment) * alignment
    return offset


def _conflicts(program: Program, local: Names) -> tuple[dict[str, set[str]], Names]:
    """For each of some arrays those among them that hold something while it is written, or that the statement that
    writes it touches; and as many as a statement ever finds."""
    met: dict[str, set[str]] = {name: set() for name in local}
    lifetimes = _Lifetimes(met, local)
    lifetimes.body(program.body, frozenset(program.results), frozenset(program.parameters), program)
    for name, others in [(name, tuple(others)) for name, others in met.items()]:
        for other in others:
            met[other].add(name)
    return met, lifetimes.crowd


def read_on_entry(program: Program) -> Names:
    """Arrays of which the program may read what they hold before it."""
    live = frozenset(program.results)
    return _Lifetimes({}, frozenset()).body(program.body, live, frozenset(program.parameters), program)


def alive(program: Program) -> list[tuple[Nest, Names]]:
    """The nests in program order, each with the local arrays that hold something, or are touched, while it runs."""
    outer = {*program.parameters, *program.results}
    seen = _Seen({name: set() for name in program.arrays}, frozenset(program.arrays) - outer)
    seen.body(program.body, frozenset(program.results), frozenset(program.parameters), program)
    return [(nest, seen.found.get(id(nest), frozenset())) for nest in nests(program.body)]


@dataclass
class _Lifetimes:
    """Goes through a program backwards with the arrays that are read later (`live`), of which only those can hold
    something that may have been written before (`defined`). `met` gets, for each array of `local` that is written,
    those of them that hold something then, and `crowd` the most that there are at a time."""

    met: dict[str, set[str]]
    local: Names
    crowd: Names = frozenset()

    def body(self, body: tuple[Node, ...], live: Names, defined: Names, program: Program) -> Names:
        """The arrays whose content matters before the body."""
        befores: list[Names] = []
        for node in body:
            befores.append(defined)
            defined = defined | node.written
        for node, before in zip(reversed(body), reversed(befores), strict=True):
            live = self.node(node, live, before, program)
        return live

    def node(self, node: Node, live: Names, defined: Names, program: Program) -> Names:
        if isinstance(node, Nest):
            self._meet(node, live & defined)
            return _before(node, live, program)
        own = frozenset(load.array for load in node_loads(node))
        if isinstance(node, Branch):
            sides = (self.body(side, live, defined, program) for side in (node.then, node.orelse))
            return own.union(*sides)
        if runs_once(node):
            return own | self.body(node.body, live, defined, program)
        defined, around = defined | writes(node.body), live
        while not (inner := self.body(node.body, around, defined, program)) <= around:
            around |= inner
        return own | around

    def _meet(self, nest: Nest, alive: Names) -> None:
        together = self.local & (alive | nest.touched)
        if len(together) > len(self.crowd):
            self.crowd = together
        for target in self.local & nest.written:
            self.met[target] |= together


@dataclass
class _Seen(_Lifetimes):
    """Notes what holds something at each nest."""

    found: dict[int, Names] = field(default_factory=dict)

    def _meet(self, nest: Nest, alive: Names) -> None:
        self.found[id(nest)] = self.found.get(id(nest), frozenset()) | (self.local & (alive | nest.touched))


def _before(nest: Nest, live: Names, program: Program) -> Names:
    for effect in effects(nest):
        live = effect.before(live, program.arrays)
    return live
