"""NumPy: the time of the program itself."""

from __future__ import annotations

from typing import Any

from npbench_runs.engines.engine import Engine, Prepared, Question


def prepare(question: Question) -> Prepared:
    arguments: dict[str, Any] = {}

    def reset() -> None:
        arguments.update(question.fresh())

    return Prepared(reset=reset, call=lambda: question.kernel.function(*arguments.values()), gradients=lambda: ())


NUMPY = Engine(
    packages=("numpy",),
    extra="pip install numpy",
    load=lambda: None,
    prepare=prepare,
    differentiates=False,
)
