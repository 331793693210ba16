"""What was derived by an earlier process is not derived again, and never taken for anything else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import daad
from daad.api.call import artifact
from daad.api.call.calling_convention import dumped, interface_of, parsed
from daad.api.gradient import Gradient
from daad.ccs.question import Question
from daad.codegen.compiler_trust import examined
from daad.ir.seed import Seed
from daad.pipeline import derive_stored
from daad.runtime import cache, sources
from tests import programs
from tests.corpus.selection import chosen
from tests.frontend.python.running import built

X = np.linspace(0.5, 1.5, 6)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; what is known of the compiler is not noted in it."""
    examined()
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the programs that are derived."""
    names: list[str] = []
    original = artifact.derived

    def counted(program: Any, *rest: Any) -> Any:
        names.append(program.name)
        return original(program, *rest)

    monkeypatch.setattr(artifact, "derived", counted)
    return names


def decay(x: np.ndarray, rate: float, steps: int) -> float:
    y = x.copy()
    for _ in range(steps):
        y = y - rate * np.sin(y)
    return np.sum(y * y)


def call(**options: Any) -> Any:
    """The gradient, by a callable that knows nothing of others."""
    return daad.grad(decay, **options)(X.copy(), 0.1, 4)


def test_a_gradient_that_was_made_before_is_not_derived(derivations: list[str]) -> None:
    first, second = call(wrt=("x", "rate")), call(wrt=("x", "rate"))
    assert derivations == ["decay"]
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


SCRIPT = """
import sys
import numpy as np
import daad

def decay(x, rate, steps):
    y = x.copy()
    for _ in range(steps):
        y = y - rate * np.sin(y)
    return np.sum(y * y)

for steps in map(int, sys.argv[2:]):
    gradient = daad.grad(decay)
    gradient(np.linspace(0.5, 1.5, 6), 0.1, steps)
    print("derivation" in vars(gradient._current.planned.outcome))
print(sorted(name for name in sys.argv[1].split(",") if name in sys.modules))
"""
HEAVY = "dace,sympy,networkx,pulp,highspy,scipy,rich,click,asyncio,xml,urllib.request"
DERIVING = "daad.pipeline,daad.passes,daad.ilp,daad.loops,daad.rules,daad.api.check,daad.report.memory_plan"


def process(script: Path, *arguments: str, seed: str = "0") -> list[str]:
    """The lines that a script prints."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONHASHSEED": seed}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def averaged(x: np.ndarray, steps: int) -> float:
    """What is kept for each step needs the number of steps, which is computed with, too."""
    for _ in range(steps):
        x = x - np.sin(x) / steps
    return np.sum(x * x)


def test_a_number_that_has_to_be_a_constant_is_found_once(derivations: list[str]) -> None:
    first = daad.grad(averaged)(X.copy(), 3)
    assert derivations == ["averaged", "averaged"]
    np.testing.assert_array_equal(daad.grad(averaged)(X.copy(), 3), first)
    assert len(derivations) == 2


def test_another_process_neither_derives_nor_imports_what_does(tmp_path: Path) -> None:
    """Whatever came first: what a derivation imports does not count as a change. SciPy is not imported by either."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert process(script, "scipy", "4", "5", seed="1") == ["True", "True", "[]"]
    assert process(script, f"{HEAVY},{DERIVING}", "5", "4", seed="2") == ["False", "False", "[]"]


def test_what_was_changed_before_it_is_used_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources.in_memory()
    monkeypatch.setattr(daad.ir.walk, "loads", None)
    with sources.unchanged_by():
        monkeypatch.setattr(daad.ilp.statement_times, "STATEMENT", 1.0)  # as an import would bring it
    changed = sources.in_memory()
    monkeypatch.setattr(daad.ilp.statement_times, "STATEMENT", 2.0)
    assert len({before, changed, sources.in_memory()}) == 3
    monkeypatch.undo()
    assert sources.in_memory() == before


def test_it_is_derived_where_somebody_looks_at_it(derivations: list[str]) -> None:
    call()
    gradient = daad.grad(decay)
    gradient(X.copy(), 0.1, 4)
    assert gradient.is_cached
    assert len(derivations) == 1
    assert "program decay_grad" in str(gradient.joint)
    assert "store" in gradient.explain()
    assert gradient.memory.modelled == gradient.plan.nbytes
    assert len(derivations) == 2


def rewritten(x: np.ndarray, rate: float, steps: int) -> float:
    y = x.copy()
    for _ in range(steps):
        y = y - rate * np.cos(y)
    return np.sum(y * y)


rewritten.__name__ = "decay"

OTHERS: dict[str, Callable[[], Any]] = {
    "another value of wrt": lambda: call(wrt="rate"),
    "the value, too": lambda: daad.value_and_grad(decay)(X.copy(), 0.1, 4),
    "another seed": lambda: call(seed=2.0),
    "arguments end as in the program": lambda: call(on_inputs="primal"),
    "a plan": lambda: call(plan="recompute"),
    "a plan by name": lambda: call(plan={"y": "store"}),
    "a memory limit": lambda: call(memory_limit="1MiB"),
    "updates taken back": lambda: call(allow_undo=True),
    "a shape": lambda: daad.grad(decay)(np.ones(7), 0.1, 4),
    "a dtype": lambda: daad.grad(decay)(X.astype(np.float32), 0.1, 4),
    "a number of steps": lambda: daad.grad(decay)(X.copy(), 0.1, 5),
    "another function of that name": lambda: daad.grad(rewritten)(X.copy(), 0.1, 4),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_question_is_derived(name: str, derivations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    call()
    OTHERS[name]()
    assert len(derivations) == 2


def changed_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daad.passes.loops.index_set_splitting, "split_index_sets", lambda program: program)


def changed_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(daad.rules.scalar.DERIVATIVES, "sin", ("sin(a)",))


def changed_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daad.ilp.statement_times, "STATEMENT", 1.0)


def changed_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daad.ilp.choose.Chooser, "choose", lambda self, limit: None)


def other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")


def other_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")


def other_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "machine_memory", lambda: 2**40)


CHANGES = (changed_pass, changed_rule, changed_number, changed_method, other_threads, other_compiler, other_memory)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_daad_and_the_machine_are_is_part_of_the_key(
    change: Callable[[pytest.MonkeyPatch], None], derivations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call()
    change(monkeypatch)
    gradient = daad.grad(decay)
    gradient.compile(X.copy(), 0.1, 4)
    assert len(derivations) == 2
    monkeypatch.undo()


def test_threads_are_those_that_there_were_when_it_was_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they change before the program for them is made: the key of what is kept names those."""
    asked: list[int] = []
    monkeypatch.setattr(daad.passes, "schedule", lambda *given: asked.append(given[2]))
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    program = built(decay, (X.copy(), 0.1, 4)).program
    derivation = derive_stored(program, Question(inputs=("x",), seeds=(Seed(program.results[0]),)), {"steps": 4})
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert derivation.joint is None
    assert asked == [2]


REPLACEMENTS: dict[str, Callable[[int], Any]] = {
    "a lambda with a default": lambda count: lambda threads=count: threads,
    "a function that sees a variable": lambda count: lambda: count,
    "a mock": lambda count: mock.Mock(return_value=count),
}


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_functions_in_the_place_of_ours_are_all_different(
    name: str, derivations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in (1, 2, 1):
        monkeypatch.setattr("daad.pipeline.threads", REPLACEMENTS[name](count))
        call()
    assert len(derivations) == 3


def test_modules_that_are_newer_than_what_was_loaded_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources.on_disk()
    sources.on_disk.cache_clear()
    monkeypatch.setattr(daad, "_BEGUN", 0.0)
    first = sources.on_disk()
    sources.on_disk.cache_clear()
    assert len({before, first, sources.on_disk()}) == 3
    sources.on_disk.cache_clear()


def test_what_another_daad_would_derive_is_not_known(
    folder: Path, derivations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed after the key was made, before all was imported."""
    original = artifact.derived

    def installed(*asked: Any) -> Any:
        monkeypatch.setattr(daad, "_BEGUN", 0.0)
        sources.on_disk.cache_clear()
        return original(*asked)

    monkeypatch.setattr(artifact, "derived", installed)
    call()
    assert derivations == ["decay"]
    assert not [*folder.glob("derived/*")]
    sources.on_disk.cache_clear()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "nothing in it": lambda note: note.write_text(""),
    "half of it": lambda note: note.write_text(note.read_text()[:100]),
    "another library": lambda note: note.write_text(json.dumps(["0" * 40, *json.loads(note.read_text())[1:]])),
    "no JSON": lambda note: note.write_text("{"),
    "a list": lambda note: note.write_text("[1, 2, 3]"),
    "no text": lambda note: note.write_bytes(b"\xff\xfe\x00"),
    "writable by all": lambda note: note.chmod(0o666),
    "gone": lambda note: note.unlink(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_cannot_be_trusted_is_derived(name: str, folder: Path, derivations: list[str]) -> None:
    first = call()
    (note,) = (folder / "derived").iterdir()
    DAMAGES[name](note)
    np.testing.assert_array_equal(call(), first)
    assert len(derivations) == 2
    np.testing.assert_array_equal(call(), first)


def test_without_its_library_it_is_derived_and_compiled(folder: Path, derivations: list[str]) -> None:
    first = call()
    (library,) = folder.glob("*/program.so")
    library.unlink()
    np.testing.assert_array_equal(call(), first)
    assert len(derivations) == 2
    np.testing.assert_array_equal(call(), first)
    assert len(derivations) == 2


def test_without_a_cache_nothing_is_kept(derivations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", "off")
    call()
    call()
    assert len(derivations) == 2


def replayed(x: np.ndarray, steps: int) -> float:
    for _ in range(steps):
        x[1:-1] = np.sin(x[1:-1]) * x[:-2]
    return np.sum(x)


def test_plans_within_limits_are_kept_with_their_schedules(derivations: list[str]) -> None:
    x, found = np.linspace(0.2, 0.7, 100), []
    for limit in ("8KiB", "8KiB", "9KiB"):
        gradient = daad.grad(replayed, memory_limit=limit, on_inputs="keep")
        found.append(gradient(x, 40))
        assert gradient._current.planned.outcome.interface.tables
    assert len(derivations) == 2
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def unused(x: np.ndarray, y: np.ndarray) -> float:
    return np.sum(x * x)


def test_zeros_are_warned_of_again() -> None:
    for _ in range(2):
        with pytest.warns(UserWarning, match="does not depend on 'y'"):
            found = daad.grad(unused, wrt=("x", "y"))(X, X)
        np.testing.assert_array_equal(found[1], np.zeros(6))


def gathered(x: np.ndarray, places: np.ndarray) -> float:
    return np.sum(x[places] ** 2)


def test_an_index_outside_is_shown_in_the_users_line() -> None:
    told = []
    for _ in range(2):
        with pytest.raises(daad.BadArgument) as error:
            daad.grad(gathered)(X, np.array([0, 9]))
        told.append(str(error.value))
    assert told[0] == told[1]
    assert "test_artifact.py" in told[0]


@pytest.mark.parametrize("case", chosen(20, "artifacts"), ids=lambda case: case.name)
def test_interfaces_are_read_as_they_were_written(case: Any) -> None:
    gradient = Gradient(case.function, programs.request_of(case))
    interface = interface_of(gradient._planned(*case.arguments()).derivation)
    again = parsed(dumped(interface))
    assert replace(again, tables={}) == replace(interface, tables={})
    assert dumped(again) == dumped(interface)
