"""What has to be run to make an array again: a backward slice of the program (Weiser, IEEE TSE 10(4), 1984)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from daad.ccs.definitions import is_written_first
from daad.ccs.dependence import Need
from daad.ccs.forwarded import Versions
from daad.ccs.sites import Path, Site, sites
from daad.loops.replay import reads_at
from daad.program.nodes import Load, Program
from daad.program.walk import writes

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
    _in_place: dict[tuple[Path, Load], bool] = field(default_factory=dict)

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
        return tuple(n for n, own in enumerate(self.own) if any(n < until.get(array, -1) for array in own))

    def _needs(self, statement: int, until: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
        """Arrays that have to be made up to a statement (with its number), or of which the final content serves."""
        own = self.own[statement]
        for site in self.sites[statement]:
            for load in reads_at(site):
                if load.array in own:
                    if not self._is_written_first(site, load):
                        yield load.array, statement
                elif until.get(load.array, -1) < statement:
                    yield load.array, None if self._is_in_place(site, load) else statement

    def _is_written_first(self, site: Site, load: Load) -> bool:
        inside = tuple(w for w in self.versions.writes[load.array] if w.site.path[0] == site.path[0])
        return is_written_first(Need(site, load), inside)

    def _is_in_place(self, site: Site, load: Load) -> bool:
        key = site.path, load
        if key not in self._in_place:
            self._in_place[key] = self.versions.in_place(site, load)
        return self._in_place[key]

    @cached_property
    def own(self) -> tuple[frozenset[str], ...]:
        """What each statement writes."""
        return tuple(frozenset(writes((node,))) for node in self.program.body)

    @cached_property
    def sites(self) -> tuple[tuple[Site, ...], ...]:
        """The nodes of each statement."""
        found = list(sites(self.program.body))
        return tuple(tuple(s for s in found if s.path[0] == n) for n in range(len(self.program.body)))
