"""NPBench's own sources and initialisers, from a checkout, as kernels; the JAX versions are this package's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from npbench_runs import kernel as suite
from npbench_runs.kernel import Kernel, is_float_array, module_of

# Kernels whose initialisers make perfectly correlated columns, at which the gradient is not defined.
CORRELATED = ("correlation", "covariance", "covariance2")


class NotNPBench(ValueError):
    """A path that holds no checkout of NPBench."""


def load(name: str, root: Path) -> Kernel:
    """NPBench's unmodified NumPy kernel; raises NotNPBench with the reason."""
    about = information(name, root)
    folder = root / "npbench" / "benchmarks" / about["relative_path"]
    own = suite.load(name)
    program = source(folder / f"{about['module_name']}_numpy.py", f"npbench_{name}_numpy")
    makers = source(folder / f"{about['module_name']}.py", f"npbench_{name}")
    return Kernel(
        name=name,
        function=getattr(program, about["func_name"]),
        initialise=initialiser(name, about, makers),
        sizes={"tiny": own.sizes["tiny"], **about["parameters"]},
        output=own.output,
        in_jax=own.in_jax,
        origin="NPBench",
    )


def information(name: str, root: Path) -> Mapping[str, Any]:
    """What NPBench says about a kernel."""
    path = root / "bench_info" / f"{name}.json"
    if not path.is_file():
        raise NotNPBench(f"'{root}' is no NPBench checkout: it has no file 'bench_info/{name}.json'.")
    return json.loads(path.read_text())["benchmark"]


def source(path: Path, name: str) -> Any:
    """A file of the checkout as a module."""
    if not path.is_file():
        raise NotNPBench(f"'{path}' is not there: the NPBench checkout is not complete.")
    return module_of(path, name)


def initialiser(name: str, about: Mapping[str, Any], makers: Any) -> Callable[..., tuple[Any, ...]]:
    """The kernel's arguments by NPBench's initialiser, differentiable: see `differentiable`."""
    start = about["init"]

    def initialise(**sizes: Any) -> tuple[Any, ...]:
        values = dict(sizes)
        made = getattr(makers, start["func_name"])(*(sizes[key] for key in start["input_args"]))
        results = start["output_args"]
        values.update(zip(results, made if len(results) > 1 else (made,), strict=True))
        return differentiable(name, tuple(values[key] for key in about["input_args"]))

    return initialise


def differentiable(name: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Noise on perfectly correlated data; floats instead of integers where a kernel has integer arrays only."""
    rng = np.random.default_rng(1)
    if name in CORRELATED:
        return tuple(
            value + rng.uniform(0.0, 0.1, size=value.shape).astype(value.dtype) if is_float_array(value) else value
            for value in arguments
        )
    if any(map(is_float_array, arguments)):
        return arguments
    return tuple(v.astype(np.float64) if isinstance(v, np.ndarray) and v.dtype.kind == "i" else v for v in arguments)
