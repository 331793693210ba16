"""Benchmark kernels as their authors would write them for DaCe: symbolic shapes, annotated arguments, maps and loops.

Each is the function that the suite's NumPy kernel is.
"""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

from typing import Any

import dace
import numpy as np

from npbench_runs import kernel as suite
from tests.corpus.case import Case, normal, row

N, M, K, H = (dace.symbol(name) for name in "NMKH")
I, J = (dace.symbol(name) for name in "IJ")
NI, NJ, NK = (dace.symbol(name, dtype=dace.int64) for name in ("NI", "NJ", "NK"))


@dace.program
def jacobi_2d(TSTEPS: dace.int64, A: dace.float64[N, N], B: dace.float64[N, N]):
    for t in range(1, TSTEPS):
        for i, j in dace.map[1 : N - 1, 1 : N - 1]:
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i, j in dace.map[1 : N - 1, 1 : N - 1]:
            A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])


@dace.program
def gemm(
    alpha: dace.float64, beta: dace.float64, C: dace.float64[NI, NJ], A: dace.float64[NI, NK], B: dace.float64[NK, NJ]
):
    C[:] = alpha * (A @ B) + beta * C


@dace.program
def atax(A: dace.float64[M, N], x: dace.float64[N]):
    return (A @ x) @ A


@dace.program
def syrk(alpha: dace.float64, beta: dace.float64, C: dace.float64[N, N], A: dace.float64[N, M]):
    for i in range(N):
        C[i, : i + 1] *= beta
        for k in range(M):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


@dace.program
def cholesky(A: dace.float64[N, N]):
    for j in range(N):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, N):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]


@dace.program
def lu(A: dace.float64[N, N]):
    for i in range(N):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, N):
            A[i, j] -= A[i, :i] @ A[:i, j]


@dace.program
def trisolv(L: dace.float64[N, N], x: dace.float64[N], b: dace.float64[N]):
    for i in range(N):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@dace.program
def softmax(x: dace.float32[N, H, M, M]):
    highest = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-9999)
    weights = np.exp(x - highest)
    total = np.add.reduce(weights, axis=-1, keepdims=True)
    return weights / total


@dace.program
def go_fast(a: dace.float64[N, N]):
    trace = 0.0
    for i in range(N):
        trace += np.tanh(a[i, i])
    return a + trace


@dace.program
def hdiff(in_field: dace.float64[I + 4, J + 4, K], out_field: dace.float64[I, J, K], coeff: dace.float64[I, J, K]):
    laplacian = np.ndarray([I + 2, J + 2, K], dtype=np.float64)
    flux_x = np.ndarray([I + 1, J, K], dtype=np.float64)
    flux_y = np.ndarray([I, J + 1, K], dtype=np.float64)
    for i, j, k in dace.map[0 : I + 2, 0 : J + 2, 0:K]:
        laplacian[i, j, k] = 4.0 * in_field[i + 1, j + 1, k] - (
            in_field[i + 2, j + 1, k] + in_field[i, j + 1, k] + in_field[i + 1, j + 2, k] + in_field[i + 1, j, k]
        )
    for i, j, k in dace.map[0 : I + 1, 0:J, 0:K]:
        flux = laplacian[i + 1, j + 1, k] - laplacian[i, j + 1, k]
        if flux * (in_field[i + 2, j + 2, k] - in_field[i + 1, j + 2, k]) > 0.0:
            flux_x[i, j, k] = 0.0
        else:
            flux_x[i, j, k] = flux
    for i, j, k in dace.map[0:I, 0 : J + 1, 0:K]:
        flux = laplacian[i + 1, j + 1, k] - laplacian[i + 1, j, k]
        if flux * (in_field[i + 2, j + 2, k] - in_field[i + 2, j + 1, k]) > 0.0:
            flux_y[i, j, k] = 0.0
        else:
            flux_y[i, j, k] = flux
    for i, j, k in dace.map[0:I, 0:J, 0:K]:
        out_field[i, j, k] = in_field[i + 2, j + 2, k] - coeff[i, j, k] * (
            flux_x[i + 1, j, k] - flux_x[i, j, k] + flux_y[i, j + 1, k] - flux_y[i, j, k]
        )


@dace.program
def adi_like(TSTEPS: dace.int64, u: dace.float64[N, N]):
    """Implicit diffusion along columns and rows in turn: a recurrence forth and one back."""
    p = np.zeros((N, N), dtype=np.float64)
    q = np.zeros((N, N), dtype=np.float64)
    for t in range(TSTEPS):
        for j in range(1, N - 1):
            p[1 : N - 1, j] = 0.5 / (2.0 - 0.5 * p[1 : N - 1, j - 1])
            q[1 : N - 1, j] = (u[1 : N - 1, j] + 0.5 * q[1 : N - 1, j - 1]) * 2.0 * p[1 : N - 1, j]
        for j in range(N - 2, 0, -1):
            u[1 : N - 1, j] = p[1 : N - 1, j] * u[1 : N - 1, j + 1] + q[1 : N - 1, j]


def adi_like_reference(TSTEPS, u):
    p, q = np.zeros_like(u), np.zeros_like(u)
    inner = slice(1, -1)
    for _ in range(TSTEPS):
        for j in range(1, len(u) - 1):
            p[inner, j] = 0.5 / (2.0 - 0.5 * p[inner, j - 1])
            q[inner, j] = (u[inner, j] + 0.5 * q[inner, j - 1]) * 2.0 * p[inner, j]
        for j in range(len(u) - 2, 0, -1):
            u[inner, j] = p[inner, j] * u[inner, j + 1] + q[inner, j]


def benchmark(program: Any, wrt: str) -> Case:
    """A row at the suite's arguments, with the suite's NumPy kernel as the reference."""
    kernel = suite.load(program.f.__name__)
    output = kernel.select(*run(kernel))
    return row(
        program,
        lambda: kernel.arguments("tiny"),
        wrt,
        of=kernel.output,
        seed=np.random.default_rng(7).uniform(-1.0, 1.0, output.shape),
        reference=kernel.function,
    )


def run(kernel: suite.Kernel) -> tuple[Any, tuple[Any, ...]]:
    arguments = kernel.arguments("tiny")
    return kernel.function(*arguments), arguments


CASES = (
    benchmark(jacobi_2d, "A, B"),
    benchmark(gemm, "alpha, beta, C, A, B"),
    benchmark(atax, "A, x"),
    benchmark(syrk, "alpha, beta, C, A"),
    benchmark(cholesky, "A"),
    benchmark(lu, "A"),
    benchmark(trisolv, "L, b"),
    benchmark(softmax, "x"),
    benchmark(go_fast, "a"),
    benchmark(hdiff, "in_field, coeff"),
    row(adi_like, lambda: (3, normal(1, 6, 6)), "u", of="u", seed=normal(2, 6, 6), reference=adi_like_reference),
)
