"""The suite's kernels: NPBench's functions, the same in NumPy and JAX, and their gradients by daad and by JAX."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from npbench_runs import kernel as suite
from npbench_runs import npbench as sources
from npbench_runs.kernel import Kernel
from tests import npbench
from tests.corpus.case import Case
from tests.oracle import FIRST_STEP, check_gradient, positions
from tests.programs import interpreted

each_kernel = pytest.mark.parametrize("name", suite.names())

# Differences over longer steps meet kinks of these programs.
FIRST_STEPS = {"lenet": 1e-6}

# Where a JAX kernel works by blocks of up to 32, sizes that have more than one.
BLOCKED = [("gramschmidt", {"M": 37, "N": 33}), ("lu", {"N": 35}), ("ludcmp", {"N": 33})]


def is_float(value: Any) -> bool:
    """A float array or scalar; a Python float too."""
    return isinstance(value, float) or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f")


def is_single(arguments: Sequence[Any]) -> bool:
    """Whether a kernel computes in float32."""
    return any(isinstance(value, np.ndarray) and value.dtype == np.float32 for value in arguments)


def case_of(kernel: Kernel, sizes: Mapping[str, Any] | None = None) -> Case:
    """The gradient of a kernel's output by all its float inputs, scalars too, at preset "tiny" or at `sizes`."""
    make = functools.partial(kernel.initialise, **(sizes or kernel.sizes["tiny"]))
    arguments = make()
    _, output = run(kernel, arguments)
    return Case(
        name=kernel.name,
        function=kernel.function,
        arguments=make,
        wrt=tuple(n for n, value in zip(kernel.parameters, arguments, strict=True) if is_float(value)),
        of=kernel.output,
        seed=kernel.seed(output),
        rtol=1e-3 if is_single(arguments) else 1e-6,
    )


def run(kernel: Kernel, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], np.ndarray]:
    """What a NumPy kernel leaves: its results and written arguments; and the output among them."""
    arguments = copy.deepcopy(tuple(arguments))
    result = kernel.function(*arguments)
    results = result if isinstance(result, tuple) else (result,)
    return (*results, *arguments), kernel.select(result, arguments)


def jax_gradient(kernel: Kernel, case: Case) -> tuple[np.ndarray, ...]:
    """The gradient of the seeded output by JAX."""
    jax = with_float64()
    function, active = active_only(kernel, case)
    gradient = jax.grad(lambda *values: (function(*values) * case.seed).sum(), argnums=tuple(range(len(active))))
    return tuple(np.asarray(g) for g in jax.jit(gradient)(*active))


@functools.cache
def tiny(name: str) -> tuple[Case, tuple[np.ndarray, ...]]:
    """A kernel at preset "tiny" and its gradient by JAX, compiled once for all tests."""
    kernel = suite.load(name)
    case = case_of(kernel)
    return case, jax_gradient(kernel, case)


def jax_output(kernel: Kernel, case: Case) -> np.ndarray:
    """The output by JAX."""
    jax = with_float64()
    function, active = active_only(kernel, case)
    return np.asarray(jax.jit(function)(*active))


def active_only(kernel: Kernel, case: Case) -> tuple[Callable[..., Any], list[Any]]:
    """The JAX kernel as a function of its float inputs alone, and these."""
    arguments, places = case.arguments(), positions(case.function, case.wrt)

    def function(*active: Any) -> Any:
        everything = list(arguments)
        for place, value in zip(places, active, strict=True):
            everything[place] = value
        return kernel.jax_function()(*everything)

    return function, [arguments[place] for place in places]


def with_float64() -> Any:
    """JAX, computing in the precision of its arguments."""
    jax = pytest.importorskip("jax", reason="JAX is in the extra 'bench'")
    jax.config.update("jax_enable_x64", True)
    return jax


def assert_close(found: Any, wanted: Any, rtol: float) -> None:
    """Equal up to `rtol` of each element and of the largest one."""
    scale = np.max(np.abs(wanted), initial=0.0)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * scale)


@npbench.needs_npbench
@each_kernel
def test_numpy_kernel_is_the_same_function_as_npbench(name: str) -> None:
    own, other = suite.load(name), sources.load(name, npbench.ROOT)
    assert own.parameters == other.parameters
    arguments = own.arguments("tiny")
    found, wanted = run(own, arguments)[0], run(other, arguments)[0]
    assert len(found) == len(wanted), f"{len(wanted)} results and arguments of NPBench's '{name}', {len(found)} of ours"
    for one, two in zip(found, wanted, strict=True):
        assert (one is None) == (two is None)
        if one is not None:
            assert_close(one, two, 1e-5 if is_single(arguments) else 1e-12)


@npbench.needs_npbench
@each_kernel
def test_presets_have_npbench_sizes(name: str) -> None:
    sizes = suite.load(name).sizes
    assert tuple(sizes) == suite.PRESETS
    assert {preset: dict(sizes[preset]) for preset in suite.PRESETS[1:]} == npbench.information(name)["parameters"]


@each_kernel
def test_arguments_are_the_same_each_time(name: str) -> None:
    kernel = suite.load(name)
    first, second = kernel.arguments("tiny"), kernel.arguments("tiny")
    assert len(first) == len(kernel.parameters)
    for one, two in zip(first, second, strict=True):
        assert one is not two or not isinstance(one, np.ndarray)
        np.testing.assert_array_equal(one, two)
    assert all(kernel.sizes[preset].keys() == kernel.sizes["tiny"].keys() for preset in suite.PRESETS)


@each_kernel
def test_jax_kernel_gives_the_same_output(name: str) -> None:
    kernel = suite.load(name)
    case = case_of(kernel)
    found, wanted = jax_output(kernel, case), run(kernel, case.arguments())[1]
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert_close(found, wanted, 1e-5 if is_single(case.arguments()) else 1e-12)


@each_kernel
def test_jax_gradient_matches_differences(name: str) -> None:
    case, gradient = tiny(name)
    check_gradient(gradient, case, count=3, first_step=FIRST_STEPS.get(name, FIRST_STEP))


@pytest.mark.parametrize(("name", "sizes"), BLOCKED, ids=lambda value: value if isinstance(value, str) else "")
def test_jax_gradient_by_blocks_matches_differences(name: str, sizes: Mapping[str, Any]) -> None:
    kernel = suite.load(name)
    case = case_of(kernel, sizes)
    assert_close(jax_output(kernel, case), run(kernel, case.arguments())[1], 1e-12)
    check_gradient(jax_gradient(kernel, case), case, count=1)


@each_kernel
def test_daad_gradient_matches_jax(name: str) -> None:
    case, expected = tiny(name)
    for found, wanted in zip(interpreted(case)(*case.arguments()), expected, strict=True):
        assert_close(found, wanted, 1e-3 if is_single(case.arguments()) else 1e-9)
