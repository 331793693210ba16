"""What fails unforeseen is an InternalError: stage, user's line, a file to attach; everything else passes as it is."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import daad
from daad import passes, pipeline
from daad.api import derivative as derivatives
from daad.api.call import artifact
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.cli import main
from daad.codegen.interpreted import Interpreted
from daad.frontend.numpy import OPERATORS
from daad.report import defects

X = np.linspace(0.0, 1.0, 7)


def program(x, n):
    y = x * 2.0
    for _ in range(n):
        y = y - x
    return np.sum(y * y)


def with_property(x, thing):
    return np.sum(x) * thing.value


class Thing:
    """An object whose code fails."""

    @property
    def value(self) -> float:
        raise LookupError("no value")

    def __bool__(self) -> bool:
        raise LookupError("no truth")


def with_truth(x, thing):
    return np.sum(x) if thing else x[0]


def fails(*_: Any, **__: Any) -> Any:
    raise AssertionError("a pass met what cannot be")


def compiler_that_fails(joint: Any) -> Any:
    assert joint.body == (), "lowering met what cannot be"


def derivative(compiler: Callable[..., Any] = Interpreted) -> Gradient:
    return Gradient(program, Request(), compiler=compiler)  # type: ignore[arg-type]


# Where something is broken; the stage, and the text of the user's line, that the error names.
BREAKS = [
    (OPERATORS, ast.Mult, None, "reading the program", "y = x * 2.0"),
    (passes, "prepare", fails, "differentiating", "def program"),
    (pipeline, "make_plan", fails, "differentiating", "def program"),
    (artifact, "derived", fails, "answering", "def program"),
    (derivatives, "specialise", fails, "answering", "def program"),
]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where reports are written."""
    monkeypatch.setattr(defects.tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("owner", "name", "broken", "stage", "mark"), BREAKS, ids=[str(row[1]) for row in BREAKS])
def test_failure_names_stage_and_line(
    monkeypatch: pytest.MonkeyPatch, folder: Path, owner: Any, name: Any, broken: Any, stage: str, mark: str
) -> None:
    change = monkeypatch.setitem if isinstance(owner, dict) else monkeypatch.setattr
    change(owner, name, broken)  # type: ignore[operator]
    with pytest.raises(daad.InternalError) as caught:
        derivative()(X, 2)
    error = caught.value
    assert error.message.startswith(f"daad itself fails while {stage}, a defect of daad and not of the program: ")
    assert error.at is not None
    assert mark in linecache.getline(error.at.file, error.at.line)
    assert isinstance(error.__cause__, AssertionError | TypeError)
    assert error.report is not None
    assert Path(error.report).parent == folder
    assert error.hint == f"Report it with the file '{error.report}', which holds no data."


def test_report_holds_versions_source_shapes_program_and_traceback() -> None:
    with pytest.raises(daad.InternalError) as caught:
        derivative(compiler_that_fails)(X, 2)
    text = Path(str(caught.value.report)).read_text()
    for part in (f"daad {daad.__version__}", "numpy", "0: ndarray float64[7]", "1: int", "def program(x, n):"):
        assert part in text
    for part in ("program program_grad(x: float64[7], n)", "AssertionError: lowering met what cannot be"):
        assert part in text
    assert repr(X[1]) not in text


def test_report_that_cannot_be_written_is_no_second_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defects.tempfile, "tempdir", "/nowhere")
    with pytest.raises(daad.InternalError) as caught:
        derivative(compiler_that_fails)(X, 2)
    assert caught.value.report is None
    assert caught.value.hint == "Report it with the traceback."


PASSING = [MemoryError("too much"), KeyboardInterrupt(), daad.CompileError("No.")]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_other_exceptions_pass(error: BaseException) -> None:
    def compiler(_: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as caught:
        derivative(compiler)(X, 2)
    assert caught.value is error


@pytest.mark.parametrize(("function", "text"), [(with_property, "no value"), (with_truth, "no truth")])
def test_exceptions_of_the_users_own_code_are_no_defects(function: Any, text: str) -> None:
    with pytest.raises((LookupError, daad.Unsupported), match=text):
        Gradient(function, Request(), compiler=Interpreted)(X, Thing())  # type: ignore[arg-type]


def test_command_line_prints_the_defect_and_exits_with_5(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    script = folder / "script.py"
    script.write_text("import numpy as np\n\ndef f(x):\n    return np.sum(x * x)\n\nf(np.ones(3))\n")
    monkeypatch.setattr(passes, "prepare", fails)
    ended = CliRunner().invoke(main, ["grad", str(script), "-f", "f"])
    assert ended.exit_code == 5
    assert "daad.InternalError: script.py:3: daad itself fails while differentiating" in ended.stderr
    assert "Traceback" not in ended.stderr
