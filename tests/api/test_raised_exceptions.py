"""Exceptions of the program's own that data decide: raised by the gradient, too, at their places."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.compilation import compile_program
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import row
from tests.oracle import check_gradient
from tests.programs import interpreted


def raises(x):
    if np.any(x <= 0.0):
        raise ValueError("x must be positive")
    return np.sum(np.log(x))


def asserts(x):
    assert x.ndim == 1
    assert np.isfinite(x).all(), f"not finite: {x}"
    return np.sum(x * x)


def asserts_in_a_loop(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
        assert total < 20.0
        x[k] = total
    return np.sum(x)


def first_of_two(x):
    for v in x:
        if v < 0.0:
            raise ValueError("negative")
        assert v < 5.0
    return np.prod(x)


def root(v):
    if v < 0.0:
        raise ValueError("no root")
    return np.sqrt(v)


def raised_in_a_function(x):
    return sum(root(v) for v in x)


def not_found(x):
    e, n = np.sum(x), 0
    while e > 0.1:
        e, n = 0.5 * e, n + 1
        if n > 6:
            raise RuntimeError("no convergence")
    return e


def never_ends_without(x):
    if x[1] < 0:
        raise ValueError("grows for ever")
    e = x[0]
    while e > 0.1:
        e = 0.5 * e if x[1] > 0 else e
    return e


def fitted(x):
    return np.linalg.lstsq(np.stack((x, np.ones(3)), axis=1), x, rcond=None)[0][0]


def integers_divided(x):
    s = 0.0
    for k in range(1, 3):
        s += x[k] * (7 // int(x[k])) + x[k] * (k // 2) + x[k] * (5 % (k + 1))
    return s


def pairs_of_integers(x):
    whole, rest = divmod(7, int(x[2]))
    return x[0] * whole + x[1] * rest


def only_finite(x):
    return np.sum(np.asarray_chkfinite(x) ** 2)


GOOD = np.array([0.5, 1.5, 2.0])
ROWS: tuple[tuple[Callable[..., Any], np.ndarray, str, np.ndarray], ...] = (
    (raises, np.array([0.5, -1.5, 2.0]), "raise ValueError", 1.0 / GOOD),
    (asserts, np.array([0.5, np.nan, 2.0]), "assert np.isfinite", 2.0 * GOOD),
    (asserts_in_a_loop, np.array([2.0, 4.0, 1.0]), "assert total", GOOD * [6.0, 4.0, 2.0]),
    (only_finite, np.array([0.5, np.nan, 2.0]), "raise ValueError", 2.0 * GOOD),
    (first_of_two, np.array([6.0, -1.0, 1.0]), "assert v", 1.5 / GOOD),
    (first_of_two, np.array([-1.0, 6.0, 1.0]), "raise ValueError", 1.5 / GOOD),
    (raised_in_a_function, np.array([1.0, 6.0, -1.0]), "raise ValueError", 0.5 / np.sqrt(GOOD)),
    (fitted, np.array([0.5, 0.5, 0.5]), "np.linalg.lstsq", np.zeros(3)),
    (integers_divided, np.array([0.5, 1.5, 0.9]), "7 // int(x[k])", np.array([0.0, 8.0, 6.0])),
    (pairs_of_integers, np.array([0.5, 1.5, 0.9]), "divmod(7", np.array([3.0, 1.0, 0.0])),
    (never_ends_without, np.array([0.5, -1.5, 2.0]), "raise ValueError", np.array([0.125, 0.0, 0.0])),
    (not_found, np.array([10.0, 6.0, 1.0]), "raise RuntimeError", np.full(3, 0.5**6)),
)


@pytest.mark.parametrize("compiler", [Interpreted, compile_program])
@pytest.mark.parametrize(("function", "bad", "line", "expected"), ROWS, ids=lambda v: getattr(v, "__name__", None))
def test_gradient_raises_where_the_program_does(
    function: Any, bad: np.ndarray, line: str, expected: np.ndarray, compiler: Any
) -> None:
    gradient = Gradient(function, Request(), compiler=compiler)
    for _ in range(2):
        np.testing.assert_allclose(gradient(GOOD.copy()), expected, rtol=1e-12, atol=1e-12)
        with pytest.raises(daad.Unsupported) as caught:
            gradient(bad.copy())
        assert line in caught.value.render()


def steps(x, n):
    for _ in range(n):
        x = x + 0.1 * np.sin(x) * x
        assert np.all(x < 4.0)
    return np.sum(x)


def test_checks_hold_within_memory_limits() -> None:
    kept = Gradient(steps, Request(), compiler=Interpreted)
    x = np.linspace(0.1, 0.5, 20)
    expected = kept(x, 30)
    limit = kept.memory.modelled * 2 // 3
    gradient = Gradient(steps, Request(memory_limit=limit), compiler=Interpreted)
    np.testing.assert_allclose(gradient(x, 30), expected, rtol=1e-12)
    with pytest.raises(daad.Unsupported, match="An assertion of the program fails"):
        gradient(10.0 * x, 30)


def logarithms(x):
    s = 0.0
    for v in x:
        try:
            s += math.log(float(v))
        except ValueError:
            s += 1.0
    return s


def quotient(x):
    try:
        y = 1.0 / float(x[0])
    except ZeroDivisionError:
        y = 3.0
    return np.sum(x) * y


def factorised(x):
    try:
        L = np.linalg.cholesky(np.diag(x))
    except np.linalg.LinAlgError:
        return np.sum(x * x)
    return np.sum(np.log(np.diag(L)))


def quotient_of_a_function(x):
    try:
        return operator.truediv(1.0, float(x[0])) * x[2]
    except ZeroDivisionError:
        return np.sum(x)


def power_of_a_function(x):
    try:
        return pow(float(x[0]), -1.5) * x[2]
    except ZeroDivisionError:
        return np.sum(x)


def rounded_down(x):
    try:
        return math.floor(np.log(x[0]) * 1.01) * x[1]
    except OverflowError:
        return np.sum(x)


def quotient_of_complex_numbers(x):
    try:
        return ((1.0 + 2.0j) / complex(float(x[0]), 0.0)).real * x[2]
    except ZeroDivisionError:
        return np.sum(x)


def root_and_quotient(x):
    try:
        y = math.sqrt(x[0])
        return y / float(x[0])
    except (ValueError, ZeroDivisionError) as error:
        return x[2] * (2.0 if isinstance(error, ValueError) else 3.0)


def apart(x):
    try:
        return math.exp(700.0 * x[1]) if x[1] < 1.5 else math.exp(300.0 * x[1]) * math.log(x[0])
    except OverflowError:
        return np.sum(x)
    except ValueError:
        return x[2] ** 2


def said_to_be_positive(x):
    K = np.outer(x, x) + x[1] * np.eye(3)
    try:
        return np.sum(scipy.linalg.solve(K, x, assume_a="pos") ** 2)
    except np.linalg.LinAlgError:
        return np.sum(scipy.linalg.lstsq(K, x)[0] ** 3)


def neighbours(x):
    s = 0.0
    for i in range(len(x)):
        try:
            s += x[i] * x[i + 1]
        except IndexError:
            s += x[i] ** 2
    return s


def places(x):
    s = 0.0
    for i in range(len(x)):
        try:
            s += x[i] * x[int(2.3 * abs(x[i]))]
        except IndexError:
            s += x[i] ** 2
    return s


def on_one_side(x):
    y = x[2]
    if x[1] > 0:
        try:
            y = math.log(float(x[0]))
        except ValueError:
            y = x[2] ** 2
    return y * x[1]


def until_small(x):
    s, n = x[2], 0
    while s > 0.1 and n < 6:
        try:
            s = s * math.sqrt(1.03 - n * x[0])
        except ValueError:
            s = s * 0.5 * x[0]
        n += 1
    return s


FUNCTIONS = [
    root_and_quotient,
    apart,
    said_to_be_positive,
    neighbours,
    places,
    on_one_side,
    until_small,
    quotient_of_complex_numbers,
    logarithms,
    quotient,
    factorised,
    quotient_of_a_function,
]
AT_ZERO = [*FUNCTIONS, power_of_a_function, rounded_down]


OTHERS = np.array([-0.3, 0.7, 1.5]), np.array([-0.3, 2.7, 0.4]), np.array([-0.4, -2.0, 1.5])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_a_handler_waits_for_goes_to_it(function: Any) -> None:
    case = row(function, lambda: (np.array([0.5, 2.0, 1.5]),), "x")
    gradient = interpreted(case)
    check_gradient(gradient(*case.arguments()), case)
    for x in OTHERS:
        check_gradient(gradient(x), replace(case, arguments=lambda x=x: (x.copy(),)), first_step=1e-5, rtol=1e-5)


@pytest.mark.parametrize("function", AT_ZERO)
def test_a_zero_goes_to_it(function: Any) -> None:
    gradient = Gradient(function, Request(value=True), compiler=Interpreted)
    x, step = np.array([0.0, -2.0, 1.5]), 1e-6
    gradient(np.array([0.5, 2.0, 1.5]))
    value, found = gradient(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    for k in (1, 2):  # in the first number it is no function
        up, down = (x + sign * step * np.eye(3)[k] for sign in (1, -1))
        np.testing.assert_allclose(found[k], (function(up) - function(down)) / (2 * step), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", [logarithms, quotient, factorised, places])
def test_it_ends_the_call_where_nothing_is_decided(function: Any) -> None:
    gradient, x = Gradient(function, Request(on_decision="refuse"), compiler=Interpreted), np.array([0.0, -2.0, 1.5])
    with pytest.raises(daad.Unsupported, match="which a 'try' of the program could catch"):
        gradient(x)
    assert x.tolist() == [0.0, -2.0, 1.5]


def either(x):
    try:
        return math.pow(x[0], -800.0)
    except OverflowError:
        return x[1]
    except ValueError:
        return x[2]


def test_a_number_that_stands_for_two_exceptions_ends_the_call() -> None:
    gradient = interpreted(row(either, lambda: (np.array([1.5, 2.0, 1.5]),), "x"))
    for first in (0.0, 0.1):
        with pytest.raises(daad.Unsupported, match="which a 'try' of the program could catch"):
            gradient(np.array([first, 2.0, 1.5]))


def either_power(x):
    try:
        return pow(float(x[0]), -800.0)
    except OverflowError:
        return x[1]
    except ZeroDivisionError:
        return x[2]


@pytest.mark.parametrize(("first", "place"), [(0.0, 2), (0.1, 1)])
def test_a_power_of_zero_is_told_from_a_large_one(first: float, place: int) -> None:
    (found,) = interpreted(row(either_power, lambda: (np.array([1.5, 2.0, 1.5]),), "x"))(np.array([first, 2.0, 1.5]))
    np.testing.assert_array_equal(found, np.eye(3)[place])


def root_or_not(x):
    try:
        return math.sqrt(x[0]) * x[2]
    except ValueError:
        return x[1] * x[2]


def sine_or_not(x):
    try:
        return math.sin(x[0]) * x[2]
    except ValueError:
        return x[1] * x[2]


def exponential_or_not(x):
    try:
        return math.exp(x[0]) * x[2]
    except OverflowError:
        return x[1] * x[2]


def inverse_or_not(x):
    try:
        return np.sum(np.linalg.inv(np.array([[x[0], 1.0], [1.0, x[1]]])))
    except np.linalg.LinAlgError:
        return x[2]


@pytest.mark.parametrize("function", [root_or_not, sine_or_not, exponential_or_not, inverse_or_not])
def test_a_result_without_an_exception_may_not_be_finite(function: Any) -> None:
    gradient = Gradient(function, Request(value=True), compiler=Interpreted)
    for number in (0.5, -1.0, np.nan, np.inf, -np.inf, -2.0, 1000.0, 1 / 1.25, np.nan):
        x = np.array([number, 1.25, 0.4])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(gradient(x)[0], function(x), rtol=1e-12)
