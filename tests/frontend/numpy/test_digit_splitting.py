"""Divisions of affine indices stay affine where they can, and nests over flat indices become nests over digits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from daad.frontend.numpy.shapes.digit_splitting import split_digits
from daad.frontend.numpy.shapes.index_digits import quotient, remainder
from daad.frontend.python import build_program
from daad.frontend.python.syntax.source import function_source
from daad.frontend.staging.memory_order import evaluate
from daad.ir.affine import Affine
from daad.ir.nodes import Index
from daad.ir.printer import body_text, index_text
from tests.frontend.numpy.expressions import OPERANDS, function_of

RANGES = {"i": (0, 3), "j": (0, 2)}
DIVISIONS = (
    ({"i": 3, "j": 1}, 0, 3, "i", "j"),
    ({"i": 3, "j": 1}, 0, 6, "i // 2", "i % 2 * 3 + j"),
    ({"i": 10, "j": 1}, 0, 5, "2*i", "j"),
    ({"i": 6, "j": 2}, 1, 3, "2*i + (2*j + 1) // 3", "(2*j + 1) % 3"),
    ({"i": 4}, 0, 6, "2*i // 3", "2*i % 3 * 2"),
    ({"i": 1, "j": 1}, 0, 4, "(i + j) // 4", "(i + j) % 4"),
    ({}, 7, 5, "1", "2"),
)
SPLIT = {
    "a.ravel() * 2": "for i in 0 .. 3, j in 0 .. 4:  result[4*i + j] = a[i, j] * 2.0",
    "p.ravel()": "for i in 0 .. 2, j in 0 .. 3, k in 0 .. 4:  result[12*i + 4*j + k] = p[i, j, k]",
    "a.ravel()[4:8]": "for i in 0 .. 4:  result[i] = a[1, i]",
    "a.ravel()[1:]": "for i in 0 .. 11:  result[i] = a[(i + 1) // 4, (i + 1) % 4]",
    "a[:, 1]": "for i in 0 .. 3:  result[i] = a[i, 1]",
}


def points() -> list[dict[str, int]]:
    ranges = (range(low, high + 1) for low, high in RANGES.values())
    return [dict(zip(RANGES, point, strict=True)) for point in product(*ranges)]


@pytest.mark.parametrize(("terms", "const", "divisor", "whole", "rest"), DIVISIONS)
def test_divided_forms(terms: dict[str, int], const: int, divisor: int, whole: str, rest: str) -> None:
    form = Affine.build(const, terms)
    found: tuple[Index, Index] = quotient(form, divisor, RANGES), remainder(form, divisor, RANGES)
    assert tuple(map(index_text, found)) == (whole, rest)
    for point in points():
        expected = divmod(form.evaluate(point), divisor)
        assert tuple(evaluate(index, point) for index in found) == expected, point


@pytest.mark.parametrize("expression", SPLIT)
def test_flat_nests_become_nests_over_digits(expression: str) -> None:
    function, names = function_of(expression)
    program = build_program(function_source(function), tuple(np.copy(OPERANDS[n]) for n in names)).program
    assert body_text(split_digits(program.body)) == SPLIT[expression]
