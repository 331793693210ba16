"""Gradients that only differences of the compiled program can judge."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npbench_runs import reference
from npbench_runs.kernel import Kernel
from npbench_runs.sources import Source
from tests.npbench_runs import fakes

JOB = {"source": Source().as_json(), "kernel": f"{fakes.HERE}:SQUARES", "preset": "S", "seed": "none", "seconds": 60.0}


def verdicts(folder: Path, factors: dict[str, float]) -> dict[str, Any]:
    question = reference.question_of({**JOB, "variant": ""})
    files = {name: folder / f"{name}.npz" for name in factors}
    for name, factor in factors.items():
        np.savez(files[name], **dict(zip(question.wrt, fakes.scaled(factor)(question), strict=True)))
    return reference.judge_compiled(**JOB, gradients={name: str(path) for name, path in files.items()})["verdicts"]


def test_differences_of_the_compiled_program_decide(tmp_path: Path) -> None:
    found = verdicts(tmp_path, {"right": 1.0, "off": 1.0 + 1e-4})
    assert {name: (v["status"], v["against"]) for name, v in found.items()} == {
        "right": ("right", "compiled differences"),
        "off": ("wrong", "compiled differences"),
    }


def test_another_program_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def off(kernel: Kernel) -> Kernel:
        def run(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            kernel.function(x, y)
            return y * 1.001

        return dataclasses.replace(kernel, function=run, output=None)

    monkeypatch.setattr(reference, "as_compiled", off)
    with pytest.raises(ValueError, match="the output of the compiled program differs from NumPy's by"):
        verdicts(tmp_path, {"right": 1.0})


def test_weights_are_those_of_the_output(tmp_path: Path) -> None:
    """The program, which overwrites its output, need not run for them."""
    path = tmp_path / "seed.npy"
    reference.seed(**{**JOB, "seed": str(path), "loss": "sum"})
    assert not path.exists()
    reference.seed(**{**JOB, "seed": str(path), "loss": "weighted"})
    weights = np.load(path)
    assert weights.shape == fakes.SQUARES.arguments("S")[1].shape
    assert len(set(weights.flat)) == weights.size
