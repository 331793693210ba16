"""Statements that are equal but for the variables become one function: which, with what, and that nothing changes."""

from __future__ import annotations

import textwrap

import pytest

from daad.codegen.targets import equal_statements, frame
from daad.codegen.targets.code_splitting import SMALL
from daad.codegen.targets.code_tree import Control, Function, Node, Piece, Variable
from daad.codegen.targets.equal_statements import shared
from tests.codegen.running import arguments, assert_agrees
from tests.texts import program

KINDS = {"a": "double *", "b": "double *", "c": "double * __restrict__", "s": "double", "t": "double", "n": "int64_t"}


def piece(text: str, writes: str = "", trips: tuple[int, ...] = (100,), counter: str = "i") -> Piece:
    """A loop around a line, long enough."""
    lines = ("{", f"for (int64_t {counter} = 0; {counter} < 9; ++{counter}) {{", text, "}", *[";"] * SMALL, "}")
    reads = frozenset(name for name in KINDS if f" {name}" in f" {text}")
    return Piece(lines, reads, frozenset(writes.split()), trips=trips)


def made(*body: Node) -> list[Function]:
    known = [Variable(kind, name) for name, kind in KINDS.items()]
    return shared([Function("work", tuple(known), body)])


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short programs are looked at like long ones."""
    monkeypatch.setattr(equal_statements, "FEWEST", 2)


def test_one_function_for_several_statements() -> None:
    functions = made(piece("a__out[i] = s + b__in[i];", "a"), piece("b__out[i] = t + a__in[i];", "b"))
    assert [f.head for f in functions[:-1]] == ["void __repeated_0(double * a, double s, double * b)"]
    assert functions[-1].body[0].lines == ("__repeated_0(a, s, b);",)
    assert functions[-1].body[1].lines == ("__repeated_0(b, t, a);",)


def test_what_gets_a_value_is_passed_there_and_back() -> None:
    functions = made(piece("s = s + a[i];", "s"), piece("t = t + b[i];", "t"))
    assert functions[0].head == "void __repeated_0(double * a, double& s__shared)"
    assert functions[1].body[1].lines == ("{ double t__shared = t; __repeated_0(b, t__shared); t = t__shared; }",)


def test_counters_have_any_name() -> None:
    assert len(made(piece("a[i] = 1;", "a"), piece("b[k] = 1;", "b", counter="k"))) == 2


DIFFERENT: dict[str, tuple[Node, ...]] = {
    "number": (piece("a[i] = 1;", "a"), piece("b[i] = 2;", "b")),
    "one array twice": (piece("a[i] = b[i] + a[i];", "a"), piece("a[i] = b[i] + b[i];", "a")),
    "kinds": (piece("a[i] = 1;", "a"), piece("c[i] = 1;", "c")),
    "a value and an array": (piece("s = a[i];", "s"), piece("t = a[i];")),
    "no loops": (piece("a[i] = 1;", "a", trips=()), piece("b[i] = 1;", "b", trips=())),
    "short ones in a loop": (
        Control(("for (;;) {",), ((piece("a[i] = 1;", "a"), piece("b[i] = 1;", "b")),), frozenset(), "j"),
    ),
    "a counter called like a variable": (
        piece("n = 1; a[n] = n;", "a n"),
        Piece(("for (int64_t n = 0; n < 9; ++n) b[n] = 1;",) * 9, frozenset("bn"), frozenset("b"), trips=(100,)),
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_stays(name: str) -> None:
    assert len(made(*DIFFERENT[name])) == 1


LAYER = """
for i in 0 .. 80, j in 0 .. 70:  {0}[i] += w[i, j] * {1}[j]
for i in 0 .. 80:  {1}[i] = tanh({0}[i]) + s
for i in 0 .. 80:  s max= 0.9 * {0}[i]
loop t = 0 .. n:
  for i in 0 .. 800:  z[i] = z[i] + t * s
"""
LAYERS = "s = 1.0\n" + "".join(LAYER.format(*pair) for pair in ("xy", "yx", "xy", "yx"))


def test_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values go where they went, those of scalars and of variables of loops, too."""
    built = program(
        "layers",
        "x: float64[80], y: float64[80], z: float64[800], w: float64[80, 80]",
        textwrap.dedent(LAYERS),
        integers="n",
        local="s: float64[]",
        results="x, y, z",
    )
    found: list[list[Function]] = []

    def keeping(functions: list[Function]) -> list[Function]:
        found.append(shared(functions))
        return found[-1]

    monkeypatch.setattr(frame, "shared", keeping)
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert_agrees(built, {**arguments(built), "n": 3})
    assert sum(f.name.startswith("__repeated_") for f in found[0]) == 2
    assert sum("__repeated_" in line for line in found[0][-1].lines) == 8
