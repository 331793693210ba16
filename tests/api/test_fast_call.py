"""The short way of later calls: it serves calls of the same kind, and leaves all others to the long way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.call.fast_call import OTHER
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

SCALE = 2.0


def scaled(x: Any, n: int, mode: str = "once") -> Any:
    y = SCALE * x if mode == "once" else SCALE * x * x
    for _ in range(n):
        y = y * x
    return np.sum(y[: n + 1])


def shifted(x: Any, y: Any) -> Any:
    x[:-1] = x[1:] * y[1:]
    return np.sum(x * y)


def bent(x: np.ndarray, change: Callable[[np.ndarray], Any]) -> np.ndarray:
    change(x)
    return x


@dataclass(frozen=True)
class Row:
    """A gradient is called twice at `before`, and then at `after`; `short`: whether the short way serves that."""

    name: str
    before: Callable[[], tuple[Any, ...]]
    after: Callable[[], tuple[Any, ...]]
    short: bool = False
    function: Any = scaled


def line(size: int = 6) -> np.ndarray:
    return np.linspace(0.5, 1.5, size)


def reshaped(x: np.ndarray) -> None:
    x.shape = (2, 3)


def read_only(x: np.ndarray) -> None:
    x.flags.writeable = False


ROWS = [
    Row("the same kinds", lambda: (line(), 2), lambda: (2.0 * line(), 2), short=True),
    Row("a number that is compiled in", lambda: (line(), 2), lambda: (line(), 3)),
    Row("another type of number", lambda: (line(), 2), lambda: (line(), np.int64(2))),
    Row("a word", lambda: (line(), 2, "once"), lambda: (line(), 2, "twice")),
    Row("the same word", lambda: (line(), 2, "once"), lambda: (line(), 2, "once"), short=True),
    Row("fewer arguments", lambda: (line(), 2, "once"), lambda: (line(), 2)),
    Row("another size", lambda: (line(), 2), lambda: (line(7), 2)),
    Row("another shape in place", lambda: (line(), 2), lambda: (bent(line(), reshaped), 1)),
    Row("another dtype", lambda: (line(), 2), lambda: (line().astype("float32"), 2)),
    Row("every second element", lambda: (line(), 2), lambda: (line(12)[::2], 2)),
    Row("not to be written", lambda: (line(), 2), lambda: (bent(line(), read_only), 2)),
    Row("overwritten", lambda: (line(), line()), lambda: (line(), 2.0 * line()), short=True, function=shifted),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_later_calls(row: Row) -> None:
    def made() -> Gradient:
        return Gradient(row.function, Request(wrt=0), compiler=Interpreted)  # type: ignore[arg-type]

    gradient, fresh = made(), made()
    for _ in range(2):
        gradient(*row.before())
    assert gradient._short is not None
    assert (gradient._short(row.after()) is not OTHER) == row.short
    for found, expected in zip(gradient(*row.after()), fresh(*row.after()), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_what_is_around_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = daad.grad(scaled)
    first = [gradient(line(), 0) for _ in range(3)][-1]
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    np.testing.assert_array_equal(gradient(line(), 0), 1.5 * first)


def test_arguments_that_share_memory_are_refused_by_later_calls_too() -> None:
    gradient = Gradient(shifted, Request(wrt=0), compiler=Interpreted)  # type: ignore[arg-type]
    for _ in range(3):
        gradient(line(), line())
    x = line()
    with pytest.raises(daad.BadArgument, match="share memory"):
        gradient(x, x)


def square(x: Any) -> Any:
    return x * x


def filtered(x: Any) -> Any:
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


def test_tables_with_gaps_are_no_reason_for_the_long_way() -> None:
    gradient, x = daad.grad(filtered), np.linspace(0.1, 2.0, 64)
    first, _ = gradient(x), gradient(x)
    assert gradient._short is not None
    np.testing.assert_array_equal(gradient._short((x,)), first)
    step = np.cos(x)
    slope = (filtered(x + 1e-6 * step) - filtered(x - 1e-6 * step)) / 2e-6
    assert gradient(x) @ step == pytest.approx(slope, rel=1e-8)


WAVES = np.exp(1j * np.arange(6.0))


def test_a_complex_array_from_outside_may_change() -> None:
    gradient = daad.grad(lambda x: np.sum(np.abs(WAVES * x) * WAVES.real))
    for factor in (1.0, 2.0, 3.0):
        WAVES[:] = factor * np.exp(1j * np.arange(6.0))
        np.testing.assert_allclose(gradient(line()), factor * WAVES.real, rtol=1e-14)


FACTOR: Any = 1


def test_a_number_of_another_type_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = daad.grad(lambda x: np.sum(x * (2.0 if isinstance(FACTOR, int) else 3.0)))
    for value, slope in ((1, 2.0), (1.0, 3.0), (1, 2.0), (np.float64(1.0), 3.0), (True, 2.0)):
        monkeypatch.setitem(globals(), "FACTOR", value)
        for _ in range(3):
            np.testing.assert_array_equal(gradient(line()), np.full(6, slope))


BROUGHT: dict[str, tuple[Callable[[], Any], Callable[[int], dict[str, Any]]]] = {
    "a tangent": (lambda: daad.jvp(square), lambda k: {"tangent": k * line()}),
    "a seed": (lambda: daad.grad(square), lambda k: {"seed": k * line()}),
    "a number as seed": (lambda: daad.grad(square), lambda k: {"seed": float(k)}),
}


@pytest.mark.parametrize("name", BROUGHT)
def test_later_calls_that_bring_something(name: str) -> None:
    make, brought = BROUGHT[name]
    derivative, fresh = make(), make()
    for _ in range(2):
        derivative(line(), **brought(1))
    assert derivative._short is not None
    assert derivative._shortly(derivative._short, (line(),), brought(2)) is not OTHER
    for found, expected in zip(derivative(line(), **brought(2)), fresh(line(), **brought(2)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_what_a_later_call_brings_is_looked_at() -> None:
    tangent = daad.jvp(square)
    for _ in range(2):
        tangent(line(), tangent=line())
    found = tangent.many(line(), tangents=np.stack([line(), 2.0 * line()]))[1]
    np.testing.assert_array_equal(found, np.stack([2.0 * line() ** 2, 4.0 * line() ** 2]))
    with pytest.raises(daad.BadArgument, match=r"The tangent of 'x' has shape \(7,\), not \(6,\)."):
        tangent(line(), tangent=line(7))
    with pytest.raises(daad.BadArgument, match="brings no tangent"):
        tangent(line())
    tangent.sdfg.validate()
    out = np.empty(6)
    gradient = daad.grad(square)
    for _ in range(2):
        gradient(line(), seed=1.0)
    assert gradient(line(), seed=1.0, out=out) is out
    np.testing.assert_array_equal(out, 2.0 * line())


def of_one_object(x: Any, y: Any, held: dict[str, Any]) -> Any:
    z = 2.0 * np.sum(x) if x is y else 3.0 * np.sum(x)
    return z * 5.0 if held["k"] is x else z


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_whether_two_arguments_are_one_object_is_seen_by_each_call(dtype: type) -> None:
    def real(x: Any, y: Any, held: dict[str, Any]) -> Any:
        return np.real(of_one_object(x, y, held))

    gradient = Gradient(real, Request(wrt=("x",), value=True), compiler=Interpreted)
    x, y = np.ones(3, dtype), np.ones(3, dtype)
    for arguments in 2 * [(x, x, {"k": x}), (x, y, {"k": x}), (x, y, {"k": x}), (x, y, {"k": y}), (x, x, {"k": y})]:
        value, dx = gradient(*arguments)
        assert value == real(*arguments) == np.sum(dx[0].real)
        again, _ = gradient(*arguments)
        assert again == value
