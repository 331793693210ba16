"""Runs tests and keeps what each one was about and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

FUZZ, FUZZ_SINCE = Path("docs/fuzz.json"), Path("docs/fuzz_since.json")
"""The last whole campaign, and what has been examined of later code."""
RESULTS = Path("build/reliability.json")
HOSTILE = ("tests/hostile",)
DEFECTS = ("tests/fuzz/test_mutations.py",)
RULES = "tests/fuzz/test_mutations.py::test_rule_wrong_by_a_thousandth_is_noticed"
REFUSALS = {
    "programs in Python": ("tests/frontend/python/test_refusals.py", "tests/frontend/python/test_refused_programs.py"),
    "NumPy functions and options": ("tests/frontend/numpy/test_refused.py",),
    "DaCe programs and SDFGs": ("tests/frontend/sdfg/test_refusals.py",),
    "calls of daad, results and arguments": ("tests/test_refusals.py",),
}
NONFINITE = ("tests/api/test_nonfinite.py",)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Result:
    """One test; `facts` are what it says about itself."""

    name: str
    outcome: str = PASSED
    facts: dict[str, Any] = field(default_factory=dict)


class Collector:
    """A plugin of pytest."""

    def __init__(self) -> None:
        self.results: dict[str, Result] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = self.results.setdefault(report.nodeid, Result(report.nodeid))
        result.facts.update(report.user_properties)
        if report.outcome != PASSED and result.outcome != FAILED:
            result.outcome = report.outcome


def run(paths: Iterable[str], workers: int) -> list[Result]:
    """All tests of some files, slow ones included."""
    collector = Collector()
    options = ["-q", "-m", "slow or not slow", "-p", "no:cacheprovider", "-n", str(workers)]
    pytest.main([*options, *paths], plugins=[collector])
    found = list(collector.results.values())
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(result) for result in found]))
    return found


def last() -> list[Result]:
    """What the last run has left."""
    return [Result(**result) for result in json.loads(RESULTS.read_text())]


@dataclass(frozen=True)
class Count:
    """How many tests passed, failed, were not tried."""

    passed: int
    failed: int
    skipped: int

    @staticmethod
    def of(results: Sequence[Result]) -> Count:
        numbers = [sum(r.outcome == outcome for r in results) for outcome in (PASSED, FAILED, SKIPPED)]
        return Count(*numbers)

    @property
    def all(self) -> int:
        return self.passed + self.failed + self.skipped


def belonging(results: Sequence[Result], paths: Sequence[str]) -> list[Result]:
    """Those of the tests of some files."""
    return [r for r in results if r.name.startswith(tuple(paths))]


def campaigns() -> list[dict[str, Any]]:
    """What `make fuzz` has written, and what has been examined since; the first one is the whole campaign."""
    return [json.loads(path.read_text()) for path in (FUZZ, FUZZ_SINCE) if path.exists()]
