"""daad, as its users call it; the arguments stay untouched, as they do in JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

from npbench_runs.engines.engine import Engine, Prepared, Question, Refused, as_arrays

LIKE_JAX = "keep"


def load() -> None:
    import daad
    import daad.codegen.library_build
    import daad.pipeline

    # What is imported late, also by the first gradient, belongs to no kernel.
    daad.grad(neighbours)(np.ones(3))


def neighbours(x: np.ndarray) -> np.floating:
    """A program that takes no time."""
    return np.sum(x[1:] * x[:-1])


def prepare(question: Question) -> Prepared:
    import daad

    kernel, options = question.kernel, {"seed": question.seed, "on_inputs": LIKE_JAX, "device": question.device}
    gradient = daad.grad(kernel.function, wrt=question.wrt, of=kernel.output, **options)
    arguments = question.arguments if question.device == "cpu" else on_gpu(question)
    last: list[Any] = []

    def first() -> Any:
        try:
            return gradient(*arguments)
        except (daad.Unsupported, daad.NotDifferentiable) as refusal:
            raise Refused(f"{refusal.at}: {refusal.message}" if refusal.at else refusal.message) from refusal

    def call() -> None:
        last[:] = gradient(*arguments) if last else first()

    return Prepared(call=call, gradients=lambda: as_arrays(last))


def on_gpu(question: Question) -> tuple[Any, ...]:
    """The arguments with arrays of JAX's, which lie on the GPU."""
    import jax

    jax.config.update("jax_enable_x64", question.has_float64)
    return tuple(jax.device_put(a) if isinstance(a, np.ndarray) else a for a in question.arguments)


DAAD = Engine(packages=("daad", "dace"), extra="pip install daad", load=load, prepare=prepare)
