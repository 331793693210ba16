"""Processes of a build end with it, at whatever moment it is given up."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daad.runtime.process_groups import run


class GivenUpError(Exception):
    """What the caller's alarm raises."""


@pytest.fixture
def alarm() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise GivenUpError

    before = signal.signal(signal.SIGALRM, give_up)
    gc.disable()  # Python drops what a handler raises during a callback of the garbage collector
    yield
    gc.enable()
    signal.signal(signal.SIGALRM, before)


def test_output_and_status(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo $WORD; pwd; echo more >&2; exit 3"]
    others = [["echo", "two"], ["false"]]
    ended = run([command, *others], tmp_path, {"WORD": "one", "HOME": None})
    assert ended == [(3, f"one\n{tmp_path}\nmore\n"), (0, "two\n"), (1, "")]


def test_commands_run_at_the_same_time(tmp_path: Path) -> None:
    waits = "until [ -e {} ]; do sleep 0.01; done; touch {}"
    commands = [["sh", "-c", f"touch a; {waits.format('b', 'c')}"], ["sh", "-c", waits.format("a", "b")]]
    assert run(commands, tmp_path, {}) == [(0, ""), (0, "")]


def test_no_such_program(tmp_path: Path) -> None:
    commands = [["sleep", "1000"], [str(tmp_path / "none")]]
    assert run(commands, tmp_path, {}) == [(1, "error: No such file or directory")] * 2


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("moment", ["before it starts", "just after it started", "while it runs"])
def test_given_up(moment: str, count: int, alarm: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[subprocess.Popen[bytes]] = []
    ring = signal.SIGALRM

    class Watched(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            made.append(self)
            is_last = made.index(self) == count - 1
            if moment == "before it starts" and is_last:
                os.kill(os.getpid(), ring)
            super().__init__(*arguments, **options)
            if moment == "just after it started" and is_last:
                os.kill(os.getpid(), ring)
            if moment == "while it runs" and is_last:
                threading.Timer(0.1, lambda: os.kill(os.getpid(), ring)).start()

    monkeypatch.setattr(subprocess, "Popen", Watched)
    with pytest.raises(GivenUpError):
        run([["sleep", "1000"]] * count, tmp_path, {})
    assert all(process.returncode is not None for process in made)
