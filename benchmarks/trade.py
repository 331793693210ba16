#!/usr/bin/env python3
"""Time against memory of one gradient: everything stored, no limit, and limits down to the least, as Markdown and SVG.

The program is examples/tsunami.py (200 x 200 points, 300 steps). All plans are compiled, then called in turn; times are
medians of processor time relative to the plan that stores everything, memory is what the system counts.

    OMP_NUM_THREADS=1 python benchmarks/trade.py --draw docs/memory_trade.svg
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from examples import tsunami  # noqa: E402

LIMITS = ("128MiB", "64MiB", "32MiB", "16MiB", "8MiB", "6MiB")
MIB = 2**20
Row = tuple[str, float, float]
"""The name of a plan, MiB of a call, and the time relative to the plan that stores everything."""


def seconds(gradient: Any, args: tuple[Any, ...]) -> float:
    """Processor time of a call."""
    before = time.process_time()
    gradient(*args)
    return time.process_time() - before


def measured(points: int, steps: int, repeats: int) -> list[Row]:
    """All plans, called in turn."""
    args = tsunami.point(points, steps)
    options: dict[str, dict[str, Any]] = {"all stored": {"plan": "store"}, "no limit": {}}
    options |= {limit.replace("MiB", " MiB"): {"memory_limit": limit} for limit in LIMITS}
    gradients = {name: daad.grad(tsunami.misfit, wrt="surface", **o) for name, o in options.items()}
    wanted = gradients["all stored"](*args)
    for name, gradient in gradients.items():
        np.testing.assert_array_equal(gradient(*args), wanted, err_msg=name)
    rounds = [{name: seconds(g, args) for name, g in gradients.items()} for _ in range(repeats)]
    medians = {name: statistics.median(r[name] for r in rounds) for name in gradients}
    base = medians["all stored"]
    return [(name, g.memory.modelled / MIB, medians[name] / base) for name, g in gradients.items()]


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = [f"| {name} | {mib:.1f} MiB | {ratio:.2f} |" for name, mib, ratio in rows]
    return "\n".join(["| plan | held by a call | time |", "|---|---|---|", *lines])


def draw(rows: list[Row], title: str, path: str) -> None:
    """Time over memory."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.plot([r[1] for r in rows], [r[2] for r in rows], "o-", color="#0072b2")
    for _, mib, ratio in rows:
        axes.annotate(f"{mib:.3g} MiB", (mib, ratio), (0, 8), textcoords="offset points", ha="center", fontsize=8)
    axes.set(xscale="log", xlabel="memory of a call, MiB", ylabel="time relative to everything stored")
    axes.set_ylim(0.0, 1.15 * max(r[2] for r in rows))
    axes.set_title(title, fontsize=10)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Prints the table, draws it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=200, help="grid points in each direction")
    parser.add_argument("--steps", type=int, default=300, help="time steps")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--draw", help="write the picture to this file")
    options = parser.parse_args()
    points, steps = options.points, options.steps
    rows = measured(points, steps, options.repeats)
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    print(f"daad {daad.__version__}, NumPy {np.__version__}, Python {platform.python_version()}, threads: {threads}\n")
    print(table(rows))
    if options.draw:
        title = f"gradient of {points} x {points} points, {steps} time steps of shallow water"
        draw(rows, title, options.draw)


if __name__ == "__main__":
    main()
