"""Derivatives on a GPU from call to answer: what is generated runs in emulation, on a stand-in of the driver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.runtime.gpu import nvcc
from npbench_runs import kernel as suite
from npbench_runs.engines import by_daad
from npbench_runs.engines.engine import Question
from tests.gpu.emulation import emulator
from tests.gpu.test_calls import CALLS, flat, picked
from tests.runtime.gpu.stand_in import StandIn


@pytest.fixture
def emulated(gpu: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StandIn:
    """A GPU whose programs the emulation runs."""

    def compile_for_gpu(source: Path, library: Path, *_: Any, **__: Any) -> None:
        emulator.compiled(source, library)

    monkeypatch.delenv(nvcc.ARCHITECTURES, raising=False)
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(nvcc, "nvcc", lambda: nvcc.Nvcc(Path("nvcc"), (13, 0), (90,)))
    monkeypatch.setattr(nvcc, "compile_for_gpu", compile_for_gpu)
    return gpu


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_of_the_cpu(name: str, emulated: StandIn) -> None:
    make, options, args, brought = CALLS[name]
    there, here = make(**options, device="gpu"), make(**options)
    for _ in range(2):
        for got, expected in zip(flat(there(*args, **brought)), flat(here(*args, **brought)), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-5 if expected.dtype == np.float32 else 1e-12)
            assert got.dtype == expected.dtype and got.shape == expected.shape


def test_an_index_outside_of_its_axis(emulated: StandIn) -> None:
    gradient, x = daad.grad(picked, wrt="x", device="gpu"), np.arange(5.0)
    assert np.array_equal(gradient(x, np.array([1, 1, 3])), [0, 4, 0, 6, 0])
    with pytest.raises(daad.BadArgument, match="Index 5 is out of bounds for an axis of size 5") as found:
        gradient(x, np.array([1, 5, 3]))
    assert found.value.at is not None and found.value.at.file.endswith("test_calls.py")
    assert np.array_equal(gradient(x, np.array([1, 1, 3])), [0, 4, 0, 6, 0])


def test_what_a_gpu_cannot_do_names_the_line(emulated: StandIn) -> None:
    @daad.custom_vjp(opaque=True)
    def squared(x: np.ndarray) -> np.ndarray:
        return x * x

    squared.defvjp(lambda x: (x * x, x), lambda x, y_bar: (2.0 * x * y_bar,))

    def f(x: np.ndarray) -> float:
        return np.sum(squared(x))

    with pytest.raises(daad.Unsupported, match=r"Python functions cannot be called on a GPU\.") as found:
        daad.grad(f, device="gpu")(np.arange(5.0))
    assert found.value.at is not None


def test_the_benchmark_asks_for_a_gpu(emulated: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_daad, "on_gpu", lambda question: question.arguments)
    kernel = suite.load("jacobi_1d")
    arguments = kernel.arguments("tiny")
    question = Question(kernel=kernel, arguments=arguments, wrt=kernel.wrt(arguments), seed=1.0)
    found = []
    for device in ("cpu", "gpu"):
        prepared = by_daad.DAAD.prepare(replace(question, device=device))
        prepared.call()
        found.append(prepared.gradients())
    for got, expected in zip(*found, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
