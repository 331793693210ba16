"""When to keep the state of a loop whose trip count nobody knows before it ends: online checkpointing.

While the loop runs, states are kept at equal distances. When the slots for them are full, every second state is given
up, and the distance doubles (online checkpointing: Heuveline and Walther, Euro-Par 2006; Wang, Moin and Iaccarino, SIAM
J. Sci. Comput. 31, 2009; Stumm and Walther, SIAM J. Sci. Comput. 32, 2010). As distances grow, more slots stay free for
the way back, on which the trip count is known: each segment between two states is reversed by the binomial schedule for
its length and the slots that are free by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isqrt

from daad.loops.schedule import fewest_advances


@dataclass(frozen=True)
class Online:
    """Of a loop of at most `trips` iterations, with that many slots; the numbers are those for the most iterations."""

    trips: int
    slots: int

    keeps_all = False

    @property
    def least(self) -> int:
        """The slots that the loop itself fills, however long it runs."""
        return max(1, self.slots // 2)

    @property
    def most_repetitions(self) -> int:
        """No segment that is split has iterations which are advanced more often."""
        return isqrt(2 * self.trips) + 1

    @cached_property
    def segments(self) -> tuple[int, ...]:
        """How many iterations there are from one kept state to the next."""
        spacing, room = 1, self.slots
        while self.trips > room * spacing and not (room == 1 and self.slots > 1):
            spacing, room = 2 * spacing, max(room - 1, self.least)
        starts = [*range(0, self.trips, spacing)][:room]
        return tuple(end - start for start, end in pairwise((*starts, self.trips)))

    @property
    def steps(self) -> int:
        """Iterations run on the way back: those that only advance, and each once more to be reversed."""
        return self.trips + sum(_advances(length, free) for length, free in self._reversed())

    @property
    def kept_again(self) -> int:
        """About how many states are kept on the way back."""
        return sum(length - 1 for length, free in self._reversed() if free > 1)

    def _reversed(self) -> Iterator[tuple[int, int]]:
        """The lengths of segments, with the slots for each."""
        return ((length, self.slots - n) for n, length in enumerate(self.segments))


def _advances(length: int, free: int) -> int:
    """Iterations that are run only to get to others, as `fewest_advances` says; short segments need no look-up."""
    return length - 1 if length <= free + 1 else fewest_advances(length, free)
