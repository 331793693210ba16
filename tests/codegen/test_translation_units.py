"""Generated code in several files: the text, and that nothing else changes."""

from __future__ import annotations

import re

import pytest

from daad.codegen import library_build, translation_units
from daad.codegen.translation_units import divided
from tests.codegen.running import arguments, assert_agrees
from tests.codegen.text import program

BLOCK = """\
    {
        for (int i = 0; i < NN; i += 1) {
            a[i] = s;
        }
    }
"""
SETS = """\
    for (t = 0; (t < n); t = (t + 1)) {
        {
            s = 2.0;
        }
    }
"""
TOLD = """\
    #pragma omp parallel for
    for (int i = 0; i < NN; i += 1) {
        a[i] = s + (i == 3);
        a[i] = s - i;
    }
"""
LEAVES = "    if (s > 2.0) {\n        a[0] = 1.0;\n        a[1] = 1.0;\n        a[2] = 1.0;\n        return;\n    }\n"
TEXT = f"""\
#include <here>
__attribute__((noinline)) static void work(state_t*__state, double * __restrict__ a, int64_t n)
{{
    double s;
    int64_t t;

{BLOCK}{SETS}{TOLD}{LEAVES}{BLOCK}}}

void after() {{ work(); }}
"""
PARTS = """
void __part_0_of_work(double * __restrict__ const a, double const s)
void __part_1_of_work(int64_t const n, double& s__shared, int64_t& t__shared)
void __part_2_of_work(double * __restrict__ const a, double const s)
void __part_3_of_work(double * __restrict__ const a, double const s)
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short texts are divided like long ones."""
    for name, value in {"LEAST": 10, "SMALL": 4, "MOST": 2, "BULK": 0.9}.items():
        monkeypatch.setattr(translation_units, name, value)


@pytest.mark.parametrize(("size", "name"), [("100", "work"), ("7", "other")])
def test_statements_become_functions_of_several_files(small: None, size: str, name: str) -> None:
    text, parts = (t.replace("NN", size).replace("work", name) for t in (TEXT, PARTS))
    files = divided(text)
    assert len(files) == 2
    defined = [re.findall(r"^\S* (void \w+\([^;\n]*\)) ?{?$", f.replace(", vis", ",vis"), re.MULTILINE) for f in files]
    found = sorted(head for heads in defined for head in heads if "__part" in head)
    assert found == parts.strip().split("\n")
    for file in files:
        assert file.startswith("#include <here>")
        assert all(f" __part_{n}_of_{name}(" in file for n in range(4))
    [whole] = [file for file in files if "void after()" in file]
    assert whole == files[0]
    assert "return;" in whole[whole.index(f"void {name}(state_t*__state, double * __restrict__ a, int64_t n)\n") :]
    assert f"{{ double s__shared = s; int64_t t__shared = t; __part_1_of_{name}(n, s__shared, t__shared); " in whole
    assert f"    #pragma omp parallel for\n    for (int i = 0; i < {size}" in "".join(files)


def test_a_short_text_is_one_file() -> None:
    assert divided(TEXT) == (TEXT,)


def test_one_long_loop_is_one_file(small: None) -> None:
    text = TEXT.replace(
        f"{BLOCK}{SETS}{TOLD}{LEAVES}{BLOCK}", f"    for (t = 0; (t < n); t = (t + 1)) {{\n{BLOCK * 9}}}\n"
    )
    assert divided(text) == (text,)


def test_the_sides_of_a_branch_stay_apart(small: None) -> None:
    branch = f"    if (s > 1.0) {{\n{BLOCK * 3}    }} else {{\n{BLOCK * 3}    }}\n"
    files = divided(TEXT.replace(f"{BLOCK}{SETS}{TOLD}{LEAVES}{BLOCK}", branch))
    assert len(files) == 2
    [host] = re.findall(r"^ +if \(s > 1.0\) {\n(.*?)\n    }$", files[0], re.MULTILINE | re.DOTALL)
    calls = [line.strip() for line in host.split("\n")]
    middle = calls.index("} else {")
    assert 0 < middle < len(calls) - 1
    assert all(re.fullmatch(r"__part_\d_of_work\(a, s\);", call) for call in calls if call != "} else {")


def test_a_program_in_several_files(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars that one part writes and another reads, and variables of loops, are what they are in one file."""
    source = """
    with nest():
        s = 1.0
    for t in loop(0, n):
        with nest(i=(0, 80)):
            x[i] = 0.5 * x[i] + s * y[i]
        with nest():
            s = s + x[3]
    for t in loop(0, n):
        with nest(i=(0, 80)):
            y[i] = x[i] + t * s
        with nest():
            s |= 0.5 * y[2]
    """
    built = program(
        "files", "x: float64[80]; y: float64[80]", source, integers="n", local="s: float64[]", results="x y"
    )
    files: list[tuple[str, ...]] = []

    def kept(text: str) -> tuple[str, ...]:
        files.append(divided(text))
        return files[-1]

    monkeypatch.setattr(library_build, "divided", kept)
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert_agrees(built, {**arguments(built), "n": 3})
    assert len(files[0]) == 2
