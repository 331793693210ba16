#!/usr/bin/env python3
"""What each pass brings, as a Markdown table: gradients with and without it, one process for each row.

Each row is one of `benchmarks/ablation.py`: processor time on one thread, or time on the clock on two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Left:
    """What is left out, and the programs that show it."""

    passes: str
    programs: str
    threads: int = 1
    preset: str = "S"


TABLE = (
    Left("constant-propagation,reduction-simplification,reassociation", "gemm,k2mm,doitgen,covariance2"),
    Left("prefix-sums,dead-store-elimination", "covariance,correlation"),
    Left("reduction-reordering", "lu", preset="M"),
    Left("tiling", "syrk,trmm"),
    Left("symmetric-products", "likeness", preset="M"),
    Left("common-subexpression-elimination", "contours,nonoscillatory,balance"),
    Left("dimension-contraction,invariant-motion", "adi"),
    Left("reciprocals", "cavity_flow"),
    Left("strip-mining", "vadv,softmax,deriche,logistic,relaxation"),
    Left("shifted-fusion", "hdiff,heat_3d,jacobi_2d"),
    Left("time-skewing", "settling", preset="M"),
    Left("array-contraction", "normalised"),
    Left("data-layout", "adi,vadv"),
    Left("packing", "vadv"),
    Left("array-renaming,in-place-results", "deriche", preset="M"),
    Left("recurrences", "seidel_2d,smoothing"),
    Left("padding,joined", "seidel_2d"),
    Left("update-joining", "atax"),
    Left("results", "bicg,mvt,softmax"),
    Left("doall", "softmax,logistic,relaxation", threads=2),
    Left("chunks", "hdiff", threads=2),
)


def main() -> None:
    """Prints as it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows with this in the names of what is left out")
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    print("| left out | program | size | threads | with, ms | without, ms | times faster | with, MiB | without, MiB |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|")
    for left in TABLE:
        if options.only in left.passes:
            for program in left.programs.split(","):
                print(row(left, program, options), flush=True)


def row(left: Left, program: str, options: argparse.Namespace) -> str:
    """A line of the table, without the difference of the results."""
    command = [sys.executable, str(ROOT / "benchmarks" / "ablation.py"), "--preset", left.preset]
    command += ["--without", left.passes, "--kernels", program, "--repeats", str(options.repeats)]
    clock = ["--wall"] if left.threads > 1 else []
    surroundings = {**os.environ, "OMP_NUM_THREADS": str(left.threads)}
    found = subprocess.run([*command, *clock], env=surroundings, capture_output=True, text=True, check=True)
    name, size, *times, _ = cells(found.stdout.splitlines()[-1])
    return f"| {left.passes.replace(',', ', ')} | {name} | {size} | {left.threads} | {' | '.join(times)} |"


def cells(line: str) -> Iterator[str]:
    return (cell.strip() for cell in line.strip().strip("|").split("|"))


if __name__ == "__main__":
    main()
