#!/usr/bin/env python3
"""Gradients by the machine's C++ compiler beside those by the one of `daad[compiler]`, as Markdown.

Each time is a median of `daad bench` in a process of its own. The compilers take turns, kernel by kernel and round by
round; a kernel's time is the least of its medians. What is measured is kept in a file, and the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from daad.runtime import compiler_wheel  # noqa: E402
from npbench_runs.kernel import names  # noqa: E402

Times = dict[str, dict[str, list[float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--preset", default="S")
    parser.add_argument("--compilers", nargs=2, default=("c++", compiler_wheel.wheel() or "clang++"))
    parser.add_argument("--json", type=Path, default=Path("compilers.json"))
    options = parser.parse_args()
    known: Times = json.loads(options.json.read_text()) if options.json.exists() else {}
    for number in range(options.rounds):
        for kernel in options.kernels or names():
            for compiler in options.compilers:
                times = known.setdefault(kernel, {}).setdefault(compiler, [])
                if len(times) <= number and math.isfinite(time := median(kernel, compiler, options)):
                    times.append(time)
            options.json.write_text(json.dumps(known, indent=1) + "\n")
    print(table(known, options.compilers))


def median(kernel: str, compiler: str, options: argparse.Namespace) -> float:
    """Milliseconds of a gradient; NaN where it is not right. JAX is asked where differences cannot tell: at kinks."""
    for engines in ("daad", "daad,jax"):
        row = measured(kernel, compiler, engines, options)
        if row["status"] == "right":
            return float(row["times"]["median"])
    return math.nan


def measured(kernel: str, compiler: str, engines: str, options: argparse.Namespace) -> dict[str, Any]:
    """What the benchmark says of daad."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "bench.json"
        command = [sys.executable, "-m", "daad", "bench", kernel, "--engines", engines, "--threads", "1"]
        command += ["--timeout", "300", "--preset", options.preset, "--repeats", str(options.repeats)]
        command += ["--json", str(report)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "CXX": compiler}, check=True, stdout=subprocess.DEVNULL)
        return next(row for row in json.loads(report.read_text())["rows"] if row["engine"] == "daad")


def table(known: Times, compilers: tuple[str, str]) -> str:
    rows = {
        kernel: [min(by.get(compiler) or [math.nan]) for compiler in compilers] for kernel, by in sorted(known.items())
    }
    lines = [f"| kernel | {' | '.join(Path(c).name for c in compilers)} | ratio |", "|---|--:|--:|--:|"]
    lines += [f"| {kernel} | {a:.4g} | {b:.4g} | {b / a:.2f} |" for kernel, (a, b) in rows.items()]
    ratios = [b / a for a, b in rows.values() if math.isfinite(b / a)]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        within = sum(ratio <= 1.1 for ratio in ratios)
        lines.append(f"| {len(ratios)} kernels: geometric mean; {within} within 10 % | | | {mean:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
