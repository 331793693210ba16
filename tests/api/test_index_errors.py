"""An index outside of its axis ends a call as NumPy ends it, with an error; nothing is read or written there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from tests import programs
from tests.corpus.case import row
from tests.oracle import check_gradient

X = np.linspace(0.1, 1.0, 6)


def too_many_trips(x):
    for i in range(10):
        x[i] = x[i] * 2
    return np.sum(x)


def trips_by_argument(x, n):
    for i in range(n):
        x[i] = x[i] * 2
    return np.sum(x)


def read_only(x):
    s = 0.0
    for i in range(7):
        s += x[i] * x[i]
    return s


def gathered_in_a_loop(x, index):
    s = 0.0
    for i in range(len(index)):
        s += x[index[i]] ** 2
    return s


def gathered(x, index):
    return np.sum(x[index] ** 2)


def scattered(x, index):
    for i in range(3):
        x[index[i]] = x[index[i]] * 2
    return np.sum(x * x)


def neighbour_if(x, a):
    s = 0.0
    for i in range(x.shape[0]):
        if a[i] > 0.5:
            s += x[i + 1] * x[i]
    return s


def neighbour_if_there(x, a):
    s = 0.0
    for i in range(x.shape[0]):
        if a[i] > 0.5 and i + 1 < len(x):
            s += x[i + 1] * x[i]
    return s


def behind_the_largest(x):
    return x[np.argmax(x) + 1] * 2


def wrapped(x):
    s = 0.0
    for i in range(150):
        s += x[np.int64(i).astype(np.int8) % 64]
        x[np.int64(i).astype(np.int8)] = s
    return s


def truncated(x):
    s = 0.0
    for i in range(5):
        s += x[int(i * 1.9)] ** 2
    return s


def integers(*values: int) -> np.ndarray:
    return np.array(values)


def backwards(x, k):
    return np.sum(x[::-1][k] ** 2) + x[k[0] - 1]


# A program, its arguments, and the index that is outside, None where all are inside.
ROWS: list[tuple[Callable[..., Any], tuple[Any, ...], int | None]] = [
    (too_many_trips, (X,), 6),
    (trips_by_argument, (X, 9), 6),
    (trips_by_argument, (X, 6), None),
    (read_only, (X,), 6),
    (gathered_in_a_loop, (X, integers(0, 17, 2)), 17),
    (gathered_in_a_loop, (X, integers(0, -7, 2)), -7),
    (gathered_in_a_loop, (X, integers(0, -6, 2)), None),
    (gathered, (X, integers(0, 6)), 6),
    (backwards, (X, integers(0, 6)), 6),
    (backwards, (X, integers(1, -7)), -7),
    (gathered, (X, integers(0, -1, 5)), None),
    (scattered, (X, integers(0, 7, 2)), 7),
    (scattered, (X, integers(0, -1, 2)), None),
    (neighbour_if, (X, X), 6),
    (neighbour_if, (X, X[::-1].copy()), None),
    (neighbour_if_there, (X, X), None),
    (wrapped, (X,), -107),
    (truncated, (X,), 7),
    (behind_the_largest, (X,), 6),
    (behind_the_largest, (X[::-1].copy(),), None),
]
COMPILED = (truncated, read_only, gathered_in_a_loop, scattered, neighbour_if)


RUNS = [(programs.interpreted, *r) for r in ROWS] + [(programs.compiled, *r) for r in ROWS if r[0] in COMPILED]


@pytest.mark.parametrize(
    ("ready", "function", "arguments", "outside"), RUNS, ids=lambda v: getattr(v, "__name__", None)
)
def test_index_outside_is_an_error(ready: Any, function: Any, arguments: Any, outside: int | None) -> None:
    case = row(function, lambda: tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments), "x")
    gradient = ready(case)
    if outside is None:
        check_gradient(gradient(*case.arguments()), case)
        return
    with pytest.raises(IndexError):
        function(*case.arguments())
    with pytest.raises(daad.BadArgument) as error:
        gradient(*case.arguments())
    assert error.value.message == f"Index {outside} is out of bounds for an axis of size 6."
    assert error.value.at is not None
    assert error.value.at.file == __file__
    if function is gathered_in_a_loop:
        valid = (X.copy(), integers(0, 1, 2))
        check_gradient(gradient(*valid), row(function, lambda: (X.copy(), integers(0, 1, 2)), "x"))


def window(x, start):
    i = start[0]
    return np.sum(x[i - 1 : i + 2] ** 2)


def written_window(x, start):
    i = start[0]
    y = np.zeros(6)
    y[i - 1 : i + 2] = 2.0
    return np.sum(y * x)


@pytest.mark.parametrize("ready", [programs.interpreted, programs.compiled])
@pytest.mark.parametrize("function", [window, written_window])
@pytest.mark.parametrize(
    ("start", "outside"), [(1, None), (4, None), (5, 6), (0, -1), (-1, -2), (-2, -3), (-3, None), (-6, -1)]
)
def test_window_that_numpy_cuts_off_is_an_error(ready: Any, function: Any, start: int, outside: int | None) -> None:
    case = row(function, lambda: (X.copy(), integers(start)), "x")
    if outside is None:
        check_gradient(ready(case)(*case.arguments()), case)
        return
    with pytest.raises(daad.BadArgument, match=f"Index {outside} is out of bounds for an axis of size 6."):
        ready(case)(*case.arguments())


def of_a_part(x, k):
    return np.sum(x[1:4][k] ** 2)


def of_every_second(x, k):
    return np.sum(x[::2][k] ** 2)


def one_of_a_part(x, k):
    return x[1:4][k[0]] ** 2


def of_what_is_computed(x, k):
    return np.sum(np.exp(x[1:4])[k] ** 2)


def of_a_choice(x, k):
    return np.sum(np.where(x[1:4] > 0.0, x[1:4], 0.0)[k] ** 2)


def of_a_row(x, k):
    return np.sum(x.reshape(2, 3)[1][k] ** 2)


def taken_of_a_part(x, k):
    return np.sum(np.take(x[1:4], k) ** 2)


def taken_along_a_part(x, k):
    return np.sum(np.take_along_axis(x[1:4], k, 0) ** 2)


def written_into_a_part(x, k):
    y = np.zeros(6)
    y[1:4][k] = 2.0
    return np.sum(y * x)


def added_to_a_part(x, k):
    y = np.zeros(6)
    y[1:4][k[0]] += x[0]
    return np.sum(y * x)


def added_at_places_of_a_part(x, k):
    y = np.zeros(6)
    np.add.at(y[1:4], k, x[0])
    return np.sum(y * x)


def counted_along_a_part(x, k):
    s = 0.0
    for i in range(k[0]):
        s += x[1:4][i - 1] ** 2
    return s


OF_PARTS = [
    of_a_part, of_every_second, one_of_a_part, of_what_is_computed, of_a_choice, of_a_row, taken_of_a_part,
    taken_along_a_part, written_into_a_part, added_to_a_part, added_at_places_of_a_part,
]  # fmt: skip


@pytest.mark.parametrize("function", OF_PARTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("index", [2, -3, 3, -4])
def test_index_outside_of_a_part_is_an_error_though_the_array_goes_on(function: Any, index: int) -> None:
    case = row(function, lambda: (X.copy(), integers(index)), "x")
    gradient = programs.interpreted(case)
    if -3 <= index < 3:
        check_gradient(gradient(*case.arguments()), case)
        return
    with pytest.raises(IndexError):
        function(*case.arguments())
    with pytest.raises(daad.BadArgument, match=f"Index {index} is out of bounds for an axis of size 3."):
        gradient(*case.arguments())


def test_loops_go_no_further_than_a_part() -> None:
    case = row(counted_along_a_part, lambda: (X.copy(), integers(4)), "x")
    check_gradient(programs.interpreted(case)(*case.arguments()), case)
    with pytest.raises(daad.BadArgument, match=r"Index 3 is out of bounds for an axis of size 3\."):
        programs.interpreted(case)(X.copy(), integers(5))
