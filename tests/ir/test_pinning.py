"""Int arguments that must be constants: the number is put into the program, or the program is read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daad.api.call.planned_call import plan_call
from daad.api.subject.arguments import bind
from daad.api.subject.reading import subject_of
from daad.api.subject.request import Request
from daad.frontend.python import Asked, build_program
from daad.frontend.python.syntax.source import function_source
from daad.ir.interpreter import run
from daad.ir.pinning import is_computed_with, pinned
from daad.ir.printer import program_text

X = np.linspace(0.1, 0.9, 7)
N = 4


def bound_of_a_loop(x, n):
    for _ in range(n):
        x[1:-1] = np.sin(x[1:-1] + x[2:])
    return np.sum(x)


def bounds_of_loops(x, n):
    for k in range(n):
        for _ in range(k, n):
            x[1:-1] = np.sin(x[1:-1] * x[2:]) + k * x[1:-1]
    return np.sum(x)


def value(x, n):
    step = 1.0 / n
    for _ in range(n):
        x[1:-1] = np.sin(x[1:-1] + step * x[2:])
    return np.sum(x)


def condition(x, n):
    for k in range(n):
        if k < n - 1:
            x[1:-1] = np.sin(x[1:-1] + x[2:])
    return np.sum(x)


PUT_IN = (bound_of_a_loop, bounds_of_loops)
READ_AGAIN = (value, condition)


@pytest.mark.parametrize("function", [*PUT_IN, *READ_AGAIN], ids=lambda f: f.__name__)
def test_program_is_read_again_where_values_are_made_from_the_number(function: Callable[..., Any]) -> None:
    subject, reads = subject_of(function), []

    def read(*asked: Any) -> Any:
        reads.append(asked)
        return subject.read(*asked)

    bound = bind(subject.signature, subject.name, (X, N), {})
    found = plan_call(replace(subject, read=read), bound, Request()).read
    assert len(reads) == (1 if function in PUT_IN else 2)
    assert found.pinned == {"n": N}
    assert "n" not in found.places
    static = build_program(function_source(function), (X, N), asked=Asked(static=frozenset("n"))).program
    assert program_text(found.program) == program_text(static)


@pytest.mark.parametrize("function", PUT_IN, ids=lambda f: f.__name__)
def test_number_in_its_place_changes_no_result(function: Callable[..., Any]) -> None:
    program = build_program(function_source(function), (X, N)).program
    assert program.integers == ("n",)
    assert not is_computed_with(program, "n")
    fixed = pinned(program, "n", N)
    assert not fixed.integers
    expected = run(program, {"x": X.copy(), "n": N})
    for name, array in run(fixed, {"x": X.copy()}).items():
        np.testing.assert_array_equal(array, expected[name])
