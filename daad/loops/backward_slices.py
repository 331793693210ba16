"""What has to be run to make an array again: a backward slice of the program (Weiser, IEEE TSE 10(4), 1984)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daad.analysis.dependence import Need
from daad.analysis.reaching_definitions import is_written_first
from daad.analysis.sites import Site, sites
from daad.ccs.forwarded import Versions
from daad.ir.nodes import Load, Program
from daad.ir.walk import writes
from daad.loops.replay import reads_at

LONGEST = 40
"""Statements that are run again for one array."""


@dataclass(frozen=True)
class Slice:
    """Top-level `statements` that make the array `name` again if run in order, from `sources`, whose final content
    serves.

    What else they write is written to copies; of the arrays in `until` the copies are complete up to that statement.
    """

    name: str
    statements: tuple[int, ...]
    until: Mapping[str, int]
    sources: frozenset[str]
    written: frozenset[str]

    @property
    def copied(self) -> tuple[str, ...]:
        """Arrays that are written on the way."""
        return tuple(sorted(self.written - {self.name}))

    def is_made(self, array: str, statement: int, own: frozenset[str]) -> bool:
        """Whether a statement, which writes `own`, finds what it reads of the array in the copy."""
        return array in own or self.until.get(array, -1) >= statement


@dataclass(frozen=True)
class Slicer:
    """Finds slices of a program."""

    program: Program
    versions: Versions
    _served: dict[tuple[int, str], bool] = field(default_factory=dict)

    def slice(self, name: str) -> Slice | None:
        """What makes a local array as the program leaves it; None if that needs what is gone, or is too long."""
        until = {name: len(self.program.body)}
        while True:
            statements = self._writers(until)
            needs = [need for n in statements for need in self._needs(n, until)]
            missing = {array: n for array, n in needs if n is not None and until.get(array, -1) < n}
            if len(statements) > LONGEST or any(array in self.program.parameters for array in (name, *missing)):
                return None
            if not missing:
                sources = frozenset(array for array, n in needs if n is None)
                written = frozenset(array for n in statements for array in self.own[n])
                return Slice(name, statements, until, sources, written) if statements else None
            until |= missing

    def _writers(self, until: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(sorted({n for array, end in until.items() for n in self.writers.get(array, ()) if n < end}))

    def _needs(self, statement: int, until: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
        """Arrays that have to be made up to a statement (with its number), or of which the final content serves."""
        for array in self.reads[statement]:
            if array in self.own[statement]:
                if not self._is_served(statement, array):
                    yield array, statement
            elif until.get(array, -1) < statement:
                yield array, None if self._is_served(statement, array) else statement

    def _is_served(self, statement: int, array: str) -> bool:
        """Whether all that the statement reads of an array is written by itself before, if it writes the array, or
        still there at the end."""
        if (statement, array) not in self._served:
            found = self.reads[statement][array]
            if array in self.own[statement]:
                inside = tuple(w for w in self.versions.writes[array] if w.site.path[0] == statement)
                served = all(is_written_first(Need(site, load), inside) for site, load in found)
            else:
                served = all(self.versions.in_place(site, load) for site, load in found)
            self._served[statement, array] = served
        return self._served[statement, array]

    @cached_property
    def reads(self) -> tuple[Mapping[str, Sequence[tuple[Site, Load]]], ...]:
        """What each statement reads, by array."""
        found: list[dict[str, list[tuple[Site, Load]]]] = [{} for _ in self.program.body]
        for site in sites(self.program.body):
            for load in reads_at(site):
                found[site.path[0]].setdefault(load.array, []).append((site, load))
        return tuple(found)

    @cached_property
    def writers(self) -> Mapping[str, Sequence[int]]:
        """The statements that write each array."""
        found: dict[str, list[int]] = {}
        for n, own in enumerate(self.own):
            for array in own:
                found.setdefault(array, []).append(n)
        return found

    @cached_property
    def own(self) -> tuple[frozenset[str], ...]:
        """What each statement writes."""
        return tuple(frozenset(writes((node,))) for node in self.program.body)
