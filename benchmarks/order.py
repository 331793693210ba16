#!/usr/bin/env python3
"""Whether plans take what the model says, and in which order, as Markdown.

The plans of `Plan.pareto` of each program (order_programs.py) are compiled and timed in turn in one process; the times
are medians, relative to the plan without a limit. Kendall's tau compares the model's order with the measured one: of
all pairs of plans of a program, those in the same order less the others, as a part of their number. Pairs whose
measured times differ by less than 5 % say nothing about order; tau is given without them, and with all pairs. `within`
counts the plans whose measured time is at most 30 % from what the model says.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import order_programs  # noqa: E402

POINTS = 7
ROUNDS = 15
LEAST_ROUNDS = 3
SHARE = 2.0
"""Seconds of calls after which a plan is timed enough."""

TIED = 0.05
WITHIN = 0.3
MEBIBYTE = 2**20

Pair = tuple[float, float]
"""What the model says of a plan, and what was measured."""


def order(pairs: Sequence[Pair], tied: float = 0.0) -> tuple[int, int]:
    """How many pairs of plans are in the order that the model says, and how many in the other one."""
    same = other = 0
    for (m, t), (n, u) in combinations(pairs, 2):
        if abs(t - u) <= tied * max(t, u) or m == n:
            continue
        same, other = same + ((m < n) == (t < u)), other + ((m < n) != (t < u))
    return same, other


def tau(counts: Iterable[tuple[int, int]]) -> float | None:
    """Kendall's, from numbers of pairs; None where there are none."""
    same, other = (sum(n) for n in zip(*counts, strict=True))
    return (same - other) / (same + other) if same + other else None


def within(pairs: Sequence[Pair]) -> int:
    """How many plans besides the first take about what the model says, relative to the first."""
    (m, t), *rest = pairs
    return sum(abs((u / t) / (n / m) - 1.0) <= WITHIN for n, u in rest)


def one(name: str, points: int, ready: bool) -> list[dict[str, Any]]:
    """The plans of a program, timed in turn."""
    import daad

    function, arguments, options = order_programs.case(name)
    plan = daad.plan(function, arguments, **options)
    found = plan.pareto(points)
    gradients = []
    for point in found:
        gradient = daad.grad(function, on_inputs="keep", **options)._with(plan=point.hints)
        gradients.append(gradient.compile(*arguments))
    times: list[list[float]] = [[] for _ in found]
    for _ in range(0 if ready else ROUNDS):
        for gradient, spent in zip(gradients, times, strict=True):
            if len(spent) < LEAST_ROUNDS or sum(spent) < SHARE:
                spent.append(timed(gradient, arguments))
    return [
        {"bytes": p.nbytes, "modelled": p.slowdown, "seconds": statistics.median(t or [0.0]), "what": p.what}
        for p, t in zip(found, times, strict=True)
    ]


def timed(gradient: Any, arguments: tuple[Any, ...]) -> float:
    """Seconds of the processor for a call that has the caches for itself: a short one is called twice, the second one
    counts."""
    for _ in range(2):
        start = time.process_time()
        gradient(*arguments)
        taken = time.process_time() - start
        if taken > SHARE / ROUNDS:
            break
    return taken


def run(name: str, points: int, ready: bool, before: Sequence[str] = ()) -> list[dict[str, Any]]:
    """In a process of its own."""
    command = [*before, sys.executable, __file__, "--one", name, "--points", str(points), *(["--ready"] * ready)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = rows
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rest))


def details(name: str, plans: Sequence[dict[str, Any]]) -> list[list[str]]:
    first = plans[0]
    return [
        [
            name,
            f"{p['bytes'] / MEBIBYTE:.2f}",
            f"{p['modelled'] / first['modelled']:.2f}",
            f"{p['seconds'] / first['seconds']:.2f}",
            f"{1e3 * p['seconds']:.2f}",
            p["what"][:60],
        ]
        for p in plans
    ]


def summary(found: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """A row for each program, and one for all."""
    pairs = {name: [(p["modelled"], p["seconds"]) for p in plans] for name, plans in found.items()}
    rows = [["program", "plans", "tau", "all pairs", f"within {WITHIN:.0%}"]]
    for title, chosen in [*((name, [of]) for name, of in pairs.items()), ("all", list(pairs.values()))]:
        taus = [tau(order(of, tied) for of in chosen) for tied in (TIED, 0.0)]
        near, count = sum(map(within, chosen)), sum(map(len, chosen))
        shown = ["-" if t is None else f"{t:.2f}" for t in taus]
        rows.append([title, str(count), *shown, f"{near} of {count - len(chosen)}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=order_programs.names())
    parser.add_argument("--points", type=int, default=POINTS, help="plans of each program at most")
    parser.add_argument("--before", default="", help="a command that runs each measurement, as 'taskset 1'")
    parser.add_argument("--ready", action="store_true", help="compile only")
    parser.add_argument("--json", type=Path, help="write what was measured")
    parser.add_argument("--read", type=Path, nargs="*", default=[], help="of these files instead of measuring")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one, given.points, given.ready)))
        return
    found: dict[str, Any] = {}
    for file in given.read:
        found.update(json.loads(file.read_text()))
    for name in [] if given.read else given.names:
        run(name, given.points, ready=True)
        if given.ready:
            continue
        found[name] = run(name, given.points, False, given.before.split())
        print(table([["program", "MiB", "model", "measured", "ms", "run again"], *details(name, found[name])]) + "\n")
        print(table(summary({name: found[name]})[:2]) + "\n", flush=True)
    if found:
        print(table(summary(found)))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
