"""The option `device`, from the public functions to the compiled program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.codegen.device import Device


def diffusion(x: np.ndarray, k: float, steps: int) -> float:
    for _ in range(steps):
        x[1:-1] = x[1:-1] + k * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return np.sum(x * x)


MAKERS = (daad.grad, daad.value_and_grad, daad.vjp, daad.jvp, daad.jacobian, daad.hvp, daad.hessian)


@pytest.mark.parametrize("make", [*MAKERS, daad.gauss_newton_product], ids=lambda make: make.__name__)
def test_a_device_that_there_is_not(make: Callable[..., Any]) -> None:
    with pytest.raises(daad.BadArgument, match=r"^The option 'device' is 'tpu'\.\n  Use 'cpu' or 'gpu'\."):
        make(diffusion, device="tpu")


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_passes_know_the_device(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()

    def noted(step: Any, program: Any, goal: Any) -> Any:
        seen.add((step.name, goal.device))
        return step.run(program, goal)

    monkeypatch.setattr("daad.passes.driver.apply", noted)
    daad.plan(diffusion, (np.linspace(0.0, 1.0, 8), 0.25, 3), device=device)
    for name in ("tiling", "strip-mining", "time-skewing"):
        assert (name, Device(device)) in seen
