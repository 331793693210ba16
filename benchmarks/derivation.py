#!/usr/bin/env python3
"""How long deriving a gradient takes by the number of statements, as Markdown; nothing is compiled, nor kept on disk.

Each number is processor time, in a process of its own: reading the program, the phases of the pipeline, and `memory`,
where arrays lie; with `--limit`, planning for that part of what is held beyond arguments and gradients; with `--first`,
all that a first gradient takes, the compilers' time included. Behind a number is how many times that of the line before
it is. The programs are written by size: a straight line with slices in place, twins (statements that compute the same),
copies, loops, branches, calls (of a Runge-Kutta step of fourth order, whose right-hand side has a shifted array).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIDE = 50
SIZES = (150, 300, 600)
LEAST = 0.02
"""Seconds below which nobody asks how they grow."""
KINDS = {
    "line": ("a = np.sin(a) * b + {n}.5", "b[1:] = b[1:] * 0.5 + a[:-1]", "a = a - b * x"),
    "twins": ("s{n} = np.sin(x * {j}.5)", "t{n} = np.sin(x * {j}.5)", "a = a + s{m} * t{p}"),
    "copies": ("c{n} = a.copy()", "a = c{p} * b", "b[1:] += c{l}[:-1]"),
    "loops": ("for i in range(1, len(x)):\n        a[i] = a[i - 1] * 0.5 + np.sin(b[i])", "b = b * x + {n}.5"),
    "calls": ("a, b = step(a, b, 0.01)",),
    "branches": ("if a[{k}] > {n}.5:\n        a = a * b\n    else:\n        b = b + np.sin(a)", "a = a - b * x"),
}
STEP = """
def rates(q, p):
    w = np.sqrt(q * q + 1.0)
    return p / w + 0.1 * np.sin(q), -q * w + 0.05 * np.roll(p, 1) - 0.01 * p * p

def step(q, p, h):
    k1, l1 = rates(q, p)
    k2, l2 = rates(q + 0.5 * h * k1, p + 0.5 * h * l1)
    k3, l3 = rates(q + 0.5 * h * k2, p + 0.5 * h * l2)
    k4, l4 = rates(q + h * k3, p + h * l3)
    return q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), p + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
"""
PHASES = {
    "read": ("daad.api.subject.static_arguments", "read"),
    "prepare": ("daad.pipeline", "optimize_primal"),
    "ccs": ("daad.pipeline", "find_ccs"),
    "differentiate": ("daad.pipeline", "differentiate"),
    "plan": ("daad.pipeline", "make_plan"),
    "join": ("daad.pipeline", "join"),
    "improve": ("daad.passes", "improve_apart"),
    "merge": ("daad.passes", "merge"),
    "finish": ("daad.passes", "finish"),
    "schedule": ("daad.passes", "schedule"),
    "memory": ("daad.pipeline", "footprint"),
}
PLANNING = {"planning": ("daad.ilp.choose", "Chooser.choose")}
Seconds = dict[str, float]


def program(kind: str, statements: int) -> str:
    """The text of a function of so many statements."""
    lines = ["import numpy as np", STEP, "def f(x, y):", "    a = x * 1.0", "    b = y * 1.0"]
    for n in range(statements):
        row = KINDS[kind]
        text = row[n % len(row)].format(n=n, j=n // len(row), k=n % SIDE, m=n - 2, p=n - 1, l=n - n % len(row))
        lines.append(f"    {text}")
    return "\n".join([*lines, "    return np.sum(a * b)", ""])


def function(kind: str, statements: int, folder: str) -> Callable[..., Any]:
    """The same, from a file."""
    name = f"{kind}_{statements}"
    Path(folder, f"{name}.py").write_text(program(kind, statements))
    sys.path.insert(0, folder)
    return importlib.import_module(name).f


@contextmanager
def timed(phases: dict[str, tuple[str, str]], spent: Counter[str]) -> Iterator[None]:
    """Adds the processor time of each function to `spent`."""
    with ExitStack() as stack:
        for phase, (module, name) in phases.items():
            owner = importlib.import_module(module)
            *path, last = name.split(".")
            for part in path:
                owner = getattr(owner, part)
            stack.enter_context(mock.patch.object(owner, last, around(phase, getattr(owner, last), spent)))
        yield


def around(phase: str, inner: Callable[..., Any], spent: Counter[str]) -> Callable[..., Any]:
    def timing(*args: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return inner(*args, **options)
        finally:
            spent[phase] += time.process_time() - start  # type: ignore[assignment]

    return timing


@contextmanager
def timed_passes(spent: Counter[str]) -> Iterator[None]:
    """Adds the processor time of each pass, whether it changes something or not."""
    driver = importlib.import_module("daad.passes.driver")
    apply = driver.apply

    def timing(step: Any, *rest: Any) -> Any:
        return around(step.name, apply, spent)(step, *rest)

    with mock.patch.object(driver, "apply", timing):
        yield


def first(kind: str, statements: int) -> Seconds:
    """Of the first gradient of one program."""
    os.environ["DAAD_CACHE"] = "off"
    import daad

    x, y = np.linspace(0, 1, SIDE), np.linspace(1, 2, SIDE)
    daad.grad(lambda x: np.sum(np.sin(x) * x))(x)
    with TemporaryDirectory() as folder:
        asked, before = daad.grad(function(kind, statements, folder), wrt=("x", "y")), os.times()
        asked(x, y)
    own, compilers = (sum(os.times()[n : n + 2]) - sum(before[n : n + 2]) for n in (0, 2))
    return {"daad": own, "compilers": compilers, "all": own + compilers}


def measured(kind: str, statements: int, limit: float | None, passes: bool) -> Seconds:
    """Of one program."""
    import daad

    spent: Counter[str] = Counter()
    with TemporaryDirectory() as folder, ExitStack() as stack:
        asked, arguments = function(kind, statements, folder), (np.linspace(0, 1, SIDE), np.linspace(1, 2, SIDE))
        if limit is None:
            stack.enter_context(timed(PHASES, spent))
            if passes:
                stack.enter_context(timed_passes(spent))
            around("all", daad.plan, spent)(asked, arguments, wrt=("x", "y"))
        else:
            free = daad.plan(asked, arguments, wrt=("x", "y"))
            fixed = free.parts["arguments"] + free.parts["gradients"]
            bytes_ = fixed + (free.nbytes - fixed) * limit / 100
            stack.enter_context(timed(PLANNING, spent))
            daad.plan(asked, arguments, wrt=("x", "y"), memory_limit=f"{bytes_ / 1024}KiB")
    return dict(spent)


def apart(measure: Callable[..., Seconds], *asked: Any) -> Seconds:
    """The same in a process of its own."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(measure(*asked)))
    child.start()
    sender.close()
    try:
        found: Seconds = receiver.recv()
    except EOFError:
        raise SystemExit(f"no answer for {asked}") from None
    child.join()
    return found


def cell(seconds: float, before: float) -> str:
    ratio = f" ×{seconds / before:.1f}" if before >= LEAST else ""
    return f"{seconds:.2f}{ratio}"


def main() -> None:
    """Prints a table for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; all if none is given")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of statements")
    parser.add_argument("--passes", action="store_true", help="each pass on its own, too, if it takes that long at all")
    parser.add_argument("--limit", type=float, help="time planning for so many percent of the memory instead")
    parser.add_argument("--first", action="store_true", help="time the first gradient instead, with the compilers")
    options = parser.parse_args()
    if not options.first:
        measured("loops", 6, options.limit, False)  # what is loaded at the first use
    for kind in options.kinds or KINDS:
        sizes = [int(size) for size in options.sizes.split(",")]
        rest = (options.limit, options.passes)
        rows = [apart(first, kind, n) if options.first else apart(measured, kind, n, *rest) for n in sizes]
        titles = [name for name in rows[-1] if rows[-1][name] >= LEAST]
        print(f"\n| {kind} | {' | '.join(titles)} |\n|--:|{'--:|' * len(titles)}")
        for size, row, before in zip(sizes, rows, [{}, *rows[:-1]], strict=True):
            cells = [cell(row.get(name, 0.0), before.get(name, 0.0)) for name in titles]
            print(f"| {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
