"""Several processes at once, processes that are killed, and children of a process that has called a gradient."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import daad
from daad.codegen.dace_types import TEAM
from daad.runtime import cache as cache_module
from daad.runtime import toolchain
from daad.runtime.library import MANIFEST
from tests.hostile.fault import fault, row
from tests.hostile.processes import ASK, ROOT, fork
from tests.hostile.subjects import X, Y, weigh, weigh_gradient, weighed

GROUP = "Processes"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without entries."""
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(cache: Path) -> list[Path]:
    return [path.parent for path in cache.glob(f"[!n]*/{MANIFEST}")]


@fault(GROUP, "three processes compile one gradient at once", "one compiles, the others wait and load its code")
def test_processes_at_once(empty: Path) -> None:
    children = [fork(lambda: weigh_gradient().is_cached) for _ in range(3)]
    assert sorted(child.result() for child in children) == [False, True, True]
    assert len(entries(empty)) == 1


@pytest.mark.slow
@fault(GROUP, "eight new processes compile one gradient at once", "one compiles, the others wait and load its code")
def test_eight_processes_at_once(empty: Path) -> None:
    command = [sys.executable, "-c", ASK]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    said = sorted(process.communicate(timeout=300)[0].strip() for process in started)
    assert said == ["right False"] + ["right True"] * 7
    assert len(entries(empty)) == 1


def stop_at(place: object, name: str, reached: int) -> None:
    """In a child: the function is replaced by one that says so when it is called, and waits to be killed."""

    def stopping(*args: object, **keywords: object) -> None:
        os.write(reached, b"x")
        time.sleep(1000.0)
        raise AssertionError("not killed")

    setattr(place, name, stopping)


KILLED: list[tuple[str, Callable[[int], None]]] = [
    ("while it compiles", lambda reached: stop_at(toolchain, "run", reached)),
    ("while it copies to the cache", lambda reached: stop_at(shutil, "copyfile", reached)),
    ("before it publishes the entry", lambda reached: stop_at(cache_module.Cache, "_publish", reached)),
]


@pytest.mark.parametrize(
    "where", [row(GROUP, f"a process killed {what}", "the next one compiles", how) for what, how in KILLED]
)
def test_killed_process(where: Callable[[int], None], empty: Path) -> None:
    mine, its = os.pipe()
    child = fork(lambda: [where(its), weigh_gradient()])
    os.close(its)
    assert os.read(mine, 1) == b"x"
    os.close(mine)
    child.kill()
    assert entries(empty) == []
    assert not weigh_gradient().is_cached
    assert weigh_gradient().is_cached


@pytest.mark.slow
@fault(GROUP, "processes killed at any moment", "never a wrong answer; the next one compiles or loads")
def test_processes_killed_at_any_moment(empty: Path) -> None:
    for moment in np.linspace(0.05, 1.5, 20):
        shutil.rmtree(empty, ignore_errors=True)
        child = fork(weigh_gradient)
        time.sleep(moment)
        child.kill()
        weigh_gradient()
        assert len(entries(empty)) == 1


@fault(GROUP, "a process that has the turn and is stopped", "the others compile without waiting for ever")
def test_stopped_process(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daad.runtime.build_lock.PATIENCE", 0.3)
    mine, its = os.pipe()
    child = fork(lambda: [stop_at(toolchain, "run", its), weigh_gradient()])
    os.close(its)
    assert os.read(mine, 1) == b"x"
    os.close(mine)
    os.kill(child.pid, signal.SIGSTOP)
    try:
        assert not weigh_gradient().is_cached
    finally:
        child.kill()


def parallel(x):
    """Large enough for several threads."""
    y = np.sin(x) * x
    return np.sum(y[1:] * y[:-1])


@fault(GROUP, "a fork after a call that ran in parallel", "the child's calls are right; nothing hangs")
def test_fork_after_a_parallel_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = daad.grad(parallel)
    x = np.linspace(0.0, 1.0, 2_000_000)
    assert any(getattr(node, "schedule", None) == TEAM for node, _ in gradient.compile(x).sdfg.all_nodes_recursive())
    right = gradient(x)
    children = [fork(lambda: np.array_equal(gradient(x), right)) for _ in range(3)]
    np.testing.assert_array_equal(gradient(x), right)
    assert all(child.result(30.0) for child in children)
    grandchild = fork(lambda: [gradient(x), fork(lambda: np.array_equal(gradient(x), right)).result(20.0)][1])
    assert grandchild.result(30.0)


@fault(GROUP, "a gradient that is sent to another process", "there it compiles for itself, or loads")
def test_pickled_gradient(cache: Path) -> None:
    gradient = weigh_gradient()
    again = pickle.loads(pickle.dumps(gradient))
    np.testing.assert_array_equal(again(X, Y), weighed(X, Y))
    np.testing.assert_array_equal(copy.deepcopy(gradient)(X, Y), weighed(X, Y))


@fault(GROUP, "a fork while another thread calls the gradient", "the child's calls are right; nothing hangs")
def test_fork_during_a_call(cache: Path) -> None:
    gradient = weigh_gradient()
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            gradient(X, Y)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            assert fork(lambda: np.array_equal(gradient(X, Y), weighed(X, Y))).result(20.0)
    finally:
        ended.set()
        thread.join()


@fault(GROUP, "a fork while another thread compiles", "the child compiles for itself; nothing hangs")
def test_fork_while_compiling(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiling, go_on = threading.Event(), threading.Event()
    original = toolchain.compile_library

    def waiting(*args: object) -> object:
        compiling.set()
        go_on.wait(20.0)
        return original(*args)  # type: ignore[arg-type]

    gradient = daad.grad(weigh)
    monkeypatch.setattr("daad.codegen.library_build.compile_library", waiting)
    thread = threading.Thread(target=lambda: gradient(X, Y))
    thread.start()
    compiling.wait(20.0)
    monkeypatch.setattr("daad.codegen.library_build.compile_library", original)
    monkeypatch.setattr("daad.runtime.build_lock.PATIENCE", 0.3)
    child = fork(lambda: np.array_equal(gradient(X, Y), weighed(X, Y)))
    try:
        assert child.result(30.0)
    finally:
        go_on.set()
        thread.join()
    np.testing.assert_array_equal(gradient(X, Y), weighed(X, Y))
