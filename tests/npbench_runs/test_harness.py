"""The harness with engines that are right, wrong, dead, endless or greedy: every row is there, every worker gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from npbench_runs import results as files
from npbench_runs.harness import Run, measure
from npbench_runs.processes import Limits
from npbench_runs.results import Results, Row, Status
from npbench_runs.sources import Source
from tests.npbench_runs import fakes, results

MIB = 2**20


class Told:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def skipped(self, kernel: str) -> None:
        self.lines.append(f"skipped {kernel}")

    def started(self, kernel: str) -> None:
        self.lines.append(f"started {kernel}")

    def doing(self, what: str) -> None:
        self.lines.append(what)

    def finished(self, kernel: str, rows: Sequence[Row]) -> None:
        self.lines.append(f"finished {kernel}")


def fake(name: str) -> str:
    return f"{fakes.HERE}:{name}"


def run_of(path: Path, engines: Sequence[str], kernels: Sequence[str] = ("SQUARES",), seconds: float = 3.0) -> Run:
    setting = dataclasses.replace(results.SETTING, preset="S", repeats=4)
    return Run(
        kernels=tuple(map(fake, kernels)),
        engines=tuple(fake(name) if name.isupper() else name for name in engines),
        source=Source(),
        setting=setting,
        limits=Limits(seconds=seconds, memory=160 * MIB, threads=1),
        path=path / "results.json",
    )


def measured(run: Run, known: Results | None = None) -> tuple[Results, list[str]]:
    told = Told()
    found = measure(run, known or Results(setting=run.setting), told)
    return found, told.lines


ROWS = [
    ("RIGHT", Status.RIGHT, ""),
    ("numpy", Status.RIGHT, ""),
    ("OFF", Status.WRONG, "the derivative along a direction is off by 1.0e-04"),
    ("NOT_FINITE", Status.WRONG, "the gradient of 'x' is not finite"),
    ("DRIFTING", Status.WRONG, "calls give different gradients, apart by 8.9e-03 of the largest element"),
    ("TREMBLING", Status.WRONG, "calls give different gradients, apart by 8.9e-13 of the largest element"),
    ("INEXACT", Status.RIGHT, ""),
    ("REFUSING", Status.REFUSED, "A fake refuses."),
    ("RAISING", Status.FAILED, "ValueError: a reason"),
    ("DIES", Status.FAILED, "the process exited with code 7: last words"),
    ("HANGS", Status.TIMEOUT, "took more than 3 seconds"),
    ("EATS", Status.MEMORY, "took more than 0.156 GiB"),
    ("OUT_OF_MEMORY", Status.MEMORY, "MemoryError: no array of that size"),
    ("HANGS_LATER", Status.TIMEOUT, "took more than 3 seconds"),
    (
        "MISSING",
        Status.MISSING,
        "The package 'no_such_package' is not installed; pip install 'daad[fake]' installs it.",
    ),
]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Run]:
    run = run_of(tmp_path_factory.mktemp("run"), [name for name, _, _ in ROWS])
    return measured(run)[0], run


@pytest.mark.parametrize(("engine", "status", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_every_end_is_recorded(engine: str, status: Status, reason: str, everything: tuple[Results, Run]) -> None:
    row = everything[0].row(fake("SQUARES"), fake(engine) if engine.isupper() else engine)
    assert row is not None
    assert (row.status, row.reason) == (status, reason)
    assert (row.times is not None) == (status is Status.RIGHT)


def test_right_rows_have_all_numbers(everything: tuple[Results, Run]) -> None:
    row = everything[0].row(fake("SQUARES"), fake("RIGHT"))
    assert row is not None
    assert row.times is not None
    assert row.checked_against == "differences"
    assert row.error is not None
    assert row.error < 1e-9
    assert row.compile_seconds is not None
    assert row.peak_mib is not None
    assert len(row.times.samples) == 4
    assert row.times.minimum <= row.times.low <= row.times.median <= row.times.high < 1.0


def test_results_are_in_the_file(everything: tuple[Results, Run]) -> None:
    found, run = everything
    assert files.load(run.path) == found
    (facts,) = found.kernels
    assert (facts.sizes, facts.loops, facts.numpy_lines, facts.jax_lines) == ({"N": 50}, False, 3, None)


def test_known_kernels_are_skipped_and_new_engines_measured(tmp_path: Path) -> None:
    first, _ = measured(run_of(tmp_path, ["numpy"]))
    again, lines = measured(run_of(tmp_path, ["numpy"]), first)
    assert (again, lines) == (first, [f"skipped {fake('SQUARES')}"])
    more, lines = measured(run_of(tmp_path, ["RIGHT"]), first)
    assert lines[0] == f"started {fake('SQUARES')}"
    assert [row.engine for row in more.rows] == ["numpy", fake("RIGHT")]


def test_opponents_alternate(tmp_path: Path) -> None:
    _, lines = measured(run_of(tmp_path, ["RIGHT", "numpy"]))
    timing = [line.split(":")[-2].split()[-1] for line in lines if "timing" in line]
    assert timing == ["RIGHT", "numpy"] * 4


def test_the_fastest_right_variant_counts(tmp_path: Path) -> None:
    found, _ = measured(run_of(tmp_path, ["VARIANTS"], seconds=10.0))
    (row,) = found.rows
    assert (row.status, row.variant) == (Status.RIGHT, "fast")


KERNELS = [
    ("DYING", {"RIGHT": "nothing to check against", "numpy": "the process exited with code 7"}),
    ("STEPS", {"RIGHT": "", "OFF": "nothing to check against"}),
]


@pytest.mark.parametrize(("kernel", "reasons"), KERNELS, ids=[row[0] for row in KERNELS])
def test_without_differences_engines_check_each_other(kernel: str, reasons: dict[str, str], tmp_path: Path) -> None:
    found, _ = measured(run_of(tmp_path, [*reasons, "RIGHT"], [kernel]))
    for engine, reason in reasons.items():
        row = found.row(fake(kernel), fake(engine) if engine.isupper() else engine)
        assert row is not None
        assert reason in row.reason
