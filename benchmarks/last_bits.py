#!/usr/bin/env python3
"""How far gradients move when the last bits of the inputs do, by daad and by JAX, for kernels of NPBench, as Markdown.

The largest difference of an element from the gradient at the original inputs, relative to the largest element of the
array's gradient: the root of the mean square over the draws of last bits, and in brackets the largest. JAX has
NPBench's program in JAX, then the one in `npbench_runs`, which may be another algorithm.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from npbench_runs import kernel as suite  # noqa: E402
from npbench_runs import npbench as checkout  # noqa: E402
from npbench_runs.engines.by_jax import JAX  # noqa: E402
from npbench_runs.engines.engine import Gradients, Question  # noqa: E402
from npbench_runs.kernel import Kernel  # noqa: E402
from npbench_runs.last_bits import movement  # noqa: E402

Function = Callable[[tuple[Any, ...]], Gradients]


def by_daad(kernel: Kernel, arguments: tuple[Any, ...]) -> Function:
    gradient = daad.grad(kernel.function, wrt=kernel.wrt(arguments), of=kernel.output, seed=1.0, on_inputs="keep")
    return lambda arguments: tuple(gradient(*arguments))


def by_jax(kernel: Kernel, arguments: tuple[Any, ...]) -> Function:
    question = Question(kernel=kernel, arguments=arguments, wrt=kernel.wrt(arguments), seed=1.0)
    elsewhere = JAX.prepare(question).elsewhere
    assert elsewhere is not None, "JAX gives gradients at other arguments"
    return elsewhere


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npbench", type=Path, required=True)
    parser.add_argument("--preset", default="S")
    parser.add_argument("kernels", nargs="*", default=["vadv"])
    options = parser.parse_args()
    print("| kernel | daad | JAX, the same program | JAX, npbench_runs |\n|---|--:|--:|--:|")
    for name in options.kernels:
        kernel = checkout.load(name, options.npbench)
        arguments = kernel.arguments(options.preset)
        engines = (by_daad(kernel, arguments), *(by_jax(k, arguments) for k in (kernel, suite.load(name))))
        cells = ["{:.1e} ({:.1e})".format(*movement(engine, arguments)) for engine in engines]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
