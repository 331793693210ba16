"""Parts of large programs as functions of their own: the text, and that nothing else changes."""

from __future__ import annotations

import textwrap

import pytest

from daad.codegen import library_build, outlining
from daad.codegen.outlining import initialised, outlined
from daad.codegen.translation_units import divided
from tests.codegen.running import arguments, assert_agrees
from tests.codegen.text import program

HEAD = "static void work(state_t*__state, double * __restrict__ a, int64_t n)"
TEXT = """
static void work(state_t*__state, double * __restrict__ a, int64_t n)
{
    double s;
    int64_t t;

    for (t = 0; (t < n); t = (t + 1)) {
        {
            for (int i = 0; i < 100; i += 1) {
                a[i + t] = s;
            }
        }
        {
            double* s__in = &s;
            for (int i = 0; i < 10; i += 1) {
                for (int j = 0; j < 10; j += 1) {
                    s__in[0] += __state->b[i];
                }
            }
        }
        {
            s = 2.0;
        }
    }
}
void after() {}
"""
PARTS = """
static void __daad_part_7(double * __restrict__ const a, double const s, int64_t const t)
static void __daad_part_12(state_t* const __state, double& s__shared)
__daad_part_7(a, s, t);
{ double s__shared = s; __daad_part_12(__state, s__shared); s = s__shared; }
"""
ADDED = ["{", "}", "{", "double s = s__shared;", "s__shared = s;", "}"]


def test_long_blocks_become_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlining, "FEWEST", 3)
    lines = outlined(TEXT, HEAD).split("\n")
    found = [line.strip().replace("__attribute__((noinline)) ", "") for line in lines if "__daad_part" in line]
    assert found == PARTS.strip().split("\n")
    rest = [line for line in lines if "__daad_part" not in line]
    assert sorted(rest) == sorted([*TEXT.split("\n"), *ADDED])


def test_numbers_that_parts_are_given_have_values() -> None:
    expected = TEXT.replace("double s;", "double s = 0;").replace("int64_t t;", "int64_t t = 0;")
    assert initialised(TEXT, HEAD) == expected


@pytest.mark.parametrize("declared", ["double s = 1;", "double s[3];", "std::vector<double> s;"])
def test_unknown_declarations_leave_the_text(declared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlining, "FEWEST", 3)
    text = TEXT.replace("double s;", declared)
    assert outlined(text, HEAD) == text


def test_few_blocks_stay() -> None:
    assert outlined(TEXT, HEAD) == TEXT


def test_a_program_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars, integers and variables of loops are what they are in one piece."""
    once = """
    with nest(i=(0, 80)):
        x[i] = 0.5 * x[i] + s * y[i]
    with nest():
        s = s + x[3]
    with nest(i=(0, 80)):
        s |= 0.9 * x[i]
    """
    source = "with nest():\n    s = 1.0\nfor t in loop(0, n):\n" + textwrap.indent(textwrap.dedent(once) * 10, "    ")
    built = program("parts", "x: float64[80]; y: float64[80]", source, integers="n", local="s: float64[]", results="x")
    texts: list[str] = []
    files: list[tuple[str, ...]] = []

    def kept(text: str, function: str) -> str:
        texts.append(outlined(text, function))
        return texts[-1]

    def parts(text: str) -> tuple[str, ...]:
        files.append(divided(text))
        return files[-1]

    monkeypatch.setattr(library_build, "outlined", kept)
    monkeypatch.setattr(library_build, "divided", parts)
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert_agrees(built, {**arguments(built), "n": 3})
    assert texts[0].count("static void __daad_part_") == 20
    assert len(files[0]) > 1
