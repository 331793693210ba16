"""Generated code gets those parts of the header that it uses."""

from __future__ import annotations

import pytest

from daad.codegen.cpp.header_sections import SECTIONS
from daad.codegen.sdfg.whole_program import lowered
from daad.codegen.targets.frame import generate
from daad.runtime.settings import settings
from tests.texts import program

VECTORS = {"mathematics", "vectors"}
FUNCTIONS = {*VECTORS, "operations", "overloads", "functions"}
SCAN = "loop i = 1 .. 900:\n  x[i] = 0.5 * x[i - 1] + y[i]\n"
NEEDED = {
    "for i in 0 .. 900:  x[i] = y[i] * 2.0\n": set(),
    "for i in 0 .. 900:  x[i] = exp(y[i])\n": VECTORS,
    "for i in 0 .. 900:  x[i] = y[i] ** 2.0\n": {"operations"},
    "for i in 0 .. 900:  x[i] = y[i] ** 2.5\n": FUNCTIONS,
    "for i in 0 .. 900:  x[i] = y[i] / y[0]\n": {"operations"},
    "for i in 0 .. 900:  x[0] += y[i] * y[i]\n": {"operations"},
    "for i in 0 .. 900:  x[i] = y[i] % 2.0\n": FUNCTIONS,
    "for i in 0 .. 900, j in 0 .. 1200:  z[i, j] = exp(y[i])\n": {*VECTORS, "team"},
    "for i in 0 .. 900, j in 0 .. 1200:  x[i] += z[i, j] * y[j]\n": {"products", "team"},
    SCAN: {"scans", "operations"},
}


@pytest.mark.parametrize("source", NEEDED)
def test_only_what_is_used_is_there(source: str) -> None:
    with settings():
        made = lowered(program("p", "x: float64[1200], y: float64[1200], z: float64[900, 1200]", source))
        [text] = generate(made).texts
    kept = {name for name, section in SECTIONS.items() if section in text}
    assert kept == NEEDED[source] | {"checks"}
