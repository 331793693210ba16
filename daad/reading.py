"""Which door a program comes in by: plain Python functions here, DaCe programs and SDFGs through DaCe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from daad.arguments import signature_of
from daad.errors import Location
from daad.frontend.python.build import Built, build_program
from daad.frontend.python.source import callable_source
from daad.frontend.python.trips import Trips
from daad.frontend.python.witnesses import Definition
from daad.progress import stage
from daad.runtime.later import later
from daad.standin import looked_through
from daad.subject import Read, Subject, as_call, reading, statements

if TYPE_CHECKING:
    from daad import dace_subject
else:
    dace_subject = later("daad.dace_subject")  # imports DaCe, which is loaded already exactly where this is asked


def subject_of(function: Any) -> Subject:
    """The subject for anything that `daad.grad` takes."""
    function = looked_through(function)
    if type(function).__module__.split(".")[0] == "dace":
        return dace_subject.dace_subject(function)
    return _python_subject(function)


def _python_subject(function: Any) -> Subject:
    source = callable_source(function)
    signature, trips = signature_of(source), Trips()
    definition = None if source.function is None else Definition.of(source.function)
    at = Location.of(source.node, source.filename)

    def read(bound: Mapping[str, Any], of: Any, static: frozenset[str]) -> Read:
        args, kwargs = as_call(signature, bound)
        while True:
            with stage(reading(source.name, at, static)) as tell:
                found = _read(build_program(source, args, kwargs, of=of, static=static, trips=trips))
                tell(statements(found.program))
            if not found.bounded or trips.suffice(found.program, found.arguments(bound), id(bound)):
                return found

    def call(f: Any, bound: Mapping[str, Any]) -> Any:
        args, kwargs = as_call(signature, bound)
        return f(*args, **kwargs)

    return Subject(
        name=source.name,
        signature=signature,
        at=at,
        call=call,
        read=read,
        trips=trips,
        is_current=lambda: definition is None or definition.holds(),
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
        pairs=built.pairs,
    )
