"""Programs read like the user's code: one nest per statement, the user's names, no needless temporaries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daad.ir.printer import program_text
from tests.corpus.case import normal
from tests.frontend.python.running import built


def jacobi(A, B, steps):
    for t in range(1, steps):  # noqa: B007 (as NPBench has it)
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def in_place_factorisation(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]


def row_sweep(A):
    for i in range(1, A.shape[0]):
        A[i, 1:-1] = A[i - 1, 1:-1] + A[i - 1, 2:]


def shift_in_place(x):
    x[1:] = x[:-1] * 2.0


def scalar_recurrence(x, w):
    s = 0
    for i in range(len(x)):
        s += x[i] * w[i]
    return s


def exchanged_buffers(x, n):
    old = x.copy()
    new = np.zeros_like(x)
    for _ in range(n):
        new[1:] = old[:-1]
        old, new = new, old
    return old


def branch_on_data(x):
    for i in range(len(x)):
        if x[i] > 0:
            y = x[i] * 2.0
        else:
            y = 1.0
        x[i] = y


def function_inlined(x, w):
    def scale(v, factor):
        v *= factor

    scale(x[1:4], w[0])
    return x


def gather(x, idx):
    return x[idx]


def masked(x):
    x[x > 0] = np.sqrt(x[x > 0])
    return np.sum(x)


ROWS: tuple[tuple[Callable[..., Any], tuple[Any, ...], str | None], ...] = (
    (jacobi, (normal(1, 6, 6), normal(2, 6, 6), 4), "A"),
    (in_place_factorisation, (normal(1, 5, 5),), "A"),
    (row_sweep, (normal(1, 5, 6),), "A"),
    (shift_in_place, (normal(1, 6),), "x"),
    (scalar_recurrence, (normal(1, 6), normal(2, 6)), None),
    (exchanged_buffers, (normal(1, 6), 5), None),
    (branch_on_data, (normal(1, 6),), "x"),
    (function_inlined, (normal(1, 6), normal(2, 6)), None),
    (gather, (normal(1, 6), np.array([3, 0, -1])), None),
    (masked, (normal(1, 6),), None),
)
GOLDEN = Path(__file__).with_name("golden")


@pytest.mark.parametrize(("function", "arguments", "of"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_text_of_program(
    function: Callable[..., Any], arguments: tuple[Any, ...], of: str | None, request: pytest.FixtureRequest
) -> None:
    text = program_text(built(function, arguments, of).program) + "\n"
    file = GOLDEN / f"{function.__name__}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(text)
    assert text == file.read_text(), "run 'pytest --update-golden' and read the difference"
