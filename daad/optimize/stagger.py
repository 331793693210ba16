"""Statements that follow each other go through their rows together, each some rows behind what it reads.

`for i, j: b[i, j] = a[i - 1, j] + a[i + 1, j]` and `for i, j: c[i, j] = b[i - 1, j] + b[i + 1, j]` become one loop over
rows, in which the second statement is one row behind the first: rows are used while they are near, and of local arrays
only those rows exist that are still to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from daad.optimize.cost import COSTLY
from daad.optimize.private import private_arrays
from daad.optimize.rows import Run, Window, longest, places_of
from daad.optimize.scope import Scope, map_scoped_bodies
from daad.optimize.traffic import Traffic
from daad.optimize.usage import Usage
from daad.program.affine import Affine
from daad.program.indices import without
from daad.program.names import fresh
from daad.program.nodes import Access, Array, Assign, Load, Loop, Nest, Node, Op, Program, Range
from daad.program.remembered import remembered
from daad.program.walk import names_in_use, nests, nodes

GAIN, GAIN_OF_SMALL = 0.8, 0.95
"""Rows go together where that is estimated to take at most this part of the time; the second where local arrays become
smaller by so many bytes:"""
SMALLER = 2**20

LARGE = 1_000_000
"""Elementary operations from which on threads share a nest."""

MOST_ROWS = 4  # of a local array that are moved up by one in each iteration
LEAST_ROWS = 8
MOVE = 0.02e-9  # seconds to move a byte up by a row

Names = frozenset[str]


def stagger(program: Program, live: Names, threads: int = 1) -> Program:
    """The program with runs of nests as loops over rows where that is estimated to be faster; `live` as in `dead`.

    Nests that several threads share stay as they are.
    """
    traffic = Traffic(program.arrays)
    any_large = any(traffic.operations(nest) >= LARGE for nest in nests(program.body))
    return _staggered(program, live, any_large and threads > 1)


@remembered
def _staggered(program: Program, live: Names, is_shared: bool) -> Program:
    """The same, where threads share all large nests or only those with functions of vectors."""
    staggering = _Staggering(Usage(program, live), is_shared, set(names_in_use(program)), Traffic(program.arrays))
    body = map_scoped_bodies(program.body, staggering.body, Scope())
    return program if body == program.body else replace(program, body=body, arrays=staggering.traffic.arrays)


@dataclass
class _Staggering:
    """Goes through bodies; `taken` are the names in use, `traffic` knows the arrays as they are now."""

    usage: Usage
    is_shared: bool
    taken: set[str]
    traffic: Traffic

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        places, start = places_of(body), 0
        while start < len(body):
            run = longest(places[start:])
            made = self._together(run, scope) if run.begins else None
            out.append(made or body[start])
            start += len(run.members) if made else 1
        return tuple(out)

    def _together(self, run: Run, scope: Scope) -> Loop | None:
        """The run as a loop over rows, None if it is not worth it."""
        nests, traffic = run.nests, self.traffic
        if (
            run.last - run.first < LEAST_ROWS
            or traffic.is_nearest(nests)
            or any(is_shared(n, traffic, self.is_shared) for n in nests)
        ):
            return None
        apart = traffic.overlapped(nests)
        if run.starts + sum(map(traffic.computing, nests)) > GAIN_OF_SMALL * apart:
            return None
        found = self._windows(run, scope)
        windows = next((w for w in (found, {}) if self._is_worth_it(run, w, apart)), None)
        if windows is None:
            return None
        loop = run.loop(self._new("row"), windows)
        self.traffic = traffic.on({**traffic.arrays, **self._smaller(windows)})
        return replace(loop, body=(*loop.body, *self._moved_up(windows)))

    def _is_worth_it(self, run: Run, windows: Mapping[str, Window], apart: float) -> bool:
        """Whether the loop takes less than the nests do apart, with some of its rows moved up in each iteration."""
        arrays = self.traffic.arrays
        saved = sum(arrays[name].nbytes - array.nbytes for name, array in self._smaller(windows).items())
        return self._seconds(run, windows) <= apart * (GAIN if saved < SMALLER else GAIN_OF_SMALL)

    def _smaller(self, windows: Mapping[str, Window]) -> dict[str, Array]:
        return {name: window.array(self.traffic.arrays[name]) for name, window in windows.items()}

    def _moved_up(self, windows: Mapping[str, Window]) -> Iterator[Nest]:
        """Rows take the places of those before them."""
        for name, window in sorted(windows.items()):
            array = self.traffic.arrays[name]
            for row in range(window.rows - 1):
                domain = tuple(
                    Range(self._new("i"), Affine(0), Affine(n)) for n in without(array.shape, (window.axis,))
                )
                point = [Affine.of(r.var) for r in domain]
                to, source = ((*point[: window.axis], Affine(n), *point[window.axis :]) for n in (row, row + 1))
                load = Load(name, source, array.dtype)
                yield Nest(domain, (Assign(Access(name, to), "=", load),))

    def _new(self, name: str) -> str:
        new = fresh(name, self.taken)
        self.taken.add(new)
        return new

    def _seconds(self, run: Run, windows: Mapping[str, Window]) -> float:
        """The estimated time of the loop."""
        touched = sorted({name for m in run.members for name in m.rows})
        alive = {name: self._row_bytes(name, run.axes[name]) * run.alive(name) for name in touched}
        moved_up = sum(self._row_bytes(name, w.axis) * (w.rows - 1) for name, w in windows.items())
        moves = (run.last - run.first) * moved_up * MOVE
        return run.starts + moves + self.traffic.overlapped_by_rows(run.nests, alive, windows)

    def _row_bytes(self, name: str, axis: int) -> int:
        array = self.traffic.arrays[name]
        return array.nbytes // max(1, prod(array.shape[: axis + 1]))

    def _windows(self, run: Run, scope: Scope) -> dict[str, Window]:
        """Local arrays of the run that hold few rows at a time."""
        found = {}
        for name in private_arrays(run.nests, self.usage, scope):
            window, array = run.window(name), self.traffic.arrays[name]
            if array.extents or window is None:
                continue
            if window.rows <= MOST_ROWS and 2 * window.rows <= array.shape[window.axis]:
                found[name] = window
        return found


def is_shared(nest: Nest, traffic: Traffic, by_threads: bool) -> bool:
    """Whether threads share the nest, if there are several, and should. Functions of vectors round in their own way, so
    that the number of threads decides nothing where there are some."""
    if traffic.operations(nest) < LARGE:
        return False
    costly = (isinstance(n, Op) and n.name in COSTLY for a in nest.assigns for n in nodes(a.value))
    return by_threads or any(costly)
