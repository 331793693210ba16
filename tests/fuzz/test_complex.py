"""Random programs on complex arrays: views of parts, slices, loops and branches have NumPy's values, or are refused."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.seeds import a_quarter

ARRAYS, REALS = ("z", "w"), ("x", "y")
COMPLEX_VALUES = (
    *("{z}", "{z}", "({z} + {z})", "({z} * {z})", "({z} - {x})", "({x} * {z})", "np.conj({z})", "(1j * {x})"),
    *("np.exp(1j * {x})", "({z} / (3 + {x} ** 2))", "{z}[::-1]", "np.roll({z}, 1)", "0.3 * np.fft.fft({z})"),
    *("np.where({x} > 0.1, {z}, {z})", "({z} * {c})", "np.array([{c}, 1j, {c}, 2])", "np.sqrt({z} + 3)"),
    "{z}.reshape(2, 2).T.ravel()",
)
REAL_VALUES = (
    "{x}",
    "{x}",
    "{z}.real",
    "{z}.imag",
    "np.tanh(np.abs({z}))",
    "({x} + {x})",
    "np.sin({x})",
    "np.real({z})",
)
NUMBERS = ("c", "{z}[{k}]", "({c} * 0.7j)", "np.mean({z})", "({c} + {x}[{k}])", "(np.vdot({z}, {z}) * 0.1)")
STATEMENTS = (
    *("{Z} = {z} * 0.5", "{Z}[{s}] = ({z})[0:2]", "{Z}[{s}] += ({z})[1:3]", "{Z}[{s}] *= ({z})[1:3]", "{Z} *= {z}"),
    *("{Z} -= {z}", "{Z}[{k}] = {c}", "{Z}.real[{s}] = ({x})[0:2]", "{Z}.imag[{s}] = ({x})[0:2]", "{Z} = {Z}"),
    *("{X} = {Z}.real", "{X} = {Z}.imag", "{Z} = {Z}[::-1]", "c = {c} * 0.5", "{X} = {x} * 1.0", "{Z}[{k}] += {c}"),
    *("{Z}[np.abs({Z}) > 1.1] = {c}", "{X}[{s}] += ({x})[0:2]", "z, w = {z}, {Z}", "w, z = {Z}, {z}"),
)
SLICES = ("1:3", "0:2", "2:4", "::2", "1::2", "-2:")
RESULT = "np.sum(np.abs(z) ** 2 * np.arange(1, 5)) + np.sum((w * np.arange(4)).imag) + np.sum(x * y) + abs(c)"


def text(rng: random.Random, template: str, depth: int = 0) -> str:
    """The template with random values in its places; deep inside only names."""

    def value(kinds: tuple[str, ...]) -> str:
        return text(rng, kinds[0] if depth > 2 else rng.choice(kinds), depth + 1)

    parts: dict[str, Callable[[], str]] = {
        "{z}": lambda: rng.choice(ARRAYS) if depth > 2 else value(COMPLEX_VALUES),
        "{x}": lambda: rng.choice(REALS) if depth > 2 else value(REAL_VALUES),
        "{c}": lambda: value(NUMBERS),
        "{Z}": lambda: rng.choice(ARRAYS),
        "{X}": lambda: rng.choice(REALS),
        "{k}": lambda: str(rng.randrange(4)),
        "{s}": lambda: rng.choice(SLICES),
    }
    while any(part in template for part in parts):
        part = min((p for p in parts if p in template), key=template.index)
        template = template.replace(part, parts[part](), 1)
    return template


def statements(rng: random.Random, depth: int) -> list[str]:
    kind = rng.random()
    if kind > 0.2 or depth > 1:
        return [text(rng, rng.choice(STATEMENTS))]
    body = [f"    {line}" for _ in range(rng.randrange(1, 4)) for line in statements(rng, depth + 1)]
    if kind > 0.1:
        return [f"for k{depth} in range({rng.choice((2, 3))}):", *body]
    other = [f"    {line}" for line in statements(rng, depth + 1)]
    return [f"if {rng.choice(('abs(c)', 'x[1]', 'z[2].real'))} > 0.3:", *body, "else:", *other]


def random_program(seed: int) -> Callable[..., Any]:
    rng = random.Random(seed)
    lines = [f"{name} = {name}.copy()" for name in (*ARRAYS, *REALS)] if rng.random() < 0.7 else []
    lines += [line for _ in range(rng.randrange(2, 8)) for line in statements(rng, 0)]
    source = "def f(z, w, x, y, c):\n" + "".join(f"    {line}\n" for line in [*lines, f"return {RESULT}"])
    file = f"<complex program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), scope)
    function: Callable[..., Any] = scope["f"]
    return function


def point(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    parts = rng.uniform(-1.0, 1.0, (6, 4))
    return [parts[0] + 1j * parts[1], parts[2] + 1j * parts[3], parts[4], parts[5], 0.4 - 0.3j]


def copies(values: list[Any]) -> list[Any]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize("seed", a_quarter(range(80)))
def test_random_program(seed: int) -> None:
    function, here, way = random_program(seed), point(seed), point(seed + 1000)
    expected = copies(here)
    try:
        with np.errstate(all="ignore"):
            value = function(*expected)
    except TypeError:
        pytest.skip("NumPy refuses the program")
    if np.iscomplexobj(value) or not abs(value) < 1e6:
        pytest.skip("no number to compare")
    given = copies(here)
    request = Request(wrt=(0, 1, 2, 3, 4), value=True, on_inputs="primal")
    gradient = Gradient(function, request, compiler=Interpreted)  # type: ignore[arg-type]
    try:
        found, slopes = gradient(*given)
    except daad.Unsupported:
        pytest.skip("refused")
    assert found == pytest.approx(value, rel=1e-9)
    for left, right in zip(given[:4], expected[:4], strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
    slope = sum(np.sum(np.real(np.conj(g) * d)) for g, d in zip(slopes, way, strict=True))

    def along(step: float) -> float:
        return float(function(*(v + step * d for v, d in zip(here, way, strict=True))))

    differences = [(along(h) - along(-h)) / (2 * h) for h in (1e-4, 1e-5, 1e-6)]
    assert min(abs(d - slope) for d in differences) <= 1e-5 * max(1.0, abs(slope))
