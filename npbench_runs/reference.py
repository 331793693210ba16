"""What only the NumPy program can say of a kernel, in a process of its own: `python -m npbench_runs.reference`."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from npbench_runs.compiled import as_compiled
from npbench_runs.differences import Primal
from npbench_runs.distance import distance, tolerance
from npbench_runs.engines.engine import Gradients, Question
from npbench_runs.kernel import Kernel, weights
from npbench_runs.protocol import serve
from npbench_runs.sources import Source
from npbench_runs.verdicts import COMPILED, verdicts
from npbench_runs.worker import question_of

SMALLEST = "tiny"


def facts(**job: Any) -> dict[str, Any]:
    """What the tables say of a kernel beside times."""
    kernel = Source.of_json(job["source"]).kernel(job["kernel"])
    has_jax = importlib.util.find_spec("jax") is not None
    return {
        "sizes": {name: plain(value) for name, value in kernel.sizes[job["preset"]].items()},
        "loops": kernel.has_loops,
        "numpy_lines": kernel.numpy_lines,
        "jax_lines": kernel.jax_lines if has_jax and kernel.in_jax else None,
    }


def plain(value: Any) -> Any:
    """A number as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def seed(**job: Any) -> dict[str, Any]:
    """Writes the seed to the file `seed` where it is not one; for a sum, that shows at the smallest size already."""
    kernel = Source.of_json(job["source"]).kernel(job["kernel"])
    if job["loss"] == "weighted":
        np.save(job["seed"], weights(output_at(kernel, job["preset"])))
    elif SMALLEST not in kernel.sizes or not is_one(seed_at(kernel, SMALLEST)):
        found = seed_at(kernel, job["preset"])
        if not is_one(found):
            np.save(job["seed"], found)
    return {}


def output_at(kernel: Kernel, preset: str) -> np.ndarray:
    """An array like the output at a preset; the program runs only if it makes it itself."""
    arguments = kernel.arguments(preset)
    if isinstance(kernel.output, str):
        return kernel.select(None, arguments)
    with np.errstate(all="ignore"):
        return kernel.select(kernel.function(*arguments), arguments)


def seed_at(kernel: Kernel, preset: str) -> float | np.ndarray:
    """The seed of a sum."""
    arguments = kernel.arguments(preset)
    with np.errstate(all="ignore"):
        return kernel.seed(kernel.select(kernel.function(*arguments), arguments))


def is_one(value: float | np.ndarray) -> bool:
    return isinstance(value, float) and value == 1.0


def judge(**job: Any) -> dict[str, Any]:
    """Verdicts on the gradients in the files `gradients`; differences take no more than `seconds`, none if zero."""
    question = question_of({**job, "variant": ""})
    gradients = {name: loaded(path, question.wrt) for name, path in job["gradients"].items()}
    primal = primal_of(question, time.monotonic() + job["seconds"]) if job["seconds"] else None
    found = verdicts(primal, gradients, tolerance(active(question)))
    return {"verdicts": {name: verdict.as_json() for name, verdict in found.items()}}


def judge_compiled(**job: Any) -> dict[str, Any]:
    """Verdicts by differences of the program as daad compiles it, none where these say nothing.

    One run of NumPy's has to give the same output.
    """
    question = question_of({**job, "variant": ""})
    gradients = {name: loaded(path, question.wrt) for name, path in job["gradients"].items()}
    rtol = tolerance(active(question))
    primal = primal_of(replace(question, kernel=as_compiled(question.kernel)), time.monotonic() + job["seconds"])
    found = {name: verdict for name, verdict in verdicts(primal, gradients, rtol).items() if verdict.by_differences}
    outputs = [(each.output_at_the_point(),) for each in (primal, primal_of(question, float("inf")))] if found else []
    if outputs and (apart := distance(*outputs)) > rtol:
        raise ValueError(
            f"the output of the compiled program differs from NumPy's by {apart:.1e} of the largest element"
        )
    return {"verdicts": {name: replace(verdict, against=COMPILED).as_json() for name, verdict in found.items()}}


def primal_of(question: Question, until: float) -> Primal:
    return Primal(
        kernel=question.kernel, arguments=question.arguments, wrt=question.wrt, seed=question.seed, until=until
    )


def active(question: Question) -> list[np.ndarray]:
    """The arrays with respect to which the kernel is differentiated."""
    named = zip(question.kernel.parameters, question.arguments, strict=True)
    return [value for name, value in named if name in question.wrt]


def loaded(path: str, wrt: tuple[str, ...]) -> Gradients:
    """A gradient that a worker wrote."""
    with np.load(path) as saved:
        return tuple(saved[name] for name in wrt)


REQUESTS: Mapping[str, Any] = {"facts": facts, "seed": seed, "judge": judge, "judge_compiled": judge_compiled}

if __name__ == "__main__":
    serve(REQUESTS)
