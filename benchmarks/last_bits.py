#!/usr/bin/env python3
"""How far gradients move when the last bits of the inputs do, by daad and by JAX, for kernels of NPBench, as Markdown.

The largest difference of an element from the gradient at the original inputs, relative to the largest element of the
array's gradient: the root of the mean square over the draws of last bits, and in brackets the largest. JAX has
NPBench's program in JAX, then the one in `npbench_runs`, which may be another algorithm.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from npbench_runs import kernel as suite  # noqa: E402
from npbench_runs import npbench as checkout  # noqa: E402
from npbench_runs.engines.engine import Gradients  # noqa: E402
from npbench_runs.kernel import Kernel, is_float_array  # noqa: E402
from npbench_runs.last_bits import movement  # noqa: E402

Function = Callable[[tuple[Any, ...]], Gradients]


def by_daad(kernel: Kernel, places: Sequence[int]) -> Function:
    names = tuple(kernel.parameters[place] for place in places)
    gradient = daad.grad(kernel.function, wrt=names, of=kernel.output, seed=1.0, on_inputs="keep")
    return lambda arguments: tuple(gradient(*arguments))


def by_jax(function: Callable[..., Any], places: Sequence[int]) -> Function:
    import jax

    jax.config.update("jax_enable_x64", True)
    gradient = jax.jit(jax.grad(lambda *active: function(*active).sum(), argnums=tuple(places)))
    return lambda arguments: tuple(np.asarray(g) for g in gradient(*arguments))


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
        places = [place for place, value in enumerate(arguments) if is_float_array(value)]
        functions = (kernel.jax_function(), suite.load(name).jax_function())
        engines = (by_daad(kernel, places), *(by_jax(function, places) for function in functions))
        cells = ["{:.1e} ({:.1e})".format(*movement(engine, arguments)) for engine in engines]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
