"""From a Python function and its arguments to a Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from daad.errors import BadArgument, Location, Unsupported, marked_place
from daad.frontend.python import return_values as results
from daad.frontend.python.calls.dispatch import call, run_body
from daad.frontend.python.calls.mpi import communications
from daad.frontend.python.control.checks import Check, begin
from daad.frontend.python.control.generator_functions import close_all, require_all_taken
from daad.frontend.python.expressions import EXPRESSIONS
from daad.frontend.python.finishing import finish
from daad.frontend.python.parameters import Elements, Parameters
from daad.frontend.python.read import PLAINLY, Asked, Read
from daad.frontend.python.reading.reader import Misused, Reader, Restart, Unbound
from daad.frontend.python.reading.scope import Scope, bind_arguments, declared
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.python.statements import STATEMENTS
from daad.frontend.python.syntax.source import FunctionSource
from daad.frontend.python.targets import origins
from daad.frontend.python.values import outside_copies
from daad.frontend.staging.aliasing.alias_copies import Aliased
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Unroll
from daad.frontend.staging.speculation import NOTHING, Reread, Speculation
from daad.frontend.staging.unread import Looked
from daad.frontend.staging.values import View, own_axes
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float
from daad.ir.nodes import Program
from daad.ir.pinning import NeedsConstant, NeedsOwn, NeedsPlaces, NeedsResult, NeedsWorld
from daad.ir.validator import validate
from daad.ir.walk import writes
from daad.messages.progress import counted
from daad.runtime.at_work import deeper

MOST_READINGS = 1000
"""For each object from outside that turns out to be changed there is one more."""


@dataclass(frozen=True)
class Changes:
    """What a program changes outside of itself, as far as its readings have found: objects, names by their modules,
    arrays, places where arrays are written."""

    objects: dict[int, Any] = field(default_factory=dict)
    names: dict[tuple[int, str], Mapping[str, Any]] = field(default_factory=dict)
    arrays: dict[int, np.ndarray] = field(default_factory=dict)
    written_at: set[Location | None] = field(default_factory=set)


@dataclass(frozen=True)
class Ways:
    """How the function is read (see Stage and Reader), and what has been learned of its loops so far."""

    places: bool | None = False
    grows: bool = True
    rolls: bool = True
    indexes: bool = True
    plans: dict[tuple[int, ...], Any] = field(default_factory=dict)
    latest: dict[tuple[int, ...], Any] = field(default_factory=dict)
    exits: dict[int, Any] = field(default_factory=dict)
    bounded: dict[int, Any] = field(default_factory=dict)
    trips: Trips = field(default_factory=Trips)
    checks: list[Check] = field(default_factory=list)
    unread: dict[int, Unsupported] = field(default_factory=dict)
    wanted: set[int] = field(default_factory=set)
    hiding: set[int] = field(default_factory=set)
    outside: Changes = field(default_factory=Changes)
    followed: dict[int, Any] = field(default_factory=dict)
    doubtful: list[str] = field(default_factory=list)
    unset: dict[int, dict[str, Any]] = field(default_factory=dict)
    instead: dict[tuple[int, int], Unsupported | None] = field(default_factory=dict)
    communicates: bool = False
    speculation: Speculation = field(default_factory=Speculation)

    def again(self, **changes: Any) -> Ways:
        """From the beginning, with nothing known of loops but those that data end."""
        return replace(self, plans={}, latest={}, **changes)

    def simpler(self, error: Exception) -> Ways | None:
        """The way that is left after a refusal, or after a list that grows was misused."""
        misused, looked = isinstance(error, Misused), isinstance(error, Looked)
        if self.indexes and any(plan.indexed for plan in self.plans.values()):
            return self.again(indexes=False)
        if self.rolls and not misused and any(plan.rolled for plan in self.plans.values()):
            return self.again(rolls=False, places=False)
        if self.grows and any(plan.grown or plan.lengthened or plan.rebound for plan in self.plans.values()):
            return self.again(grows=False)
        if not looked or not self.speculation.is_on or self.speculation.has_lists:
            return None
        speculation = Speculation(is_on=True, has_lists=True, assumptions=self.speculation.assumptions)
        return self.again(grows=True, rolls=True, places=False, unread={}, speculation=speculation)


def build_program(
    source: FunctionSource,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any] | None = None,
    asked: Asked = PLAINLY,
    *,
    trips: Trips | None = None,
    outside: Changes | None = None,
) -> Read:
    """Specialises a function on its arguments' types; `trips` bounds the loops that data end, `outside` holds what
    earlier readings have found of what it changes."""
    speculation = Speculation(is_on=asked.assumptions is not None, assumptions=asked.assumptions or NOTHING)
    ways = Ways(trips=trips or Trips(), speculation=speculation, outside=outside or Changes())
    for number in range(1, MOST_READINGS + 1):
        if number > 1:
            counted("reading", number)
        try:
            return _build(source, arguments, keywords or {}, asked, ways)
        except (Unsupported, Misused) as error:
            simpler = ways.simpler(error)
            if simpler is None:
                if isinstance(error, Unsupported):
                    error.data_may_decide = ways.speculation.is_wanted or isinstance(error, Looked)
                raise
            ways = simpler
            _release(error)
        except NeedsConstant as needed:
            names = _arguments_of(needed.name, source, arguments, keywords or {})
            asked = replace(asked, static=asked.static | names)
            ways = ways.again()
        except NeedsPlaces:
            ways = ways.again(places=True if ways.places is False else None)
        except NeedsResult:
            ways = ways.again()
        except NeedsWorld:
            ways = ways.again(communicates=True)
        except (Restart, Reread) as again:
            _release(again)
    raise Unsupported(
        "The function changes so many objects from outside, or makes them anew whenever it runs, that its reading does "
        "not come to an end.",
        at=Location.of(source.node, source.filename),
        hint="Pass them as arguments.",
    )


def _release(error: BaseException | None) -> None:
    """An exception holds the frames that it left, and with them values that nobody needs."""
    while error is not None:
        error.__traceback__ = None
        following, error.__context__ = error.__context__, None
        error = following


def _arguments_of(
    place: str, source: FunctionSource, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> frozenset[str]:
    """The user's names for an integer of the Program and those that play the same part."""
    parameters = Parameters(Stage(), frozenset())
    for name, value in bind_arguments(source, (*source.receiver, *arguments), keywords).items():
        parameters.staged(name, value)
    return parameters.alike(place)


def _build(
    source: FunctionSource,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    asked: Asked,
    ways: Ways,
) -> Read:
    stage = _stage(source, asked, ways)
    given: dict[str, Any] = {}
    stage.speculation.begin(given)
    reader = _reader(stage, ways)
    parameters = Parameters(
        stage,
        asked.static,
        values=given,
        identities=reader.identities,
        own=reader.from_outside,
        note_object=reader.note_object,
    )
    for array in ways.outside.arrays.values():
        stage.own[id(array)] = array, stage.copy(stage.constant(array), "outside").base
    scope = _enter(reader, source, parameters, arguments, keywords)
    if ways.communicates:
        communications.begin(reader, call, _floats(stage, parameters))
    try:
        value = _run(reader, source)
    except NeedsOwn as needed:
        _give_own(reader, parameters, ways, needed)
        raise Restart from None
    stage.at = Location.of(source.node, source.filename)
    returned, outputs = results.settle(reader, scope, parameters, value, asked.of)
    scope.values.clear()
    if ways.communicates:
        communications.end(reader, call, outputs)
    failed = tuple(place.base for place in (reader.failed, stage.speculation.actual) if place is not None)
    program, names = finish(stage, source.name, [*results.names_in(returned), *outputs, *failed])
    _refuse_shared(parameters, program, stage.at)
    _refuse_seen(reader, parameters)
    _witness(reader)
    drawn = stage.drawn.finished(reader.generators)
    constants = {**stage.constants, **stage.drawn.arrays}
    return Read(
        program=validate(program),
        places=parameters.places,
        value=results.renamed(returned, names),
        outputs=tuple(names[o] for o in outputs),
        pinned=parameters.pinned,
        compared=reader.identities.compared,
        constants={names[c]: array for c, array in constants.items() if c in names},
        marks={names[m]: strategy for m, strategy in stage.marks.items() if m in names},
        witnesses=reader.witnesses.all(),
        bounded=bool(reader.bounded),
        checks=tuple(reader.checks),
        failed=tuple(names[f] for f in failed),
        decisions=stage.decisions,
        pairs=frozenset(names[p] for p in stage.interleaved if p in names),
        changes_outside=bool(ways.outside.objects or ways.outside.names or ways.outside.arrays),
        drawn=drawn,
        assumptions=asked.assumptions,
        communicates=ways.communicates,
    )


def _floats(stage: Stage, parameters: Parameters) -> list[View]:
    """The parameters that may have derivatives."""
    arrays = [(name, stage.arrays[name]) for name in parameters.places.values() if name in stage.arrays]
    return [
        stage.view(name, tuple(map(Affine, array.shape)), own_axes(len(array.shape)))
        for name, array in arrays
        if is_float(array.dtype)
    ]


def _stage(source: FunctionSource, asked: Asked, ways: Ways) -> Stage:
    stage = Stage()
    stage.places, stage.speculation, stage.derivatives = ways.places, ways.speculation, asked.derivatives
    stage.at = Location.of(source.node, source.filename)
    stage.written_at = ways.outside.written_at
    return stage


def _witness(reader: Reader) -> None:
    """What has been looked at is to be as it was."""
    for array in reader.stage.ranges.values():
        reader.witnesses.range(array)
    for array in reader.stage.seen.values():
        reader.witnesses.content(array)
    for value in reader.stage.looked_into.values():
        if id(value) not in reader.objects:
            reader.witnesses.state(value)


def _reader(stage: Stage, ways: Ways) -> Reader:
    return Reader(
        stage,
        EXPRESSIONS,
        STATEMENTS,
        call,
        plans=ways.plans,
        latest=ways.latest,
        exits=ways.exits,
        bounded=ways.bounded,
        trips=ways.trips,
        checks=ways.checks,
        unread=ways.unread,
        wanted=ways.wanted,
        hiding=ways.hiding,
        changed=ways.outside.objects,
        shared=ways.outside.names,
        followed=ways.followed,
        doubtful=ways.doubtful,
        instead=ways.instead,
        unset=ways.unset,
        failed=begin(stage, ways.checks),
        grows=ways.grows,
        rolls=ways.rolls,
        indexes=ways.indexes,
    )


def _enter(
    reader: Reader,
    source: FunctionSource,
    parameters: Parameters,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
) -> Scope:
    try:
        bound = bind_arguments(source, (*source.receiver, *arguments), keywords)
    except TypeError as error:
        raise BadArgument(
            f"The call does not fit: {error}.", at=reader.stage.at, hint="Pass what the definition asks for."
        ) from None
    reader.witnesses.definition(source.function)
    given = {*bind_given(source, arguments), *keywords}  # the object of a method is static
    own, outer, shared = declared(source.node)
    scope = Scope(source=source, own=own, outer=outer, shared=shared)
    reader.frames.append(scope)
    outside_copies.enter(reader)
    for name, value in bound.items():
        scope.values[name] = (
            parameters.staged(name, value) if name in given or _is_rest(source, name) else reader.from_outside(value)
        )
    for kept in parameters.pinned.values():
        if isinstance(kept, Elements):
            reader.from_outside(kept.array)
    return scope


def bind_given(source: FunctionSource, arguments: tuple[Any, ...]) -> list[str]:
    """Parameters that are given by position."""
    spec, first = source.node.args, len(source.receiver)
    return [a.arg for a in (*spec.posonlyargs, *spec.args)][first : first + len(arguments)]


def _is_rest(source: FunctionSource, name: str) -> bool:
    spec = source.node.args
    return name in [a.arg for a in (spec.vararg, spec.kwarg) if a is not None]


def _run(reader: Reader, source: FunctionSource) -> Any:
    try:
        with deeper():
            returned = run_body(reader, source.node)
            require_all_taken(reader)
            return returned
    except Unbound as unbound:
        reader.stage.at = unbound.at
        reader.refuse_unbound()
    except Aliased as aliased:
        raise aliased.error from None
    except Unroll as unroll:
        raise Unsupported(unroll.message, at=unroll.at, hint="Write the loop with arrays of fixed shapes.") from None
    except RecursionError:
        raise Unsupported(
            "The program is nested too deeply.", at=reader.stage.at, hint="Split long expressions into statements."
        ) from None
    except (Restart, Reread):
        for scope in reader.frames:
            scope.values.clear()  # functions among them hold the scope
        raise
    finally:
        close_all(reader)


def _give_own(reader: Reader, parameters: Parameters, ways: Ways, needed: NeedsOwn) -> None:
    """All is read again with an array of the program's own in the place of one that it writes, arguments that are
    constants left out."""
    pinned = {id(kept.array) for kept in parameters.pinned.values() if isinstance(kept, Elements)}
    found = [array for array in origins(reader, needed.array) if id(array) not in pinned]
    known = [
        a
        for a in found
        if id(a) in reader.witnesses.arrays and a.dtype.kind in "biuf" and id(a) not in ways.outside.arrays
    ]
    made = [reader.stage.known_arrays[id(a)][1] for a in found if id(a) in reader.stage.known_arrays]
    is_gone = any(key not in reader.witnesses.arrays for key in ways.outside.arrays)
    if (not known or is_gone) and not set(made).difference(ways.outside.written_at):
        reader.stage.at = marked_place(needed) or reader.stage.at
        reader.stage.refuse(MADE_BY_A_LIBRARY if is_gone else "An array from outside the function is written.", COPY)
    ways.outside.arrays.update({id(array): array for array in known})
    ways.outside.written_at.update(made)
    ways.plans.clear()


def _refuse_seen(reader: Reader, parameters: Parameters) -> None:
    """Nobody may have looked at what the program changes a twin of."""
    stage = reader.stage
    written = [array for array, _ in stage.own.values()]
    others = [*reader.witnesses.arrays.values(), *parameters.arrays.values()]
    overlap = any(one is not other and np.shares_memory(one, other) for one in written for other in others)
    if overlap or any(id(array) in stage.seen for array in written):
        stage.refuse("An array from outside the function is written, and looked at in another way.", COPY)
    if not reader.twins.keys().isdisjoint(stage.looked_into):
        stage.refuse("An object that the function changes is looked into by code that is not read.", COPY)


COPY = "Pass it as an argument, or copy it."
MADE_BY_A_LIBRARY = "An array is written that belongs to an object which code that is not read has made."
"""Such objects have other arrays each time that the program is read."""


def _refuse_shared(parameters: Parameters, program: Program, at: Location | None) -> None:
    """One array for two parameters has two gradients, unless nobody writes it."""
    written = writes(program.body)
    arrays = list(parameters.arrays.items())
    for name, array in arrays:
        for other, same in arrays:
            if name != other and parameters.places.get(name) in written and np.shares_memory(array, same):
                raise BadArgument(
                    f"The arguments '{name}' and '{other}' share memory, and the program overwrites '{name}'.",
                    at=at,
                    hint="Pass a copy of one of them.",
                )
