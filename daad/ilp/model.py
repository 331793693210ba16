"""What can be decided about memory, on a timeline: the statements of the primal, then their adjoints, last to first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import accumulate

from daad.ccs.sites import Path


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


@dataclass(frozen=True, kw_only=True)
class Model:
    """`options` by statement, in order. A statement's event is its number, that of its adjoint counts from the end.

    `fixed` bytes are always there. `remakes` are for values that parents born earlier make.
    """

    values: Mapping[str, Value]
    options: tuple[tuple[Option, ...], ...]
    remakes: tuple[Remake, ...] = ()
    fixed: int = 0

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


def outcome(model: Model, choice: Choice) -> Outcome:
    """The exact consequences of a choice: this defines what the model means."""
    chosen = [model.options[s][o] for s, o in enumerate(choice.options)]
    demands: dict[str, set[int]] = {name: set() for name in model.values}
    for statement, option in enumerate(chosen):
        for name in option.demands:
            demands[name].add(statement)
    time = sum(option.seconds for option in chosen)
    again = {model.remakes[n].value: model.remakes[n] for n in choice.remakes}
    for name in sorted(again, key=lambda name: (-model.values[name].birth, name)):
        time += _remake(again[name], demands)
    steps = [0] * (model.events + 1)
    spans: dict[str, Sequence[tuple[int, int]]] = {}
    for name, value in model.values.items():
        at = demands[name]
        how = again[name].how if at and name in again else None
        spans[name] = _spans(model, value, at, how) if at else value.own
        _add(steps, spans[name], value.nbytes)
    for statement, option in enumerate(chosen):
        if option.held:
            _add(steps, [(statement, model.adjoint_event(statement))], option.held)
    line = [model.fixed + now for now in accumulate(steps[:-1])]
    touched = [(model.adjoint_event(s), n) for s, option in enumerate(chosen) for n in option.touches]
    for event, name in touched:
        if not any(first <= event <= last for first, last in spans[name]):
            line[event] += model.values[name].nbytes
    for statement, option in enumerate(chosen):
        line[model.adjoint_event(statement)] += option.work
    for event, nbytes in _scratch(model, again, demands).items():
        line[event] += nbytes
    return Outcome(time, tuple(line))


def _add(steps: list[int], spans: Iterable[tuple[int, int]], nbytes: int) -> None:
    for first, last in spans:
        steps[first] += nbytes
        steps[last + 1] -= nbytes


def _scratch(model: Model, again: Mapping[str, Remake], demands: Mapping[str, set[int]]) -> dict[int, int]:
    """By event the most that one of the values made again then takes on the way: they are made one after the other."""
    most: dict[int, int] = {}
    for name, remake in again.items():
        if demands[name] and remake.scratch:
            event = model.adjoint_event(max(demands[name]))
            most[event] = max(most.get(event, 0), remake.scratch)
    return most


def _remake(remake: Remake, demands: dict[str, set[int]]) -> float:
    """Passes demands on to the parents; returns the seconds that it takes."""
    at = demands[remake.value]
    if not at:
        return 0.0
    moments = at if remake.how is How.INLINE else {max(at)}
    for parent in remake.parents:
        demands[parent] |= moments
    return remake.seconds * len(moments)


def _spans(model: Model, value: Value, at: set[int], how: How | None) -> Sequence[tuple[int, int]]:
    """From which event to which a value that is demanded is in memory, in at most two spans."""
    if how is How.INLINE:
        return value.own
    first = value.birth if how is None else model.adjoint_event(max(at))
    last = model.adjoint_event(min(at))
    if not value.own or first > value.end:
        return (*value.own, (first, last))
    return ((value.birth, max(value.end, last)),)
