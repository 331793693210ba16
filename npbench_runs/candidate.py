"""One variant of an engine on one kernel, from its preparation to its row."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from npbench_runs.engines import engine as engine_named
from npbench_runs.processes import Ended, Limits, Process
from npbench_runs.results import Row, Status
from npbench_runs.times import summarised
from npbench_runs.verdicts import Verdict

WORKER = "npbench_runs.worker"
ENOUGH_SAMPLES = 3
# A slow program is sampled less often: `ENOUGH_SAMPLES` times at least, and no more once this is spent.
SAMPLING_SECONDS = 5.0


class Candidate:
    """Owns the worker; `row` always says what is known so far."""

    def __init__(self, kernel: str, engine: str, variant: str, folder: Path) -> None:
        self.engine, self.variant = engine_named(engine), variant
        self.name = f"{engine} {variant}".strip()
        self.gradients = folder / f"{self.name.replace(' ', '-').replace(':', '-')}.npz"
        self.row = Row(kernel=kernel, engine=engine, variant=variant, status=Status.RIGHT)
        self.worker: Process | None = None
        self.samples: list[float] = []

    @property
    def is_right(self) -> bool:
        """Whether nothing has gone wrong yet."""
        return self.row.status is Status.RIGHT

    def prepare(self, limits: Limits, **job: Any) -> None:
        """Starts the worker; it compiles, calls, and writes the gradient."""
        self.attempt(lambda: self._prepare(limits, job))

    def _prepare(self, limits: Limits, job: dict[str, Any]) -> None:
        self.worker = Process(WORKER, limits)
        request = {**job, "engine": self.row.engine, "variant": self.variant, "gradients": str(self.gradients)}
        answer = self.worker.ask("prepare", **request)
        self.update(compile_seconds=answer["compile_seconds"], peak_mib=answer["peak_mib"])
        if not answer["repeats"]:
            apart = answer["apart"]
            self.end(Status.WRONG, f"calls give different gradients, apart by {apart:.1e} of the largest element")

    def judge(self, verdict: Verdict) -> None:
        """Takes what was found of the gradient; a wrong one is never timed."""
        self.update(error=finite(verdict.error), checked_against=verdict.against, reason=verdict.reason)
        if verdict.status is not Status.RIGHT:
            self.end(verdict.status, verdict.reason)

    def sample(self) -> None:
        """One more sample; a program that ends here keeps its times if there are enough of them."""
        assert self.worker is not None, "only what waits is sampled"
        try:
            self.samples.append(self.worker.ask("sample")["seconds"])
        except Ended as ended:
            if len(self.samples) < ENOUGH_SAMPLES:
                self.end(ended.status, ended.reason)
            self.worker = None

    @property
    def waits(self) -> bool:
        """For more samples: a slow program is sampled until they have taken long enough."""
        is_sampled = len(self.samples) >= ENOUGH_SAMPLES and math.fsum(self.samples) > SAMPLING_SECONDS
        return self.is_right and self.worker is not None and not is_sampled

    def attempt(self, action: Callable[[], Any]) -> None:
        """Does what may end the worker; the row then says how."""
        try:
            action()
        except Ended as ended:
            self.end(ended.status, ended.reason)

    def end(self, status: Status, reason: str) -> None:
        """No times will come."""
        self.update(status=status, reason=reason)
        self.samples.clear()
        self.kill()

    def kill(self) -> None:
        """Ends the worker, if there is one."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None

    def finished(self) -> Row:
        """The row with its times."""
        return dataclasses.replace(self.row, times=summarised(self.samples)) if self.samples else self.row

    def update(self, **known: Any) -> None:
        self.row = dataclasses.replace(self.row, **known)


def finite(error: float | None) -> float | None:
    """JSON has no infinity."""
    return error if error is not None and math.isfinite(error) else None


def best(rows: Sequence[Row]) -> Row:
    """The fastest right one of an engine's variants; where none is right, the first."""
    right = [row for row in rows if row.status is Status.RIGHT and row.times is not None]
    return min(right, key=lambda row: row.times.median) if right else rows[0]
