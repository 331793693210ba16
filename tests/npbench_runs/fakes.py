"""Kernels and engines that do on purpose what real ones do by accident; workers import them by name."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from npbench_runs.engines.engine import Engine, Gradients, Prepared, Question, Refused
from npbench_runs.kernel import Kernel

HERE = "tests.npbench_runs.fakes"
FOREVER = 600.0
PIDS = "FAKE_PIDS"


def squares(x: np.ndarray, y: np.ndarray) -> None:
    """The sum of `y` afterwards has the gradient 2 x + 0.5, and zero for `y`."""
    print("a program that prints")
    y[:] = x * x + 0.5 * x


def steps(x: np.ndarray, y: np.ndarray) -> None:
    """Jumps nearly everywhere: differences say nothing; engines call its gradient that of `squares`."""
    y[:] = x * x + 0.5 * x + 1e-3 * np.sin(1e12 * x)


def hanging(x: np.ndarray, y: np.ndarray) -> None:
    Path(os.environ[PIDS]).write_text(str(os.getpid()))
    time.sleep(FOREVER)


def dying(x: np.ndarray, y: np.ndarray) -> None:
    os._exit(7)


def initialise(N: int) -> tuple[np.ndarray, np.ndarray]:
    return np.linspace(0.5, 2.0, N), np.ones(N)


def kernel(function: Callable[..., Any]) -> Kernel:
    name = f"{HERE}:{function.__name__.upper()}"
    return Kernel(
        name=name,
        function=function,
        initialise=initialise,
        sizes={"tiny": {"N": 5}, "S": {"N": 50}},
        output="y",
        in_jax="",
    )


SQUARES, STEPS, HANGING, DYING = map(kernel, (squares, steps, hanging, dying))


def by_hand(question: Question) -> Gradients:
    x, y = question.arguments
    return 2 * x + 0.5, np.zeros_like(y)


def engine(gradients: Callable[[Question], Gradients], **options: Any) -> Engine:
    """An engine whose every call evaluates `gradients`."""

    def prepare(question: Question) -> Prepared:
        last: list[np.ndarray] = []

        def call() -> None:
            last[:] = gradients(question)

        return Prepared(
            call=call,
            gradients=lambda: tuple(last),
            elsewhere=lambda change: gradients(
                dataclasses.replace(question, arguments=tuple(map(change, question.arguments)))
            ),
        )

    packages: Mapping[str, Any] = {"packages": ("numpy",), "extra": "pip install numpy", "load": lambda: None}
    return Engine(**{**packages, "prepare": prepare, **options})


def scaled(factor: float) -> Callable[[Question], Gradients]:
    return lambda question: tuple(factor * g for g in by_hand(question))


def element_wrong(question: Question) -> Gradients:
    """By so little that two random directions do not notice."""
    x_bar, y_bar = by_hand(question)
    x_bar[2] += 2e-6
    return x_bar, y_bar


def drifting(question: Question) -> Gradients:
    """Right at first, a bit less at each call."""
    question.arguments[0][:] *= 1 + 1e-2
    return by_hand(question)


def trembling(question: Question) -> Gradients:
    """Right within rounding, a bit different at each call, as sums of threads are."""
    question.arguments[0][:] *= 1 + 1e-12
    return by_hand(question)


def refusing(question: Question) -> Gradients:
    raise Refused("A fake refuses.")


def raising(question: Question) -> Gradients:
    raise ValueError("a reason\nand more of it")


def dies(question: Question) -> Gradients:
    print("last words", file=sys.stderr)
    sys.stderr.flush()
    os._exit(7)


def hangs(question: Question) -> Gradients:
    time.sleep(FOREVER)
    return by_hand(question)


def eats(question: Question) -> Gradients:
    kept = []
    while True:
        kept.append(np.ones(4 << 20))
        time.sleep(0.005)


def out_of_memory(question: Question) -> Gradients:
    raise MemoryError("no array of that size")


def hangs_later(calls: int) -> Callable[[Question], Gradients]:
    """The first calls are done at once."""
    done: list[int] = []

    def gradients(question: Question) -> Gradients:
        done.append(1)
        return by_hand(question) if len(done) <= calls else hangs(question)

    return gradients


def by_variant(question: Question) -> Gradients:
    """Wrong and fast in one variant, right in two, one of which is slow."""
    time.sleep({"wrong": 0.0, "slow": 0.03, "fast": 0.003}[question.variant])
    return scaled(1.1 if question.variant == "wrong" else 1.0)(question)


RIGHT = engine(by_hand)
OFF = engine(scaled(1.0 + 1e-4))
NOT_FINITE = engine(scaled(np.nan))
DRIFTING = engine(drifting)
TREMBLING = engine(trembling)
INEXACT = engine(trembling, exact=False)
REFUSING = engine(refusing)
RAISING = engine(raising)
DIES = engine(dies)
HANGS = engine(hangs)
EATS = engine(eats)
OUT_OF_MEMORY = engine(out_of_memory)
HANGS_LATER = engine(hangs_later(3))
MISSING = engine(by_hand, packages=("no_such_package",), extra="pip install 'daad[fake]'")
VARIANTS = engine(by_variant, variants=("wrong", "slow", "fast"))
