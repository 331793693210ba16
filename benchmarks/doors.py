"""What a call costs through each door, in microseconds, for a program of eight elements: `python benchmarks/doors.py`.

Beside each door stands what it is measured against: the same program in JAX, jitted, and daad behind `pure_callback`;
the C function of the exported library called by ctypes. Doors of libraries that are not installed are left out.
"""

from __future__ import annotations

import ctypes
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import daad

ROUNDS = 30
Row = tuple[str, float]


def energy(x, k):  # type: ignore[no-untyped-def]
    return np.sum(np.sin(x) * k)


X, K = np.linspace(0.1, 0.9, 8), np.linspace(1.0, 2.0, 8)


def microseconds(call: Callable[[], Any], seconds: float = 0.02) -> float:
    """The fastest of some rounds, each long enough for the clock."""
    call()
    count, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - start
        if took > seconds:
            break
        count *= 2
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def of_numpy() -> Iterator[Row]:
    """A Gradient, and its library for C through ctypes."""
    gradient = daad.value_and_grad(energy)
    yield "NumPy: daad.value_and_grad", microseconds(lambda: gradient(X, K))
    with tempfile.TemporaryDirectory() as work:
        folder = gradient.export(Path(work) / "made", X, K)
        library = ctypes.CDLL(str(folder / "lib/libenergy_grad.so"))
        value, slope = np.zeros(()), np.zeros(8)
        scratch = np.zeros(library.energy_grad_work_bytes(), np.uint8)
        places = [ctypes.c_void_p(a.ctypes.data) for a in (X, K, value, slope, scratch)]
        empty = microseconds(lambda: library.energy_grad_work_bytes(*places))
        yield (
            "C: value and gradient, less an empty call by ctypes",
            (microseconds(lambda: library.energy_grad(*places)) - empty),
        )


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
        yield name, microseconds(lambda call=call: jax.block_until_ready(call(x, k)))  # type: ignore[misc]


DOORS: dict[str, Callable[[], Iterator[Row]]] = {"numpy": of_numpy, "jax": of_jax}


def main() -> None:
    """Prints a line for each way."""
    for library, rows in DOORS.items():
        if find_spec(library) is None:
            print(f"'{library}' is not installed")
            continue
        for name, took in rows():
            print(f"{took:9.2f} µs  {name}", flush=True)


if __name__ == "__main__":
    main()
