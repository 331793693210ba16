"""DaCe programs and SDFGs as subjects of differentiation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import dace
import numpy as np
from dace.frontend.python.parser import DaceProgram

from daad.api.subject.subject import Subject, as_call, reading, statements
from daad.errors import BadArgument, Location
from daad.frontend.python.read import Asked, Read
from daad.frontend.python.syntax.source import describe
from daad.frontend.sdfg import Lifted, lift
from daad.frontend.sdfg.locations import definition
from daad.frontend.sdfg.parse import parameter_names
from daad.messages.progress import stage


def dace_subject(program: Any) -> Subject:
    """The subject for a `@dace.program` or an SDFG; all ints are constants of the compiled code."""
    if not isinstance(program, dace.SDFG | DaceProgram):
        raise BadArgument(f"{describe(program)} is no DaCe program.", hint="Pass a '@dace.program' or an SDFG.")
    name, signature, at = _name(program), _signature(program), _location(program)

    def read(bound: Mapping[str, Any], asked: Asked) -> Read:
        args, kwargs = as_call(signature, bound)
        with stage(reading(name, at, asked.static)) as tell:
            lifted = lift(program, args, kwargs)
            tell(statements(lifted.program))
        places = {p.name: p.array for p in lifted.parameters if p.array is not None}
        pinned = {p.name: p.value for p in lifted.parameters if p.array is None}
        return Read(
            program=lifted.program,
            places=places,
            outputs=_outputs(lifted, places, asked.of, name, at),
            pinned=pinned,
            constants=lifted.constants,
        )

    call = None if isinstance(program, dace.SDFG) else _run
    return Subject(name=name, signature=signature, at=at, call=call, read=read)


def _name(program: Any) -> str:
    return str(program.name if isinstance(program, dace.SDFG) else program.f.__name__)


def _location(program: Any) -> Location | None:
    if isinstance(program, dace.SDFG):
        return None
    return definition(program.f)


def _signature(program: Any) -> inspect.Signature:
    if not isinstance(program, dace.SDFG):
        return inspect.signature(program.f)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    symbols = [n for n in sorted(program.free_symbols) if n not in parameter_names(program)]
    optional = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in symbols]
    return inspect.Signature([*(inspect.Parameter(n, kind) for n in parameter_names(program)), *optional])


def _outputs(lifted: Lifted, places: Mapping[str, str], of: Any, name: str, at: Location | None) -> tuple[str, ...]:
    if of is None:
        if not lifted.results:
            hint = "Name an argument that it writes with 'of'."
            raise BadArgument(f"'{name}' returns nothing to differentiate.", at=at, hint=hint)
        return lifted.results
    wanted = of if isinstance(of, tuple | list) else (of,)
    return tuple(_output(lifted, places, item, name, at) for item in wanted)


def _output(lifted: Lifted, places: Mapping[str, str], item: Any, name: str, at: Location | None) -> str:
    if isinstance(item, int) and -len(lifted.results) <= item < len(lifted.results):
        return lifted.results[item]
    if item in places:
        return places[item]
    raise BadArgument(f"'{name}' has no output '{item}'.", at=at, hint=f"Its arguments are {', '.join(places)}.")


def _run(program: Any, bound: Mapping[str, Any]) -> Any:
    """The program itself, run by DaCe, for differences."""
    given = {n: np.array(v) if isinstance(v, np.ndarray) else v for n, v in bound.items() if v is not None}
    result = program(**given)
    for name, value in bound.items():
        if isinstance(value, np.ndarray):
            value[...] = given[name]
    return result
