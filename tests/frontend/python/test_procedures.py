"""Functions that are called often are read once, and calls with the same arguments are one call."""

from __future__ import annotations

import numpy as np
import pytest

from daad.frontend.python.calls import procedures
from tests.corpus import procedures as corpus
from tests.corpus.case import Case
from tests.frontend.python.running import assert_same_as_numpy
from tests.oracle import check_gradient
from tests.programs import interpreted

X = np.linspace(0.1, 0.3, 3)


@pytest.fixture
def always(monkeypatch):
    """Already the first call is one of a procedure."""
    monkeypatch.setattr(procedures, "FIRST", 0)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("case", corpus.CASES, ids=lambda c: c.name)
def test_procedures_change_no_result(case: Case) -> None:
    assert_same_as_numpy(case.function, case.arguments())
    check_gradient(interpreted(case)(*case.arguments()), case)


def test_equal_calls_are_one() -> None:
    """Of a recursion with three calls in each there would be very many."""

    def program(x):
        return corpus.hermite(24, 8, x[0], x[1])

    assert_same_as_numpy(program, (X,))


def ending(t, u, x):
    if t == u == 0:
        return x
    if t == 0:
        return 0.5 * x * ending(t, u - 1, x)
    return x * ending(t - 1, u, x) + 1.0


def test_loops_tell_where_a_recursion_ends() -> None:
    def program(x):
        total = 0.0
        for t in range(3):
            for u in range(2):
                total = total + ending(t, u, x[0] * x[1])
        return total

    assert_same_as_numpy(program, (X,))


COUNTS = np.array([1, 2, 3])


def counted(n):
    total = 0
    for i in range(3):
        total = total + COUNTS[i] * n
    return total


def test_a_function_that_reads_what_the_program_writes_does_not_run_before() -> None:
    def program(x):
        COUNTS[0] = 7
        return counted(3) * x[0] + x[1]

    assert_same_as_numpy(program, (X,))
