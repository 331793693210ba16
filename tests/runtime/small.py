"""A program that compiles quickly, and processes that run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from daad.ir.nodes import Program
from tests.texts import program

ROOT = Path(__file__).parents[2]


def scaled(factor: float = 2.0) -> Program:
    """y = factor * x * n, by way of a local array; each factor is a program of its own."""
    return program(
        "scaled",
        "x: float64[8]",
        f"""
        for i in 0 .. 8:  half[i] = x[i] * {factor}
        for i in 0 .. 8:  y[i] = half[i] * n
        """,
        integers="n",
        local="half: float64[8], y: float64[8]",
        results="y",
    )


X = np.arange(8.0)

SCRIPT = """
import sys, time
from tests.runtime.small import X, scaled
from daad.codegen.compilation import compile_program
import numpy as np
compiled = compile_program(scaled({factor}))
y = np.empty(8)
compiled.call([X, y], [3])
assert np.array_equal(y, X * {factor} * 3), y
print(compiled.is_cached, "dace" in sys.modules)
"""


def in_process(factor: float, cwd: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    """Another process that compiles, runs and checks the program, and prints whether it came from the cache."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(factor=factor)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        cwd=cwd or ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()
