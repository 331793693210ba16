#!/usr/bin/env python3
"""What products with the Jacobian take beside the compiled primal and the gradient, and beside JAX.

Minima of processor time over bursts of calls that alternate, on the kernels of the suite; to be run on one processor
(`taskset -c 0`). Each kernel that is measured goes into the file of `--json` at once, and is not measured again;
`--table` prints what the file holds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from daad.api.call.specialization import specialise_primal  # noqa: E402
from daad.api.subject import arguments as calls  # noqa: E402
from daad.api.subject.reading import subject_of  # noqa: E402
from daad.api.subject.request import Request  # noqa: E402
from npbench_runs.kernel import Kernel, load, names  # noqa: E402

SEEDS = 16
ENOUGH = 5.0  # seconds for all calls of a kernel
SHORTEST = 2e-2  # seconds of a burst of short calls, at most MOST: of other threads, as JAX's, the time comes in ticks
MOST = 500
BURSTS = (4, 40)
Call = Callable[[], Any]
# A line of the table: a product, what it is compared with, and the most that the ratio may be.
RATIOS: dict[str, tuple[str, str, float]] = {
    "jvp / primal": ("jvp", "primal", 2.0),
    "hvp / gradient": ("hvp", "gradient", 3.0),
    "forward and pull / gradient": ("vjp", "gradient", 1.1),
    "forward and pull / value and gradient, seed at the call": ("vjp", "value and gradient", 1.1),
    "16 seeds / one": ("pull.many", "pull", 6.0),
    "daad / JAX: jvp": ("jvp", "JAX jvp", 1.0),
    "daad / JAX: vjp": ("vjp", "JAX vjp", 1.0),
    "daad / JAX: hvp": ("hvp", "JAX hvp", 1.0),
}


def daads(kernel: Kernel, preset: str) -> Iterator[tuple[str, Call]]:
    """The calls of daad; the arguments stay as they are."""
    given = kernel.arguments(preset)
    wrt, random = kernel.wrt(given), np.random.default_rng(1)
    chosen = [given[kernel.parameters.index(name)] for name in wrt]
    tangent = tuple(random.normal(size=a.shape).astype(a.dtype) for a in chosen)
    asked = {"wrt": wrt, "of": kernel.output}
    bound = dict(zip(kernel.parameters, given, strict=True))
    leaves = [value for _, value in calls.leaves(bound)]
    primal = specialise_primal(subject_of(kernel.function), bound, Request(seed=1.0, on_inputs="keep", **asked))
    yield "primal", lambda: primal.run(leaves)
    gradient = daad.grad(kernel.function, seed=1.0, **asked)
    yield "gradient", lambda: gradient(*given)
    both = daad.value_and_grad(kernel.function, **asked)
    yield "value and gradient", lambda: both(*given, seed=1.0)
    push = daad.jvp(kernel.function, **asked)
    yield "jvp", lambda: push(*given, tangent=tangent)
    hvp = daad.hvp(kernel.function, seed=1.0, **asked)
    yield "hvp", lambda: hvp(*given, tangent=tangent)
    vjp = daad.vjp(kernel.function, **asked)
    value, pull = vjp(*given)
    seed = np.ones_like(value)
    many = np.ones((SEEDS, *seed.shape), seed.dtype)
    yield "vjp", lambda: vjp(*given)[1](seed)
    yield "pull", lambda: pull(seed)
    yield "pull.many", lambda: pull.many(many)


def jaxs(kernel: Kernel, preset: str) -> Iterator[tuple[str, Call]]:
    """The same by JAX, on arrays that it holds already."""
    import jax

    given = kernel.arguments(preset)
    wrt, random = kernel.wrt(given), np.random.default_rng(1)
    jax.config.update("jax_enable_x64", any(a.dtype == np.float64 for a in given if isinstance(a, np.ndarray)))
    held = [jax.device_put(given[kernel.parameters.index(name)]) for name in wrt]
    program = kernel.jax_function()

    def function(*active: Any) -> Any:
        values = {**dict(zip(kernel.parameters, given, strict=True)), **dict(zip(wrt, active, strict=True))}
        return program(*(values[name] for name in kernel.parameters))

    def pulled(seed: Any, *active: Any) -> Any:
        value, pull = jax.vjp(function, *active)
        return value, pull(seed)

    def total(*active: Any) -> Any:
        return function(*active).sum()

    # Arrays of their own: of tangents that are the values JAX computes less.
    tangents = [jax.device_put(random.normal(size=a.shape).astype(a.dtype)) for a in held]
    positions = tuple(range(len(held)))
    push = jax.jit(lambda a, v: jax.jvp(function, a, v))
    pull = jax.jit(pulled)
    twice = jax.jit(lambda a, v: jax.jvp(jax.grad(total, argnums=positions), a, v)[1])
    seed = jax.numpy.ones_like(function(*held))
    yield "JAX jvp", lambda: jax.block_until_ready(push(held, tangents))
    yield "JAX vjp", lambda: jax.block_until_ready(pull(seed, *held))
    yield "JAX hvp", lambda: jax.block_until_ready(twice(held, tangents))


def measured(made: dict[str, Call]) -> dict[str, float]:
    """Least processor seconds of each call, after a first one that compiles; bursts of all alternate."""
    for call in made.values():
        call()
    least = {name: _burst(call, 1) for name, call in made.items()}
    repeats = {name: max(1, min(MOST, int(SHORTEST / max(seconds, 1e-9)))) for name, seconds in least.items()}
    total = sum(least[name] * repeats[name] for name in made)
    for _ in range(max(BURSTS[0], min(BURSTS[1], int(ENOUGH / total)))):
        for name, call in made.items():
            least[name] = min(least[name], _burst(call, repeats[name]))
    return least


def _burst(call: Call, repeats: int) -> float:
    """Processor seconds of one of so many calls in a row."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def run(name: str, preset: str, with_jax: bool) -> dict[str, float]:
    """The times of one kernel."""
    kernel = load(name)
    made = dict(daads(kernel, preset))
    if with_jax:
        made |= {product: call for product, call in jaxs(kernel, preset) if _works(call)}
    return measured(made)


def _works(call: Call) -> bool:
    """JAX has no tangents of functions with a rule for adjoints alone."""
    try:
        call()
    except TypeError:
        return False
    return True


def table(results: dict[str, dict[str, float]]) -> str:
    """Geometric means of ratios over the kernels that have both, and how far the worst is off."""
    lines = ["| | kernels | mean | worst | at most |", "|---|--:|--:|--:|--:|"]
    for label, (above, below, most) in RATIOS.items():
        found = {k: r[above] / r[below] for k, r in results.items() if above in r and below in r}
        if found:
            mean = statistics.geometric_mean(found.values())
            worst = max(found, key=lambda k: found[k])
            lines.append(f"| {label} | {len(found)} | {mean:.2f} | {found[worst]:.2f} ({worst}) | {most:g} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--preset", default="S")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-jax", action="store_true")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    given = parser.parse_args()
    results = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for name in () if given.table else given.kernels or names():
        if name in results:
            continue
        try:
            results[name] = run(name, given.preset, not given.no_jax)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        if given.json:
            given.json.write_text(json.dumps(results, indent=1))
        print(name, {key: f"{1e3 * value:.3g} ms" for key, value in results[name].items()}, file=sys.stderr)
    print(table(results))


if __name__ == "__main__":
    main()
