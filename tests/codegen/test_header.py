"""Generated code gets those parts of the header that it uses."""

from __future__ import annotations

import pytest

from daad.codegen.cpp.header_sections import SECTIONS
from daad.codegen.sdfg.whole_program import lowered
from daad.codegen.targets.frame import generate
from daad.runtime.settings import settings
from tests.codegen.text import program

VECTORS = {"mathematics", "vectors"}
FUNCTIONS = {*VECTORS, "operations", "overloads", "functions"}
SCAN = "for i in loop(1, 900):\n    with nest():\n        x[i] = 0.5 * x[i - 1] + y[i]\n"
NEEDED = {
    "with nest(i=(0, 900)):\n    x[i] = y[i] * 2.0\n": set(),
    "with nest(i=(0, 900)):\n    x[i] = exp(y[i])\n": VECTORS,
    "with nest(i=(0, 900)):\n    x[i] = y[i] ** 2.0\n": {"operations"},
    "with nest(i=(0, 900)):\n    x[i] = y[i] ** 2.5\n": FUNCTIONS,
    "with nest(i=(0, 900)):\n    x[i] = y[i] / y[0]\n": {"operations"},
    "with nest(i=(0, 900)):\n    x[0] += y[i] * y[i]\n": {"operations"},
    "with nest(i=(0, 900)):\n    x[i] = remainder(y[i], 2.0)\n": FUNCTIONS,
    "with nest(i=(0, 900), j=(0, 1200)):\n    z[i, j] = exp(y[i])\n": {*VECTORS, "team"},
    "with nest(i=(0, 900), j=(0, 1200)):\n    x[i] += z[i, j] * y[j]\n": {"products", "team"},
    SCAN: {"scans", "operations"},
}


@pytest.mark.parametrize("source", NEEDED)
def test_only_what_is_used_is_there(source: str) -> None:
    with settings():
        made = lowered(program("p", "x: float64[1200]; y: float64[1200]; z: float64[900, 1200]", source))
        [text] = generate(made).texts
    kept = {name for name, section in SECTIONS.items() if section in text}
    assert kept == NEEDED[source] | {"checks"}
