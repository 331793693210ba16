#!/usr/bin/env python3
"""How long planning takes, as Markdown; nothing is compiled.

Each number is the processor time of one `daad.plan` in a process of its own, the least of some: without a limit
(reading and differentiating the program), with limits of 75, 50, 25 and 10 % of what that plan holds beyond arguments
and gradients, with a limit of one byte, which is refused with the smallest possible one, and with that one. The kernels
are those of `npbench_runs`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIDE = 64
PERCENT = (75, 50, 25, 10)
Case = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def products(x, w):  # type: ignore[no-untyped-def]
    """A straight line: the frontend unrolls loops over lists."""
    for _ in [None] * 200:
        x = np.tanh(x @ w)
    return np.sum(x)


def element_by_element(x, w):  # type: ignore[no-untyped-def]
    """A straight line of what is fused."""
    for _ in [None] * 200:
        x = np.sin(x) * w
    return np.sum(x)


def nested(x, w):  # type: ignore[no-untyped-def]
    """Six nested loops."""
    for _ in range(4):
        x = np.sin(x) * w
        for _ in range(4):
            x = np.sin(x) + 0.1 * w
            for _ in range(4):
                x = np.cos(x) * w
                for _ in range(4):
                    x = np.sin(x) * w
                    for _ in range(4):
                        x = np.sin(x) + w
                        for _ in range(4):
                            x = np.sin(x * w)
    return np.sum(x)


RATINGS = [(7 * k % SIDE, 5 * k % SIDE, 1.0 + k % 5) for k in range(120)]


def rated(x, w):  # type: ignore[no-untyped-def]
    """A loop over a list of tuples of numbers, which reads them from tables."""
    for user, item, rating in RATINGS:
        error = rating - x[user] @ w[item]
        x[user], w[item] = x[user] + 0.02 * error * w[item], w[item] + 0.02 * error * x[user]
    return np.sum(w * w)


LARGE = {
    "200 products": products,
    "200 statements": element_by_element,
    "6 nested loops": nested,
    "120 ratings": rated,
}


def case(name: str, preset: str) -> Case:
    """A function, its arguments, and the options of `daad.plan`."""
    if name in LARGE:
        dice = np.random.default_rng(0)
        arguments = (dice.standard_normal((SIDE, SIDE)), dice.standard_normal((SIDE, SIDE)) / 8)
        return LARGE[name], arguments, {"wrt": "w"}
    from npbench_runs.kernel import load

    kernel = load(name)
    arguments = kernel.arguments(preset)
    return kernel.function, arguments, {"wrt": kernel.wrt(arguments), "of": kernel.output, "seed": 1.0}


def timed(function: Callable[..., Any], arguments: tuple[Any, ...], **options: Any) -> dict[str, Any]:
    """What the plan holds, what the smallest one would hold if none keeps to the limit, and the processor time."""
    import daad

    start = time.process_time()
    try:
        plan = daad.plan(function, arguments, **options)
    except daad.MemoryLimitTooSmall as error:
        return {"seconds": time.process_time() - start, "minimum": error.minimum}
    taken = time.process_time() - start
    fixed = plan.parts["arguments"] + plan.parts["gradients"]
    solver = next((x for x in plan.explain().account.notes if x.startswith("Plan: ")), "")
    return {"seconds": taken, "held": plan.nbytes, "fixed": fixed, "solver": solver.removeprefix("Plan: ")}


def apart(case: Case, limit: float | None) -> dict[str, Any]:
    """The same in a process of its own, which has planned nothing before."""
    function, arguments, options = case
    limited = {} if limit is None else {"memory_limit": f"{limit / 1024}KiB"}
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(timed(function, arguments, **options, **limited)))
    child.start()
    sender.close()
    found: dict[str, Any] = receiver.recv()
    child.join()
    return found


def fastest(case: Case, limit: float | None, repeats: int) -> dict[str, Any]:
    """The run that other processes disturbed least."""
    return min((apart(case, limit) for _ in range(repeats)), key=lambda found: found["seconds"])


def rows(name: str, preset: str, repeats: int) -> Iterator[tuple[str, float | None, dict[str, Any]]]:
    """What is asked, the limit in bytes, and what came of it."""
    timed(products_of_two, arguments_of_two())  # what is loaded at the first use
    timed(products_of_two, arguments_of_two(), memory_limit="1MiB")
    asked = case(name, preset)
    free = fastest(asked, None, repeats)
    yield "no limit", None, free
    for percent in PERCENT:
        limit = free["fixed"] + (free["held"] - free["fixed"]) * percent // 100
        yield f"{percent} %", limit, fastest(asked, limit, repeats)
    refused = fastest(asked, 1, repeats)
    yield "1 byte", 1, refused
    yield "smallest", refused["minimum"], fastest(asked, refused["minimum"], repeats)


def products_of_two(x, w):  # type: ignore[no-untyped-def]
    return np.sum(x @ w)


def arguments_of_two() -> tuple[np.ndarray, np.ndarray]:
    return np.ones((2, 2)), np.ones((2, 2))


def cells(found: list[tuple[str, float | None, dict[str, Any]]]) -> list[str]:
    """Seconds at each limit, then the bytes held, beyond arguments and gradients as parts of what is held without."""
    free = found[0][2]
    own = free["held"] - free["fixed"]
    held = [
        f"{(row['held'] - free['fixed']) / max(1, own):.0%}" if "held" in row else "refused" for _, _, row in found[1:]
    ]
    return [*(f"{row['seconds']:.2f}" for _, _, row in found), str(free["held"]), *held]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all if none is given")
    parser.add_argument("--preset", default="S", help="size of the kernels (S, M, L, paper)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    parser.add_argument("--solver", action="store_true", help="show also what the solver says about each plan")
    parser.add_argument("--one", action="store_true", help="print the rows of one program as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(list(rows(options.names[0], options.preset, options.repeats))))
        return
    from npbench_runs.kernel import names as kernel_names

    titles = ["no limit", *(f"{p} %" for p in PERCENT), "1 byte", "smallest"]
    header = ["program", *(f"{t}, s" for t in titles), "held", *(t for t in titles[1:])]
    print(f"| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for name in options.names or [*LARGE, *kernel_names()]:
        command = [sys.executable, __file__, "--one", name, "--preset", options.preset]
        command += ["--repeats", str(options.repeats)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            print(f"| {name} | failed: {ran.stderr.strip().splitlines()[-1]} |", flush=True)
            continue
        found = json.loads(ran.stdout.splitlines()[-1])
        print(f"| {' | '.join([name, *cells(found)])} |", flush=True)
        if options.solver:
            print("\n".join(f"    {title}: {row.get('solver') or '-'}" for title, _, row in found), flush=True)


if __name__ == "__main__":
    main()
