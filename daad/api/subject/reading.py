"""Which door a program comes in by: plain Python functions here, DaCe programs and SDFGs through DaCe."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from daad.api.subject.arguments import signature_of
from daad.api.subject.local_variables import opened_in, variables
from daad.api.subject.subject import Read, Subject, as_call, reading, statements
from daad.errors import IndexOutside, Location, Unsupported
from daad.frontend.python.function_to_program import Built, build_program
from daad.frontend.python.reading.guards import Definition
from daad.frontend.python.reading.scope import parameter_names
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.python.syntax.source import callable_source
from daad.frontend.staging.speculation import Assumptions
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
    signature, trips, opened = signature_of(source), Trips(), opened_in(function)
    definition = None if source.function is None else Definition.of(source.function)
    at = Location.of(source.node, source.filename)
    changes: list[bool] = []
    receiver = (parameter_names(source.node.args)[0], source.receiver[0]) if source.receiver else None

    def read(
        bound: Mapping[str, Any],
        of: Any,
        static: frozenset[str],
        assumptions: Assumptions | None,
        derivatives: int = 1,
    ) -> Read:
        args, kwargs = as_call(signature, bound)
        whole = source
        if receiver is not None and receiver[0] in bound:  # as an argument like the others
            whole, args = replace(source, receiver=()), (bound[receiver[0]], *args)
        build = functools.partial(build_program, whole, args, kwargs, of=of, static=static, trips=trips)
        while True:
            with stage(reading(source.name, at, static)) as tell:
                try:
                    built = build(assumptions=assumptions, derivatives=derivatives)
                except IndexOutside as overrun:
                    if overrun.loop is None:
                        raise
                    trips.grow(overrun.loop)
                    continue
                except Unsupported:
                    if not (trips.rolls and trips.has_rolled):
                        raise
                    trips.rolls = False
                    continue
                found = replace(_read(built), assumptions=assumptions)
                tell(statements(found.program))
            changes[:] = [True] if found.changes_outside else changes
            if not found.bounded or trips.suffice(found.program, found.arguments(bound), id(bound)):
                return found

    def call(f: Any, bound: Mapping[str, Any]) -> Any:
        f = looked_through(without_partial(looked_through(f))[0])
        bound = {name: closed(value) for name, value in bound.items()}
        args, kwargs = as_call(signature, bound)
        if receiver is not None and receiver[0] in bound:
            f = f.__func__ if isinstance(f, types.MethodType) else type(f).__call__
            args = (bound[receiver[0]], *args)
        return f(*args, **kwargs)

    return Subject(
        name=source.name,
        signature=signature,
        at=at,
        call=call,
        read=read,
        trips=trips,
        is_current=lambda: definition is None or definition.holds(),
        receiver=receiver,
        variables=() if parameter_names(source.node.args) else tuple(variables(source)),
        first_values=lambda args, keywords: {} if opened is None else opened.values(args, keywords),
        changes_outside=lambda: bool(changes),
    )


def _read(built: Built) -> Read:
    return Read(
        program=built.program,
        places=built.parameters,
        outputs=built.outputs,
        pinned=built.pinned,
        constants=built.constants,
        marks=built.marks,
        value=built.results,
        witnesses=built.witnesses,
        bounded=built.bounded,
        checks=built.checks,
        failed=built.failed,
        decisions=built.decisions,
        pairs=built.pairs,
        changes_outside=built.changes_outside,
        drawn=built.drawn,
    )
