"""What the figures measure, in a process of its own: `python -m npbench_runs.figures.worker`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from npbench_runs import three_arrays
from npbench_runs.engines import engine
from npbench_runs.engines.engine import Question
from npbench_runs.protocol import serve
from npbench_runs.sources import Source
from npbench_runs.times import sample
from npbench_runs.worker import Worker, copies


class SizedWorker(Worker):
    """Takes sizes that no preset has."""

    def prepare(self, **job: Any) -> dict[str, Any]:
        """Compiles one engine's gradient of a kernel, and writes it to the file `gradients`."""
        chosen = engine(job["engine"])
        kernel = Source.of_json(job["source"]).kernel(job["kernel"])
        arguments = kernel.initialise(**job["sizes"])
        chosen.load()
        prepared = chosen.prepare(
            Question(kernel=kernel, arguments=arguments, wrt=kernel.wrt(arguments), seed=1.0, variant=job["variant"])
        )
        prepared.reset()
        prepared.call()
        np.savez(job["gradients"], *copies(prepared.gradients()))
        self.prepared = prepared
        return {}


def configurations(plans: Sequence[Any], size: int, repeats: int) -> dict[str, Any]:
    """Seconds of each repeat, measured bytes and the program's text, for each plan; the plans alternate."""
    import daad

    point = three_arrays.initialise(size)
    gradients = [daad.grad(three_arrays.kernel, wrt=three_arrays.WRT, plan=plan) for plan in plans]
    first = [np.stack(gradient(*point)) for gradient in gradients]
    expected = np.stack(derivative(*point))
    wrong = [plan for plan, found in zip(plans, first, strict=True) if not np.allclose(found, expected, rtol=1e-9)]
    assert not wrong, f"the gradient is wrong with the plan {wrong[0]}"
    seconds: list[list[float]] = [[] for _ in gradients]
    until = time.monotonic() + LONGEST
    for _ in range(repeats):
        for gradient, spent in zip(gradients, seconds, strict=True):
            spent.append(sample(lambda g=gradient: g(*point), lambda: None))
        if time.monotonic() > until:
            break
    return {
        "seconds": seconds,
        "bytes": [gradient.memory.measured for gradient in gradients],
        "texts": [str(gradient.joint) for gradient in gradients],
    }


LONGEST = 120.0  # seconds of repeats


def derivative(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradient by hand: with P = X * Y, the program is sin(P) + sin(P**2) + sin(P**3 * X), summed."""
    P = X * Y
    D = P**3 * X
    wrt_product = np.cos(P) + 2 * P * np.cos(P**2) + 3 * P**2 * X * np.cos(D)
    return wrt_product * Y + P**3 * np.cos(D), wrt_product * X


if __name__ == "__main__":
    worker = SizedWorker()
    serve({"prepare": worker.prepare, "sample": worker.sample, "configurations": configurations})
