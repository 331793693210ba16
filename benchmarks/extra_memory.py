#!/usr/bin/env python3
"""What daad holds beyond arguments and gradients against what adjoints written by hand hold, as Markdown.

The kernels are those of `benchmarks/limits.py`; the C harness says what the adjoints by hand take. "Planned" is daad's
tape and scratch without a memory limit, "measured" the growth of the resident set at the first call. "With a limit" is
what the plan holds that keeps to twice the memory by hand and a mebibyte, "refused" the least that any plan holds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import limits  # noqa: E402

MIB = 2**20


def by_hand(bench: Path, kernel: str, preset: str) -> float:
    """Mebibytes of the adjoint by hand beyond its arguments and gradients."""
    # A shell between: a process that Python starts inherits the high-water mark of Python's memory.
    command = ["sh", "-c", '"$@"; exit $?', "sh", str(bench), kernel, preset, "hand"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    words = ran.stdout.split()
    return float(words[words.index("extra_MiB") + 1])


def extra(parts: Mapping[str, int]) -> float:
    """Mebibytes of tape and scratch."""
    return (parts["tape"] + parts["scratch"]) / MIB


def measured(case: Any) -> tuple[float, float]:
    """Mebibytes that a call holds beyond arguments and gradients: as planned, and as the system counts."""
    gradient: Any = limits.daad_gradient(case, "keep")
    gradient(*case.arguments())
    parts = gradient.plan.parts
    fixed = (parts["arguments"] + parts["gradients"]) / MIB
    return extra(parts), gradient.memory.measured / MIB - fixed


def limited(case: Any, bound: float, **options: Any) -> str:
    """What the plan holds that keeps to the bound, or the least that a plan can."""
    import daad

    given = dict(wrt=case.wrt, of=case.of, seed=case.seed, on_inputs="keep", **options)
    free = daad.plan(case.function, case.arguments(), **given).parts
    fixed = free["arguments"] + free["gradients"]
    try:
        limit = f"{(fixed + bound * MIB) / MIB}MiB"
        return f"{extra(daad.plan(case.function, case.arguments(), memory_limit=limit, **given).parts):.1f}"
    except daad.MemoryLimitTooSmall as error:
        return f"refused: {(error.minimum - fixed) / MIB:.1f}"


def row(kernel: str, preset: str, bench: Path) -> str:
    """A line of the table."""
    case, hand = limits.case_of(kernel, preset), by_hand(bench, kernel, preset)
    bound = 2 * hand + 1
    planned, grown = measured(case)
    cells = [f"{hand:.1f}", f"{bound:.1f}", f"{planned:.1f}", f"{grown:.1f}", "yes" if planned <= bound else "**no**"]
    others = ["", ""]
    if planned > bound:
        others = [limited(case, bound), limited(case, bound, allow_undo=True)]
    return f"| {' | '.join([kernel, *cells, *others])} |"


def main() -> None:
    """Prints as it goes; each kernel in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="all if none is given")
    parser.add_argument("--preset", default="M", choices=("S", "M", "L"))
    parser.add_argument("--limits", type=Path, default=ROOT.parent / "shared" / "limits", help="the C harness")
    parser.add_argument("--bench", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bench:
        print(row(options.kernels[0], options.preset, options.bench))
        return
    print("| kernel | by hand | bound | planned | measured | within | with a limit | undoing updates |")
    print("|---|--:|--:|--:|--:|---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        build = ["make", "-s", "-C", str(options.limits), f"OUT={folder}", "CLANG=gcc"]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for kernel in options.kernels or limits.LOSSES:
            command = [sys.executable, __file__, kernel, "--preset", options.preset, "--bench", f"{folder}/bench"]
            ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
            if ran.returncode:
                raise SystemExit(ran.stderr)
            print(ran.stdout.splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
