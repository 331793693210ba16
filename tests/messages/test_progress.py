"""What is told of the work: nothing, unless `verbose` asks for it or a terminal waits for longer than a second."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.messages import progress
from daad.messages.notebook_line import Notebook, notebook_of_this_process

X = np.linspace(0.1, 0.9, 4)


def energy(x, steps):
    for _ in range(steps):
        x = x + 0.1 * np.sin(x)
    return np.sum(x)


def unread(x):
    return np.sum(np.linalg.foo(x))


def call(verbose: int, **options: Any) -> None:
    Gradient(energy, Request(**options), verbose, Interpreted)(np.tile(X, 10), 30)  # type: ignore[arg-type]


def without_times(text: str) -> list[str]:
    return re.sub(r"[0-9.]+ s\b", "_ s", text).splitlines()


def test_nothing_is_told_unless_somebody_asks(capfd: pytest.CaptureFixture[str]) -> None:
    call(0)
    daad.check(energy, (X, 3))
    assert capfd.readouterr() == ("", "")


def test_verbose_tells_what_is_done_and_what_came_of_it(capfd: pytest.CaptureFixture[str]) -> None:
    call(1, memory_limit=6000)
    out, told = capfd.readouterr()
    assert out == ""
    lines = without_times(told)
    assert re.fullmatch(r"daad: reading 'energy' \(test_progress.py:\d+\)", lines[0])
    assert lines[1:3] == ["daad:   4 statements on arrays, _ s", "daad: differentiating 'energy'"]
    assert re.fullmatch(
        r"daad:   3 of \d statements carry derivatives, a call holds [0-9.]+ KiB if all values are kept, _ s", lines[3]
    )
    assert lines[4] == "daad: planning for 5.86 KiB"
    assert re.fullmatch(r"daad:   [0-9.]+ KiB, \d plans built, _ s", lines[5])
    assert len(lines) == 6


def test_more_of_it_tells_each_pass_that_changed_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    call(2)
    lines = without_times(capfd.readouterr().err)
    passes = [line.split()[1] for line in lines if " nests -> " in line]
    assert {"vertical-fusion:", "dead-code-elimination:", "horizontal-fusion:"} <= {*passes}


def test_compiling_and_finding_are_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path))
    daad.grad(energy, verbose=1)(X, 3)
    first = without_times(capfd.readouterr().err)
    daad.grad(energy, verbose=1)(X, 3)
    second = without_times(capfd.readouterr().err)
    assert any(re.fullmatch(r"daad:   \d+ lines of C\+\+, _ s", line) for line in first)
    assert any(line.startswith("daad: compiling with '") for line in first)
    assert second[2:] == ["daad: compiled code found in the cache"]


def test_what_ends_a_stage_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(daad.Unsupported):
        daad.plan(unread, (X,), verbose=1)
    assert without_times(capfd.readouterr().err)[1:] == ["daad:   Unsupported, _ s"]


@pytest.mark.parametrize("level", [3, -1, "1", None, [1], np.ones(2)], ids=repr)
def test_other_levels_are_refused(level: Any) -> None:
    with pytest.raises(daad.BadArgument, match="The option 'verbose' is "):
        daad.grad(energy, verbose=level)


class Terminal(io.StringIO):
    """A stream that says so."""

    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        for _ in range(10_000):
            if text in self.getvalue():
                return
            time.sleep(0.001)
        raise AssertionError(f"{text!r} was not written: {self.getvalue()!r}")

    @property
    def left(self) -> str:
        """What stands in the last line."""
        return self.getvalue().rpartition(progress.ERASE)[2]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error, which need not wait."""
    stream = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    return stream


def test_a_terminal_shows_the_innermost_stage_and_nothing_is_left(terminal: Terminal) -> None:
    with progress.shown(0), progress.stage("checking"):
        with progress.shown(0), progress.stage("compiling"):
            terminal.wait_for("daad: compiling, 0 s")
        terminal.wait_for("daad: checking, 0 s")
    assert terminal.left == ""
    assert "\n" not in terminal.getvalue()


def test_lines_that_are_told_do_not_mix_with_the_one_that_is_drawn(terminal: Terminal) -> None:
    with progress.shown(1), progress.stage("compiling") as tell:
        terminal.wait_for("daad: compiling, 0 s")
        tell("done")
    *lines, last = terminal.getvalue().split("\n")
    assert without_times("\n".join(line.rpartition(progress.ERASE)[2] for line in lines)) == [
        "daad: compiling",
        "daad:   done, _ s",
    ]
    assert last.rpartition(progress.ERASE)[2] == ""


def test_the_line_says_how_far_it_is(terminal: Terminal) -> None:
    with progress.shown(0), progress.stage("planning"):
        progress.counted("limit", 2, 7)
        progress.counted("plan", 3)
        terminal.wait_for("daad: planning, limit 2 of 7, plan 3, 0 s")
        progress.counted("limit", 3, 7)
        terminal.wait_for("daad: planning, limit 3 of 7, plan 3, 0 s")


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda: daad.check(energy, (X, 3), wrt="x"), r"comparing with differences, direction \d of \d"),
        (lambda: daad.plan(energy, (np.tile(X, 10), 30), memory_limit="5KiB"), r"planning for 5 KiB, plan \d"),
        (lambda: daad.plan(energy, (np.tile(X, 10), 30)).pareto(4), r"planning for less memory, limit \d of 3"),
    ],
    ids=["check", "plan", "pareto"],
)
def test_what_is_counted(ask: Any, line: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is fast: what would be drawn at each count."""
    drawn = []
    counted = progress.Underway.counts_at

    def counts_at(stage: Any, *count: Any) -> None:
        counted(stage, *count)
        drawn.append(str(stage))

    monkeypatch.setattr(progress.Underway, "counts_at", counts_at)
    ask()
    assert any(re.match(line, text) for text in drawn), drawn


class Shell:
    """IPython in a kernel, as far as it is asked."""

    kernel = object()


def test_a_notebook_shows_a_bar_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = '<progress value="1" max="4"></progress> daad: checking &lt;1&gt;, direction 2 of 4'
    shown: list[Any] = []
    place = SimpleNamespace(update=lambda content, raw: shown.append(content))

    def display(content: Any, raw: bool, display_id: bool) -> Any:
        shown.append(content)
        return place

    monkeypatch.setattr(progress, "notebook_of_this_process", lambda: Notebook(display))
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    with progress.shown(0), progress.stage("checking <1>"):
        progress.counted("direction", 2, 4)
        while len(shown) < 1000 and not any(bar in content["text/html"] for content in shown):
            time.sleep(0.001)
    assert any(bar in content["text/html"] for content in shown)
    assert shown[-1] == {"text/plain": "", "text/html": ""}


def test_a_notebook_is_told_by_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    display = SimpleNamespace(display=print)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    assert notebook_of_this_process() is not None
    monkeypatch.setattr(Shell, "kernel", None)
    assert notebook_of_this_process() is None


def test_quick_work_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "WAIT", 1000.0)
    call(0)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_when_the_work_fails(terminal: Terminal, failure: type[BaseException]) -> None:
    def fail() -> None:
        with progress.shown(0), progress.stage("compiling"):
            terminal.wait_for("compiling")
            raise failure

    with pytest.raises(failure):
        fail()
    assert terminal.left == ""


def test_a_plain_terminal_gets_no_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with progress.shown(0), progress.stage("compiling"):
        time.sleep(0.01)
    assert terminal.getvalue() == ""


def test_the_quiet_get_no_line(terminal: Terminal) -> None:
    with progress.quiet(), progress.shown(0), progress.stage("compiling"):
        time.sleep(0.01)
    assert terminal.getvalue() == ""
    with progress.quiet(), progress.shown(1), progress.stage("compiling"):
        pass
    assert terminal.getvalue().startswith("daad: compiling\n")


def test_threads_tell_apart(terminal: Terminal) -> None:
    seen = []
    with progress.shown(1):
        thread = threading.Thread(target=lambda: seen.append(progress.wants(1)))
        thread.start()
        thread.join()
        assert progress.wants(1)
    assert seen == [False]
