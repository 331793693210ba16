"""Values of the outputs without a gradient: by the user's own function, or by the interpreter for local variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from daad import arguments as calls
from daad.program.interpreter import run
from daad.specialise import Request, seeds_of
from daad.subject import Subject


def evaluate(subject: Subject, bound: Mapping[str, Any], request: Request, function: Any) -> float:
    """The seeded sum of the outputs; arguments that the function overwrites change."""
    outputs = _outputs(subject, bound, request, function)
    seeds = seeds_of(request, len(outputs))
    return float(sum(np.sum(np.asarray(v) * _weight(s)) for v, s in zip(outputs, seeds, strict=True)))


def _weight(seed: Any) -> Any:
    return 1.0 if seed is None else seed


def _outputs(subject: Subject, bound: Mapping[str, Any], request: Request, function: Any) -> list[Any]:
    of = request.of
    names = [of] if isinstance(of, str | int) else list(of or ())
    local = any(isinstance(n, str) and n not in bound for n in names)
    if local or subject.call is None:
        return _interpreted(subject, bound, request)
    value = subject.call(function, bound)
    if not names:
        return [v for _, v in calls.flatten("", value)]
    return [bound[n] if isinstance(n, str) else value[n] for n in names]


def _interpreted(subject: Subject, bound: Mapping[str, Any], request: Request) -> list[Any]:
    read = subject.read(bound, request.of, frozenset())
    leaves = dict(calls.leaves(bound))
    arguments = {program: leaves[user] for user, program in read.places.items() if user in leaves}
    end = run(read.program, {**read.constants, **arguments})
    return [end[n] for n in read.outputs]
