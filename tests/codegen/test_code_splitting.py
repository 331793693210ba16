"""Large programs as several functions in several files: which, and that nothing else changes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from daad.codegen.targets import code_splitting, frame
from daad.codegen.targets.code_splitting import divided, outlined
from daad.codegen.targets.code_tree import Control, Function, Node, Piece, Variable
from tests.codegen.running import arguments, assert_agrees
from tests.texts import program

A, N = Variable("double * __restrict__", "a"), Variable("int64_t", "n")
S, T = Variable("double", "s", "0"), Variable("int64_t", "t", "0")


def piece(reads: str, writes: str = "", trips: tuple[int, ...] = (100,), size: int = 3) -> Piece:
    """So many lines."""
    return Piece(("line;",) * size, frozenset(reads.split()), frozenset(writes.split()), trips=trips)


def loop(*body: Node) -> Control:
    return Control(("for (int64_t i = 0; (i < n); i = (i + 1)) {",), (body,), frozenset(("n",)), "i")


def branch(*sides: tuple[Node, ...]) -> Control:
    return Control(("if (s > 0) {", "} else {")[: len(sides)], sides, frozenset(("s",)))


def work(*body: Node) -> Function:
    return Function("work", (A, N), body, (S, T))


LONG_STATES = work(
    loop(piece("a s i"), piece("a s t", "s"), piece("a s", "s", trips=(10, 10)), piece("a", trips=(7, 9))),
    piece("a", trips=()),
)
HEADS = """
void __state_0_of_work(double * __restrict__ a, double s, int64_t i)
void __state_1_of_work(double * __restrict__ a, int64_t t, double& s__shared)
void __state_2_of_work(double * __restrict__ a, double& s__shared)
void work(double * __restrict__ a, int64_t n)
"""
REST = """
{
double s = 0;
int64_t t = 0;
for (int64_t i = 0; (i < n); i = (i + 1)) {
__state_0_of_work(a, s, i);
{ double s__shared = s; __state_1_of_work(a, t, s__shared); s = s__shared; }
{ double s__shared = s; __state_2_of_work(a, s__shared); s = s__shared; }
line;
line;
line;
}
line;
line;
line;
}
"""
SECOND = "{\ndouble s = s__shared;\nline;\nline;\nline;\ns__shared = s;\n}"


def test_long_states_become_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_splitting, "FEWEST", 5)
    functions = outlined([LONG_STATES])
    assert [f.head for f in functions] == HEADS.strip().split("\n")
    assert [*functions[-1].lines] == REST.strip().split("\n")
    assert "\n".join(functions[1].lines) == SECOND


def test_few_states_stay() -> None:
    assert outlined([LONG_STATES]) == [LONG_STATES]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short texts are divided like long ones."""
    for name, value in {"LEAST": 10, "SMALL": 4, "MOST": 2, "BULK": 0.9}.items():
        monkeypatch.setattr(code_splitting, name, value)


def heads(files: list[list[Function]]) -> list[str]:
    return [f.head for file in files for f in file]


def test_statements_become_functions_of_several_files(small: None) -> None:
    set_in_loop = loop(piece("s t", "s", size=13), Piece(("t = 2;",), frozenset(), frozenset(("t",)), is_state=False))
    files = divided([work(piece("a s", size=20), set_in_loop, piece("a", size=30), piece("a s", size=20))])
    assert len(files) == 2
    assert files[0][0].name == "work"
    assert sorted(heads(files)) == [
        "void __part_0_of_work(double * __restrict__ a, double s)",
        "void __part_1_of_work(int64_t n, double& s__shared, int64_t& t__shared)",
        "void __part_2_of_work(double * __restrict__ a)",
        "void __part_3_of_work(double * __restrict__ a, double s)",
        "void work(double * __restrict__ a, int64_t n)",
    ]


def test_functions_do_not_grow_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_splitting, "MOST_LINES", 60)
    files = divided([work(*[piece("a s", size=20)] * 90)])
    parts = [f for file in files for f in file if f.name != "work"]
    assert len(files) == code_splitting.MOST
    assert [len(f.body) for f in parts] == [3] * 30


@pytest.mark.parametrize(
    "function",
    [work(piece("a s")), work(loop(*[piece("a s")] * 9))],
    ids=["short", "one long loop"],
)
def test_one_file(function: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_splitting, "LEAST", 10)
    monkeypatch.setattr(code_splitting, "MOST", 2)
    assert divided([function]) == [[function]]


def test_the_sides_of_a_branch_stay_apart(small: None) -> None:
    side = tuple([piece("a s", size=6)] * 3)
    files = divided([work(branch(side, side))])
    [host] = [f for file in files for f in file if f.name == "work"]
    lines = [*host.lines]
    middle = lines.index("} else {")
    calls = {"__part_0_of_work(a, s);", "__part_1_of_work(a, s);", "__part_2_of_work(a, s);", "__part_3_of_work(a, s);"}
    assert calls.intersection(lines[:middle])
    assert calls.intersection(lines[middle:])


ONCE = """
for i in 0 .. 80:  x[i] = 0.5 * x[i] + s * y[i]
s = s + x[3]
for i in 0 .. 80:  s max= 0.9 * x[i]
"""
IN_PARTS = "s = 1.0\nloop t = 0 .. n:\n" + textwrap.indent(ONCE * 10, "  ")
IN_FILES = """
s = 1.0
loop t = 0 .. n:
  for i in 0 .. 80:  x[i] = 0.5 * x[i] + s * y[i]
  s = s + x[3]
loop t = 0 .. n:
  for i in 0 .. 80:  y[i] = x[i] + t * s
  s max= 0.5 * y[2]
"""


def kept(function: Callable[..., object], found: list[object]) -> Callable[..., object]:
    """The function, whose results are kept."""

    def keeping(*arguments: object) -> object:
        found.append(function(*arguments))
        return found[-1]

    return keeping


def test_a_program_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars, integers and variables of loops are what they are in one piece."""
    built = program(
        "parts", "x: float64[80], y: float64[80]", IN_PARTS, integers="n", local="s: float64[]", results="x"
    )
    found: list[list[Function]] = []
    monkeypatch.setattr(frame, "outlined", kept(outlined, found))
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert_agrees(built, {**arguments(built), "n": 3})
    assert sum(f.name.startswith("__state_") for f in found[0]) == 20


def test_a_program_in_several_files(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars that one part writes and another reads, and variables of loops, are what they are in one file."""
    built = program(
        "files", "x: float64[80], y: float64[80]", IN_FILES, integers="n", local="s: float64[]", results="x, y"
    )
    found: list[list[list[Function]]] = []
    monkeypatch.setattr(frame, "divided", kept(divided, found))
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert_agrees(built, {**arguments(built), "n": 3})
    assert len(found[0]) == 2
