#!/usr/bin/env python3
"""One simulation, written as daad, JAX, torch and HIPS autograd want it: the time of its gradient.

Tools that are not installed are left out. One thread each; medians over calls that alternate.

    OMP_NUM_THREADS=1 python benchmarks/tools.py --steps 500 --points 1000
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Call = Callable[[], Any]


def simulate(u, k, steps):  # type: ignore[no-untyped-def]  # as a user writes it
    for _ in range(steps):
        u[1:-1] += k[1:-1] * (1.0 + u[1:-1] ** 2) * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def of_daad(u: np.ndarray, k: np.ndarray, steps: int) -> Call:
    import daad

    gradient = daad.grad(simulate, wrt="k")
    return lambda: gradient(u, k, steps)


def of_jax(u: np.ndarray, k: np.ndarray, steps: int) -> Call:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def simulate(u, k, steps):  # type: ignore[no-untyped-def]
        def step(u, _):  # type: ignore[no-untyped-def]
            change = k[1:-1] * (1.0 + u[1:-1] ** 2) * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            return u.at[1:-1].add(change), None

        u, _ = jax.lax.scan(step, u, length=steps)
        return jnp.sum(u * u)

    gradient = jax.jit(jax.grad(simulate, argnums=1), static_argnums=2)
    held = jnp.asarray(u), jnp.asarray(k)
    return lambda: gradient(*held, steps).block_until_ready()


def of_torch(u: np.ndarray, k: np.ndarray, steps: int) -> Call:
    import torch

    torch.set_num_threads(1)

    def simulate(u, k, steps):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            change = k[1:-1] * (1.0 + u[1:-1] ** 2) * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u = torch.cat((u[:1], u[1:-1] + change, u[-1:]))
        return torch.sum(u * u)

    start, rates = torch.from_numpy(u), torch.from_numpy(k).requires_grad_()
    return lambda: torch.autograd.grad(simulate(start, rates, steps), rates)[0].numpy()


def of_autograd(u: np.ndarray, k: np.ndarray, steps: int) -> Call:
    import autograd
    import autograd.numpy as anp

    def simulate(u, k, steps):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            change = k[1:-1] * (1.0 + u[1:-1] ** 2) * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u = anp.concatenate((u[:1], u[1:-1] + change, u[-1:]))
        return anp.sum(u * u)

    gradient = autograd.grad(simulate, 1)
    return lambda: gradient(u, k, steps)


TOOLS = {"daad": of_daad, "JAX": of_jax, "torch": of_torch, "HIPS autograd": of_autograd}


def timed(call: Call) -> tuple[Any, float]:
    began = time.perf_counter()
    found = call()
    return np.asarray(found), time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    u, k = np.sin(np.linspace(0.0, 3.0, options.points)), np.full(options.points, 0.1)
    calls: dict[str, Call] = {}
    first, found = dict[str, float](), dict[str, np.ndarray]()
    for name, tool in TOOLS.items():
        try:
            call = tool(u, k, options.steps)
            found[name], first[name] = timed(call)
            calls[name] = call
        except ModuleNotFoundError as error:
            print(f"{name}: {error}", file=sys.stderr)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(options.repeats):
        for name, call in calls.items():
            times[name].append(timed(call)[1])
    plain = median(timed(lambda: simulate(u.copy(), k, options.steps))[1] for _ in range(options.repeats))
    print(f"{options.points} points, {options.steps} steps; the program in NumPy takes {1000 * plain:.2f} ms\n")
    print("| tool | first call, s | later, ms | distance from daad's |\n|---|--:|--:|--:|")
    for name in calls:
        distance = np.max(np.abs(found[name] - found["daad"])) / np.max(np.abs(found["daad"]))
        print(f"| {name} | {first[name]:.2f} | {1000 * median(times[name]):.2f} | {distance:.0e} |")


if __name__ == "__main__":
    main()
