"""Compilers that are missing, fail, die or hang; interrupts meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.errors import CompileError
from daad.runtime import compiler_wheel
from tests.hostile.fault import fault, row
from tests.hostile.processes import fork, run
from tests.hostile.subjects import X, Y, weigh, weigh_gradient, weighed

GROUP = "Compilers"
NAMED = "CompileError: the command, the complaint, what to do"


def compiler(folder: Path, text: str) -> str:
    """A program that stands for the C++ compiler."""
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", "off")


@fault(GROUP, "no C++ compiler", "CompileError: what to install")
def test_no_compiler(no_cache: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler_wheel, "wheel", lambda: None)
    with pytest.raises(CompileError) as caught:
        daad.grad(weigh)(X, Y)
    assert str(caught.value) == (
        "The C++ compiler 'c++' was not found.\n"
        "  Install one (apt install g++, or pip install 'daad[compiler]'), or name another in the variable CXX."
    )


@fault(GROUP, "no C++ compiler, but a cached gradient", "loaded and right")
def test_no_compiler_but_a_cache(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert weigh_gradient().is_cached


FAILING = [
    row(GROUP, "a compiler that fails", NAMED, "echo 'error: no licence' >&2; exit 1", "failed: no licence"),
    row(GROUP, "a compiler that fails silently", NAMED, "exit 1", "failed: "),
    row(GROUP, "a compiler that is killed by a signal", NAMED, "kill -9 $$", "failed: "),
    row(GROUP, "a compiler that is no program", NAMED, "exec /nonexistent", "failed: "),
    row(GROUP, "a compiler that writes nothing", NAMED, "exit 0", "failed: "),
]


@pytest.mark.parametrize(("text", "said"), FAILING)
def test_failing_compiler(
    text: str, said: str, no_cache: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CXX", compiler(tmp_path, text))
    with pytest.raises(CompileError) as caught:
        daad.grad(weigh)(X, Y)
    assert f"The C++ compiler '{tmp_path / 'compiler'}" in str(caught.value)
    assert said in str(caught.value)


def is_running(pid: int) -> bool:
    """Whether a process still runs; one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(file: Path, limit: float = 20.0) -> str:
    deadline = time.monotonic() + limit
    while not (file.exists() and file.read_text().strip()):
        assert time.monotonic() < deadline, f"{file} is not written"
        time.sleep(0.02)
    return file.read_text().strip()


def interrupted(ask: Any) -> bool:
    try:
        ask()
    except KeyboardInterrupt:
        return True
    return False


@fault(GROUP, "Ctrl-C while a compiler hangs", "KeyboardInterrupt at once; the compiler ends; the next call is right")
def test_interrupt_while_compiling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started, asked, hanging = tmp_path / "pid", tmp_path / "asked", compiler(tmp_path, "")
    compiler(tmp_path, f"sleep 1000 & echo $! > {started}; wait")
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))

    def work() -> list[bool]:
        os.environ["CXX"] = hanging
        gradient = daad.grad(weigh)
        ended = interrupted(lambda: gradient(X, Y))
        asked.write_text("interrupted")
        del os.environ["CXX"]
        return [ended, np.array_equal(gradient(X, Y), weighed(X, Y)), np.array_equal(gradient(X, Y), weighed(X, Y))]

    child = fork(work)
    pid = int(wait_for(started))
    os.kill(child.pid, signal.SIGINT)
    wait_for(asked, 3.0)
    assert not is_running(pid)
    assert child.result() == [True, True, True]
    assert not list((tmp_path / "cache").glob("new-*"))


@fault(GROUP, "a caller who gives up by an alarm", "his exception; the compiler ends")
def test_alarm_while_compiling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    hanging = compiler(tmp_path, f"echo $$ > {started}; exec sleep 1000")
    monkeypatch.setenv("DAAD_CACHE", "off")

    class GivenUp(Exception):
        pass

    def give_up(*_: object) -> None:
        raise GivenUp

    def work() -> bool:
        os.environ["CXX"] = hanging
        signal.signal(signal.SIGALRM, give_up)
        try:
            daad.grad(weigh)(X, Y)
        except GivenUp:
            return not is_running(int(started.read_text()))
        return False

    child = fork(work)
    wait_for(started)
    os.kill(child.pid, signal.SIGALRM)
    assert child.result(20.0)


def step(x, n):
    for _ in range(n):
        x[:] = 0.5 * x + 0.5 * np.sin(x)
    return np.sum(x)


@fault(GROUP, "Ctrl-C while compiled code runs", "KeyboardInterrupt when the call is over; nothing is half done")
def test_interrupt_while_running(own_cache: Path) -> None:
    gradient = daad.grad(step, on_inputs="keep", plan="recompute")
    x = np.linspace(0.1, 1.0, 5)
    right = gradient(x, 40)

    def calls() -> None:
        while True:
            gradient(x, 300_000)  # a call takes a few hundredths of a second

    def work() -> list[bool]:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        return [interrupted(calls), np.array_equal(x, np.linspace(0.1, 1.0, 5)), np.array_equal(gradient(x, 40), right)]

    assert fork(work).result() == [True, True, True]


COMMAND = """
import numpy as np
def f(x):
    return np.sum(x * x)
f(np.arange(4.0))
"""


@fault(GROUP, "Ctrl-C at a terminal, in the command", "exit code 130; no traceback")
def test_interrupted_command(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(f"import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n{COMMAND}")
    found = run([sys.executable, "-m", "daad", "grad", tmp_path / "script.py", "-f", "f"])
    assert (found.returncode, "Traceback" in found.stderr) == (130, False), found.stderr
