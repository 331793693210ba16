"""What is known about loop and domain variables: their ranges, as constraints and as intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from daad.ir.affine import Affine, interval
from daad.ir.nodes import Index, Loop, Range


@dataclass(frozen=True)
class Known:
    """Variables from the outside in, each with a first value and the value after the last one."""

    ranges: tuple[Range, ...] = ()

    def inside(self, *ranges: Range) -> Known:
        return Known((*self.ranges, *ranges))

    def inside_loop(self, loop: Loop) -> Known:
        """Nothing is known about a variable whose bounds come from data."""
        span = range_of(loop.var, loop.start, loop.stop, loop.step)
        return self if span is None else self.inside(span)

    def constraints(self) -> list[Affine]:
        """Forms that are at least 0."""
        forms: list[Affine] = []
        for r in self.ranges:
            variable = Affine.of(r.var)
            forms += [variable - r.start, r.stop - variable - 1]
        return forms

    def intervals(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest value of each variable where they are numbers."""
        found: dict[str, tuple[int, int]] = {}
        for r in self.ranges:
            low, high = interval(r.start, found), interval(r.last, found)
            if low is not None and high is not None:
                found[r.var] = (low[0], high[1])
        return found

    def is_within(self, index: Sequence[Index], shape: Sequence[int]) -> bool:
        """Is the place inside of the array for all values of the variables?"""
        intervals = self.intervals()
        for i, size in zip(index, shape, strict=True):
            span = interval(i, intervals) if isinstance(i, Affine) else None
            if span is None or span[0] < 0 or span[1] >= size:
                return False
        return True


NOTHING = Known()


def range_of(variable: str, start: Index, stop: Index, step: int) -> Range | None:
    """The values of a loop's variable in ascending order, if its bounds are affine."""
    if not isinstance(start, Affine) or not isinstance(stop, Affine):
        return None
    return Range(variable, start, stop) if step > 0 else Range(variable, stop + 1, start + 1)
