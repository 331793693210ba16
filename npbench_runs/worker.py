"""One engine on one kernel, in a process of its own: `python -m npbench_runs.worker`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from npbench_runs.distance import distance, tolerance
from npbench_runs.engines import engine
from npbench_runs.engines.engine import Engine, Gradients, Prepared, Question
from npbench_runs.last_bits import movement
from npbench_runs.protocol import serve
from npbench_runs.resident import Growth
from npbench_runs.sources import Source
from npbench_runs.times import sample

MIB = 2**20


class Worker:
    """Holds the engine's compiled gradient between requests."""

    def __init__(self) -> None:
        self.prepared: Prepared | None = None

    def prepare(self, **job: Any) -> dict[str, Any]:
        """Compiles, measures what that takes, and writes the gradient to the file `gradients`."""
        chosen = engine(job["engine"])
        question = question_of(job)
        chosen.load()
        growth = Growth()
        first, prepared = timed_start(chosen, question)
        peak = growth.peak()
        found = copies(prepared.gradients())
        later, apart = repeated(prepared, found, chosen.calls - 1)
        if chosen.differentiates:
            np.savez(job["gradients"], **dict(zip(question.wrt, found, strict=True)))
        self.prepared = prepared
        allowed = 0.0 if chosen.exact else tolerance(found)
        measured = {"compile_seconds": max(0.0, first - later), "peak_mib": peak / MIB}
        return {**measured, "apart": apart, "repeats": apart <= allowed}

    def sample(self) -> dict[str, Any]:
        """Seconds of one call."""
        assert self.prepared is not None, "a worker is prepared before it is sampled"
        return {"seconds": sample(self.prepared.call, self.prepared.reset)}


def last_bits(**job: Any) -> dict[str, Any]:
    """How far the engine's gradient moves with the last bits of arguments and seed, as the root of the mean square."""
    chosen, question = engine(job["engine"]), question_of(job)
    chosen.load()
    elsewhere = chosen.prepare(question).elsewhere
    assert elsewhere is not None, "only the engine that others are compared with is asked"
    return {"movement": movement(elsewhere)[0]}


def question_of(job: dict[str, Any]) -> Question:
    """The kernel at the preset, with the seed that the harness wrote to a file, or one."""
    kernel = Source.of_json(job["source"]).kernel(job["kernel"])
    arguments = kernel.arguments(job["preset"])
    seed = np.load(job["seed"]) if Path(job["seed"]).exists() else 1.0
    wrt = kernel.wrt(arguments)
    return Question(
        kernel=kernel, arguments=arguments, wrt=wrt, seed=seed, variant=job["variant"], device=job.get("device", "cpu")
    )


def timed_start(chosen: Engine, question: Question) -> tuple[float, Prepared]:
    """Seconds up to the end of the first call, compiling included."""
    start = time.perf_counter()
    prepared = chosen.prepare(question)
    spent = time.perf_counter() - start
    prepared.reset()
    start = time.perf_counter()
    prepared.call()
    return spent + time.perf_counter() - start, prepared


def repeated(prepared: Prepared, first: Gradients, times: int) -> tuple[float, float]:
    """The seconds of the fastest later call, and how far the later gradients are from the first."""
    seconds, apart = float("inf"), 0.0
    for _ in range(times):
        prepared.reset()
        start = time.perf_counter()
        prepared.call()
        seconds = min(seconds, time.perf_counter() - start)
        apart = max(apart, distance(first, prepared.gradients()))
    return seconds, apart


def copies(gradients: Gradients) -> Gradients:
    return tuple(np.array(g) for g in gradients)


if __name__ == "__main__":
    worker = Worker()
    serve({"prepare": worker.prepare, "sample": worker.sample, "last_bits": last_bits})
