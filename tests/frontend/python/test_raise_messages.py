"""What a program says in `raise` and `assert` is what the user reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.array([3.0, 1.0])
LIMIT = 2.5


class TooLarge(ValueError):
    pass


def formatted(x, n):
    if n > 1:
        raise ValueError(f"n = {n!r} of {x.shape[0]}, {x.ndim:02d}, limit {LIMIT:.2f}")
    return x[0]


def in_percent(x, n):
    if n > 1:
        raise TooLarge("n is %d, and not %s." % (n, "one"))  # noqa: UP031
    return x[0]


def leaving(x, n):
    if np.any(x > LIMIT):
        sys.exit(f"x is {'large'}")
    return x[0]


def joined(x, n):
    if np.any(x > LIMIT):
        raise TooLarge("some of x " + "are large\n  here")
    return x[0]


def of_data(x, n):
    if x[0] > LIMIT:
        raise ValueError(f"x is {x[0]:.3f} at {n}")
    return x[0]


def silent(x, n):
    if x[0] > LIMIT:
        raise TooLarge
    return x[0]


def with_a_number(x, n):
    if n > 1:
        raise ValueError(n, "is too much")
    return x[0]


def asserted(x, n):
    assert x.shape == (3,), f"x has shape {x.shape}, expected {(3,)}"
    return x[0]


def asserted_of_data(x, n):
    assert np.all(x < LIMIT), "x must be small."
    return x[0]


def asserted_silently(x, n):
    assert np.all(x < LIMIT)
    return x[0]


def too_large(x):
    raise TooLarge("x is large")


def on_a_side(x, n):
    return too_large(x) if x[0] > LIMIT else x[0]


def on_the_right_side(x, n):
    y = x[0] > LIMIT and too_large(x)
    return x[0] * y


def on_both_sides(x, n):
    return too_large(x) if x[0] > LIMIT else too_large(-x)


def of_tolerances(x, n):
    return np.linalg.matrix_rank(np.outer(x, x), tol=x) * x[0] if x[0] > LIMIT else x[0]


SAID: list[tuple[Callable[..., Any], str]] = [
    (formatted, "The program raises 'ValueError' here: n = 2 of 2, 01, limit 2.50."),
    (in_percent, "The program raises 'TooLarge' here: n is 2, and not one."),
    (joined, "The program raises 'TooLarge' here: some of x are large here."),
    (of_data, "The program raises 'ValueError' here: x is {x[0]} at {n}."),
    (leaving, "The program exits here: x is large."),
    (silent, "The program raises 'TooLarge' here."),
    (with_a_number, "The program raises 'ValueError' here."),
    (asserted, "An assertion of the program fails: x has shape (2,), expected {(3,)}."),
    (asserted_of_data, "An assertion of the program fails: x must be small."),
    (asserted_silently, "An assertion of the program fails."),
    (on_a_side, "The program raises 'TooLarge' here: x is large."),
    (on_the_right_side, "The program raises 'TooLarge' here: x is large."),
    (on_both_sides, "The program raises 'TooLarge' here: x is large."),
    (of_tolerances, "Several tolerances are not supported."),
]


@pytest.mark.parametrize(("program", "sentence"), SAID, ids=lambda row: getattr(row, "__name__", ""))
def test_the_programs_own_words_are_shown(program: Callable[..., Any], sentence: str) -> None:
    with pytest.raises(daad.Unsupported) as caught:
        Gradient(program, Request(), compiler=Interpreted)(X, 2)  # type: ignore[arg-type]
    assert caught.value.message == sentence
