#!/usr/bin/env python3
"""What flags of the C++ compiler cost: gradients of NPBench's kernels with and without them, as a Markdown table.

All alternate in one process on one thread; the least processor time of each over that without, then the medians'.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

os.environ |= {"OMP_NUM_THREADS": "1", "DAAD_CACHE": "off"}
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from daad.runtime import toolchain  # noqa: E402
from npbench_runs import kernel as suite  # noqa: E402
from npbench_runs import npbench as checkout  # noqa: E402

FLAGS = ("-fno-tree-slp-vectorize", "-mprefer-vector-width=256")


def compiled(kernel: Any, arguments: tuple[Any, ...], flag: str | None) -> Any:
    further = () if flag is None else (flag,)
    with mock.patch.object(toolchain, "FLAGS", toolchain.FLAGS + further):
        gradient = daad.grad(kernel.function, wrt=kernel.wrt(arguments), of=kernel.output, on_inputs="keep", seed=1.0)
        gradient(*arguments)
    return gradient


def times(gradients: list[Any], arguments: tuple[Any, ...], seconds: float) -> list[list[float]]:
    found: list[list[float]] = [[] for _ in gradients]
    end = time.monotonic() + seconds
    while len(found[0]) < 5 or (time.monotonic() < end and len(found[0]) < 200):
        for gradient, own in zip(gradients, found, strict=True):
            start = time.process_time()
            gradient(*arguments)
            own.append(time.process_time() - start)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npbench", type=Path, required=True)
    parser.add_argument("--preset", default="S")
    parser.add_argument("--flags", nargs="*", default=FLAGS)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("kernels", nargs="*", default=suite.names())
    options = parser.parse_args()
    print(f"| kernel | ms | {' | '.join(options.flags)} |\n|---|--:|{'--:|' * len(options.flags)}")
    for name in options.kernels:
        kernel = checkout.load(name, options.npbench)
        arguments = kernel.arguments(options.preset)
        gradients = [compiled(kernel, arguments, flag) for flag in (None, *options.flags)]
        plain, *others = times(gradients, arguments, options.seconds)
        cells = [f"{min(o) / min(plain):.2f} ({statistics.median(o) / statistics.median(plain):.2f})" for o in others]
        print(f"| {name} | {min(plain) * 1e3:.3f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
