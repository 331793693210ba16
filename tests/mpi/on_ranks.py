"""What each rank runs: `mpiexec -n 4 python -m tests.mpi.on_ranks heat ring` prints a line for each program."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

from daad.api.gradient import Gradient
from daad.api.products import Tangent
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from daad.runtime.mpi import run_log
from tests.mpi.programs import CASES, Case, comm, rank

STEP = 1e-5


def interpreted(function: Callable[..., Any], **options: Any) -> Any:
    names = function.__code__.co_varnames[:2]
    request = Request(wrt=names, value=True, product=Product.GRADIENT, **options)
    return Gradient(function, request, compiler=Interpreted)


def summed(number: float) -> float:
    return float(comm.allreduce(float(number)))


def total(case: Case, arguments: Sequence[np.ndarray]) -> float:
    """The sum of what all ranks return, by NumPy and mpi4py."""
    return summed(case.function(*(a.copy() for a in arguments)))


def calls_in_a_run(gradient: Any, arguments: Sequence[np.ndarray]) -> list[int]:
    """How often all ranks exchange something forwards and backwards, and with how many different numbers."""
    seen: list[tuple[int, str]] = []
    once = run_log.Log.once

    def noted(log: Any, world: float, what: Any, run: Any) -> Any:
        return once(log, world, what, lambda: (seen.append((int(world), what[1])), run())[1])

    with mock.patch.object(run_log.Log, "once", noted):
        gradient(*arguments)
    ways = [way for _, way in seen]
    numbers = [number for number, _ in seen]
    assert numbers == sorted(set(numbers)) == list(range(len(numbers)))
    return [ways.count("forward"), ways.count("backward"), len(numbers) // 2]


def compared(case: Case) -> dict[str, Any]:
    """The slope in a direction in which the arguments of all ranks change, by the gradient and by differences."""
    arguments = case.arguments()
    rng = np.random.default_rng(rank)
    directions = [rng.standard_normal(a.shape) for a in arguments]

    def along(gradients: Sequence[np.ndarray]) -> float:
        return summed(sum(np.vdot(g, d) for g, d in zip(gradients, directions, strict=True)))

    gradient = interpreted(case.function)
    value, gradients = gradient(*arguments)
    moved = [[a + sign * STEP * d for a, d in zip(arguments, directions, strict=True)] for sign in (1, -1)]
    return {
        "value": summed(value),
        "expected": total(case, arguments),
        "slope": along(gradients),
        "difference": (total(case, moved[0]) - total(case, moved[1])) / (2 * STEP),
        "pushed": summed(_pushed(case, arguments, directions)),
        "recomputed": along(_recomputed(case, arguments)) if case.has_loop else None,
        "calls": calls_in_a_run(gradient, arguments),
    }


def _pushed(case: Case, arguments: Sequence[np.ndarray], directions: Sequence[np.ndarray]) -> Any:
    names = case.function.__code__.co_varnames[:2]
    request = Request(wrt=names, value=False, product=Product.TANGENT)
    return Tangent(case.function, request, compiler=Interpreted)(*arguments, tangent=tuple(directions))


def _recomputed(case: Case, arguments: Sequence[np.ndarray]) -> Any:
    return interpreted(case.function, plan="recompute")(*arguments)[1]


def main() -> None:
    for name in sys.argv[1:]:
        found = compared(CASES[name])
        if rank == 0:
            print(json.dumps({"name": name, **found}), flush=True)


if __name__ == "__main__":
    main()
