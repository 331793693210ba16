#!/usr/bin/env python3
"""What guards cost: gradients of programs in which data decide what the program is, beside the same programs in which
these decisions are given, as ints that are compiled in. Both compute, and return, what data decide by.

Minima of processor time over bursts of calls that alternate; to be run on one processor (`taskset -c 0`).
"""

from __future__ import annotations

import argparse
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from daad.api.subject import arguments as calls  # noqa: E402

Call = Callable[[], Any]
BURST = 0.05  # seconds
BURSTS = 60


def advected(u: Any, c: Any, steps: int, kind: Any = None) -> Any:
    """The fluxes of a transport equation are chosen once, by the largest speed."""
    fluxes = {0: lambda v: 0.5 * (v[1:] + v[:-1]), 1: lambda v: v[:-1]}
    fastest = np.max(c)
    flux = fluxes[int(fastest > 0.9) if kind is None else kind]
    for _ in range(steps):
        u[1:-1] = u[1:-1] - c[1:-1] * (flux(u)[1:] - flux(u)[:-1])
    return np.sum(u * u), fastest


def selected(x: Any, y: Any, best: Any = None) -> Any:
    """Of eight models, what the best one says is refined."""
    models = [np.tanh(x * (0.3 + 0.2 * k)) for k in range(8)]
    costs = [np.sum((model - y) ** 2) for model in models]
    found = int(np.argmin(np.array(costs)))
    model = models[found if best is None else best]
    return np.sum((model - y) ** 2) + np.sum(np.exp(-model * x) * y), found


def integrated(y: Any, rate: Any, accepted: Any = None) -> Any:
    """Steps of an integration are rejected where the error is too large; the accepted states are kept."""
    h, kept, errors = 0.4, [y], 0.0
    for step in range(12):
        slope = -rate * y * y
        trial = y + h * slope
        error = h * np.max(np.abs(rate * trial * trial + slope))
        errors += error
        if bool(error < 0.03) if accepted is None else accepted[step]:
            y = trial
            kept.append(y)
            h *= 1.3
        else:
            h *= 0.5
    return sum(np.sum(state * state) for state in kept), errors


def eliminated(a: Any, b: Any, pivots: Any = None) -> Any:
    """Linear systems are solved by elimination with rows in a list, which are exchanged."""
    rows, right, moves = [a[k] for k in range(len(a))], [b[k] for k in range(len(b))], 0
    for k in range(len(rows) - 1):
        found = int(np.argmax(np.array([abs(row[k]) for row in rows[k:]])))
        moves += found
        p = k + found if pivots is None else pivots[k]
        rows[k], rows[p] = rows[p], rows[k]
        right[k], right[p] = right[p], right[k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = rows[i] - factor * rows[k]
            right[i] = right[i] - factor * right[k]
    return sum(np.sum(r * r) for r in right) + sum(np.log(abs(rows[k][k])) for k in range(len(rows))), moves


def programs() -> Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    random = np.random.default_rng(3)
    line = np.linspace(0.0, 6.0, 20_000)
    return {
        "fluxes of a transport equation": (advected, (np.sin(line), 0.3 + 0.1 * np.cos(line), 50)),
        "the best of eight models": (selected, (random.normal(size=50_000), random.normal(size=50_000))),
        "rejected steps": (integrated, (0.5 + random.random(50_000), 0.5 + random.random(50_000))),
        "elimination with pivots": (eliminated, (random.normal(size=(8, 8)), random.normal(size=(8, 5_000)))),
    }


def decided(name: str, values: tuple[int, ...]) -> Any:
    """What data have decided in a call, as the argument of the program that takes it."""
    if name.startswith("elimination"):
        return values[:: len(values) // 7]  # each pivot is asked for several times
    return values if name.startswith("rejected") else values[0]


def compiled(gradient: Any, arguments: tuple[Any, ...]) -> Call:
    """A run of the code that was made for these arguments, and the look at its guards: without the way to it, which is
    shorter for plain arguments than for those that a partial function has."""
    leaves = [value for _, value in calls.leaves(gradient._bound(arguments, {}))]
    return partial(gradient._last.run, leaves)


def seconds(run: Call, count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        run()
    return (time.process_time() - start) / count


def fastest(runs: tuple[Call, ...]) -> list[float]:
    """Of one call of each, by turns."""
    counts = [max(1, int(BURST / max(seconds(run, 3), 1e-6))) for run in runs]
    found = [[seconds(run, count) for run, count in zip(runs, counts, strict=True)] for _ in range(BURSTS)]
    return [min(times) for times in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="those of them whose names begin so")
    names = tuple(parser.parse_args().names)
    print("| program | guards | without, ms | with, ms | ratio |\n|---|--:|--:|--:|--:|")
    for name, (function, arguments) in programs().items():
        if names and not name.startswith(names):
            continue
        guarded = daad.grad(function, has_aux=True)
        expected, _ = guarded(*arguments)
        values = guarded.paths[0].values
        last = list(inspect.signature(function).parameters)[-1]
        plain = daad.grad(partial(function, **{last: decided(name, values)}), has_aux=True)
        np.testing.assert_allclose(plain(*arguments)[0], expected, rtol=1e-9)
        assert values
        assert not plain.paths[0].values
        without, with_guards = fastest((compiled(plain, arguments), compiled(guarded, arguments)))
        ratio = with_guards / without
        print(f"| {name} | {len(values)} | {1e3 * without:.3f} | {1e3 * with_guards:.3f} | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
