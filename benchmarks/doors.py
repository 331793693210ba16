"""What a call costs through each door, in microseconds, for a program of eight elements: `python benchmarks/doors.py`.

Beside each door stands what it is measured against: the same program in JAX, jitted, and daad behind `pure_callback`;
an operator of torch's own. Doors of libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import daad

ROUNDS, LONG = 60, 0.005
Row = tuple[str, float]


def energy(x, k):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(x) * k)


X, K = np.linspace(0.1, 0.9, 8), np.linspace(1.0, 2.0, 8)

CALLS = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "energy_grad.h"
int main(void) {
  double x[8], k[8], value, slope[8], best = 1e9;
  for (int i = 0; i < 8; ++i) x[i] = 0.1 * (i + 1), k[i] = 1 + i / 8.0;
  void *work = malloc(energy_grad_work_bytes());
  for (int round = 0; round < 30; ++round) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < 10000; ++i) energy_grad(x, k, &value, slope, work);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double took = (end.tv_sec - start.tv_sec) * 1e6 + (end.tv_nsec - start.tv_nsec) / 1e3;
    if (took / 10000 < best) best = took / 10000;
  }
  printf("%f\\n", best);
}
"""


def microseconds(call: Callable[[], Any], clock: Callable[[], float] = time.thread_time) -> float:
    """The fastest of some rounds, each long enough for the clock: that of the thread, whatever others do."""
    call()
    count, best = 1, float("inf")
    while (took := _seconds(call, count, clock)) < LONG:
        count *= 2
    for _ in range(ROUNDS):
        took = min(took, _seconds(call, count, clock))
        best = min(best, took)
    return best / count * 1e6


def _seconds(call: Callable[[], Any], count: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(count):
        call()
    return clock() - start


def of_numpy() -> Iterator[Row]:
    """A Gradient, and its library for C through ctypes."""
    gradient = daad.value_and_grad(energy)
    yield "NumPy: daad.value_and_grad", microseconds(lambda: gradient(X, K))
    with tempfile.TemporaryDirectory() as work:
        folder = gradient.export(Path(work) / "made", X, K)
        (Path(work) / "calls.c").write_text(CALLS)
        links = [f"-I{folder}/include", f"-L{folder}/lib", "-lenergy_grad", f"-Wl,-rpath,{folder}/lib"]
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "calls.c", *links, "-o", "calls"], cwd=work, check=True)
        found = subprocess.run([Path(work) / "calls"], capture_output=True, text=True, check=True)
        yield "C: value and gradient", float(found.stdout)


def of_jax() -> Iterator[Row]:
    """The value, and value and gradient, jitted."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, k = jnp.asarray(X), jnp.asarray(K)
    gradient = daad.value_and_grad(energy)

    def native(x: Any, k: Any) -> Any:
        return jnp.sum(jnp.sin(x) * k)

    def called_back(x: Any, k: Any) -> Any:
        shapes = jax.ShapeDtypeStruct((), x.dtype), jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(lambda x, k: gradient(np.asarray(x), np.asarray(k)), shapes, x, k)

    door = daad.grad(energy).as_jax()
    calls: dict[str, Any] = {
        "JAX: the program in JAX, jitted": jax.jit(native),
        "JAX: as_jax, jitted": jax.jit(door),
        "JAX: value and gradient in JAX, jitted": jax.jit(jax.value_and_grad(native)),
        "JAX: value and gradient of as_jax, jitted": jax.jit(jax.value_and_grad(door)),
        "JAX: value and gradient by pure_callback, jitted": jax.jit(called_back),
    }
    for name, call in calls.items():
        run = lambda call=call: jax.block_until_ready(call(x, k))  # noqa: E731
        yield name, microseconds(run, time.perf_counter)  # threads of XLA's own may work


def of_torch() -> Iterator[Row]:
    """Value and gradient by `backward`, of an operator of torch's own that does the same, and of the program."""
    import torch

    x, k = torch.from_numpy(X.copy()).requires_grad_(), torch.from_numpy(K)
    door = daad.grad(energy).as_torch()

    def with_numpy(x: Any, k: Any) -> Any:
        return torch.from_numpy(np.asarray(np.sum(np.sin(x.detach().numpy()) * k.numpy())))

    schema = "(Tensor x, Tensor k) -> Tensor"
    own = torch.library.custom_op("doors::energy", with_numpy, mutates_args=(), schema=schema)

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def back(ctx: Any, seed: Any) -> Any:
        x, k = ctx.saved_tensors
        return seed * torch.cos(x) * k, None

    own.register_autograd(back, setup_context=keep)
    programs: dict[str, Any] = {
        "the program in torch": lambda x, k: torch.sum(torch.sin(x) * k),
        "an operator of torch's own with NumPy inside": own,
        "as_torch": door,
    }
    for name, program in programs.items():
        yield f"torch: {name}, value", microseconds(lambda program=program: program(x.detach(), k))  # type: ignore[misc]
    for name, program in programs.items():
        run = lambda program=program: torch.autograd.grad(program(x, k), x)  # noqa: E731
        yield f"torch: {name}, value and gradient", microseconds(run)


DOORS: dict[str, Callable[[], Iterator[Row]]] = {"numpy": of_numpy, "jax": of_jax, "torch": of_torch}


def main() -> None:
    """Prints a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", help="of numpy, jax and torch; all by default")
    chosen = tuple(parser.parse_args().libraries)
    print("| door | µs |\n|---|--:|")
    for library, rows in DOORS.items():
        if chosen and not library.startswith(chosen):
            continue
        if find_spec(library) is None:
            print(f"| '{library}' is not installed | |")
            continue
        for name, took in rows():
            print(f"| {name} | {took:.2f} |", flush=True)


if __name__ == "__main__":
    main()
