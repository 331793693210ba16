#!/usr/bin/env python3
"""How long planning takes, as Markdown; nothing is compiled.

Each row is a process of its own: processor time of `daad.plan` without a limit (reading and differentiating the
program), and with a limit of half of what that plan holds beyond arguments and gradients. The kernels are those of
`npbench_runs` at size S.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIDE = 64
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


LARGE = {"200 products": products, "200 statements": element_by_element, "6 nested loops": nested}


def case(name: str) -> Case:
    """A function, its arguments, and the options of `daad.plan`."""
    if name in LARGE:
        dice = np.random.default_rng(0)
        arguments = (dice.standard_normal((SIDE, SIDE)), dice.standard_normal((SIDE, SIDE)) / 8)
        return LARGE[name], arguments, {"wrt": "w"}
    from npbench_runs.kernel import load

    kernel = load(name)
    arguments = kernel.arguments("S")
    return kernel.function, arguments, {"wrt": kernel.wrt(arguments), "of": kernel.output, "seed": 1.0}


def timed(function: Callable[..., Any], arguments: tuple[Any, ...], **options: Any) -> tuple[Any, float]:
    """The plan, and the processor time that it took; None if no plan keeps to the limit."""
    import daad

    start = time.process_time()
    try:
        plan = daad.plan(function, arguments, **options)
    except daad.MemoryLimitTooSmall:
        plan = None
    return plan, time.process_time() - start


def one(name: str) -> dict[str, Any]:
    """The row of a program."""
    function, arguments, options = case(name)
    timed(products_of_two, arguments_of_two())  # what is loaded at the first use
    free, without = timed(function, arguments, **options)
    fixed = free.parts["arguments"] + free.parts["gradients"]
    limit = fixed + (free.nbytes - fixed) // 2
    within, limited = timed(function, arguments, memory_limit=f"{limit / 1024}KiB", **options)
    missing = "no plan keeps to the limit" if within is None else "everything kept"
    lines = [] if within is None else within.explain().splitlines()
    return {
        "name": name,
        "without": without,
        "limited": limited,
        "held": free.nbytes,
        "limit": limit,
        "found": None if within is None else within.nbytes,
        "plan": next((x.removeprefix("Plan: ") for x in lines if x.startswith("Plan: ")), missing),
    }


def products_of_two(x, w):  # type: ignore[no-untyped-def]
    return np.sum(x @ w)


def arguments_of_two() -> tuple[np.ndarray, np.ndarray]:
    return np.ones((2, 2)), np.ones((2, 2))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all if none is given")
    parser.add_argument("--one", action="store_true", help="print the row of one program as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.names[0])))
        return
    from npbench_runs.kernel import names as kernel_names

    names = options.names or [*LARGE, *kernel_names()]
    print("| program | no limit, s | limit, s | held | limit | found | plan |\n|---|---|---|---|---|---|---|")
    for name in names:
        command = [sys.executable, __file__, "--one", name]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            print(f"| {name} | failed: {ran.stderr.strip().splitlines()[-1]} |", flush=True)
            continue
        row = json.loads(ran.stdout.splitlines()[-1])
        cells = [name, f"{row['without']:.2f}", f"{row['limited']:.2f}"]
        print("|", " | ".join([*cells, *(str(row[k]) for k in ("held", "limit", "found", "plan"))]), "|", flush=True)


if __name__ == "__main__":
    main()
