"""What is differentiated: a Python function, a DaCe program or an SDFG, behind one face."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from daad.arguments import signature_of
from daad.errors import Location
from daad.frontend.python import build_program
from daad.frontend.python.source import function_source
from daad.program.nodes import Program


@dataclass(frozen=True, kw_only=True)
class Read:
    """A program read for given arguments: `places` maps the user's flat parameter names to arrays and integers of the
    Program, `outputs` are the arrays that `of` selects, `pinned` int parameters that became constants, `constants`
    arrays that the program takes from its surroundings."""

    program: Program
    places: Mapping[str, str]
    outputs: tuple[str, ...]
    pinned: Mapping[str, Any]
    constants: Mapping[str, Any]
    value: Any = None


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A program before its arguments are known; `read(bound, of, static)` specialises it.

    `call(function, bound)` runs the user's own function; None where only the interpreter can run it.
    """

    name: str
    signature: inspect.Signature
    at: Location | None
    call: Callable[[Any, Mapping[str, Any]], Any] | None
    read: Callable[[Mapping[str, Any], Any, frozenset[str]], Read]


def subject_of(function: Any) -> Subject:
    """The subject for anything that `daad.grad` takes."""
    if type(function).__module__.split(".")[0] == "dace":
        from daad.dace_subject import dace_subject  # imports DaCe, which is loaded already exactly where this is asked

        return dace_subject(function)
    return _python_subject(function)


def _python_subject(function: Any) -> Subject:
    source = function_source(function)
    signature = signature_of(source)

    def read(bound: Mapping[str, Any], of: Any, static: frozenset[str]) -> Read:
        args, kwargs = as_call(signature, bound)
        built = build_program(source, args, kwargs, of=of, static=static)
        return Read(
            program=built.program,
            places=built.parameters,
            outputs=built.outputs,
            pinned=built.pinned,
            constants=built.constants,
            value=built.results,
        )

    def call(f: Any, bound: Mapping[str, Any]) -> Any:
        args, kwargs = as_call(signature, bound)
        return f(*args, **kwargs)

    at = Location.of(source.node, source.filename)
    return Subject(name=source.name, signature=signature, at=at, call=call, read=read)


def as_call(signature: inspect.Signature, bound: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    arguments = inspect.BoundArguments(signature, OrderedDict(bound))
    return arguments.args, arguments.kwargs
