"""What makes up the memory of a call at each of its statements, for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from daad.messages.sizes import readable
from daad.pipeline import Derivation
from daad.report.joint_arrays import JointLabels
from daad.report.memory_events import Event, events
from daad.report.source_text import line_at, shortened
from daad.report.user_names import UserNames

MOST = 7
"""Names that have a band of their own."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """All arrays of one name of the user's, or all others, with their bytes at each event."""

    name: str
    nbytes: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The statements of a call with what is in memory at each: `bands` lie one on the other; `limit` is what the user
    allows, `store_all` the peak if everything were kept."""

    events: tuple[Event, ...]
    bands: tuple[Band, ...]
    limit: int | None
    store_all: int

    @cached_property
    def totals(self) -> list[int]:
        """The bytes at each event."""
        return [sum(band.nbytes[n] for band in self.bands) for n in range(len(self.events))]

    def told(self, number: int) -> str:
        """An event in words: its line, and what makes up the memory, largest last."""
        event = self.events[number]
        source = shortened(line_at(event.at), 70)
        parts = [f"{b.name}: {readable(b.nbytes[number])}" for b in reversed(self.bands) if b.nbytes[number]]
        return "\n".join([f"{event.where} {source}", f"{readable(self.totals[number])} in all", *parts])


def timeline(derivation: Derivation, users: UserNames, limit: int | None, store_all: int) -> Timeline:
    """Arguments and gradients lie below the arrays that take most for longest, and these below all others; what holds
    values of one variable of the user's is one band."""
    found, labels = events(derivation), JointLabels.of(derivation, users)
    sizes = {name: array.nbytes for name, array in derivation.joint.arrays.items()}
    times = {name: sum(name in event.arrays for event in found) for name in sizes}
    of_label: dict[str, list[str]] = {}
    for name in sizes:
        if times[name]:
            of_label.setdefault(labels.label(name), []).append(name)
    order = sorted(of_label.items(), key=lambda item: -sum(sizes[name] * times[name] for name in item[1]))
    fixed = derivation.footprint.parameters + derivation.footprint.results
    rows = [Band(name="arguments and gradients", nbytes=(fixed,) * len(found))]
    rows += [Band(name=label, nbytes=_bytes(names, sizes, found)) for label, names in order[:MOST]]
    if rest := order[MOST:]:
        others = [name for _, names in rest for name in names]
        rows.append(Band(name=f"{len(rest)} other{'' if len(rest) == 1 else 's'}", nbytes=_bytes(others, sizes, found)))
    return Timeline(events=found, bands=tuple(rows), limit=limit, store_all=store_all)


def _bytes(names: Sequence[str], sizes: dict[str, int], found: Sequence[Event]) -> tuple[int, ...]:
    return tuple(sum(sizes[name] for name in names if name in event.arrays) for event in found)
