#!/usr/bin/env python3
"""What `daad plan --measure` says beside what is measured from outside, as Markdown.

The command runs in a process of its own. Then each of its plans, found by its memory limit, alternates with the first
one here: the ratio is the median of times on the clock, each divided by that of the call before.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from benchmarks.memory_programs import PROGRAMS  # noqa: E402

ENOUGH = 20.0
"""Seconds after which a pair of plans is not called again."""
SCRIPT = """
import sys

sys.path.insert(0, {root!r})
from benchmarks.memory_programs import {name}, PROGRAMS

{name}(*PROGRAMS[{name!r}]()[1])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", default=["two_level", "branches", "heat"], metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    print("| program | plan, MiB | estimated | `--measure` | from outside |\n|---|--:|--:|--:|--:|")
    for name in options.programs:
        for line in rows(name, options.rounds):
            print(line, flush=True)


def rows(name: str, rounds: int) -> Iterator[str]:
    """The lines of a program."""
    function, arguments, asked = PROGRAMS[name]()
    points = said(name, asked["wrt"])
    gradients = [daad.grad(function, memory_limit=daad.Bytes(point["bytes"]), **asked) for point in points]
    outside = ratios(gradients, arguments, rounds)
    for point, ratio in zip(points, outside, strict=True):
        inside = point["seconds"] / points[0]["seconds"]
        held = point["bytes"] / 2**20
        yield f"| {name} | {held:.1f} | {point['slowdown']:.2f} | {inside:.2f} | {ratio:.2f} |"


def said(name: str, wrt: Any) -> list[dict[str, Any]]:
    """What the command says of each plan."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / f"{name}_script.py"
        script.write_text(SCRIPT.format(root=str(ROOT), name=name))
        names = wrt if isinstance(wrt, str) else ",".join(wrt)
        command = [sys.executable, "-m", "daad", "plan", str(script), "-f", name, "--wrt", names, "--measure", "--json"]
        ran = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    points: list[dict[str, Any]] = json.loads(ran.stdout)["pareto"]
    return points


def ratios(gradients: Sequence[Callable[..., Any]], arguments: tuple[Any, ...], rounds: int) -> list[float]:
    """The time of each, relative to the first, with which it alternates."""
    return [against(gradients[0], gradient, arguments, rounds) for gradient in gradients]


def against(first: Callable[..., Any], second: Callable[..., Any], arguments: tuple[Any, ...], rounds: int) -> float:
    """The median ratio of two neighbouring calls."""
    first(*arguments), second(*arguments)
    spent: list[float] = []
    begun = time.perf_counter()
    while len(spent) < 3 or (len(spent) < rounds and time.perf_counter() - begun < ENOUGH):
        before = seconds(first, arguments)
        spent.append(seconds(second, arguments) / before)
    return statistics.median(spent)


def seconds(gradient: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    gradient(*arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
