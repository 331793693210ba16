"""The passes as they are told: their order gives each what it needs, their docstrings show what they do."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import daad
from daad import passes
from daad.ir.parser import parse
from daad.ir.printer import program_text
from daad.ir.validator import validate
from daad.passes import definition, driver
from daad.passes.definition import Form, Goal, Pass
from daad.passes.driver import Phase, Rounds, misplaced
from daad.passes.loops import index_set_splitting, rerolling, tiling
from daad.passes.phases import FINISH, IMPROVE, MERGE, PASSES, PHASES, PREPARE, SCHEDULE
from daad.pipeline import live_at_end

BLOCK = re.compile(r"(?:^    .*\n)+", re.M)
THREADS = 2


def example(step: Pass) -> tuple[str, str]:
    """The texts before and after a pass in the docstring of its module, which may show several passes."""
    path = Path(sys.modules[step.run.__module__].__file__ or "")
    tree = ast.parse(path.read_text())
    texts = [textwrap.dedent(text) for text in BLOCK.findall((ast.get_docstring(tree) or "") + "\n")]
    names = [
        node.value.args[0].value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "Pass"
        and isinstance(node.value.args[0], ast.Constant)
    ]
    pairs = dict(zip(names, zip(texts[::2], texts[1::2], strict=True), strict=True))
    return pairs[step.name]


@pytest.mark.parametrize("name", PASSES)
def test_the_docstring_shows_what_the_pass_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerolling, "FEWEST_SAVED", 1)
    before, after = example(PASSES[name])
    program = validate(parse(before))
    assert program_text(program) == before.rstrip()
    changed = validate(PASSES[name].run(program, Goal(live_at_end(program), threads=THREADS)))
    assert program_text(changed) == after.rstrip()
    assert before != after


def test_each_pass_of_the_package_is_run() -> None:
    found = (importlib.import_module(m.name) for m in pkgutil.walk_packages(passes.__path__, f"{passes.__name__}."))
    declared = {step.name for module in found for step in vars(module).values() if isinstance(step, Pass)}
    assert declared == PASSES.keys()


def test_each_pass_gets_what_it_needs() -> None:
    assert misplaced(PHASES) == []


ORDERS: dict[str, tuple[tuple[Phase, ...], str]] = {
    "nests joined before contributions are gathered": (
        (PREPARE, MERGE, IMPROVE, FINISH, SCHEDULE),
        "merge: horizontal-fusion comes where no pass has established GATHERED",
    ),
    "gathered before common values are found": (
        (PREPARE, replace(IMPROVE, steps=IMPROVE.steps[2:3] + IMPROVE.steps[1:2]), MERGE),
        "improve: common-subexpression-elimination comes where no pass has established SCATTERED",
    ),
    "tiles before nests lose their conditions": (
        (PREPARE, IMPROVE, MERGE, replace(FINISH, steps=(tiling.PASS, index_set_splitting.PASS))),
        "finish: tiling comes where no pass has established SPLIT",
    ),
    "arrays in place of results when threads share loops": (
        (PREPARE, IMPROVE, MERGE, FINISH, replace(SCHEDULE, steps=SCHEDULE.steps[::-1])),
        "schedule: in-place-results comes where no pass has established SERIAL",
    ),
    "differentiated after nests are joined": (
        (replace(PREPARE, given=PREPARE.given | {Form.GATHERED}, steps=PREPARE.steps + MERGE.steps),),
        "prepare does not leave REVERSIBLE",
    ),
}


@pytest.mark.parametrize("name", ORDERS)
def test_another_order_is_told(name: str) -> None:
    phases, told = ORDERS[name]
    assert told in misplaced(phases)


TEXT = """\
program f(x: float64[9])
  for i in 0 .. 9:  x[i] = 1.0 * x[i] + sin(x[i])
"""


def named(name: str) -> Pass:
    """A pass that adds its name to the program's."""
    return Pass(name, lambda program, goal: replace(program, name=f"{program.name}{name}"), "")


def test_rounds_end_when_nothing_changes() -> None:
    asked: list[str] = []

    def first(program: daad.Program, goal: Goal) -> daad.Program:
        asked.append(program.name)
        return program if len(asked) == 3 else replace(program, name=f"{program.name}a")

    rounds = Rounds((Pass("a", first, ""),), (named("b"),), 8)
    phase = Phase("own", "", (rounds, named("c")))
    assert driver.run(phase, parse(TEXT), Goal(frozenset())).name == "fababc"
    assert asked == ["f", "fab", "fabab"]
    asked[:] = [""] * 5
    assert driver.run(replace(phase, steps=(replace(rounds, most=2),)), parse(TEXT), Goal(frozenset())).name == "fabab"


def test_what_observes_sees_what_changed() -> None:
    seen: list[str] = []
    phase = Phase("own", "", (PASSES["simplification"], PASSES["simplification"], PASSES["tiling"]))
    with driver.observed(lambda step, before, after, seconds: seen.append(f"{step.name} {seconds >= 0.0}")):
        driver.run(phase, parse(TEXT), Goal(frozenset()))
    assert seen == ["simplification True"]


def test_names_of_passes_and_phases_are_apart() -> None:
    assert not PASSES.keys() & {phase.name for phase in PHASES}
    assert {form for step in PASSES.values() for form in step.requires | step.establishes} <= {*definition.Form}
