#!/usr/bin/env python3
"""What an optimisation pass brings: gradients with and without it, side by side in one process, as a Markdown table.

The two alternate on fresh arguments, and the run with the least processor time counts, which other processes disturb
least: one thread. With `--wall` it is the time on the clock, of as many threads as OMP_NUM_THREADS says. Memory is what
a call holds.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from benchmarks import limits  # noqa: E402
from daad.codegen.compilation import compile_program  # noqa: E402
from tests.passes.leaving_out import without  # noqa: E402

KERNELS = "vadv,softmax,deriche,adi,cavity_flow,relaxation,logistic,normalised,reaction"


def relaxation(state, factor):  # type: ignore[no-untyped-def]
    """Every point goes through all steps of time on its own."""
    for _ in range(100):
        state = state + 0.01 * (factor * np.tanh(state) - state)
    return np.sum(state * state)


def logistic(state, factor):  # type: ignore[no-untyped-def]
    """The same without costly functions, on a plane."""
    for _ in range(60):
        state = state + 0.2 * factor * state * (1.0 - state)
    return np.sum(np.sqrt(state))


def normalised(state, factor):  # type: ignore[no-untyped-def]
    """Rows one after the other, each in a matrix that nothing else reads."""
    rows = np.zeros_like(state)
    total = 0.0
    for i in range(state.shape[0]):
        rows[i, :] = state[i, :] / np.sqrt(np.sum(state[i, :] ** 2))
        rows[i, :] *= np.tanh(rows[i, :])
        total += np.dot(rows[i, :], factor[i, :]) ** 2
    return total


def smoothing(state, factor):  # type: ignore[no-untyped-def]
    """A weighted mean of all that was before, at each time."""
    level = state.copy()
    for n in range(1, state.size):
        level[n] = 0.2 * factor[n] * state[n] + 0.8 * level[n - 1]
    return np.sum((level - state) ** 2)


def implicit(state, factor):  # type: ignore[no-untyped-def]
    """Heat that flows along rows, with the same coefficients in each row and in each step of time."""
    ratio, right = np.zeros(state.shape), np.zeros(state.shape)
    for _ in range(20):
        ratio[:, 0] = 0.3
        right[:, 0] = factor[:, 0] * state[:, 0]
        for n in range(1, state.shape[1]):
            ratio[:, n] = 0.3 / (1.6 - 0.3 * ratio[:, n - 1])
            right[:, n] = (factor[:, n] * state[:, n] + 0.3 * right[:, n - 1]) / (1.6 - 0.3 * ratio[:, n - 1])
        state[:, -1] = right[:, -1]
        for n in range(state.shape[1] - 2, -1, -1):
            state[:, n] = right[:, n] + ratio[:, n] * state[:, n + 1]
    return np.sum(state * state)


def reaction(state, factor):  # type: ignore[no-untyped-def]
    """Diffusion on a torus, with sources that depend on the state."""
    for _ in range(40):
        around = np.roll(state, 1, 0) + np.roll(state, -1, 0) + np.roll(state, 1, 1) + np.roll(state, -1, 1)
        across = (np.roll(state, -1, 0) - np.roll(state, 1, 0)) * (np.roll(state, -1, 1) - np.roll(state, 1, 1))
        state = state + 0.1 * factor * state * (around - 4.0 * state) + 0.01 * across
    return np.sum(state * state)


def settling(state, factor):  # type: ignore[no-untyped-def]
    """Rows that are overwritten one after the other, again and again, and that no cache holds."""
    for _ in range(8):
        for i in range(1, state.shape[0] - 1):
            state[i, 1:-1] = 0.2 * (state[i - 1, 1:-1] + state[i, :-2] + state[i, 2:] + state[i + 1, 1:-1])
    return np.sum(state * factor)


def spreading(state, factor):  # type: ignore[no-untyped-def]
    """The same, where all points change at the same time."""
    for _ in range(8):
        around = state[:-2, 1:-1] + state[1:-1, :-2] + state[1:-1, 2:] + state[2:, 1:-1]
        state[1:-1, 1:-1] = 0.2 * around
    return np.sum(state * factor)


def edges(state, factor):  # type: ignore[no-untyped-def]
    """How steep a picture is, smoothed, in several statements after each other."""
    across, down = state[1:-1, 2:] - state[1:-1, :-2], state[2:, 1:-1] - state[:-2, 1:-1]
    steep = np.sqrt(across * across + down * down + 0.001)
    smooth = 0.25 * (steep[1:, 1:] + steep[:-1, 1:] + steep[1:, :-1] + steep[:-1, :-1])
    return np.sum(factor[2:-1, 2:-1] * smooth / (1.0 + smooth))


def contours(state, factor):  # type: ignore[no-untyped-def]
    """How sure it is that a picture has an edge, and how far the edge turns from the vertical."""
    across, down = state[1:-1, 2:] - state[1:-1, :-2], state[2:, 1:-1] - state[:-2, 1:-1]
    sure = 1.0 / (1.0 + np.exp(-10.0 * (np.hypot(across, down) - 0.5)))
    return np.sum(factor[1:-1, 1:-1] * sure * np.cos(np.arctan2(down, across)) ** 2)


def nonoscillatory(state, factor):  # type: ignore[no-untyped-def]
    """A weighted essentially non-oscillatory scheme of third order along rows, on a torus."""
    for _ in range(20):
        flux = 0.5 * factor * state * state
        before, behind = np.roll(flux, 1, 1), np.roll(flux, -1, 1)
        left, right = 1.0 / (1e-6 + (flux - before) ** 2) ** 2, 2.0 / (1e-6 + (behind - flux) ** 2) ** 2
        face = (left * (1.5 * flux - 0.5 * before) + right * 0.5 * (flux + behind)) / (left + right)
        state = state - 0.1 * (face - np.roll(face, 1, 1))
    return np.sum(state * state)


def balance(state, factor):  # type: ignore[no-untyped-def]
    """Weights of rows and columns that give all the same sum (Sinkhorn)."""
    columns = np.ones(state.shape[1])
    for _ in range(30):
        rows = 1.0 / (state @ columns)
        columns = 1.0 / (rows @ state)
    return np.sum(rows[:, None] * state * columns * factor)


def likeness(state, factor):  # type: ignore[no-untyped-def]
    """How much columns are like each other, weighted."""
    found = np.zeros((state.shape[1], state.shape[1]))
    for i in range(state.shape[1]):
        found[i:, i] = found[i, i:] = state[:, i] @ state[:, i:]
    return np.sum(factor[: state.shape[1]] * found)


SMALL = {
    relaxation: (40_000,),
    logistic: (300, 200),
    normalised: (400, 500),
    smoothing: (10_000,),
    implicit: (120, 90),
    reaction: (130, 120),
    settling: (1_300, 1_200),
    spreading: (1_300, 1_200),
    edges: (600, 700),
    contours: (400, 410),
    nonoscillatory: (40, 210),
    balance: (300, 310),
    likeness: (500, 300),
}
LARGE = {
    relaxation: (400_000,),
    logistic: (1_000, 900),
    normalised: (1_500, 1_600),
    smoothing: (200_000,),
    implicit: (400, 500),
    reaction: (500, 600),
    settling: (2_300, 2_200),
    spreading: (2_300, 2_200),
    edges: (2_000, 2_100),
    contours: (1_200, 1_300),
    nonoscillatory: (300, 320),
    balance: (900, 1_000),
    likeness: (1_400, 1_200),
}
SIZES = {"S": SMALL, "M": LARGE}
OWN = {f.__name__: f for f in SMALL}
LOWERING = {
    "reciprocals": ("daad.codegen.schedule.nest_schedule", "OFTEN", sys.maxsize),
    "joined": ("daad.codegen.sdfg.whole_program", "join_recurrences", lambda program: program),
    "recurrences": ("daad.codegen.schedule.recurrences", "BLOCKS", sys.maxsize),
    "results": ("daad.runtime.result_memory", "LARGE", sys.maxsize),
    "streams": ("daad.codegen.schedule.streaming_stores", "LARGE", sys.maxsize),
    "chunks": ("daad.passes.loops.shifted_fusion", "CHUNKS", ()),
    "quarters": ("daad.passes.loops.tiling", "TILES", sys.maxsize),
}
"""What is no pass, but can be kept from happening while a gradient is made: a name, and what it stands for then."""


@dataclass(frozen=True)
class Subject:
    """A gradient to be made, and fresh arguments for it."""

    make: Callable[[], Any]
    arguments: Callable[[], Sequence[Any]]


def subject(kernel: str, preset: str) -> Subject:
    """A kernel of the benchmark, or a program from here."""
    if kernel not in OWN:
        case = limits.case_of(kernel, preset)
        return Subject(lambda: limits.daad_gradient(case, "primal"), case.arguments)
    shape = SIZES[preset][OWN[kernel]]
    rng = np.random.default_rng(0)
    state, factor = rng.uniform(0.1, 0.9, shape), rng.uniform(0.5, 1.5, shape)
    make = partial(daad.grad, OWN[kernel], wrt=("state", "factor"), on_inputs="primal")
    return Subject(make, lambda: (state.copy(), factor.copy()))


def gradient(of: Subject, left_out: Sequence[str]) -> Any:
    """The compiled gradient without some passes."""
    with ExitStack() as stack:
        made = of.make()
        for name in left_out:
            if name in LOWERING:
                module, constant, value = LOWERING[name]
                stack.enter_context(mock.patch.object(importlib.import_module(module), constant, value))
                made.compiler = partial(compile_program, cache=False)
            else:
                stack.enter_context(without(name))
        made(*of.arguments())
    return made


def milliseconds(of: Subject, made: Any, clock: Callable[[], float]) -> float:
    """The time of a run."""
    arguments = of.arguments()
    start = clock()
    made(*arguments)
    return 1e3 * (clock() - start)


def row(kernel: str, options: argparse.Namespace) -> str:
    """A line of the table."""
    of, clock = subject(kernel, options.preset), time.perf_counter if options.wall else time.process_time
    both = [gradient(of, left_out) for left_out in ((), options.without)]
    times = [float("inf")] * len(both)
    for _ in range(options.repeats):
        times = [min(best, milliseconds(of, made, clock)) for best, made in zip(times, both, strict=True)]
    held = [made.memory.modelled / 2**20 for made in both]
    apart = limits.difference(*(made(*of.arguments()) for made in both))
    cells = [*(f"{t:.3f}" for t in times), f"{times[1] / times[0]:.2f}", *(f"{m:.1f}" for m in held), f"{apart:.0e}"]
    return f"| {kernel} | {options.preset} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints as it goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = f"passes to leave out, or {', '.join(LOWERING)}"
    parser.add_argument("--without", type=lambda text: text.split(","), default=["strip-mining"], help=names)
    parser.add_argument("--preset", choices=("S", "M"), default="S")
    parser.add_argument("--kernels", default=KERNELS, help="names, separated by commas")
    parser.add_argument("--repeats", type=int, default=20, help="runs of each")
    parser.add_argument("--wall", action="store_true", help="time on the clock, any number of threads")
    options = parser.parse_args(arguments)
    if not options.wall and os.environ.get("OMP_NUM_THREADS") != "1":
        parser.error("set OMP_NUM_THREADS=1, or use --wall: processor times are of one thread")
    os.environ["DAAD_CACHE"] = "off"  # which knows programs, not how they are made
    left_out = ", ".join(options.without)
    print(f"| program | size | ms | without {left_out} | times faster | MiB held | without | difference |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for kernel in options.kernels.split(","):
        print(row(kernel, options), flush=True)


if __name__ == "__main__":
    main()
