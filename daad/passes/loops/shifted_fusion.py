"""Statements that follow each other go through their rows together, each some rows behind what it reads.

`for i, j: b[i, j] = a[i - 1, j] + a[i + 1, j]` and `for i, j: c[i, j] = b[i - 1, j] + b[i + 1, j]` become one loop over
rows, in which the second statement is one row behind the first: rows are used while they are near, and of local arrays
only those rows exist that are still to be read.

    program f(a: float64[3000, 3000], c: float64[3000, 3000])
      local b: float64[3000, 3000]
      for i in 1 .. 2999, j in 0 .. 3000:  b[i, j] = a[i - 1, j] + a[i + 1, j]
      for i in 2 .. 2998, j in 0 .. 3000:  c[i, j] = b[i - 1, j] + b[i + 1, j]

becomes

    program f(a: float64[3000, 3000], c: float64[3000, 3000])
      local b: float64[3, 3000]
      loop chunk = 0 .. 8 in parallel 1 on 2 threads, each its own b:
        loop row = 375*chunk + 1 .. 375*chunk + 378:
          if row < 2999:
            for j in 0 .. 3000:  b[2, j] = a[row - 1, j] + a[row + 1, j]
          if row >= (375*chunk + 3) and row < 2999:
            for j in 0 .. 3000:  c[row - 1, j] = b[0, j] + b[2, j]
          for i_1 in 0 .. 3000:  b[0, i_1] = b[1, i_1]
          for i_2 in 0 .. 3000:  b[1, i_2] = b[2, i_2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.cost.execution_time import Traffic
from daad.analysis.cost.machine import WORTH_THREADS, WORTH_THREADS_SECONDS
from daad.analysis.cost.operation_cost import is_function
from daad.analysis.privatization import private_arrays
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.memo import remembered
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Load, Loop, Nest, Node, Program, Range, Sharing
from daad.ir.walk import nests, nodes
from daad.passes.definition import Form, Pass, forms
from daad.passes.loops.overlapped_tiling import Chunks, chunks
from daad.passes.loops.row_places import places_of
from daad.passes.loops.shift_distances import Run, Window, longest
from daad.passes.parallel.doall import MOST

GAIN, GAIN_OF_SMALL = 0.8, 0.95
"""Rows go together where that is estimated to take at most this part of the time; the second where local arrays become
smaller by so many bytes:"""
SMALLER = 2**20

START = 10e-6  # seconds until threads have begun to share something

MOST_ROWS, MOST_IN_CHUNKS = 4, 8  # of a local array that are moved up by one in each iteration
LEAST_ROWS = 8
MOVE = 0.02e-9  # seconds to move a byte up by a row

CHUNKS = ((4, 0.1), (2, 0.15), (1, 0.25))
"""Chunks of rows for each thread, and the part of the work that is done again at the most for their sake."""

Names = frozenset[str]
Windows = Mapping[str, Window]


PASS = Pass(
    "shifted-fusion",
    lambda program, goal: fuse_shifted(program, goal.live, goal.threads),
    "Statements go through their rows together, each some rows behind what it reads.",
    source="Manjikian and Abdelrahman 1997",
    requires=forms(Form.MERGED, Form.SERIAL),
    for_caches=True,
)


def fuse_shifted(program: Program, live: Names, threads: int = 1) -> Program:
    """The program with runs of nests as loops over rows where that is estimated to be faster; `live` as in `Goal`.

    Several threads share chunks of rows, or each nest.
    """
    traffic = Traffic(program.arrays)
    any_large = any(traffic.operations(nest) >= WORTH_THREADS for nest in nests(program.body))
    is_enough = any_large or traffic.seconds(program.body) >= WORTH_THREADS_SECONDS
    return _staggered(program, live, threads if is_enough else 1)


@remembered
def _staggered(program: Program, live: Names, threads: int) -> Program:
    """The same, where there is enough for so many threads to do."""
    staggering = _Staggering(Usage(program, live), threads, NameSupply.of(program), Traffic(program.arrays))
    body = map_scoped_bodies(program.body, staggering.body, Scope())
    return program if body == program.body else replace(program, body=body, arrays=staggering.traffic.arrays)


@dataclass(frozen=True)
class _Way:
    """How a run goes through its rows together, and how long that takes: in chunks of `size` rows if there are some."""

    seconds: float
    windows: Windows
    chunks: Chunks | None = None
    size: int = 0


@dataclass
class _Staggering:
    """Goes through bodies; `names` gives new ones, `traffic` knows the arrays as they are now, `shared` counts
    the loops that threads share."""

    usage: Usage
    threads: int
    names: NameSupply
    traffic: Traffic
    shared: int = 0

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
        """The run as a loop over rows, or chunks of them, None if it is not worth it."""
        nests, traffic = run.nests, self.traffic
        if (
            run.last - run.first < LEAST_ROWS
            or traffic.is_nearest(nests)
            or any(is_shared(nest, traffic, by_threads=False) for nest in nests)
        ):
            return None
        apart = self._apart(nests)
        if run.starts + sum(map(traffic.computing, nests)) > GAIN_OF_SMALL * apart * self.threads:
            return None
        found = self._windows(run, scope)
        ways = (self._fastest(run, windows) for windows in ([found, {}] if found else [{}]))
        way = next((way for way in ways if self._is_worth_it(way, apart)), None)
        if way is None:
            return None
        loop = self._loop(run, way)
        self.traffic = traffic.on({**traffic.arrays, **self._smaller(way.windows)})
        return loop

    def _apart(self, nests: Sequence[Nest]) -> float:
        """Seconds that nests take one after the other, where all threads share those that are large."""
        computing = self.traffic.computing
        large = [nest for nest in nests if self.traffic.operations(nest) >= WORTH_THREADS and self.threads > 1]
        part = sum(map(computing, large)) / sum(map(computing, nests)) if large else 0
        return self.traffic.overlapped(nests) * (1 - part + part / self.threads) + START * len(large)

    def _fastest(self, run: Run, windows: Windows) -> _Way:
        few = {name: window for name, window in windows.items() if window.rows <= MOST_ROWS}
        one = _Way(self._seconds(run, few), few)
        several = self._in_chunks(run, windows) if self.threads > 1 else None
        return several if several and several.seconds < one.seconds else one

    def _in_chunks(self, run: Run, windows: Windows) -> _Way | None:
        """Rows in as many chunks as threads and the rows made again allow for, None if there are none."""
        seconds = self._seconds(run, windows)
        found = chunks(run, windows) if seconds >= WORTH_THREADS_SECONDS and self._has_room(windows) else None
        if found is None:
            return None
        computing = [self.traffic.computing(nest) for nest in run.nests]
        parts = [rows / (m.last - m.first) for rows, m in zip(found.again, run.members, strict=True)]
        again = sum(c * part for c, part in zip(computing, parts, strict=True)) / (sum(computing) or 1)
        for each, most in CHUNKS:
            size = -(-found.rows // (each * self.threads))
            count = -(-found.rows // size)
            if again * (count - 1) <= most:
                part = -(-count // self.threads) / count
                return _Way(seconds * (1 + again * (count - 1)) * part + START, windows, found, size)
        return None

    def _has_room(self, windows: Windows) -> bool:
        """Whether all threads together have smaller windows than the arrays are, or none has a large one."""
        nbytes = sum(array.nbytes for array in self._smaller(windows).values())
        return nbytes <= MOST or nbytes * self.threads <= sum(self.traffic.arrays[name].nbytes for name in windows)

    def _loop(self, run: Run, way: _Way) -> Loop:
        if way.chunks is None:
            loop = run.loop(self.names.new("row"), way.windows)
            return replace(loop, body=(*loop.body, *self._moved_up(way.windows)))
        names = self.names.new("chunk"), self.names.new("row")
        loop = way.chunks.loop(*names, way.size, way.windows, tuple(self._moved_up(way.windows)))
        self.shared += 1
        return replace(loop, sharing=Sharing(self.shared, self.threads, tuple(sorted(way.windows))))

    def _is_worth_it(self, way: _Way, apart: float) -> bool:
        """Whether it takes less than the nests do apart."""
        arrays = self.traffic.arrays
        saved = sum(arrays[name].nbytes - array.nbytes for name, array in self._smaller(way.windows).items())
        return way.seconds <= apart * (GAIN if saved < SMALLER else GAIN_OF_SMALL)

    def _smaller(self, windows: Windows) -> dict[str, Array]:
        return {name: window.array(self.traffic.arrays[name]) for name, window in windows.items()}

    def _moved_up(self, windows: Windows) -> Iterator[Nest]:
        """Rows take the places of those before them."""
        for name, window in sorted(windows.items()):
            array = self.traffic.arrays[name]
            for row in range(window.rows - 1):
                domain = tuple(
                    Range(self.names.new("i"), Affine(0), Affine(n)) for n in without(array.shape, (window.axis,))
                )
                point = [Affine.of(r.var) for r in domain]
                to, source = ((*point[: window.axis], Affine(n), *point[window.axis :]) for n in (row, row + 1))
                load = Load(name, source, array.dtype)
                yield Nest(domain, (Assign(Access(name, to), "=", load),))

    def _seconds(self, run: Run, windows: Windows) -> float:
        """The estimated time of the loop over rows, some of which are moved up in each iteration."""
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
            most = MOST_ROWS if self.threads == 1 else MOST_IN_CHUNKS
            if window.rows <= most and 2 * window.rows <= array.shape[window.axis]:
                found[name] = window
        return found


def is_shared(nest: Nest, traffic: Traffic, by_threads: bool) -> bool:
    """Whether threads share the nest, if there are several, and should. Functions of vectors round in their own way, so
    that the number of threads decides nothing where there are some."""
    if traffic.operations(nest) < WORTH_THREADS:
        return False
    return by_threads or any(is_function(n) for a in nest.assigns for n in nodes(a.value))
