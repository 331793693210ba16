"""Results of a benchmark run, as dataclasses and as the JSON file from which a run is resumed and reported."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

FORMAT = "daad bench"
VERSION = 1


class Status(Enum):
    """What became of one engine on one kernel; only RIGHT rows have times."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    """The engine says that it cannot differentiate the program."""
    FAILED = "failed"
    """It raised, or its process died."""
    TIMEOUT = "timeout"
    MEMORY = "memory"
    """It went over the memory cap."""
    MISSING = "missing"
    """The engine is not installed."""


@dataclass(frozen=True, kw_only=True)
class Times:
    """Milliseconds of one call: `low` and `high` bound the median (bootstrap, 95 %)."""

    median: float
    minimum: float
    low: float
    high: float
    samples: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One engine on one kernel.

    `error` is relative to the reference that `checked_against` names ("differences", "jax", …). `compile_seconds` is
    the first call less a later one; `peak_mib` the growth of the resident set from before the first call to its peak.
    """

    kernel: str
    engine: str
    status: Status
    reason: str = ""
    variant: str = ""
    times: Times | None = None
    compile_seconds: float | None = None
    peak_mib: float | None = None
    error: float | None = None
    checked_against: str = ""


@dataclass(frozen=True, kw_only=True)
class KernelFacts:
    """What a table says of a kernel beside times."""

    kernel: str
    sizes: Mapping[str, Any]
    loops: bool
    numpy_lines: int
    jax_lines: int | None


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Under what the rows were measured; rows of another setting are not comparable."""

    preset: str
    source: str
    """Whose programs: `npbench_runs` or `NPBench`."""
    threads: int
    repeats: int
    cpu: str
    cores: int
    memory_gib: float
    platform: str
    versions: Mapping[str, str]
    loss: str = "sum"
    """What is differentiated of the output: its sum, or, "weighted", the sum with a random weight for each element."""
    gpu: str = ""
    """The name of the GPU that the gradients run on; "" for the CPU."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """All of a run so far: `kernels` and `rows` in the order in which they were measured."""

    setting: Setting
    kernels: tuple[KernelFacts, ...] = ()
    rows: tuple[Row, ...] = field(default=())

    def row(self, kernel: str, engine: str) -> Row | None:
        """One engine's row on a kernel."""
        return next((r for r in self.rows if (r.kernel, r.engine) == (kernel, engine)), None)

    def extended(self, facts: KernelFacts, rows: tuple[Row, ...]) -> Results:
        """With a kernel measured; what was known of these rows before is replaced."""
        measured = {(r.kernel, r.engine) for r in rows}
        kernels = (*(k for k in self.kernels if k.kernel != facts.kernel), facts)
        kept = (r for r in self.rows if (r.kernel, r.engine) not in measured)
        return dataclasses.replace(self, kernels=kernels, rows=(*kept, *rows))


class BadResults(ValueError):
    """A file that holds no results of this version, with the reason."""


def save(results: Results, path: Path) -> None:
    """Writes the file whole or not at all, so that an interrupted run keeps what it had."""
    content = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(results)}
    for row in content["rows"]:
        row["status"] = row["status"].value
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(content, indent=1) + "\n")
    os.replace(beside, path)


def load(path: Path) -> Results:
    """Reads a results file; raises BadResults where it is none, or of another version."""
    try:
        content = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as failure:
        raise BadResults(f"'{path}' cannot be read as results: {failure}.") from failure
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadResults(f"'{path}' holds no results of 'daad bench'.")
    if content.get("version") != VERSION:
        raise BadResults(
            f"'{path}' has results of version {content.get('version')}; this daad reads version {VERSION}."
        )
    try:
        return Results(
            setting=Setting(**content["setting"]),
            kernels=tuple(KernelFacts(**facts) for facts in content["kernels"]),
            rows=tuple(map(_row, content["rows"])),
        )
    except (KeyError, TypeError, ValueError) as failure:
        raise BadResults(f"'{path}' is damaged: {failure}.") from failure


def _row(content: Mapping[str, Any]) -> Row:
    times = content["times"]
    read = None if times is None else Times(**{**times, "samples": tuple(times["samples"])})
    return Row(**{**content, "status": Status(content["status"]), "times": read})
