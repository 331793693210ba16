"""Measures kernels: prepares engines one after the other, checks their gradients, then times them in turn."""

from __future__ import annotations

import contextlib
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npbench_runs import results as files
from npbench_runs.candidate import WORKER, Candidate, best
from npbench_runs.engines import engine as engine_named
from npbench_runs.processes import Ended, Limits, Process
from npbench_runs.progress import Listener
from npbench_runs.results import KernelFacts, Results, Row, Setting, Status
from npbench_runs.sources import Source
from npbench_runs.verdicts import TRUSTED, Verdict

REFERENCE = "npbench_runs.reference"
# Differences may take this long; where the program is slower, engines are compared with each other.
DIFFERENCES_SECONDS = 60.0
# Threads of the engine that was sampled last may still spin: those of NumPy's OpenBLAS for 2**26 cycles.
SETTLING_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is measured, and where the results go."""

    kernels: tuple[str, ...]
    engines: tuple[str, ...]
    source: Source
    setting: Setting
    limits: Limits
    path: Path


def measure(run: Run, known: Results, listener: Listener) -> Results:
    """Measures kernel after kernel and saves after each; one of which all rows are known is skipped."""
    for kernel in run.kernels:
        if all(known.row(kernel, engine) for engine in run.engines):
            listener.skipped(kernel)
            continue
        listener.started(kernel)
        with tempfile.TemporaryDirectory(prefix="daad-bench-") as folder:
            facts, rows = Measurement(run, kernel, Path(folder), listener).measure()
        known = known.extended(facts, rows)
        files.save(known, run.path)
        listener.finished(kernel, rows)
    return known


class Measurement:
    """One kernel; its workers end with it."""

    def __init__(self, run: Run, kernel: str, folder: Path, listener: Listener) -> None:
        self.run, self.kernel, self.folder, self.listener = run, kernel, folder, listener
        self.rows: list[Row] = []
        self.candidates: list[Candidate] = []
        self.job: dict[str, Any] = {
            "source": run.source.as_json(),
            "kernel": kernel,
            "preset": run.setting.preset,
            "loss": run.setting.loss,
            "device": run.limits.device,
            "seed": str(folder / "seed.npy"),
        }

    def measure(self) -> tuple[KernelFacts, tuple[Row, ...]]:
        """All rows in the order of the engines."""
        try:
            facts = self.facts()
            self.prepare()
            self.check()
            self.sample()
        finally:
            for candidate in self.candidates:
                candidate.kill()
        return facts, tuple(self.row(engine) for engine in self.run.engines)

    def facts(self) -> KernelFacts:
        """What is known of the kernel; nothing where it cannot even be loaded, which the rows will say."""
        self.listener.doing("reading the program")
        found = {"sizes": {}, "loops": False, "numpy_lines": 0, "jax_lines": None}
        with Process(REFERENCE, self.run.limits) as reference, contextlib.suppress(Ended):
            found = reference.ask("facts", **self.job)
            reference.ask("seed", **self.job)
        return KernelFacts(kernel=self.kernel, **found)

    def prepare(self) -> None:
        """One at a time, so that compiling and memory are undisturbed."""
        for name in self.run.engines:
            engine = engine_named(name)
            if engine.missing():
                self.rows.append(Row(kernel=self.kernel, engine=name, status=Status.MISSING, reason=engine.missing()))
                continue
            for variant in engine.variants:
                candidate = Candidate(self.kernel, name, variant, self.folder)
                self.candidates.append(candidate)
                self.listener.doing(f"{candidate.name}: compiling and first calls")
                candidate.prepare(self.run.limits, **self.job)
                if candidate.row.status is Status.REFUSED:
                    break

    def check(self) -> None:
        """Only right gradients stay."""
        found = [c for c in self.candidates if c.is_right and c.engine.differentiates]
        if not found:
            return
        self.listener.doing("checking gradients")
        verdicts = self.verdicts({c.name: str(c.gradients) for c in found})
        if any(verdict.apart is not None for verdict in verdicts.values()) and TRUSTED in verdicts:
            movement = self.movement()
            verdicts = {name: verdict.excused(movement) for name, verdict in verdicts.items()}
        for candidate in found:
            candidate.judge(verdicts[candidate.name])

    def movement(self) -> float:
        """How far the trusted gradient moves with the last bits of inputs and seed; 0 where it cannot be said."""
        self.listener.doing(f"{TRUSTED}: gradients with other last bits")
        with Process(WORKER, self.run.limits) as worker, contextlib.suppress(Ended):
            return worker.ask("last_bits", **self.job, engine=TRUSTED, variant="")["movement"]
        return 0.0

    def verdicts(self, gradients: dict[str, str]) -> dict[str, Verdict]:
        """By differences; where the program dies, or takes too long for them, by agreement alone."""
        seconds = min(DIFFERENCES_SECONDS, self.run.limits.seconds)
        reason = ""
        for allowed in (seconds, 0.0):
            with Process(REFERENCE, self.run.limits) as reference:
                try:
                    answer = reference.ask("judge", **{**self.job, "gradients": gradients, "seconds": allowed})
                except Ended as ended:
                    reason = ended.reason
                    continue
            found = read(answer)
            return found | self.compiled_verdicts(
                {n: gradients[n] for n, v in found.items() if v.status is Status.FAILED}
            )
        return dict.fromkeys(gradients, Verdict(status=Status.FAILED, reason=f"cannot be checked: {reason}"))

    def compiled_verdicts(self, gradients: dict[str, str]) -> dict[str, Verdict]:
        """Of gradients that nothing else can say anything of, as far as differences of the compiled program can."""
        if gradients:
            self.listener.doing("checking gradients by the compiled program")
            seconds = min(DIFFERENCES_SECONDS, self.run.limits.seconds)
            with Process(REFERENCE, self.run.limits) as reference, contextlib.suppress(Ended):
                return read(reference.ask("judge_compiled", **self.job, gradients=gradients, seconds=seconds))
        return {}

    def sample(self) -> None:
        """Opponents alternate, so that whatever disturbs the machine disturbs all of them."""
        for repeat in range(self.run.setting.repeats):
            for candidate in (c for c in self.candidates if c.waits):
                self.listener.doing(f"{candidate.name}: timing {repeat + 1} of {self.run.setting.repeats}")
                time.sleep(SETTLING_SECONDS)
                candidate.sample()

    def row(self, engine: str) -> Row:
        """The engine's best variant."""
        rows = [row for row in self.rows if row.engine == engine]
        return best(rows + [c.finished() for c in self.candidates if c.row.engine == engine])


def read(answer: dict[str, Any]) -> dict[str, Verdict]:
    """Verdicts as a worker sends them."""
    return {name: Verdict.of_json(content) for name, content in answer["verdicts"].items()}
