#!/usr/bin/env python3
"""Every way to store or make again three arrays (`npbench_runs/three_arrays.py`), and what is chosen, as Markdown.

For each of the eight sets of arrays that are made again: what the program holds and takes by the model, what the
operating system sees, and the median of calls of all of them in turn. Then the plan for each limit: what everything
kept holds, less one array, two and three.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from daad.ilp.model import Choice  # noqa: E402
from npbench_runs.three_arrays import initialise_wide, wide  # noqa: E402

NAMES = ("first", "second", "third")
SIZE, REPEATS = 600, 15
MEBIBYTE = 2**20


@dataclass(kw_only=True)
class Configuration:
    """Arrays that are made again; bytes and seconds by the model; what was measured."""

    names: frozenset[str]
    hints: Any
    nbytes: int
    modelled: float
    held: int = 0
    seconds: float = 0.0

    @property
    def title(self) -> str:
        return ", ".join(n for n in NAMES if n in self.names) or "nothing"


def configurations(arguments: tuple[Any, ...]) -> list[Configuration]:
    """All sets, each in the way that holds least, then takes least."""
    plan = daad.plan(wide, arguments, wrt="b")
    chooser = plan._chooser
    model, found = chooser.model, dict[frozenset[str], Configuration]()
    numbers = [n for n, remake in enumerate(model.remakes) if remake.value in NAMES]
    for chosen in itertools.chain.from_iterable(itertools.combinations(numbers, k) for k in range(len(NAMES) + 1)):
        names = frozenset(model.remakes[n].value for n in chosen)
        if len(names) < len(chosen):
            continue
        choice = Choice(chooser.first.options, frozenset(chosen))
        made = chooser.proposal(choice)
        each = Configuration(names=names, hints=made.hints, nbytes=made.nbytes, modelled=made.seconds)
        if names not in found or (each.nbytes, each.modelled) < (found[names].nbytes, found[names].modelled):
            found[names] = each
    return sorted(found.values(), key=lambda c: (len(c.names), c.title))


def measure(found: list[Configuration], arguments: tuple[Any, ...], repeats: int) -> None:
    gradient_of(found[0])(*arguments)  # products take their buffers at the first call in a process
    gradients = [gradient_of(c) for c in found]
    for gradient, configuration in zip(gradients, found, strict=True):
        gradient(*arguments)
        configuration.held = gradient.memory.measured
    times: list[list[float]] = [[] for _ in found]
    for _ in range(repeats):
        for gradient, spent in zip(gradients, times, strict=True):
            start = time.perf_counter()
            gradient(*arguments)
            spent.append(time.perf_counter() - start)
    for configuration, spent in zip(found, times, strict=True):
        configuration.seconds = statistics.median(spent or [0.0])


def gradient_of(configuration: Configuration) -> Any:
    return daad.grad(wide, wrt="b")._with(plan=configuration.hints)


def chosen(arguments: tuple[Any, ...], limit: int) -> frozenset[str]:
    """What is made again within a limit."""
    hints = daad.plan(wide, arguments, wrt="b", memory_limit=daad.Bytes(limit)).derivation.hints
    return frozenset(NAMES) & (hints.rerun | hints.recompute)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="0 compiles only")
    given = parser.parse_args()
    arguments = initialise_wide(given.size)
    found = configurations(arguments)
    measure(found, arguments, given.repeats)
    print("| made again | model MiB | held MiB | model | measured |\n| --- | --- | --- | --- | --- |")
    for c in found:
        ratios = f"{c.modelled / found[0].modelled:.2f} | {c.seconds / (found[0].seconds or 1.0):.2f}"
        print(f"| {c.title} | {c.nbytes / MEBIBYTE:.2f} | {c.held / MEBIBYTE:.2f} | {ratios} |")
    print("\n| limit MiB | chosen | fastest measured that fits |\n| --- | --- | --- |")
    array = given.size**2 * 8
    for gone in range(len(NAMES) + 1):
        limit = found[0].nbytes - gone * array
        made = chosen(arguments, limit)
        fastest = min((c for c in found if c.nbytes <= limit), key=lambda c: c.seconds)
        title = next(c.title for c in found if c.names == made)
        print(f"| {limit / MEBIBYTE:.2f} | {title} | {fastest.title} |")


if __name__ == "__main__":
    main()
