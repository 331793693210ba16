"""Where a statement finds the bytes that it touches: how much else was touched since they were touched last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from daad.ilp.cache_traffic import Repeated, Stage, Touched

Found = tuple[tuple[float, float], ...]
"""Parts of what is touched, which make one, and for each how many bytes were touched since."""

LEAST = 1e-3
"""A smaller part is not looked for any further."""


@dataclass
class Recent:
    """Arrays touched in an iteration, the latest last: the number of the statement that did so last, and how many
    bytes."""

    arrays: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, stage: Stage) -> None:
        """A statement was run."""
        at = 1 + next(reversed(self.arrays.values()), (0, 0.0))[0]
        for name, each in stage.touched.items():
            self.arrays[name] = at, max(each.nbytes, self.arrays.pop(name, (0, 0.0))[1])

    def part(self, name: str, nbytes: float) -> float:
        """The part of so many bytes of an array that was touched."""
        return min(1.0, self.arrays[name][1] / max(1.0, nbytes)) if name in self.arrays else 0.0

    def since(self, name: str, later: Mapping[str, float]) -> float:
        """Bytes touched since the statement that touched the array last, with what that one touched, and those that
        were touched later in loops behind."""
        last, _ = self.arrays[name]
        touched: dict[str, float] = {}
        for other, (at, each) in reversed(self.arrays.items()):
            if at < last:
                break
            touched[other] = each
        return sum({**later, **touched}.values())


@dataclass(frozen=True)
class Around:
    """What was touched before a statement in the same iteration; the loops around, innermost first, each with what was
    touched before it in an iteration of the next one; and the bytes that the program touches."""

    recent: Recent
    loops: tuple[tuple[Repeated, Recent], ...]
    nbytes: float

    def inside(self, loop: Repeated) -> Around:
        """At the beginning of the body of a loop."""
        return Around(Recent(), ((loop, self.recent), *self.loops), self.nbytes)

    def apart(self) -> Around:
        """The same, for statements of which those behind know nothing."""
        return Around(Recent(dict(self.recent.arrays)), self.loops, self.nbytes)

    def found(self, name: str, touched: Touched) -> Found:
        """Where a statement finds what it touches of an array."""
        return tuple(self._parts(name, touched))

    def _parts(self, name: str, touched: Touched) -> Iterator[tuple[float, float]]:
        left, recent, nbytes, later = 1.0, self.recent, touched.nbytes, dict[str, float]()
        for loop, before in self.loops:
            if part := left * recent.part(name, nbytes):
                yield part, recent.since(name, later)
            left -= part
            if left < LEAST:
                return
            again, behind = _again(loop, name, touched)
            if part := left * again:
                yield part, loop.nbytes
            left -= part
            if left < LEAST:
                return
            if behind:
                later = {n: max(each.nbytes * behind, later.get(n, 0.0)) for n, each in loop.touched.items()}
            recent, nbytes = before, loop.touched[name].nbytes
        if part := left * recent.part(name, nbytes):
            yield part, recent.since(name, later)
        yield left - part, self.nbytes


def _again(loop: Repeated, name: str, touched: Touched) -> tuple[float, float]:
    """The part of the lines that the iteration before has touched; for all others, how much of the loop lies behind:
    half of it, on average, but nothing when it begins."""
    fresh = min(touched.varies.get(loop.var, 0.0), loop.each[name].varies.get(loop.var, 0.0))
    later = max(0.0, 1.0 - 1.0 / loop.trips) if loop.trips else 0.0
    again = later * (1.0 - fresh)
    return again, later * fresh / (1.0 - again) / 2
