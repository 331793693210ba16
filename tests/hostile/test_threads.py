"""One gradient called from several threads: the answers of one thread never reach another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.errors import BadArgument
from tests.hostile.fault import fault
from tests.hostile.subjects import X, Y, interpreted, weigh, weighed

GROUP = "Threads"


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What the works return, each done by a thread of its own."""
    answers: list[Any] = [None] * len(works)
    ready = threading.Barrier(len(works))

    def run(number: int) -> None:
        ready.wait()
        try:
            answers[number] = works[number]()
        except Exception as error:
            answers[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
        assert not thread.is_alive(), "a thread hangs"
    return answers


def repeated(gradient: Any, x: np.ndarray, y: np.ndarray, count: int = 300) -> Callable[[], bool]:
    return lambda: all(np.array_equal(gradient(x, y), weighed(x, y)) for _ in range(count))


@fault(GROUP, "four threads call one gradient, equal shapes", "right; they take turns")
def test_equal_shapes(cache: Path) -> None:
    gradient = daad.grad(weigh)
    assert all(at_once(*(repeated(gradient, X + k, Y - k) for k in range(4))))
    assert gradient.is_cached


@fault(GROUP, "four threads call one gradient, different shapes and dtypes", "right; each shape is compiled once")
def test_different_shapes() -> None:
    gradient = interpreted(weigh)
    arguments = [(X, Y), (X[:3], Y[:3]), (X.astype(np.float32), Y), (X[None], Y[None])]
    assert all(at_once(*(repeated(gradient, x, y, 50) for x, y in arguments)))
    assert sum(map(len, gradient._known.values())) == 4


@fault(GROUP, "threads ask for one gradient before it is compiled", "compiled once; all right")
def test_first_calls_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path))
    gradient = daad.grad(weigh)
    assert all(at_once(*(repeated(gradient, X + k, Y, 1) for k in range(4))))
    assert sum(map(len, gradient._known.values())) == 1


@fault(GROUP, "threads with gradients of their own for one program", "right; they share the loaded code")
def test_gradients_of_their_own(cache: Path) -> None:
    assert all(at_once(*(repeated(daad.grad(weigh), X + k, Y) for k in range(4))))


def pick(x, k):
    return np.sum(x[k] * x[k])


@fault(GROUP, "an index error in one thread", "only this thread gets it")
def test_error_of_another_thread(own_cache: Path) -> None:
    inside, outside = np.array([0, 1, 2]), np.array([0, 1, 9])
    daad.grad(pick)(X, inside)

    def right() -> int:
        gradient = daad.grad(pick)
        return sum(np.array_equal(gradient(X, inside), [2.0, 4.0, 6.0, 0.0, 0.0]) for _ in range(300))

    def refused() -> int:
        gradient, count = daad.grad(pick), 0
        for _ in range(300):
            try:
                gradient(X, outside)
            except BadArgument as error:
                count += "Index 9 is out of bounds" in str(error)
        return count

    assert at_once(right, refused, right, refused) == [300] * 4


def step(x, n):
    for _ in range(n):
        x[:] = 0.5 * x + 0.5 * np.sin(x)
    return np.sum(x)


@fault(GROUP, "a long call in one thread", "the others go on: the interpreter's lock is released")
def test_long_call_leaves_others_alone(own_cache: Path) -> None:
    gradient = daad.grad(step, on_inputs="keep", plan="recompute")
    gradient(X, 10)
    counted, ended = [], threading.Event()

    def count() -> None:
        while not ended.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.001)

    def call() -> tuple[float, float]:
        start = time.perf_counter()
        gradient(X, 2_000_000)
        ended.set()
        return start, time.perf_counter()

    _, (start, end) = at_once(count, call)
    assert sum(start < moment < end for moment in counted) > 0.1 * (end - start) / 0.001
