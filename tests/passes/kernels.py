"""Primal programs, as the frontend hands them to differentiation, and their naive adjoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from daad.ccs.graph import find_ccs
from daad.ilp import make_plan
from daad.ilp.joint import adjoint_program, join
from daad.ir.nodes import Program
from daad.ir.seed import Seed
from daad.ir.validator import validate
from daad.loops import differentiate
from daad.pipeline import live_at_end
from tests.texts import program

JACOBI_1D = program(
    "jacobi_1d",
    "A: float64[40], B: float64[40]",
    """
    loop t = 1 .. T:
      for i in 1 .. 39:  B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
      for i in 1 .. 39:  A[i] = 0.3 * (B[i - 1] + B[i] + B[i + 1])
    """,
    integers="T",
)

JACOBI_2D = program(
    "jacobi_2d",
    "A: float64[30, 30], B: float64[30, 30]",
    """
    loop t = 1 .. T:
      for i in 1 .. 29, j in 1 .. 29:  B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
      for i in 1 .. 29, j in 1 .. 29:  A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    """,
    integers="T",
)

HEAT_3D = program(
    "heat_3d",
    "A: float64[12, 12, 12], B: float64[12, 12, 12]",
    """
    loop t = 1 .. T:
      for i in 1 .. 11, j in 1 .. 11, k in 1 .. 11:
        B[i, j, k] = 0.125 * (A[i + 1, j, k] - 2.0 * A[i, j, k] + A[i - 1, j, k]) \
            + 0.125 * (A[i, j + 1, k] - 2.0 * A[i, j, k] + A[i, j - 1, k]) \
                + 0.125 * (A[i, j, k + 1] - 2.0 * A[i, j, k] + A[i, j, k - 1]) + A[i, j, k]
      for i in 1 .. 11, j in 1 .. 11, k in 1 .. 11:
        A[i, j, k] = 0.125 * (B[i + 1, j, k] - 2.0 * B[i, j, k] + B[i - 1, j, k]) \
            + 0.125 * (B[i, j + 1, k] - 2.0 * B[i, j, k] + B[i, j - 1, k]) \
                + 0.125 * (B[i, j, k + 1] - 2.0 * B[i, j, k] + B[i, j, k - 1]) + B[i, j, k]
    """,
    integers="T",
)

SEIDEL_2D = program(
    "seidel_2d",
    "A: float64[20, 20]",
    """
    loop t = 0 .. T - 1:
      loop i = 1 .. 19:
        for j in 1 .. 19:
          r[j] = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1] + A[i, j + 1] \
              + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
        for j in 1 .. 19:  A[i, j] += r[j]
        loop j = 1 .. 19:
          A[i, j] += A[i, j - 1]
          A[i, j] = A[i, j] / 9.0
    """,
    integers="T",
    local="r: float64[20]",
)

SWEEP = program(
    "sweep",
    "A: float64[20, 20]",
    """
    loop t = 0 .. T:
      loop i = 1 .. 19:
        loop j = 1 .. 19:
          A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1] \
              + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]) / 9.0
    """,
    integers="T",
)

FDTD_2D = program(
    "fdtd_2d",
    "ex: float64[20, 24], ey: float64[20, 24], hz: float64[20, 24], fict: float64[8]",
    """
    loop t = 0 .. 8:
      for j in 0 .. 24:  ey[0, j] = fict[t]
      for i in 1 .. 20, j in 0 .. 24:  ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
      for i in 0 .. 20, j in 1 .. 24:  ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
      for i in 0 .. 19, j in 0 .. 23:  hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    """,
)

LU = program(
    "lu",
    "A: float64[20, 20]",
    """
    loop i = 0 .. 20:
      loop j = 0 .. i:
        s = 0
        for k in 0 .. j:  s += A[i, k] * A[k, j]
        A[i, j] = A[i, j] - s
        A[i, j] = A[i, j] / A[j, j]
      loop j = i .. 20:
        s = 0
        for k in 0 .. i:  s += A[i, k] * A[k, j]
        A[i, j] = A[i, j] - s
    """,
    local="s: float64[]",
)

BURGERS = program(
    "burgers",
    "u: float64[20], c: float64[]",
    """
    loop t = 0 .. 5:
      for i in 1 .. 19:  w[i] = u[i] - c * u[i] * (u[i + 1] - u[i - 1])
      for i in 1 .. 19:  u[i] = w[i]
    """,
    local="w: float64[20]",
)

SOFTMAX = program(
    "softmax",
    "x: float64[5, 7], y: float64[5, 7]",
    """
    for i in 0 .. 5:  m[i] = x[i, 0]
    for i in 0 .. 5, j in 1 .. 7:  m[i] max= x[i, j]
    for i in 0 .. 5, j in 0 .. 7:  e[i, j] = exp(x[i, j] - m[i])
    for i in 0 .. 5:  s[i] = 0
    for i in 0 .. 5, j in 0 .. 7:  s[i] += e[i, j]
    for i in 0 .. 5, j in 0 .. 7:  y[i, j] = e[i, j] / s[i]
    """,
    local="m: float64[5], e: float64[5, 7], s: float64[5]",
)

GRAMSCHMIDT = program(
    "gramschmidt",
    "A: float64[12, 9], Q: float64[12, 9], R: float64[9, 9]",
    """
    for i in 0 .. 12, j in 0 .. 9:  Q[i, j] = 0
    for i in 0 .. 9, j in 0 .. 9:  R[i, j] = 0
    loop k = 0 .. 9:
      nrm = 0
      for i in 0 .. 12:  nrm += A[i, k] * A[i, k]
      R[k, k] = sqrt(nrm)
      for i in 0 .. 12:  Q[i, k] = A[i, k] / R[k, k]
      loop j = k + 1 .. 9:
        R[k, j] = 0
        for i in 0 .. 12:  R[k, j] += Q[i, k] * A[i, j]
        for i in 0 .. 12:  A[i, j] = A[i, j] - Q[i, k] * R[k, j]
    """,
    local="nrm: float64[]",
)

TRANSPOSED = program(
    "transposed",
    "x: float64[9, 9], y: float64[9, 9]",
    "for i in 0 .. 9, j in 0 .. 9:  y[i, j] = x[i, j] * x[j, i] + x[-i + 8, j] * x[0, j]",
)

STRIDED = program(
    "strided",
    "x: float64[20], y: float64[9], k: int64[9]",
    "for i in 0 .. 9:  y[i] = x[2*i] * x[2*i + 1] + x[2*i + 2] + x[k[i]] * x[-i + 19] * x[i]",
)

HALVES = program(
    "halves",
    "x: float64[20], y: float64[20]",
    """
    for i in 0 .. 10:  y[i] = x[i] * x[i + 10]
    for i in 0 .. 9:  y[i + 11] = x[i] * x[i + 11] + x[i + 1]
    """,
)

CONVOLUTION = program(
    "convolution",
    "x: float64[20], w: float64[4], y: float64[17]",
    "for i in 0 .. 17, k in 0 .. 4:  y[i] += x[i + k] * w[k]",
)

TRIANGLE = program(
    "triangle",
    "x: float64[12, 12], y: float64[12, 12]",
    """
    loop i = 0 .. 12:
      for j in 1 .. i:  y[i, j] = x[i, j - 1] * x[i, j + 1] + x[j, i]
      for j in i .. 11:  y[i, j] = y[i, j] * x[j, j] + x[j + 1, j + 1]
    """,
)

# name: program, inputs, outputs
KERNELS: dict[str, tuple[Program, tuple[str, ...], tuple[str, ...]]] = {
    "jacobi_1d": (JACOBI_1D, ("A", "B"), ("A",)),
    "jacobi_2d": (JACOBI_2D, ("A", "B"), ("A",)),
    "heat_3d": (HEAT_3D, ("A", "B"), ("A",)),
    "seidel_2d": (SEIDEL_2D, ("A",), ("A",)),
    "sweep": (SWEEP, ("A",), ("A",)),
    "fdtd_2d": (FDTD_2D, ("ex", "ey", "hz", "fict"), ("hz",)),
    "lu": (LU, ("A",), ("A",)),
    "burgers": (BURGERS, ("u", "c"), ("u",)),
    "softmax": (SOFTMAX, ("x",), ("y",)),
    "gramschmidt": (GRAMSCHMIDT, ("A",), ("Q",)),
    "transposed": (TRANSPOSED, ("x",), ("y",)),
    "strided": (STRIDED, ("x",), ("y",)),
    "halves": (HALVES, ("x",), ("y",)),
    "convolution": (CONVOLUTION, ("x", "w"), ("y",)),
    "triangle": (TRIANGLE, ("x", "y"), ("y",)),
}
EACH_KERNEL = [pytest.param(name, marks=pytest.mark.slow) if name == "sweep" else name for name in KERNELS]
"""All but the one whose rows take as long as all the others together."""


def naive_adjoint(name: str, prepare: Callable[[Program, frozenset[str]], Program] | None = None) -> Program:
    """The adjoint alone of a kernel, as differentiation leaves it."""
    return _differentiated(name, prepare, adjoint_program)


def naive_joint(name: str, prepare: Callable[[Program, frozenset[str]], Program] | None = None) -> Program:
    """Primal and adjoint of a kernel, as differentiation leaves them."""
    return _differentiated(name, prepare, join)


def _differentiated(name, prepare, build):  # type: ignore[no-untyped-def]
    primal, inputs, outputs = KERNELS[name]
    if prepare:
        primal = prepare(primal, live_at_end(primal))
    adjoint = differentiate(primal, find_ccs(primal, inputs, outputs))
    built = build(adjoint, make_plan(adjoint), [Seed(o) for o in outputs])
    gradients = tuple(adjoint.bars[n].name for n in inputs)
    return validate(replace(built, results=gradients))
