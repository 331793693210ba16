"""Values of the outputs without a gradient: by the user's own function, or by the interpreter for local variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject import complex_views, static_arguments
from daad.api.subject.request import Request, seeds_of
from daad.api.subject.subject import Subject, arguments_of
from daad.frontend import structures
from daad.ir.interpreter import run


def evaluate(subject: Subject, bound: Mapping[str, Any], request: Request, function: Any) -> float:
    """The seeded sum of the outputs; arguments that the function overwrites change."""
    return float(seeded(outputs(subject, bound, request, function), request))


def seeded(outputs: Sequence[Any], request: Request) -> Any:
    """The sum of all outputs, each element with its seed."""
    seeds = seeds_of(request, len(outputs))
    return sum(_weighted(v, 1.0 if s is None else s) for v, s in zip(outputs, seeds, strict=True))


def _weighted(output: Any, seed: Any) -> Any:
    """Of complex numbers, real and imaginary parts each with those of the seed."""
    if not np.iscomplexobj(seed):
        return np.sum(np.asarray(output) * seed)
    return np.sum(np.real(np.conj(seed) * output))


def is_interpreted(subject: Subject, bound: Mapping[str, Any], request: Request) -> bool:
    """Whether only the interpreter shows the outputs: local variables, programs that Python cannot run, and those that
    would change what the next run begins with."""
    return (
        subject.call is None
        or subject.changes_outside()
        or any(isinstance(n, str) and n not in bound and not structures.is_way(n) for n in _names(request))
    )


def _names(request: Request) -> list[str | int]:
    return [request.of] if isinstance(request.of, str | int) else list(request.of or ())


def outputs(subject: Subject, bound: Mapping[str, Any], request: Request, function: Any) -> list[Any]:
    """What is differentiated, in order; arguments that the function overwrites change."""
    if subject.call is None or is_interpreted(subject, bound, request):
        return _interpreted(subject, bound, request)
    value, names = subject.call(function, bound), _names(request)
    if not names:
        return [v for _, v in calls.flatten("", structures.all_opened(value))]
    return [_named(n, bound, value) for n in names]


def _named(name: str | int, bound: Mapping[str, Any], value: Any) -> Any:
    if structures.is_way(name):
        return structures.within(value, str(name))
    return bound[name] if isinstance(name, str) else value[name]


def _interpreted(subject: Subject, bound: Mapping[str, Any], request: Request) -> list[Any]:
    read = static_arguments.read(subject, bound, request)
    end = run(read.program, arguments_of(read, bound))
    return [complex_views.joined(end[n]) if n in read.pairs else end[n] for n in read.outputs]
