#!/usr/bin/env python3
"""The sparse Jacobian of a five-point problem on a square grid, beside its compiled primal and beside JAX.

JAX gets the colours and the places of the entries made by hand: it pushes five tangents at once, and gathers. Minima of
processor time over calls that alternate.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from daad.api.call.specialization import specialise_primal  # noqa: E402
from daad.api.subject.reading import subject_of  # noqa: E402
from daad.api.subject.request import Request  # noqa: E402

STRENGTH = 0.1


def residual(u: Any, strength: float) -> Any:
    """Bratu's problem."""
    r = 4.0 * u - strength * np.exp(u)
    r[1:] -= u[:-1]
    r[:-1] -= u[1:]
    r[:, 1:] -= u[:, :-1]
    r[:, :-1] -= u[:, 1:]
    return r


def jaxs(u: np.ndarray, matrix: Any) -> Callable[[], Any]:
    """The entries of the same matrix by JAX."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def function(u: Any) -> Any:
        r = 4.0 * u - STRENGTH * jnp.exp(u)
        r = r.at[1:].add(-u[:-1]).at[:-1].add(-u[1:])
        return r.at[:, 1:].add(-u[:, :-1]).at[:, :-1].add(-u[:, 1:])

    i, j = np.indices(u.shape)
    colours = ((i + 2 * j) % 5).ravel()
    rows = np.repeat(np.arange(u.size), np.diff(matrix.indptr))
    places = jnp.asarray(colours[matrix.indices] * u.size + rows)
    seeds = jnp.asarray((colours == np.arange(5)[:, None]).astype(float).reshape(5, *u.shape))
    held = jax.device_put(u)

    @jax.jit
    def entries(u: Any, seeds: Any, places: Any) -> Any:
        push = jax.vmap(lambda seed: jax.jvp(function, (u,), (seed,))[1])
        return push(seeds).reshape(-1)[places]

    np.testing.assert_allclose(entries(held, seeds, places), matrix.data, rtol=1e-12)
    return lambda: jax.block_until_ready(entries(held, seeds, places))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1000, help="points along an edge of the grid")
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--no-jax", action="store_true")
    given = parser.parse_args()
    u = np.random.default_rng(0).normal(size=(given.size, given.size))
    jacobian: Any = daad.jacobian(residual, sparse=True)
    matrix = jacobian(u, STRENGTH)
    bound = {"u": u, "strength": STRENGTH}
    primal = specialise_primal(subject_of(residual), bound, Request(seed=1.0, on_inputs="keep"))
    calls = {
        "compiled primal": lambda: primal.run([*bound.values()]),
        "NumPy's primal": lambda: residual(u, STRENGTH),
        "sparse Jacobian": lambda: jacobian(u, STRENGTH),
    }
    if not given.no_jax:
        calls["JAX, colours made by hand"] = jaxs(u, matrix)
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(given.calls):
        for name, call in calls.items():
            start = time.process_time()
            call()
            least[name] = min(least[name], time.process_time() - start)
    print(f"{matrix.shape[0]} x {matrix.shape[1]}, {matrix.nnz} entries, {jacobian.colours.max() + 1} colours")
    print("\n| | ms | times the primal |\n|---|--:|--:|")
    for name, seconds in least.items():
        print(f"| {name} | {1e3 * seconds:.2f} | {seconds / least['compiled primal']:.1f} |")


if __name__ == "__main__":
    main()
