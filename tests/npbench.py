"""NPBench's kernels from a checkout beside the repository (`../shared/npbench`, or where NPBENCH says), as cases."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from npbench_runs import kernel as suite
from npbench_runs import npbench as checkout
from npbench_runs.kernel import is_float_array, module_of
from tests.corpus.case import Case

ROOT = Path(os.environ.get("NPBENCH") or Path(__file__).resolve().parents[2] / "shared" / "npbench")
needs_npbench = pytest.mark.skipif(
    not (ROOT / "bench_info").is_dir(), reason=f"NPBench is not at '{ROOT}'; set NPBENCH to a checkout of it."
)

# The kernels of which the limits are known in hand-written C.
LIMITED = ("seidel_2d", "jacobi_2d", "heat_3d", "fdtd_2d", "syrk", "trmm", "gramschmidt", "lu", "cholesky", "durbin")
LIMITED += ("cavity_flow", "vadv", "hdiff", "adi", "deriche", "softmax")

# Kernels of the checkout beyond the benchmark's suite, at tiny sizes.
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "azimint_naive": {"N": 60, "npt": 4},
    "cholesky2": {"N": 5},
    "nbody": {"N": 4, "tEnd": 0.2},
    "spmv": {"M": 6, "N": 5, "nnz": 12},
}
# Those with complex, integer or settling results are only run.
RUN: Mapping[str, Mapping[str, Any]] = {
    "azimint_hist": {"N": 60, "npt": 4},
    "channel_flow": {"ny": 5, "nx": 6, "nu": 4.0, "nit": 2},
    "contour_integral": {"NR": 4, "NM": 6, "num_int_pts": 4},
    "mandelbrot1": {"XN": 6, "YN": 5, "maxiter": 8},
    "mandelbrot2": {"XN": 6, "YN": 5, "maxiter": 8},
    "scattering_self_energies": {"Nkz": 2, "NE": 2, "Nqz": 2, "Nw": 1, "N3D": 2, "NA": 2, "NB": 2, "Norb": 2},
    "stockham_fft": {"R": 2, "K": 4},
}


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A NumPy kernel of NPBench at one size.

    `output` is what is differentiated unless told otherwise, one of `outputs`: None, positions of results, arguments.
    `reference` computes in float64 what `function` computes in float32.
    """

    name: str
    preset: str
    function: Callable[..., Any]
    reference: Callable[..., Any] | None
    names: tuple[str, ...]
    arguments: Callable[[], tuple[Any, ...]]
    output: str | int | None
    outputs: tuple[str | int | None, ...]

    @property
    def float_arrays(self) -> tuple[str, ...]:
        """The arguments that the benchmark differentiates with respect to."""
        return tuple(n for n, value in zip(self.names, self.arguments(), strict=True) if is_float_array(value))

    @property
    def float_inputs(self) -> tuple[str, ...]:
        """All arguments that have a gradient: float arrays and float scalars."""
        return tuple(n for n, value in zip(self.names, self.arguments(), strict=True) if is_float(value))

    def case(self, of: Any = None, wrt: tuple[str, ...] = ()) -> Case:
        """The gradient of the sum of one output, by all float array arguments unless told otherwise."""
        return Case(
            name=f"npbench.{self.name}-{self.preset}",
            function=self.function,
            arguments=self.arguments,
            wrt=wrt or self.float_arrays,
            of=self.output if of is None else of,
            seed=self.seed(),
            reference=self.reference,
            rtol=1e-3 if self.reference else 1e-6,
        )

    def seed(self) -> float | np.ndarray:
        """One, for the sum; random numbers where the rows of the output sum to one whatever the input is."""
        tiny = about(self.name)
        seed = tiny.seed(first_output(tiny, tiny.arguments("tiny")))
        return seed if isinstance(seed, float) else tiny.seed(first_output(tiny, self.arguments()))


def first_output(kernel: suite.Kernel, arguments: tuple[Any, ...]) -> np.ndarray:
    """The differentiated output of a run, which changes the arguments."""
    with np.errstate(all="ignore"):
        return kernel.select(kernel.function(*arguments), arguments)


def is_float(value: Any) -> bool:
    """Whether an argument has a gradient."""
    return isinstance(value, (float, np.floating)) or is_float_array(value)


def kernel_names() -> tuple[str, ...]:
    """All kernels of the checkout; empty without one."""
    return tuple(sorted(path.stem for path in (ROOT / "bench_info").glob("*.json")))


def tiny_names() -> tuple[str, ...]:
    """The kernels with sizes at which whole gradients can be compared with differences in a moment."""
    return tuple(sorted((*suite.names(), *OTHERS)))


def information(name: str) -> Mapping[str, Any]:
    """What NPBench says about a kernel."""
    return checkout.information(name, ROOT)


def module(name: str, suffix: str = "") -> ModuleType:
    """The kernel's module: "" holds the initialiser, "_numpy" and "_jax" the kernel."""
    return checkout.module(name, ROOT, suffix)


class Widened:
    """NumPy for programs that name float32: it is float64 here, so that differences can follow them."""

    float32 = np.float64

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def widened(name: str) -> Callable[..., Any]:
    """A kernel that rounds nothing to float32."""
    apart = module_of(module(name, "_numpy").__file__, f"npbench_{name}_widened")
    apart.np = Widened()
    return getattr(apart, information(name)["func_name"])


@functools.cache
def about(name: str) -> suite.Kernel:
    """A kernel with all its sizes; beyond the suite the first output is differentiated, and "tiny" may be S."""
    if name in suite.names():
        return checkout.load(name, ROOT)
    small = {**OTHERS, **RUN}.get(name, {})
    kernel = checkout.read(name, ROOT, {**information(name)["parameters"]["S"], **small}, None)
    return checkout.read(name, ROOT, kernel.sizes["tiny"], next(iter(outputs_of(kernel)), None))


def stirred(value: Any) -> Any:
    """Data of which a kernel leaves nothing as it was: NPBench starts heat_3d, say, from a steady state."""
    if not is_float_array(value):
        return value
    return value * (1 + 0.1 * np.random.default_rng(2).random(value.shape, dtype=value.dtype))


def outputs_of(kernel: suite.Kernel) -> tuple[str | int | None, ...]:
    """What a run at a small size returns and then which arguments it changes, in NPBench's order of arguments."""
    before = [stirred(value) for value in kernel.arguments("tiny")]
    after = copy.deepcopy(before)
    with np.errstate(all="ignore"):
        returned = kernel.function(*after)
    changed = [
        key
        for key, old, new in zip(kernel.parameters, before, after, strict=True)
        if is_float_array(old) and not np.array_equal(old, new, equal_nan=True)
    ]
    changed.sort(key=lambda key: key not in information(kernel.name)["output_args"])
    if isinstance(returned, tuple):
        return (*range(len(returned)), *changed)
    return tuple(changed) if returned is None else (None, *changed)


@functools.cache
def load(name: str, preset: str = "S") -> Kernel:
    """A kernel at one of NPBench's presets (S, M, L, paper) or "tiny"."""
    kernel = about(name)
    made = functools.cache(lambda: kernel.arguments(preset))
    is_single = any(is_float_array(value) and value.dtype == np.float32 for value in kernel.arguments("tiny"))
    return Kernel(
        name=name,
        preset=preset,
        function=kernel.function,
        reference=widened(name) if is_single else None,
        names=kernel.parameters,
        arguments=lambda: copy.deepcopy(made()),
        output=kernel.output,
        outputs=outputs_of(kernel),
    )
