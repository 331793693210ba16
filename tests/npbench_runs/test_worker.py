"""Workers: what they answer, what they survive, and that nothing of them is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npbench_runs.distance import array_distance
from npbench_runs.processes import Ended, Limits, Process, environment
from npbench_runs.protocol import answer
from npbench_runs.resident import Growth, members
from npbench_runs.results import Status
from npbench_runs.worker import repeated
from tests.npbench_runs import fakes

WORKER = "npbench_runs.worker"
LIMITS = Limits(seconds=60.0, memory=1 << 30, threads=1)


def job(folder: Path, engine: str, kernel: str = "SQUARES", **other: Any) -> dict[str, Any]:
    return {
        "source": {"npbench": None},
        "kernel": f"{fakes.HERE}:{kernel}",
        "preset": "S",
        "seed": str(folder / "seed.npy"),
        "engine": engine,
        "variant": "",
        "gradients": str(folder / "gradients.npz"),
        **other,
    }


def test_a_worker_prepares_writes_the_gradient_and_is_sampled(tmp_path: Path) -> None:
    with Process(WORKER, LIMITS) as worker:
        prepared = worker.ask("prepare", **job(tmp_path, f"{fakes.HERE}:RIGHT"))
        sampled = worker.ask("sample")
    x, _ = fakes.SQUARES.arguments("S")
    with np.load(tmp_path / "gradients.npz") as saved:
        np.testing.assert_array_equal(saved["x"], 2 * x + 0.5)
    assert prepared["apart"] == 0.0
    assert 0.0 <= prepared["peak_mib"] < 20.0
    assert 0.0 < sampled["seconds"] < 1.0


def test_a_worker_says_how_far_a_gradient_moves_with_the_last_bits(tmp_path: Path) -> None:
    """Of `2 x + 0.5`, an epsilon of each element up or down moves the largest by at most two."""
    with Process(WORKER, LIMITS) as worker:
        movement = worker.ask("last_bits", **job(tmp_path, f"{fakes.HERE}:RIGHT"))["movement"]
    assert 0.5e-16 < movement <= 4.5e-16


def test_what_a_program_prints_does_not_disturb(tmp_path: Path) -> None:
    with Process(WORKER, LIMITS) as worker:
        worker.ask("prepare", **job(tmp_path, "numpy"))
        assert "a program that prints" in worker.log.read_text()


def test_a_worker_that_hangs_leaves_nothing(tmp_path: Path) -> None:
    worker = Process(WORKER, Limits(seconds=1.0, memory=1 << 30, threads=1))
    folder = Path(worker.folder.name)
    with pytest.raises(Ended, match="took more than 1 seconds") as ended:
        worker.ask("prepare", **job(tmp_path, f"{fakes.HERE}:HANGS"))
    assert ended.value.status is Status.TIMEOUT
    assert not folder.exists()
    assert not list(members(worker.process.pid))


def test_what_a_worker_started_dies_with_it() -> None:
    worker = Process(WORKER, LIMITS)
    code = (
        "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).wait()"
    )
    worker.process.kill()
    worker.process.wait()
    worker.process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    while len(list(members(worker.process.pid))) < 2:
        time.sleep(0.01)
    worker.kill()
    deadline = time.monotonic() + 5
    while list(members(worker.process.pid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not list(members(worker.process.pid))


def test_engines_get_threads_and_empty_caches(tmp_path: Path) -> None:
    found = environment(3, str(tmp_path))
    assert (found["OMP_NUM_THREADS"], found["OPENBLAS_NUM_THREADS"]) == ("3", "3")
    assert found["DAAD_CACHE"].startswith(str(tmp_path))


def raises(error: Exception) -> Any:
    def request(**_: Any) -> Mapping[str, Any]:
        raise error

    return request


FAILURES = [
    (MemoryError(), Status.MEMORY, "MemoryError"),
    (RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating"), Status.MEMORY, "RuntimeError: RESOURCE_EXHAUSTED"),
    (AssertionError(), Status.FAILED, "AssertionError"),
    (KeyError("M"), Status.FAILED, "KeyError: 'M'"),
]


@pytest.mark.parametrize(("error", "status", "reason"), FAILURES, ids=[repr(row[0])[:30] for row in FAILURES])
def test_failures_have_a_status_and_a_reason(error: Exception, status: Status, reason: str) -> None:
    found = answer(raises(error), {})
    assert found["status"] == status.value
    assert found["reason"].startswith(reason)


DISTANCES = [
    ([1.0, 2.0], [1.0, 2.0], 0.0),
    ([1.0, 4.0], [1.0, 3.0], 0.25),
    ([np.nan, 1.0], [np.nan, 1.0], 0.0),
    ([np.nan, 1.0], [1.0, np.nan], np.inf),
    ([0.0, 0.0], [0.0, 1.0], np.inf),
    ([1.0], [1.0, 1.0], np.inf),
]


@pytest.mark.parametrize(("one", "other", "expected"), DISTANCES, ids=str)
def test_distance_is_relative_to_the_largest_element(one: list[float], other: list[float], expected: float) -> None:
    found = array_distance(np.array(one), np.array(other))
    assert found == expected or (expected == np.inf and found > 1e300)


def test_later_calls_are_compared_with_the_first() -> None:
    kernel = fakes.SQUARES
    from npbench_runs.engines.engine import Question

    question = Question(kernel=kernel, arguments=kernel.arguments("S"), wrt=("x", "y"), seed=1.0)
    prepared = fakes.DRIFTING.prepare(question)
    prepared.call()
    first = tuple(np.array(g) for g in prepared.gradients())
    seconds, apart = repeated(prepared, first, 2)
    assert seconds > 0.0
    assert apart > 1e-3


@pytest.mark.parametrize("is_marked", [True, False], ids=["high-water mark", "sampling"])
def test_growth_sees_memory_that_is_gone_again(is_marked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_marked:
        monkeypatch.setattr("npbench_runs.resident.reset_mark", lambda: False)
    growth = Growth()
    gone = np.ones(64 << 17)
    time.sleep(0.1)
    del gone
    assert 60 << 20 < growth.peak() < 200 << 20
    assert os.getpid() in [pid for pid, _ in members(os.getsid(0))]
