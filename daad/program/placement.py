"""Where scratch arrays lie in memory: those that never hold anything at the same time may lie in the same place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from daad.program.cover import covers
from daad.program.nodes import Access, Array, Branch, Loop, Nest, Node, Program
from daad.program.walk import loads, node_loads, runs_once, walk, writes

Names = frozenset[str]
ALIGNMENT = 64
"""Bytes of a cache line, in whose multiples arrays start."""

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


def place(program: Program) -> Placement:
    """Largest first, of equal ones perhaps those that meet most, or first used first.

    Each array lies as low as those allow that hold something meanwhile.
    """
    conflicts = _conflicts(program)
    outer = {*program.parameters, *program.results}
    local = [a for a in program.arrays.values() if a.name not in outer and a.shape]
    nbytes = {name: array.nbytes for name, array in program.arrays.items()}
    met = {a.name: sum(nbytes[n] for n in conflicts[a.name]) for a in local}
    crowded = sorted(local, key=lambda a: (-a.nbytes, -met[a.name]))
    orders = (sorted(local, key=lambda a: -a.nbytes), crowded, local)
    first = min((_placed(order, conflicts) for order in orders), key=lambda p: p.nbytes)
    return _with_frames(first, program, conflicts)


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
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def _placed(arrays: Sequence[Array], conflicts: Mapping[str, set[str]]) -> Placement:
    offsets: dict[str, int] = {}
    ends: dict[str, int] = {}
    by_dtype: dict[str, set[str]] = {}
    for array in arrays:
        others = conflicts[array.name] & offsets.keys()
        # Compilers may assume that values of different types lie in different places.
        others = others.union(*(names for dtype, names in by_dtype.items() if dtype != array.dtype))
        offset = _lowest(array.nbytes, sorted((offsets[n], ends[n]) for n in others))
        offsets[array.name], ends[array.name] = offset, offset + array.nbytes
        by_dtype.setdefault(array.dtype, set()).add(array.name)
    return Placement(offsets, max(ends.values(), default=0))


def _lowest(nbytes: int, taken: Sequence[tuple[int, int]]) -> int:
    """The first aligned place between or behind the intervals that are taken."""
    offset, alignment = 0, ALIGNMENT if nbytes >= SMALL else ALIGNMENT_OF_SMALL
    for start, end in taken:
        if offset + nbytes <= start:
            break
        offset = max(offset, -(-end // alignment) * alignment)
    return offset


def _conflicts(program: Program) -> dict[str, set[str]]:
    """For each array those that hold something while it is written, or that the statement that writes it touches."""
    lifetimes = _Lifetimes({name: set() for name in program.arrays})
    lifetimes.body(program.body, frozenset(program.results), frozenset(program.parameters), program)
    return lifetimes.conflicts


@dataclass(frozen=True)
class _Lifetimes:
    """Goes through a program backwards with the arrays that are read later (`live`), of which only those can hold
    something that may have been written before (`defined`)."""

    conflicts: dict[str, set[str]]

    def body(self, body: tuple[Node, ...], live: Names, defined: Names, program: Program) -> Names:
        """The arrays whose content matters before the body."""
        befores: list[Names] = []
        for node in body:
            befores.append(defined)
            defined = defined | writes((node,))
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
        targets = {a.target.array for a in nest.assigns}
        together = alive | targets | {load.array for load in node_loads(nest)}
        for target in targets:
            self.conflicts[target] |= together
        for other in together:
            self.conflicts[other] |= targets


def _before(nest: Nest, live: Names, program: Program) -> Names:
    for assign in reversed(nest.assigns):
        name = assign.target.array
        if assign.op != "=":
            live |= {name}
        elif covers(assign, nest.domain, program.arrays[name]) and _is_read_there_only(nest, assign.target):
            live -= {name}
        live |= {load.array for top in (assign.value, *assign.target.index) for load in loads(top)}
    return live


def _is_read_there_only(nest: Nest, target: Access) -> bool:
    """Whether each point of the nest reads no element of the array but the one that it writes."""
    return all(load.index == target.index for load in node_loads(nest) if load.array == target.array)
