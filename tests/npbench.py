"""NPBench's kernels from a checkout beside the repository (`../shared/npbench`, or where NPBENCH says), as cases."""

from __future__ import annotations

import copy
import functools
import importlib.util
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from .corpus.case import Case

ROOT = Path(os.environ.get("NPBENCH") or Path(__file__).resolve().parents[2] / "shared" / "npbench")
needs_npbench = pytest.mark.skipif(
    not (ROOT / "bench_info").is_dir(), reason=f"NPBench is not at '{ROOT}'; set NPBENCH to a checkout of it."
)

# The kernels of which the gradient must be right at preset S, and those whose limits are known in hand-written C.
REQUIRED = ("adi", "atax", "bicg", "cavity_flow", "fdtd_2d", "gemm", "gesummv", "gramschmidt", "heat_3d", "jacobi_1d")
REQUIRED += ("jacobi_2d", "lu", "seidel_2d", "syrk", "trisolv", "trmm")
LIMITED = ("seidel_2d", "jacobi_2d", "heat_3d", "fdtd_2d", "syrk", "trmm", "gramschmidt", "lu", "cholesky", "durbin")
LIMITED += ("cavity_flow", "vadv", "hdiff", "adi", "deriche", "softmax")

# Sizes at which whole gradients can be compared with differences in a moment.
TINY: Mapping[str, Mapping[str, int]] = {
    "adi": {"TSTEPS": 2, "N": 6},
    "arc_distance": {"N": 7},
    "atax": {"M": 4, "N": 5},
    "bicg": {"M": 4, "N": 5},
    "cavity_flow": {"ny": 6, "nx": 7, "nt": 3, "nit": 2},
    "cholesky": {"N": 5},
    "cholesky2": {"N": 5},
    "compute": {"M": 4, "N": 5},
    "conv2d_bias": {"C_in": 2, "C_out": 3, "H": 5, "K": 2, "N": 2, "W": 4},
    "covariance": {"M": 4, "N": 6},
    "covariance2": {"M": 4, "N": 6},
    "deriche": {"W": 6, "H": 5},
    "doitgen": {"NR": 3, "NQ": 4, "NP": 5},
    "durbin": {"N": 6},
    "fdtd_2d": {"TMAX": 3, "NX": 5, "NY": 6},
    "gemm": {"NI": 3, "NJ": 4, "NK": 5},
    "gemver": {"N": 4},
    "gesummv": {"N": 5},
    "go_fast": {"N": 5},
    "gramschmidt": {"M": 5, "N": 4},
    "hdiff": {"I": 3, "J": 4, "K": 2},
    "heat_3d": {"TSTEPS": 3, "N": 5},
    "jacobi_1d": {"TSTEPS": 4, "N": 8},
    "jacobi_2d": {"TSTEPS": 4, "N": 6},
    "k2mm": {"NI": 3, "NJ": 4, "NK": 5, "NL": 2},
    "k3mm": {"NI": 3, "NJ": 4, "NK": 5, "NL": 2, "NM": 4},
    "lu": {"N": 5},
    "ludcmp": {"N": 5},
    "mlp": {"C_in": 3, "N": 4, "S0": 5, "S1": 4, "S2": 3},
    "mvt": {"N": 5},
    "nbody": {"N": 4, "tEnd": 0.2},
    "resnet": {"N": 2, "W": 4, "H": 4, "C1": 3, "C2": 2},
    "seidel_2d": {"TSTEPS": 4, "N": 6},
    "softmax": {"N": 2, "H": 3, "SM": 4},
    "spmv": {"M": 6, "N": 5, "nnz": 12},
    "symm": {"M": 4, "N": 5},
    "syr2k": {"M": 4, "N": 5},
    "syrk": {"M": 4, "N": 5},
    "trisolv": {"N": 5},
    "trmm": {"M": 5, "N": 4},
    "vadv": {"I": 3, "J": 3, "K": 5},
}


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A NumPy kernel of NPBench at one size; `outputs` is what `of` may be: None, positions of returns, arguments."""

    name: str
    preset: str
    sizes: Mapping[str, Any]
    function: Callable[..., Any]
    names: tuple[str, ...]
    arguments: Callable[[], tuple[Any, ...]]
    float_arrays: tuple[str, ...]
    outputs: tuple[str | int | None, ...]

    def case(self, of: str | int | None = None, wrt: tuple[str, ...] = ()) -> Case:
        """The gradient of the sum of one output, the first one unless told otherwise, by all float array arguments."""
        return Case(
            name=f"npbench.{self.name}-{self.preset}",
            function=self.function,
            arguments=self.arguments,
            wrt=wrt or self.float_arrays,
            of=self.outputs[0] if of is None else of,
            seed=self.seed(),
        )

    def seed(self) -> float | np.ndarray:
        """One, for the sum; the rows of a softmax sum to one whatever the input is, so its seed varies."""
        if self.name not in ("softmax", "mlp"):
            return 1.0
        output = self.function(*self.arguments())
        return np.random.default_rng(3).random(output.shape, dtype=output.dtype)


def kernel_names() -> tuple[str, ...]:
    """All kernels of the checkout; empty without one."""
    return tuple(sorted(path.stem for path in (ROOT / "bench_info").glob("*.json")))


@functools.cache
def information(name: str) -> Mapping[str, Any]:
    """What NPBench says about a kernel."""
    return json.loads((ROOT / "bench_info" / f"{name}.json").read_text())["benchmark"]


@functools.cache
def module(name: str, suffix: str = "") -> ModuleType:
    """The kernel's module: "" holds the initialiser, "_numpy" and "_jax" the kernel."""
    about = information(name)
    path = ROOT / "npbench" / "benchmarks" / about["relative_path"] / f"{about['module_name']}{suffix}.py"
    spec = importlib.util.spec_from_file_location(f"npbench_{name}{suffix}", path)
    assert spec is not None and spec.loader is not None, f"no loader for {path}"
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def initialised(name: str, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """The kernel's sizes and what its initialiser makes of them, by name; some kernels have no initialiser."""
    values = dict(sizes)
    start = information(name).get("init")
    if start is None or not start.get("func_name"):
        return values
    made = getattr(module(name), start["func_name"])(*(values[key] for key in start["input_args"]))
    names = start["output_args"]
    values.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    return values


def jittered(value: Any, name: str) -> Any:
    """Initial data without the regular patterns (perfect correlations, ties) that NPBench's formulas make."""
    if name not in ("correlation", "covariance", "covariance2") or not is_float_array(value):
        return value
    return value + np.random.default_rng(1).uniform(0.0, 0.1, size=value.shape).astype(value.dtype)


def stirred(value: Any) -> Any:
    """Data of which a kernel leaves nothing as it was: NPBench starts heat_3d, say, from a steady state."""
    return (
        value * (1 + 0.1 * np.random.default_rng(2).random(value.shape, dtype=value.dtype))
        if is_float_array(value)
        else value
    )


def is_float_array(value: Any) -> bool:
    """float32 or float64, not complex, with at least one dimension."""
    return isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64)


@functools.cache
def arguments_at(name: str, sizes: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """The arguments of a kernel, made once; copy them before use."""
    values = initialised(name, dict(sizes))
    return tuple(jittered(values[key], name) for key in information(name)["input_args"])


@functools.cache
def outputs(name: str) -> tuple[str | int | None, ...]:
    """What a run at a small size returns and then which arguments it changes, in NPBench's order of arguments."""
    sizes = {**information(name)["parameters"]["S"], **TINY.get(name, {})}
    before = [stirred(value) for value in arguments_at(name, tuple(sizes.items()))]
    after = copy.deepcopy(before)
    with np.errstate(all="ignore"):
        returned = kernel_function(name)(*after)
    names = information(name)["input_args"]
    changed = [
        key
        for key, old, new in zip(names, before, after, strict=True)
        if is_float_array(old) and not np.array_equal(old, new, equal_nan=True)
    ]
    changed.sort(key=lambda key: key not in information(name)["output_args"])
    if isinstance(returned, tuple):
        return (*range(len(returned)), *changed)
    return tuple(changed) if returned is None else (None, *changed)


def kernel_function(name: str) -> Callable[..., Any]:
    """NPBench's NumPy kernel, unmodified."""
    return getattr(module(name, "_numpy"), information(name)["func_name"])


def load(name: str, preset: str = "S") -> Kernel:
    """A kernel at one of NPBench's presets (S, M, L, paper) or "tiny"."""
    presets = information(name)["parameters"]
    sizes = {**presets["S"], **TINY[name]} if preset == "tiny" else presets[preset]
    names = tuple(information(name)["input_args"])
    key = tuple(sizes.items())
    arrays = tuple(n for n, value in zip(names, arguments_at(name, key), strict=True) if is_float_array(value))
    return Kernel(
        name=name,
        preset=preset,
        sizes=sizes,
        function=kernel_function(name),
        names=names,
        arguments=lambda: copy.deepcopy(arguments_at(name, key)),
        float_arrays=arrays,
        outputs=outputs(name),
    )
