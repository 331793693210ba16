"""Equal programs share a key, different ones do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daad.codegen.fingerprint import fingerprint
from daad.errors import Location
from daad.ir.nodes import Nest, Program
from tests.codegen.programs import ALL
from tests.runtime.small import scaled
from tests.texts import program


def test_all_programs_differ() -> None:
    assert len({fingerprint(p) for p in ALL}) == len(ALL)


def placed(program: Program, *lines: int) -> Program:
    """The program with its statements at these lines."""
    at = [Location("elsewhere.py", line) for line in lines]
    nests = [replace(n, at=place) for n, place in zip(program.body, at, strict=True) if isinstance(n, Nest)]
    return replace(program, body=tuple(nests))


def test_the_place_in_the_source_does_not_matter_but_for_what_is_at_one_place() -> None:
    one = program("two", "x: float64[8]", "x[0] = x[1]\nx[2] = x[3]")
    assert fingerprint(placed(one, 1, 2)) == fingerprint(placed(one, 5, 9))
    assert fingerprint(placed(one, 1, 2)) != fingerprint(placed(one, 1, 1))


BASE = ("x: float64[8], k: int64[8]", "for i in 0 .. 8:  x[i] = x[k[i]] * 2.0")
VARIANTS = {
    "constant": (BASE[0], BASE[1].replace("2.0", "3.0")),
    "shape": (BASE[0].replace("x: float64[8]", "x: float64[9]"), BASE[1]),
    "dtype": (BASE[0].replace("float64", "float32"), BASE[1]),
    "bounds": (BASE[0], BASE[1].replace("0 .. 8", "1 .. 8")),
    "operation": (BASE[0], BASE[1].replace("*", "-")),
    "update": (BASE[0], BASE[1].replace("x[i] =", "x[i] +=")),
    "gather": (BASE[0], BASE[1].replace("x[k[i]]", "x[k[0]]")),
    "loop": (BASE[0], "loop t = 0 .. 2:\n  " + BASE[1]),
    "branch": (BASE[0], "if k[0] > 1:\n  " + BASE[1]),
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())
def test_every_detail_counts(variant: tuple[str, str]) -> None:
    assert fingerprint(program("p", *variant)) != fingerprint(program("p", *BASE))


def test_options_count() -> None:
    assert fingerprint(scaled(), ("cpu",)) != fingerprint(scaled(), ("gpu",))


def test_a_shared_expression_is_written_once() -> None:
    text = "x[i]"
    for _ in range(40):
        text = f"({text} * {text})" if len(text) < 100 else text
    doubled: Program = program("deep", "x: float64[4]", f"for i in 0 .. 4:  y[i] = {text}", local="y: float64[4]")
    assert len(fingerprint(doubled)) == 40
