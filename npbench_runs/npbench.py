"""NPBench's own sources in NumPy and in JAX and its initialisers, from a checkout, as kernels."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from npbench_runs import kernel as suite
from npbench_runs.kernel import Kernel, is_float_array, module_of

# Kernels whose initialisers make perfectly correlated columns, at which the gradient is not defined.
CORRELATED = ("correlation", "covariance", "covariance2")

# Whose JAX version is missing, cannot be differentiated in reverse ('while_loop') or, trmm's, is another function.
WITHOUT_JAX = ("cholesky", "covariance2", "gramschmidt", "lu", "ludcmp", "trmm")

# Where the output stands in what NPBench's JAX version returns, if not first.
PLACES = {"gemver": 2, "vadv": 3}


class NotNPBench(ValueError):
    """A path that holds no checkout of NPBench."""


def load(name: str, root: Path) -> Kernel:
    """NPBench's unmodified NumPy kernel; raises NotNPBench with the reason."""
    own = suite.load(name)
    return read(name, root, own.sizes["tiny"], own.output)


def read(name: str, root: Path, tiny: Mapping[str, Any], output: str | int | None) -> Kernel:
    """NPBench's unmodified NumPy kernel, with what NPBench does not say: tiny sizes and the differentiated output."""
    about = information(name, root)
    return Kernel(
        name=name,
        function=getattr(module(name, root, "_numpy"), about["func_name"]),
        initialise=initialiser(name, root),
        sizes={"tiny": tiny, **about["parameters"]},
        output=output,
        in_jax=f"{suite.JAX}.{name}",
        other_jax=None if name in WITHOUT_JAX else lambda: jax_version(name, root),
        origin="NPBench",
    )


def jax_version(name: str, root: Path) -> Callable[..., Any]:
    """NPBench's JAX kernel without its `jit`, so that loop bounds are constants; returns the output alone."""
    kernel = inspect.unwrap(getattr(module(name, root, "_jax"), information(name, root)["func_name"]))
    place = PLACES.get(name, 0)

    @functools.wraps(kernel)
    def output(*arguments: Any) -> Any:
        result = kernel(*arguments)
        return result[place] if isinstance(result, tuple) else result

    return output


@functools.cache
def information(name: str, root: Path) -> Mapping[str, Any]:
    """What NPBench says about a kernel."""
    path = root / "bench_info" / f"{name}.json"
    if not path.is_file():
        raise NotNPBench(f"'{root}' is no NPBench checkout: it has no file 'bench_info/{name}.json'.")
    return json.loads(path.read_text())["benchmark"]


@functools.cache
def module(name: str, root: Path, suffix: str = "") -> ModuleType:
    """A kernel's file of the checkout as a module: "" holds the initialiser, "_numpy" and "_jax" the kernel."""
    about = information(name, root)
    path = root / "npbench" / "benchmarks" / about["relative_path"] / f"{about['module_name']}{suffix}.py"
    if not path.is_file():
        raise NotNPBench(f"'{path}' is not there: the NPBench checkout is not complete.")
    return module_of(path, f"npbench_{name}{suffix}")


def initialiser(name: str, root: Path) -> Callable[..., tuple[Any, ...]]:
    """The kernel's arguments by NPBench's initialiser, if it has one, differentiable: see `differentiable`."""
    about = information(name, root)
    start = about.get("init") or {}

    def initialise(**sizes: Any) -> tuple[Any, ...]:
        values = dict(sizes)
        if start.get("func_name"):
            made = getattr(module(name, root), start["func_name"])(*(sizes[key] for key in start["input_args"]))
            results = start["output_args"]
            values.update(zip(results, made if len(results) > 1 else (made,), strict=True))
        return differentiable(name, tuple(values[key] for key in about["input_args"]))

    return initialise


def differentiable(name: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Noise on perfectly correlated data; where a kernel has integer arrays only, floats off its whole bounds."""
    rng = np.random.default_rng(1)
    if name in CORRELATED:
        return tuple(
            value + rng.uniform(0.0, 0.1, size=value.shape).astype(value.dtype) if is_float_array(value) else value
            for value in arguments
        )
    if any(isinstance(value, np.ndarray) and value.dtype.kind in "fc" for value in arguments):
        return arguments
    return tuple(v + 0.25 if isinstance(v, np.ndarray) and v.dtype.kind == "i" else v for v in arguments)
