"""The program itself, compiled by daad without a gradient; the arguments stay untouched."""

from __future__ import annotations

from typing import Any

from npbench_runs.engines.by_daad import LIKE_JAX, load
from npbench_runs.engines.engine import Engine, Prepared, Question


def prepare(question: Question) -> Prepared:
    from daad.api.call.specialization import specialise_primal
    from daad.api.subject import arguments
    from daad.api.subject.reading import subject_of
    from daad.api.subject.request import Request

    kernel = question.kernel
    bound = dict(zip(kernel.parameters, question.arguments, strict=True))
    leaves = [value for _, value in arguments.leaves(bound)]
    request = Request(wrt=question.wrt, of=kernel.output, seed=question.seed, on_inputs=LIKE_JAX)
    program = specialise_primal(subject_of(kernel.function), bound, request)
    last: list[Any] = []

    def call() -> None:
        last[:] = program.run(leaves)[1]

    return Prepared(call=call, gradients=lambda: ())


PRIMAL = Engine(packages=("daad", "dace"), extra="pip install daad", load=load, prepare=prepare, differentiates=False)
