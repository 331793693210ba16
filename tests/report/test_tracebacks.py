"""A traceback ends at the user's own call, and the message follows."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import daad
from daad import pipeline
from daad.cli import main

X = np.linspace(0.1, 0.7, 5)


def plain(x):
    return np.sum(x * x)


def misspelled(x):
    return np.sum(np.linalg.foo(x))


def deep(x):
    return deep(x) if x[0] > -1 else x[1]


def outside(x):
    return x[7]


def asserted(x):
    assert x[0] > 1.0
    return x[0] * x[0]


class Thing:
    def __getattr__(self, name):
        raise LookupError("neither")


def with_attribute(x, thing):
    return x[0] * thing.factor


def calls_daad(x):
    return daad.grad(plain, wrt="y")(x)


# What is asked: daad refuses at some depth, with or without causes of its own.
REFUSED: dict[str, Callable[[], Any]] = {
    "an option": lambda: daad.grad(plain, wert="x"),
    "no function": lambda: daad.value_and_grad(3),
    "no argument": lambda: daad.grad(plain, wrt="y")(X),
    "no parameter": lambda: daad.grad(plain)(X, X),
    "no attribute": lambda: daad.grad(misspelled)(X),
    "a recursion": lambda: daad.grad(deep)(X),
    "out of bounds": lambda: daad.grad(outside)(X),
    "check": lambda: daad.check(outside, (X,)),
    "a call within": lambda: daad.check(calls_daad, (X,)),
    "plan": lambda: daad.plan(outside, (X,)),
    "a limit": lambda: daad.plan(plain, (X,), memory_limit="8B"),
    "compile": lambda: daad.grad(outside).compile(X),
    "a property": lambda: daad.grad(plain).joint,
    "a report": lambda: daad.grad(plain).explain(),
    "points": lambda: daad.plan(plain, (X,)).pareto(0),
    "an assertion about data": lambda: daad.grad(asserted)(X),
}


def raised(ask: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:
        ask()
    return caught.value


def names(error: BaseException) -> list[str]:
    """The functions in the traceback behind `raised`; all are of this file."""
    frames = traceback.extract_tb(error.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    return [frame.name for frame in frames][1:]


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED.keys())
def test_traceback_ends_at_the_users_call(ask: Callable[[], Any]) -> None:
    error = raised(ask)
    assert isinstance(error, daad.DaadError)
    assert names(error) in (["<lambda>"], ["<lambda>", "calls_daad"])
    assert "another exception" not in "".join(traceback.format_exception(error))
    assert "direct cause" not in "".join(traceback.format_exception(error))


def test_later_calls_end_there_too() -> None:
    gradient = daad.grad(asserted)
    gradient(X + 2.0)
    gradient(X + 3.0)
    assert names(raised(lambda: gradient(X))) == ["<lambda>"]


def test_an_exception_of_the_users_own_keeps_its_frames() -> None:
    error = raised(lambda: daad.grad(with_attribute)(X, Thing()))
    assert isinstance(error, LookupError)
    assert names(error)[-1] == "__getattr__"


def test_what_the_user_was_handling_is_told() -> None:
    def ask() -> None:
        try:
            raise OSError("no file")
        except OSError:
            daad.grad(misspelled)(X)

    error = raised(ask)
    assert isinstance(error.__context__, OSError)
    assert not error.__suppress_context__


def test_a_variable_asks_for_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_TRACEBACK", "full")
    error = raised(REFUSED["no attribute"])
    assert any("frontend" in frame.filename for frame in traceback.extract_tb(error.__traceback__))
    assert error.__context__ is not None


def test_a_defect_keeps_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "make_plan", lambda *_: 1 / 0)
    error = raised(lambda: daad.plan(plain, (X,)))
    assert isinstance(error, daad.InternalError)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert len(traceback.extract_tb(error.__traceback__)) > 3


def test_command_line_shows_the_users_frames_alone(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "class Thing:\n"
        "    def __getattr__(self, name):\n"
        "        raise LookupError('neither')\n"
        "def choose(x, thing):\n"
        "    return x[0] * thing.factor\n"
        "choose(np.ones(3), Thing())\n"
    )
    ended = CliRunner().invoke(main, ["grad", str(script), "-f", "choose"])
    assert ended.exit_code == 2
    assert ended.stderr.count("File ") == 1
    assert ended.stderr.rstrip().endswith("LookupError: neither")
