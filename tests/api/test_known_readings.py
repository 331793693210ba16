"""What one derivative of a function has read serves the next one, as long as all that was seen stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.products import Tangent
from daad.api.subject import reading
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

X = np.array([0.3, -0.7, 1.1])
FACTOR = 2.0


def program(x, steps, name="sine"):
    for _ in range(steps):
        x = np.sin(FACTOR * x) if name == "sine" else FACTOR * x
    return np.sum(x * x)


def sized(x, steps):
    return np.sum(x[: len(range(steps))])


def slope(*args: Any) -> Any:
    return Tangent(program, Request(value=False, product=Product.TANGENT), compiler=Interpreted)(
        *args, tangent=np.ones(3)
    )


def gradient(function: Any, *args: Any) -> Any:
    return Gradient(function, Request(), compiler=Interpreted)(*args)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is read from now on."""
    found: list[Any] = []
    build = reading.build_program
    monkeypatch.setattr(
        reading, "build_program", lambda *args, **kwargs: (found.append(args), build(*args, **kwargs))[1]
    )
    return found


def test_a_second_product_reads_nothing_again(read: list[Any]) -> None:
    total = np.sum(gradient(program, X, 3))
    count = len(read)
    assert slope(X, 3) == pytest.approx(total, rel=1e-13)
    assert len(read) == count


def test_what_differs_is_read(read: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for args in ((X, 2, "line"), (X.astype(np.float32), 2), (np.append(X, 1.0), 2)):
        count = len(read)
        found = gradient(program, *args)
        assert len(read) > count
        np.testing.assert_array_equal(gradient(program, *args), found)
    before = slope(X, 2)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert slope(X, 2) == pytest.approx(np.sum(gradient(program, X, 2)), rel=1e-13)
    assert slope(X, 2) != before


def test_constants_are_compared() -> None:
    for steps in (2, 1, 2, 3):
        np.testing.assert_array_equal(gradient(sized, X, steps), np.arange(3) < steps)


def test_another_definition_is_read() -> None:
    def first(x):
        return np.sum(2.0 * x)

    def second(x):
        return np.sum(5.0 * x)

    assert gradient(first, X)[0] == 2.0
    first.__code__ = second.__code__
    assert gradient(first, X)[0] == 5.0
