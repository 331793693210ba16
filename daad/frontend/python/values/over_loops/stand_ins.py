"""All that stands for lists and arrays while the body of one loop is read, from before it to behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daad.frontend.python.reading.environment import Saved, save
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.over_loops import growing_lists, indexed_lists, lengthened_arrays, rebound_lists
from daad.ir.affine import Affine


class StandIns:
    """Of a loop with so many `bodies` in each of its `trips`; `rebound`: the lists that variables hold now; `saved`:
    what everything holds before the first body."""

    def __init__(self, reader: Reader, plan: Plan, rebound: Sequence[Any], trips: Affine | None, bodies: int) -> None:
        self._reader, self._plan = reader, plan
        self._passes = None if trips is None else trips * bodies
        self._lists = growing_lists.enter(reader, plan, self._passes)
        self._indexed = indexed_lists.enter(reader, plan, trips)
        self._longer = lengthened_arrays.enter(reader, plan, trips)
        self._lasting = rebound_lists.begin(reader, plan, rebound)
        self.saved: Sequence[Saved] = save(reader.holders())
        self._frozen = dict(reader.frozen)
        self._turns = growing_lists.Turns(reader, plan, self._lists)

    @property
    def rows(self) -> dict[str, Any]:
        """The arrays of lists that grow, with names for them."""
        return {part.base: ("<rows>", one.path, k) for one in self._lists for k, part in enumerate(one.rows)}

    def begin(self, passed: Affine) -> None:
        """The next body begins, after such a number of others."""
        self._turns.begin(passed)
        for array in self._longer:
            array.begin(self._reader.stage, passed)

    def end(self, passed: Affine) -> None:
        """It ends."""
        self._turns.end(passed)
        for array in self._longer:
            array.end(self._reader.stage, passed)

    def end_all(self) -> None:
        """All bodies have been read."""
        rebound_lists.end(self._reader, self._lasting, self.saved, self._frozen)

    def leave(self) -> None:
        """Behind the loop."""
        self._turns.leave(self._passes)
        growing_lists.leave(self._reader, self._lists)
        indexed_lists.leave(self._reader, self._indexed)
        for array in self._longer:
            array.leave(self._reader.stage)
