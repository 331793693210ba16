"""What memory holds at each statement of the program that is compiled, forwards and then backwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from daad.analysis.cost.placement import alive
from daad.errors import Location
from daad.ir.nodes import Nest, Node
from daad.pipeline import Derivation
from daad.report.user_names import located, sides, stems


@dataclass(frozen=True, kw_only=True)
class Event:
    """A statement: its place, whether it belongs to the way back, and the local arrays that hold something."""

    at: Location | None
    is_backward: bool
    arrays: frozenset[str]
    nbytes: int

    @property
    def where(self) -> str:
        """The line, with an arrow for the direction; what comes before all lines has none."""
        return f"{self.at.line if self.at else 'entry'}{'↑' if self.is_backward else '↓'}"


def events(derivation: Derivation) -> tuple[Event, ...]:
    """All statements in program order, a loop's once; `nbytes` counts arguments and gradients, too."""
    program = derivation.joint
    backward = [*_directions(program.body, adjoint_arrays(derivation), False)]
    places = [at for at, node in located(program.body) if isinstance(node, Nest)]
    fixed = derivation.footprint.parameters + derivation.footprint.results
    sizes = {name: array.nbytes for name, array in program.arrays.items()}
    found: list[Event] = []
    for at, is_backward, (_, held) in zip(places, backward, alive(program), strict=True):
        nbytes = fixed + sum(sizes[name] for name in held)
        found.append(Event(at=at, is_backward=is_backward, arrays=held, nbytes=nbytes))
    return tuple(found)


def adjoint_arrays(derivation: Derivation) -> frozenset[str]:
    """Arrays that only the way back touches, and what passes made of them."""
    adjoint = derivation.adjoint
    return frozenset(array.name for array in (*adjoint.bars.values(), *adjoint.extra))


def _directions(body: tuple[Node, ...], adjoints: frozenset[str], is_backward: bool) -> Iterator[bool]:
    """For each statement whether it belongs to the way back: what comes behind the first one that touches an adjoint
    does, and in slabs, which go forwards and back in one loop, behind the first one of the slab."""
    for node in body:
        if isinstance(node, Nest):
            is_backward = is_backward or any(not adjoints.isdisjoint(stems(name)) for name in node.touched)
            yield is_backward
            continue
        for side in sides(node):
            yield from _directions(side, adjoints, is_backward)
        is_backward = is_backward or any(name in adjoints for name in node.touched)


@dataclass(frozen=True)
class Lifetime:
    """When an array is there: the first and the last statement of its events."""

    first: Event
    last: Event


def lifetimes(found: tuple[Event, ...]) -> dict[str, Lifetime]:
    """Of all local arrays."""
    known: dict[str, Lifetime] = {}
    for event in found:
        for name in sorted(event.arrays):
            known[name] = Lifetime(known[name].first if name in known else event, event)
    return known
