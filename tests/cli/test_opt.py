"""`daad passes` and `daad opt`: passes by name, on text and on scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from daad.cli import main
from daad.ir.parser import parse
from daad.passes.phases import PASSES, PHASES

TEXT = """\
program f(x: float64[9], y: float64[9])
  local t: float64[9], u: float64[9]
  for i in 0 .. 9:  t[i] = sin(x[i])
  for i in 0 .. 9:  u[i] = t[i] * 1.0
  for i in 0 .. 9:  y[i] = u[i] + t[i]
"""
FUSED = """\
program f(x: float64[9], y: float64[9])
  for i in 0 .. 9:  y[i] = sin(x[i]) + sin(x[i])
"""
SCRIPT = """\
import numpy as np

def f(x, n):
    for k in range(n):
        t = np.sin(x)
        x[1:] = t[1:] * x[:-1]
    return np.sum(x)

f(np.ones(9), 3)
"""


def daad(*words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, words, input=stdin)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return str(path)


def test_passes_are_listed_in_their_order() -> None:
    lines = daad("passes").output.splitlines()
    assert [line.split(":")[0] for line in lines if re.match(r"\w", line)] == [phase.name for phase in PHASES]
    listed = [words[0] for line in lines if (words := line.split()) and words[0] in PASSES]
    assert {*listed} == PASSES.keys()
    assert [*dict.fromkeys(listed)] == [*PASSES]
    tiling = next(line for line in lines if "tiling" in line)
    assert "go through it in tiles" in tiling


def test_passes_are_listed_for_machines() -> None:
    phases = json.loads(daad("passes", "--json").output)["phases"]
    tiling = next(step for step in phases[3]["passes"] if step["name"] == "tiling")
    assert tiling["requires"] == ["split"]
    assert tiling["source"]
    rounds = phases[1]["passes"][-1]
    assert rounds["at most"] == 8
    assert next(step["name"] for step in rounds["while one changes something"]) == "reassociation"


def test_passes_run_on_text(tmp_path: Path) -> None:
    path = tmp_path / "program.txt"
    path.write_text(TEXT)
    assert daad("opt", str(path)).output == TEXT
    passes = "simplification, vertical-fusion,dead-code-elimination"
    assert daad("opt", str(path), "--passes", passes).output == FUSED
    assert daad("opt", "-", "--passes", passes, stdin=TEXT).output == FUSED
    assert daad("opt", "-", "--passes", "prepare", stdin=TEXT).output == FUSED.replace("sin(x[i]) + ", "2.0 * ")


def test_each_step_is_shown() -> None:
    found = daad("opt", "-", "--passes", "simplification,tiling,vertical-fusion", "--print-after-all", stdin=TEXT)
    steps = re.findall(r"^after ([\w-]+), \d\.\d{4} s:\n((?:.+\n)+)", found.stderr, re.M)
    assert [name for name, _ in steps] == ["simplification", "vertical-fusion"]
    assert "u[i] = t[i]\n" in steps[0][1]
    assert found.stdout == steps[-1][1]


def test_what_changed_is_told_to_machines() -> None:
    found = json.loads(daad("opt", "-", "--passes", "finish", "--json", stdin=TEXT).output)
    assert parse(found["program"]).name == "f"
    assert found["changed"][0]["name"] == "simplification"


def test_passes_run_on_a_function_of_a_script(script: str) -> None:
    read = daad("opt", script, "-f", "f")
    assert "t[i] = sin(x[i])" in read.output
    prepared = daad("opt", script, "-f", "f", "--passes", "prepare")
    assert prepared.output == daad("opt", "-", "--passes", "prepare", stdin=read.output).output
    assert "t[i]" not in prepared.output
    joint = daad("opt", script, "-f", "f", "--joint", "--passes", "improve,merge").output
    assert "x_bar[i]" in joint


BAD: dict[str, tuple[tuple[str, ...], str, int, str]] = {
    "a pass that is none": (
        ("-", "--passes", "tilling"),
        TEXT,
        2,
        "there is no pass 'tilling'. Did you mean 'tiling'",
    ),
    "text that says something else": (("-",), TEXT.replace("0 .. 9:", "0 .. :"), 2, "Line 3"),
    "text that is no program": (("-",), TEXT + "  loop x = 0 .. 2:\n    y[0] = 1.0\n", 2, "is no valid program"),
    "an option for scripts": (("-", "--wrt", "x"), TEXT, 2, "of which nothing is chosen"),
    "the adjoint of text": (("-", "--joint"), TEXT, 2, "of which nothing is chosen"),
    "a device of text": (("-", "--device", "gpu"), TEXT, 2, "of which nothing is chosen"),
    "a seed of zero for text": (("-", "--seed", "0"), TEXT, 2, "of which nothing is chosen"),
    "a file that is not there": (("nowhere.txt",), "", 2, "does not exist"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_run_is_told(name: str) -> None:
    words, stdin, code, told = BAD[name]
    found = daad("opt", *words, stdin=stdin)
    assert found.exit_code == code
    assert told in found.stderr
