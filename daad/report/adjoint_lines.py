"""The statements of an adjoint, before any pass, by the lines of the source that they are the adjoints of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from daad.errors import Location
from daad.ilp.cache_traffic import Middles, inside, trips_of
from daad.ilp.statement_times import operations
from daad.ir.nodes import Branch, Index, Loop, Nest, Node
from daad.ir.printer import body_lines
from daad.ir.versions import Version, array_of
from daad.ir.walk import node_loads, relocated
from daad.loops.replay import Replayed
from daad.pipeline import Derivation
from daad.report.user_names import Place, UserNames, place_of


class Origin(Enum):
    """Where a value comes from that a reversed line reads."""

    IN_PLACE = "in place"
    STORED = "stored"
    CHECKPOINT = "checkpointed"
    RECOMPUTED = "recomputed"
    RERUN = "rerun"
    UNDONE = "undone"


BAR = "_bar"


class AdjointLines:
    """The statements of an adjoint by the lines that they are the adjoints of, before any pass: as text, with what they
    read from where, and their operations; `users` are all that is read, by the user's names."""

    def __init__(self, derivation: Derivation, names: UserNames) -> None:
        adjoint = derivation.adjoint
        self._derivation = derivation
        self._labels = names.adjoint_labels(adjoint)
        self.texts: dict[Place, list[str]] = {}
        self.reads: dict[Place, dict[tuple[str, Origin], None]] = {}
        self.work = work_of(adjoint.body)
        self._go(adjoint.body, None, frozenset())
        self.users = {names.of(name) for reads in self.reads.values() for name, _ in reads}

    def _go(self, body: tuple[Node, ...], at: Location | None, rerun: frozenset[str]) -> None:
        for node in body:
            at = node.at or at
            if (place := place_of(at)) is not None:
                self._note(place, node, rerun)
            if isinstance(node, Loop):
                again = node.replay.primal if isinstance(node, Replayed) else ()
                made = frozenset[str]().union(*(n.written for n in again))
                self._go(node.body, at, rerun | made)
            elif isinstance(node, Branch):
                self._go(node.then, at, rerun)
                self._go(node.orelse, at, rerun)

    def _note(self, place: Place, node: Node, rerun: frozenset[str]) -> None:
        texts = self.texts.setdefault(place, [])
        lines = labelled(node, self._labels)
        if not any(texts[n : n + len(lines)] == lines for n in range(len(texts))):
            texts += lines
        reads = self.reads.setdefault(place, {})
        for load in node_loads(node):
            if isinstance(load.array, Version):
                reads[array_of(load.array), self._origin(load.array, rerun)] = None

    def _origin(self, version: Version, rerun: frozenset[str]) -> Origin:
        restored, hints = self._derivation.adjoint.restored, self._derivation.hints
        if version.array in rerun:
            return Origin.CHECKPOINT
        if not version.is_end:
            return Origin.STORED
        if any(name == version.array for _, name in restored.undone):
            return Origin.UNDONE
        if version.array in restored.remade or version.array in hints.rerun:
            return Origin.RERUN
        return Origin.IN_PLACE


def labelled(node: Node, labels: Mapping[str, str]) -> list[str]:
    """The text of a statement, or of the head of a loop or branch, with names for people: where it has several values
    of one variable, the second has a prime."""
    arrays: dict[str, list[str]] = {}

    def where(name: str, index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
        array = array_of(name)
        label = labels.get(array, array)
        variable, value = label.removesuffix(BAR), array.removesuffix(BAR)
        same = arrays.setdefault(variable, [])
        if value not in same:
            same.append(value)
        return variable + "'" * same.index(value) + label[len(variable) :], index

    if isinstance(node, Nest):
        lines = body_lines((relocated(node, where),), "")
    else:
        lines = body_lines((relocated(_head(node), where),), "")[:1]
    lines = [line[2:] for line in lines[1:]] if lines[0] == "do:" else lines
    return [line.rstrip().replace("`", "") for line in lines]


def _head(node: Loop | Branch) -> Node:
    if isinstance(node, Branch):
        return Branch(node.condition, (), (), node.at)
    return Loop(node.var, node.start, node.stop, node.step, (), node.at, None, None, node.ending)


def work_of(body: tuple[Node, ...]) -> dict[Place, float]:
    """Operations by place."""
    found: dict[Place, float] = {}
    for place, nest, times, middles in _weighed(body, None, 1.0, {}):
        if place is not None:
            found[place] = found.get(place, 0.0) + times * operations((nest,), middles)
    return found


def _weighed(
    body: tuple[Node, ...], at: Location | None, times: float, middles: Middles
) -> Iterator[tuple[Place | None, Nest, float, Middles]]:
    """Each statement with how often the loops around it run, and the middles of their variables."""
    for node in body:
        at = node.at or at
        if isinstance(node, Nest):
            yield place_of(at), node, times, middles
        elif isinstance(node, Loop):
            yield from _weighed(node.body, at, times * trips_of(node, dict(middles)), inside(node, dict(middles)))
        else:
            for side in (node.then, node.orelse):
                yield from _weighed(side, at, times / 2 if node.orelse else times, middles)
