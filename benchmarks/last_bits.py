#!/usr/bin/env python3
"""How far gradients of NPBench's kernels move when last bits of inputs and seed do, by daad and by JAX, as Markdown.

The largest difference of an element from the gradient with the original ones, relative to the largest element of the
array's gradient: the root of the mean square over the draws of last bits, and in brackets the largest. JAX has
NPBench's program in JAX, then the one in `npbench_runs`, which may be another algorithm.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import daad  # noqa: E402
from npbench_runs import kernel as suite  # noqa: E402
from npbench_runs import npbench as checkout  # noqa: E402
from npbench_runs.engines.by_jax import JAX  # noqa: E402
from npbench_runs.engines.engine import Change, Gradients, Question  # noqa: E402
from npbench_runs.kernel import Kernel, is_float_array  # noqa: E402
from npbench_runs.last_bits import movement  # noqa: E402

Function = Callable[[Change], Gradients]


def by_daad(kernel: Kernel, arguments: tuple[Any, ...]) -> Function:
    fresh = copy.deepcopy(arguments)
    seed = np.ones_like(kernel.select(kernel.function(*fresh), fresh))
    options: dict[str, Any] = {"wrt": kernel.wrt(arguments), "of": kernel.output, "on_inputs": "keep"}

    def changed(change: Change) -> Gradients:
        gradient = daad.grad(kernel.function, seed=change(seed), **options)
        return tuple(gradient(*(change(a) if is_float_array(a) else a for a in arguments)))

    return changed


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
        cells = ["{:.1e} ({:.1e})".format(*movement(engine)) for engine in engines]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
