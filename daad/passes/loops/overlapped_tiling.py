"""Rows that statements go through together, in chunks of which none waits for another.

What others see of a run is made once: each chunk makes the rows that are its own. Of arrays that each chunk has for
itself it makes again the few rows beyond both of its ends that its own ones need.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import or_

from daad.ir.affine import Affine
from daad.ir.nodes import Index, Loop, Nest, Node
from daad.ir.walk import reindexed
from daad.passes.loops.shift_distances import Member, Run, Window, add_guarded, in_windows

Names = frozenset[str]


@dataclass(frozen=True)
class Span:
    """Rows as a chunk counts them: from its first plus `low` up to its end plus `high`."""

    low: int
    high: int

    def __add__(self, offset: int) -> Span:
        return Span(self.low + offset, self.high + offset)

    def __or__(self, other: Span) -> Span:
        return Span(min(self.low, other.low), max(self.high, other.high))

    def holds(self, other: Span) -> bool:
        return self | other == self


@dataclass(frozen=True)
class Chunks:
    """A run whose members go through the rows of their `spans` in each chunk; all chunks have those from `first` up to
    `last`. No two of them touch the same row of the arrays `common`: all that are written, but for those of which each
    chunk has its own."""

    run: Run
    spans: tuple[Span, ...]
    first: int
    last: int
    common: Names

    @property
    def rows(self) -> int:
        return self.last - self.first

    @property
    def again(self) -> tuple[int, ...]:
        """For each member, the rows that two neighbours both go through."""
        return tuple(
            max(0, min(s.high - s.low, m.last - m.first)) for m, s in zip(self.run.members, self.spans, strict=True)
        )

    @cached_property
    def around(self) -> Span:
        """The iterations of a chunk."""
        late = [span + m.delay for m, span in zip(self.run.members, self.spans, strict=True)]
        return Span(min(s.low for s in late), max(s.high for s in late))

    def loop(self, chunk: str, row: str, size: int, windows: Mapping[str, Window], moved: Sequence[Nest]) -> Loop:
        """All chunks of so many rows, one after the other; `moved`: what ends each iteration over rows."""
        first, count = self.first + Affine.of(chunk) * size, -(-self.rows // size)
        begin, end = first + self.around.low, first + size + self.around.high
        body: list[Node] = []
        for member, span in zip(self.run.members, self.spans, strict=True):
            nest = in_windows(member, self._by_row(member, row), windows)
            low, high = first + span.low + member.delay, first + size + span.high + member.delay
            least = [Affine(member.start)] if member.start > low.const else []
            most = [Affine(member.stop)] if member.stop < high.const + (count - 1) * size else []
            least += [low] if low != begin else []
            most += [high] if high != end else []
            add_guarded(body, nest, row, least, most)
        at = self.run.nests[0].at
        return Loop(chunk, Affine(0), Affine(count), 1, (Loop(row, begin, end, 1, (*body, *moved), at),), at)

    def _by_row(self, member: Member, row: str) -> Nest:
        """The member at a row; that it is a row of the chunk can be seen even where there is only one."""
        nest = member.at(row)
        if member.var is not None:
            return nest
        late = Affine.of(row) - member.start
        changes = {name: partial(_moved, self.run.axes[name], late) for name in nest.touched & self.common}
        moved = reindexed(nest, changes)
        assert isinstance(moved, Nest), "other indices do not change what a node is"
        return moved


def chunks(run: Run, own: Collection[str]) -> Chunks | None:
    """The run in chunks with the arrays `own` each, None if there are none: then they would have to wait for each
    other."""
    common = frozenset[str]().union(*(nest.written for nest in run.nests)).difference(own)
    shifts = _shifts(run, common)
    spans = _spans(run, common, shifts) if shifts else None
    if not shifts or not spans:
        return None
    fixed = [(m, shift) for m, shift in zip(run.members, shifts, strict=True) if shift is not None]
    first, last = min(m.first + shift for m, shift in fixed), max(m.last + shift for m, shift in fixed)
    return Chunks(run, spans, first, last, common)


def _shifts(run: Run, common: Names) -> list[int | None] | None:
    """For each member, how far its row has to be from that of the chunk for the same rows of common arrays to be the
    chunk's own, None where it touches none; None if that is not possible, or nothing is common."""
    shifts: list[int | None] = [None] * len(run.members)
    for at in reversed(range(len(shifts))):
        member = run.members[at]
        if shifts[at] is None and common & member.nest.touched and not _fix(run, common, at, member.delay, shifts):
            return None
    return shifts if any(shift is not None for shift in shifts) else None


def _fix(run: Run, common: Names, at: int, shift: int, shifts: list[int | None]) -> bool:
    """Shifts a member, and all that have to do with the same common arrays; whether that is possible."""
    if shifts[at] is not None:
        return shifts[at] == shift
    shifts[at] = shift
    for name in sorted(common & run.nests[at].touched):
        place = _place(run.members[at], name)
        if place is None:
            return False
        for n, other in enumerate(run.members):
            theirs = _place(other, name) if name in other.nest.touched else place
            if theirs is None:
                return False
            if name in other.nest.touched and not _fix(run, common, n, shift + theirs - place, shifts):
                return False
    return True


def _place(member: Member, name: str) -> int | None:
    """The row of an array that a member touches, counted from its own; None if there are several, or nobody knows."""
    places = sorted(member.rows[name].touched) if name in member.rows else []
    return places[0] if len(places) == 1 else None


def _spans(run: Run, common: Names, shifts: Sequence[int | None]) -> tuple[Span, ...] | None:
    """The rows that a chunk's own ones need of each member, None if one of those is made once, by another chunk."""
    needed: dict[str, Span] = {}
    spans: list[Span] = []
    for member, shift in reversed(tuple(zip(run.members, shifts, strict=True))):
        wanted = list(_wanted(member, needed))
        if shift is None and not wanted:
            return None  # it makes what nobody reads
        span = reduce(or_, wanted) if shift is None else Span(-shift, -shift)
        if not all(map(span.holds, wanted)):
            return None
        spans.append(span)
        for name in member.rows.keys() - common:
            for offset in member.rows[name].touched:
                needed[name] = needed.get(name, span + offset) | span + offset
    return tuple(reversed(spans))


def _wanted(member: Member, needed: Mapping[str, Span]) -> Iterator[Span]:
    """The rows of a member that make those which are needed of what it writes."""
    for name in member.nest.written & needed.keys():
        yield from (needed[name] + -offset for offset in member.rows[name].written)


def _moved(axis: int, late: Affine, index: tuple[Index, ...]) -> tuple[Index, ...]:
    form = index[axis]
    assert isinstance(form, Affine), "rows are counted"
    return (*index[:axis], form + late, *index[axis + 1 :])
