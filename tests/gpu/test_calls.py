"""Calls of derivatives on a GPU: what is copied, held and given back, and that answers are those of the CPU."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import daad
from daad.errors import BadArgument, CompileError, DeviceError, Unsupported
from daad.runtime.gpu import device_driver, device_memory, nvcc
from tests.gpu.interpreted import SCRATCH, Programs
from tests.runtime.gpu import stand_in
from tests.runtime.gpu.stand_in import StandIn

N = 6
X, K = np.linspace(0.5, 1.5, N), np.linspace(-1.0, 1.0, N)


def energy(x: np.ndarray, k: np.ndarray, steps: int) -> float:
    for _ in range(steps):
        x[1:-1] = x[1:-1] + k[1:-1] * (x[2:] - x[:-2])
    return np.sum(x * x)


def picked(x: np.ndarray, places: np.ndarray) -> float:
    return np.sum(x[places] ** 2)


def waves(z: np.ndarray) -> float:
    return np.sum(np.abs(z * z) ** 2)


def scaled(x: np.ndarray, factor: float) -> np.ndarray:
    return np.sin(x) * factor


def halved(x: np.ndarray, times: int) -> float:
    for _ in range(times):
        x *= 0.5
    return np.sum(x)


def doubled(x: np.ndarray) -> float:
    x *= 2.0
    return np.sum(x * x)


Z = X + 1j * K
CALLS: dict[str, tuple[Any, dict[str, Any], tuple[Any, ...], dict[str, Any]]] = {
    "grad": (daad.grad, dict(f=energy, wrt=("x", "k")), (X, K, 4), {}),
    "value_and_grad": (daad.value_and_grad, dict(f=energy, wrt="k"), (X, K, 4), {}),
    "a number": (daad.grad, dict(f=scaled, wrt="factor"), (X, 0.5), dict(seed=1.0)),
    "an integer": (daad.grad, dict(f=halved), (X, 3), {}),
    "complex": (daad.value_and_grad, dict(f=waves), (Z,), {}),
    "single precision": (daad.grad, dict(f=energy, wrt="x"), (X.astype("f4"), K.astype("f4"), 3), {}),
    "strided": (daad.grad, dict(f=energy, wrt="x"), (np.repeat(X, 2)[::2], K[::-1], 3), {}),
    "jvp": (daad.jvp, dict(f=scaled), (X, 2.0), dict(tangent=K)),
    "hvp": (daad.hvp, dict(f=energy, wrt="k"), (X, K, 3), dict(tangent=X)),
    "jacobian": (daad.jacobian, dict(f=scaled), (X, 2.0), {}),
    "gauss_newton": (daad.gauss_newton_product, dict(f=scaled), (X, 2.0), dict(tangent=K)),
}


def flat(found: Any) -> list[np.ndarray]:
    return [each for item in found for each in flat(item)] if isinstance(found, tuple) else [np.asarray(found)]


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_of_the_cpu(name: str, programs: Programs) -> None:
    make, options, args, brought = CALLS[name]
    there, here = make(**options, device="gpu"), make(**options)
    for _ in range(3):
        for got, expected in zip(flat(there(*args, **brought)), flat(here(*args, **brought)), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-5 if expected.dtype == np.float32 else 1e-12)
            assert got.dtype == expected.dtype and got.shape == expected.shape
    assert programs.compiled and programs.stand_in.contexts == 0
    assert name != "an integer" or programs.known[0][0].integers == ("times",)


def test_pullbacks(programs: Programs) -> None:
    (there, pull), (here, expected) = (daad.vjp(scaled, device=device)(X, 2.0) for device in ("gpu", "cpu"))
    np.testing.assert_allclose(there, here)
    np.testing.assert_allclose(pull(K), expected(K))
    np.testing.assert_allclose(pull.many(np.eye(N)), expected.many(np.eye(N)))


def test_arguments_that_are_overwritten(programs: Programs) -> None:
    x, untouched = X.copy(), X.copy()
    daad.grad(doubled, device="gpu", on_inputs="primal")(x)
    daad.grad(doubled, device="gpu")(untouched)
    np.testing.assert_array_equal(x, 2.0 * X)
    np.testing.assert_array_equal(untouched, X)


def test_an_index_outside(programs: Programs) -> None:
    gradient = daad.grad(picked, device="gpu")
    np.testing.assert_allclose(gradient(X, np.array([1, 2])), [0, 2 * X[1], 2 * X[2], 0, 0, 0])
    with pytest.raises(BadArgument, match="Index 9 is out of bounds for an axis of size 6"):
        gradient(X, np.array([1, 9]))
    np.testing.assert_allclose(gradient(X, np.array([0, 5])), [2 * X[0], 0, 0, 0, 0, 2 * X[5]])


def test_nothing_is_copied_twice_or_left_behind(programs: Programs) -> None:
    gpu, held = programs.stand_in, programs.stand_in.bytes
    gradient = daad.grad(energy, wrt="k", device="gpu")
    for count in (1, 2):
        gradient(X, K, 4)
        assert (gpu.to, gpu.from_, gpu.on) == (2 * count, count, 0)  # 'x' and 'k'; the gradient
    assert (gpu.to_bytes, gpu.from_bytes) == (4 * X.nbytes, 2 * X.nbytes)
    assert gpu.reserved == 2  # by the program, and for copies, at the first call
    assert gradient.memory.measured == gpu.peak - held == SCRATCH + 3 * 256
    del gradient
    device_memory.give_back()
    assert gpu.bytes == held


def test_what_is_compiled_is_kept_for_its_architecture(programs: Programs) -> None:
    gpu = programs.stand_in
    assert not daad.grad(energy, wrt="k", device="gpu").compile(X, K, 4).is_cached
    again = daad.grad(energy, wrt="k", device="gpu").compile(X, K, 4)
    assert again.is_cached and len(programs.compiled) == 1
    gpu.reset(architecture=80)
    assert not daad.grad(energy, wrt="k", device="gpu").compile(X, K, 4).is_cached
    assert programs.compiled == [(90,), (80,)]


def test_memory_that_others_hold_is_given_back_when_it_is_needed(programs: Programs) -> None:
    gpu = programs.stand_in
    gpu.reset(memory=gpu.bytes + 3 * SCRATCH)
    first, second = (daad.grad(energy, wrt=name, device="gpu") for name in ("x", "k"))
    for gradient in (first, second, first):
        gradient(X, K, 4)
    assert gpu.peak <= gpu.bytes + 3 * SCRATCH


REFUSED: dict[str, tuple[dict[str, int], str]] = {
    "no GPU": (dict(init=100), "There is no NVIDIA GPU that can be used."),
    "an old driver": (dict(version=12080), "The driver of the GPU is for CUDA 12.8, and nvcc for CUDA 13.0."),
    "an old card": (dict(architecture=61), "The GPU 'Stand-in' is too old: sm_61, and programs need sm_75."),
    "little memory": (dict(memory=1100), "A call holds 1.12 KiB, and the memory of the GPU 'Stand-in' is 1.07 KiB."),
}


@pytest.mark.parametrize("problem", REFUSED)
def test_nothing_is_compiled_where_it_cannot_run(problem: str, programs: Programs) -> None:
    settings, sentence = REFUSED[problem]
    programs.stand_in.reset(**settings)
    with pytest.raises(DeviceError, match=rf"^{re.escape(sentence)}\n  \w"):
        daad.grad(energy, wrt="k", device="gpu")(X, K, 4)
    assert programs.compiled == []


def test_no_compiler(gpu: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.CHOSEN, "/no/such/nvcc")
    with pytest.raises(
        CompileError, match=r"^'/no/such/nvcc', which DAAD_NVCC names, is no nvcc\.\n  Install it by pip"
    ):
        daad.grad(energy, wrt="k", device="gpu")(X, K, 4)


def test_programs_are_compiled_where_there_is_no_gpu(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.ARCHITECTURES, "80,90")
    monkeypatch.setattr(device_driver, "NAME", "libno-such-driver.so.1")
    stand_in.forget()
    gradient = daad.grad(energy, wrt="k", device="gpu").compile(X, K, 4)
    assert programs.compiled == [(80, 90)]
    with pytest.raises(DeviceError, match=r"^There is no driver for NVIDIA GPUs"):
        gradient(X, K, 4)


def test_there_is_no_sdfg(programs: Programs) -> None:
    gradient = daad.grad(energy, wrt="k", device="gpu").compile(X, K, 4)
    with pytest.raises(Unsupported, match=r"^What runs on a GPU is compiled from no SDFG"):
        gradient.sdfg  # noqa: B018
