"""Which door a program comes in by: plain Python functions here, DaCe programs and SDFGs through DaCe."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from daad.api.subject import known_readings
from daad.api.subject.arguments import signature_of
from daad.api.subject.local_variables import opened_in, variables
from daad.api.subject.subject import Subject, arguments_of, as_call, reading, statements
from daad.errors import IndexOutside, Location, Unsupported
from daad.frontend.python.function_to_program import Changes, build_program
from daad.frontend.python.read import Asked, Read
from daad.frontend.python.reading.guards import Definition
from daad.frontend.python.reading.scope import parameter_names
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.python.syntax.source import FunctionSource, callable_source
from daad.frontend.stand_in import looked_through
from daad.frontend.structures import closed
from daad.messages.progress import stage
from daad.runtime.lazy_import import later

if TYPE_CHECKING:
    from daad.api.subject import dace_subject
else:
    dace_subject = later(
        "daad.api.subject.dace_subject"
    )  # imports DaCe, which is loaded already exactly where this is asked


def subject_of(function: Any) -> Subject:
    """The subject for anything that `daad.grad` takes."""
    inner, _, _ = without_partial(looked_through(function))
    inner = looked_through(inner)
    is_dace = type(inner).__module__.split(".")[0] == "dace"
    subject = dace_subject.dace_subject(inner) if is_dace else _python_subject(inner)
    if not isinstance(looked_through(function), functools.partial):
        return subject

    def passed() -> tuple[tuple[Any, ...], dict[str, Any]]:
        return without_partial(looked_through(function))[1:]

    return replace(subject, partial=passed)


def without_partial(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The function that `functools.partial` objects call in the end, and what they pass."""
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        args, keywords = (*function.args, *args), {**function.keywords, **keywords}
        function = function.func
    return function, args, keywords


def _python_subject(function: Any) -> Subject:
    source = callable_source(function)
    opened = opened_in(function)
    definition = None if source.function is None else Definition.of(source.function)
    inner = _Function(source, definition)
    return Subject(
        name=source.name,
        signature=inner.signature,
        at=inner.at,
        call=inner.call,
        read=inner.read,
        trips=inner.trips,
        is_current=lambda: definition is None or definition.holds(),
        receiver=inner.receiver,
        variables=() if parameter_names(source.node.args) else tuple(variables(source)),
        first_values=lambda args, keywords: {} if opened is None else opened.values(args, keywords),
        changes_outside=lambda: inner.changes_outside,
    )


class _Function:
    """A Python function that is read and called; what its readings have found is remembered."""

    def __init__(self, source: FunctionSource, definition: Definition | None) -> None:
        self.definition = None if source.receiver else definition
        self.source, self.signature, self.trips = source, signature_of(source), Trips()
        self.at = Location.of(source.node, source.filename)
        self.receiver = (parameter_names(source.node.args)[0], source.receiver[0]) if source.receiver else None
        self.changes_outside, self._outside = False, Changes()

    def read(self, bound: Mapping[str, Any], asked: Asked) -> Read:
        """The program for these arguments, with bounds of its loops that suffice for them."""
        known = self.definition and known_readings.found(self.definition, bound, asked)
        if known and not self.trips.ranges:
            with stage(reading(self.source.name, self.at, asked.static)) as tell:
                tell(statements(known.program))
            return known
        found = self._read(bound, asked)
        if self.definition is not None:
            known_readings.note(self.definition, bound, asked, found)
        return found

    def _read(self, bound: Mapping[str, Any], asked: Asked) -> Read:
        while True:
            with stage(reading(self.source.name, self.at, asked.static)) as tell:
                found = self._attempt(bound, asked)
                if found is None:
                    continue
                tell(statements(found.program))
            self.changes_outside |= found.changes_outside
            if (
                not found.bounded
                or found.communicates
                or self.trips.suffice(found.program, arguments_of(found, bound), id(bound))
            ):
                return found

    def _attempt(self, bound: Mapping[str, Any], asked: Asked) -> Read | None:
        """None where it is to be read again, with other bounds of its loops."""
        (args, kwargs), received = as_call(self.signature, bound), self._received(bound)
        source = replace(self.source, receiver=()) if received else self.source
        try:
            return build_program(source, (*received, *args), kwargs, asked, trips=self.trips, outside=self._outside)
        except IndexOutside as overrun:
            if overrun.loop is None:
                raise
            self.trips.grow(overrun.loop)
        except Unsupported:
            if not (self.trips.rolls and self.trips.has_rolled):
                raise
            self.trips.rolls = False
        return None

    def call(self, f: Any, bound: Mapping[str, Any]) -> Any:
        """What the user's own function gives."""
        f = looked_through(without_partial(looked_through(f))[0])
        bound = {name: closed(value) for name, value in bound.items()}
        (args, kwargs), received = as_call(self.signature, bound), self._received(bound)
        if received:
            f = f.__func__ if isinstance(f, types.MethodType) else type(f).__call__
        return f(*received, *args, **kwargs)

    def _received(self, bound: Mapping[str, Any]) -> tuple[Any, ...]:
        """The object of the method, where it is an argument like the others."""
        return (bound[self.receiver[0]],) if self.receiver and self.receiver[0] in bound else ()
