"""Gradients of programs that pass messages, on two and four ranks, each by one run of `tests.mpi.on_ranks`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from daad.api.check.procedure import OF_RANKS

pytest.importorskip("mpi4py", reason="mpi4py is missing: pip install 'daad[mpi]'")
if shutil.which("mpiexec") is None:
    pytest.skip("mpiexec is missing: pip install 'daad[mpi]'", allow_module_level=True)

ROOT = Path(__file__).parents[2]
ON_TWO = [
    "all_sums",
    "extrema",
    "roots",
    "parts",
    "uneven_parts",
    "ring",
    "master",
    "waves",
    "on_a_side",
    "of_one_rank",
    "heat",
    "shallow_water",
    "conjugate_gradients",
]
ON_FOUR = ["plate"]
MORE_ON_FOUR = ["uneven_parts", "master", "conjugate_gradients"]


def launched(ranks: int, module: str, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = ["mpiexec", "-n", str(ranks), sys.executable, "-m", module, *args]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@cache
def found(ranks: int, *names: str) -> dict[str, dict[str, Any]]:
    """What the ranks print, by the programs' names."""
    run = launched(ranks, "tests.mpi.on_ranks", *names)
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line for line in lines}


@pytest.mark.parametrize("name", ON_TWO)
def test_gradients_on_two_ranks_are_those_of_differences(name: str) -> None:
    _compare(found(2, *ON_TWO)[name])


@pytest.mark.parametrize("name", ON_FOUR)
def test_gradients_on_four_ranks_are_those_of_differences(name: str) -> None:
    _compare(found(4, *ON_FOUR)[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_ON_FOUR)
def test_more_gradients_on_four_ranks(name: str) -> None:
    _compare(found(4, *MORE_ON_FOUR)[name])


def _compare(line: dict[str, Any]) -> None:
    """The product with tangents, too, and gradients by another plan; the reverse sweep calls MPI as often as the
    program."""
    assert line["value"] == pytest.approx(line["expected"], rel=1e-12)
    assert line["slope"] == pytest.approx(line["difference"], rel=1e-6)
    assert line["pushed"] == pytest.approx(line["slope"], rel=1e-11)
    assert line["recomputed"] in (None, pytest.approx(line["slope"], rel=1e-12))
    assert line["calls"][0] == line["calls"][1] == line["calls"][2] > 0


def test_parts_have_the_gradient_of_the_whole() -> None:
    run = launched(2, "tests.mpi.compiled_heat")
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 1e-14


def test_check_compares_sums_over_all_ranks() -> None:
    run = launched(2, "tests.mpi.checked")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["RIGHT WRONG", OF_RANKS]


def test_refusals_say_what_and_where() -> None:
    """Of one process, without mpiexec."""
    run = subprocess.run([sys.executable, "-m", "tests.mpi.refusals"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for name, expected, found in json.loads(run.stdout):
        assert found == expected, name


def test_a_rank_that_raises_ends_all_with_its_message() -> None:
    run = launched(2, "tests.mpi.failing")
    assert run.returncode != 0
    assert "'Recv' fails: a message of 16 bytes has come for a buffer of 24 bytes." in run.stderr
    assert "comm.Recv(y, source=0)" in run.stderr
