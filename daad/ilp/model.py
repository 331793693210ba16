"""What can be decided about memory, on a timeline: the statements of the primal, then their adjoints, last to first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import accumulate

from daad.analysis.sites import Path


@dataclass(frozen=True)
class Value:
    """Something that takes memory: an array of the primal, a tape, an adjoint array.

    It is there from event `birth` to event `end`, for the primal's own sake (or the adjoint's), and longer where an
    adjoint demands it; a tape, whose `end` comes before its `birth`, only then.
    """

    name: str
    nbytes: int
    birth: int
    end: int

    @cached_property
    def own(self) -> tuple[tuple[int, int], ...]:
        """When it is there for the sake of the primal or the adjoint."""
        return ((self.birth, self.end),) if self.birth <= self.end else ()


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to reverse a statement: `slots` for loops in it that are run again (by path), in `blocks` of iterations;
    `undo`: its updates are taken back in place.

    Until its adjoint `demands` are there, and `held` bytes from the statement on; at its adjoint also what it
    `touches` and `work` bytes. `seconds` is what it takes more than the fastest way. `state` bytes more are held for
    each further slot, where a single loop is run again; more than `most` are of no use.
    """

    slots: Mapping[Path, int] = field(default_factory=dict)
    blocks: Mapping[Path, int] = field(default_factory=dict)
    demands: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    held: int = 0
    work: int = 0
    seconds: float = 0.0
    undo: bool = False
    state: int = 0
    most: int = 0


class How(Enum):
    """How a value that is not kept is made again."""

    INLINE = "recompute"
    RERUN = "rerun"


@dataclass(frozen=True)
class Remake:
    """A value can be made again from `parents`: in every adjoint that reads it, or once before the first of them.

    The latter also takes `scratch` bytes meanwhile. On the way arrays `through` are made that nobody else asks for.
    """

    value: str
    how: How
    parents: frozenset[str]
    seconds: float
    scratch: int = 0
    through: frozenset[str] = frozenset()


MOST_KNOWN = 64  # combinations of options whose consequences are at hand
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Base:
    """What options lead to if nothing is made again: seconds, by value the statements whose adjoints demand it and when
    it is there, the bytes by which memory changes at each event, and what is there at one event only (`work`), with the
    values that are touched there."""

    seconds: float
    demands: Mapping[str, frozenset[int]]
    spans: Mapping[str, Spans]
    steps: Sequence[int]
    work: Mapping[int, int]
    touched: Sequence[tuple[int, str]]


@dataclass(frozen=True, kw_only=True)
class Model:
    """`options` by statement, in order. A statement's event is its number, that of its adjoint counts from the end.

    `fixed` bytes are always there. `remakes` are for values that parents born earlier make.
    """

    values: Mapping[str, Value]
    options: tuple[tuple[Option, ...], ...]
    remakes: tuple[Remake, ...] = ()
    fixed: int = 0
    _bases: dict[tuple[int, ...], Base] = field(default_factory=dict, init=False, compare=False, repr=False)

    def base(self, options: tuple[int, ...]) -> Base:
        """What some options lead to if nothing is made again."""
        if options not in self._bases:
            if len(self._bases) == MOST_KNOWN:
                self._bases.clear()
            self._bases[options] = _base_of(self, options)
        return self._bases[options]

    @cached_property
    def statements(self) -> int:
        return len(self.options)

    @cached_property
    def events(self) -> int:
        return 2 * self.statements

    def adjoint_event(self, statement: int) -> int:
        return self.events - 1 - statement

    @property
    def decisions(self) -> int:
        """How many things there are to decide."""
        names = {r.value for r in self.remakes}
        return sum(len(each) > 1 for each in self.options) + len(names)


@dataclass(frozen=True)
class Choice:
    """An option for each statement, by number, and the remakes that are used, by number."""

    options: tuple[int, ...]
    remakes: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What a choice leads to: seconds more than the fastest way, and bytes at each event."""

    seconds: float
    timeline: tuple[int, ...]

    @property
    def peak(self) -> int:
        return max(self.timeline, default=0)


NOBODY = frozenset[int]()


def outcome(model: Model, choice: Choice) -> Outcome:
    """The exact consequences of a choice: this defines what the model means."""
    base = model.base(choice.options)
    again = {model.remakes[n].value: model.remakes[n] for n in choice.remakes}
    time, demands = demanded(model, choice)
    steps = list(base.steps)
    spans: dict[str, Spans] = {}
    changed = [name for name, at in demands.items() if name in again or at is not base.demands.get(name)]
    for name in changed:
        value = model.values[name]
        spans[name] = _spans(model, value, demands[name], again[name].how if name in again else None)
        _add(steps, base.spans[name], -value.nbytes)
        _add(steps, spans[name], value.nbytes)
    line = [model.fixed + now for now in accumulate(steps[:-1])]
    for event, name in base.touched:
        if not any(first <= event <= last for first, last in spans.get(name, base.spans[name])):
            line[event] += model.values[name].nbytes
    for extra in (base.work, _scratch(model, again, demands)):
        for event, nbytes in extra.items():
            line[event] += nbytes
    return Outcome(time, tuple(line))


def demanded(model: Model, choice: Choice) -> tuple[float, Mapping[str, frozenset[int]]]:
    """Seconds more than the fastest way, and by value the statements whose adjoints demand it."""
    base = model.base(choice.options)
    demands, time = dict(base.demands), base.seconds
    again = [model.remakes[n] for n in choice.remakes]
    for remake in sorted(again, key=lambda remake: (-model.values[remake.value].birth, remake.value)):
        time += _remake(remake, demands)
    return time, demands


def _base_of(model: Model, options: tuple[int, ...]) -> Base:
    chosen = [model.options[s][o] for s, o in enumerate(options)]
    demands: dict[str, set[int]] = {}
    for statement, option in enumerate(chosen):
        for name in option.demands:
            demands.setdefault(name, set()).add(statement)
    asked = {name: frozenset(at) for name, at in demands.items()}
    steps = [0] * (model.events + 1)
    spans = {name: _spans(model, value, asked.get(name, NOBODY), None) for name, value in model.values.items()}
    for name, value in model.values.items():
        _add(steps, spans[name], value.nbytes)
    for statement, option in enumerate(chosen):
        _add(steps, [(statement, model.adjoint_event(statement))], option.held)
    return Base(
        seconds=sum(option.seconds for option in chosen),
        demands=asked,
        spans=spans,
        steps=steps,
        work={model.adjoint_event(s): option.work for s, option in enumerate(chosen)},
        touched=[(model.adjoint_event(s), name) for s, option in enumerate(chosen) for name in option.touches],
    )


def _add(steps: list[int], spans: Iterable[tuple[int, int]], nbytes: int) -> None:
    for first, last in spans:
        steps[first] += nbytes
        steps[last + 1] -= nbytes


def _scratch(model: Model, again: Mapping[str, Remake], demands: Mapping[str, frozenset[int]]) -> dict[int, int]:
    """By event the most that one of the values made again then takes on the way: they are made one after the other."""
    most: dict[int, int] = {}
    for name, remake in again.items():
        if remake.scratch and (at := demands.get(name)):
            event = model.adjoint_event(max(at))
            most[event] = max(most.get(event, 0), remake.scratch)
    return most


def _remake(remake: Remake, demands: dict[str, frozenset[int]]) -> float:
    """Passes demands on to the parents; returns the seconds that it takes."""
    at = demands.get(remake.value)
    if not at:
        return 0.0
    moments = at if remake.how is How.INLINE else frozenset((max(at),))
    for parent in remake.parents:
        demands[parent] = demands.get(parent, NOBODY) | moments
    return remake.seconds * len(moments)


def _spans(model: Model, value: Value, at: frozenset[int], how: How | None) -> Spans:
    """From which event to which a value is in memory that these statements' adjoints demand, in at most two spans."""
    if how is How.INLINE or not at:
        return value.own
    first = value.birth if how is None else model.adjoint_event(max(at))
    last = model.adjoint_event(min(at))
    if not value.own or first > value.end:
        return (*value.own, (first, last))
    return ((value.birth, max(value.end, last)),)
