"""Whole numbers of Python's have no limit, those of a compiled loop have 64 bits: what passes them is written out, or
refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted


def factorial(x, n):
    product = 1
    for i in range(2, n + 1):
        product *= i
    return x / product


def terms(x, n):
    total = 0.0
    for k in range(n):
        product = 1
        for i in range(2, k + 1):
            product = product * i
        total += x**k / product
    return total


def binomials(x, n):
    total = 0.0
    for k in range(n + 1):
        above, below = 1, 1
        for i in range(k):
            above *= n - i
            below *= i + 1
        total += x**k * (above // below)
    return total


def powers_of_ten(x, n):
    total = 0.0
    for k in range(n):
        total += x / 10**k
    return total


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * a


def shifted(x, n):
    number = 0
    for i in range(n):
        number = (number << 8) + i + 1
    return x * number


def listed(x, n):
    powers, total = [2**k for k in range(80)], 0.0
    for k in range(n):
        total += x / powers[k]
    return total


def negative_powers(x, n):
    total = 0.0
    for k in range(-n, n):
        total += x * 10 ** (-k) + 2**k * x**2 + (-1) ** k * x
    return total


def digits(x, n):
    total = 0.0
    for k in range(n):
        exponent = int(np.floor(np.log10(x * 0.01 * 3**k)))
        total += round(x * 3**k / 10**exponent) * x
    return total


def power_of_data(x, n):
    exponent = int(np.floor(np.log10(x))) - n
    return x * 10**exponent + n / 10**-exponent


def generator(x, n):
    state = 1
    for _ in range(n):
        state = (state * 6364136223846793005 + 1) % 2**64
    return x * (state % 1000)


ROWS = (factorial, terms, binomials, powers_of_ten, fibonacci, shifted, listed, generator)


@pytest.mark.parametrize("function", ROWS, ids=lambda value: value.__name__)
def test_a_loop_whose_numbers_pass_64_bits_is_written_out(function: Callable[..., Any]) -> None:
    gradient = Gradient(function, Request(wrt=("x",), value=True), compiler=Interpreted)
    for n in (5, 80, 15):
        value, slope = gradient(1.5, n)
        assert np.isclose(value, function(1.5, n), rtol=1e-12)
        assert np.isclose(slope, (function(1.5001, n) - function(1.4999, n)) / 2e-4, rtol=1e-4)


@pytest.mark.parametrize("function", [negative_powers, digits, power_of_data], ids=lambda value: value.__name__)
def test_negative_powers_of_whole_numbers_are_floats(function: Callable[..., Any]) -> None:
    gradient = Gradient(function, Request(wrt=("x",), value=True), compiler=Interpreted)
    for n in (1, 9):
        value, slope = gradient(1.537, n)
        assert np.isclose(value, function(1.537, n), rtol=1e-12)
        assert np.isclose(slope, (function(1.537001, n) - function(1.536999, n)) / 2e-6, rtol=1e-6)


def test_where_data_decide_them_they_are_refused() -> None:
    def grown(x: Any, n: Any) -> Any:
        number = int(x)
        for _ in range(n):
            number = number * 1000
        return x * number

    gradient = Gradient(grown, Request(wrt=("x",), value=True), compiler=Interpreted)
    assert gradient(7.5, 5)[0] == 7.5 * 7e15
    with pytest.raises(daad.Unsupported, match="A whole number passes 64 bits here"):
        gradient(7.5, 9)
