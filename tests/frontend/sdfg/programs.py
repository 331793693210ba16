"""`@dace.program` functions, one for each element of the language that the lift reads, with plain NumPy references."""

# ruff: noqa: B007, F821, F841 (programs as their authors write them; a tasklet's names are bound by its memlets)
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np

N = dace.symbol("N")
M = dace.symbol("M")
K = dace.symbol("K")


@dataclass(frozen=True)
class Row:
    """A program, its reference, and arguments for both."""

    program: Any
    reference: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    rtol: float = 1e-12

    @property
    def name(self) -> str:
        return self.program.f.__name__


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.2, 1.4, size=shape)


@dace.program
def jacobi(T: dace.int64, A: dace.float64[N, M], B: dace.float64[N, M]):
    for t in range(1, T):
        for i, j in dace.map[1 : N - 1, 1 : M - 1]:
            B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def jacobi_reference(T, A, B):
    for _ in range(1, T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


@dace.program
def gemm(alpha: dace.float64, beta: dace.float64, C: dace.float64[N, M], A: dace.float64[N, K], B: dace.float64[K, M]):
    C[:] = alpha * A @ B + beta * C


def gemm_reference(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


@dace.program
def tasklet_with_condition(A: dace.float64[N, M], B: dace.float64[M, N]):
    for i, j in dace.map[0:N, 1 : M - 1]:
        with dace.tasklet:
            a << A[i, j]
            c << A[i, j - 1]
            b >> B[j, i]
            d = a * c
            if a > c:
                b = d + math.sqrt(a)
            elif a > 0.5:
                b = d - 1
            else:
                b = c


def tasklet_with_condition_reference(A, B):
    a, c = A[:, 1:-1], A[:, :-2]
    B[1:-1, :] = np.where(a > c, a * c + np.sqrt(a), np.where(a > 0.5, a * c - 1, c)).T


@dace.program
def partial_write(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            b >> B(-1)[i]
            if a > 0.7:
                b = a * a


def partial_write_reference(A, B):
    B[A > 0.7] = (A * A)[A > 0.7]


@dace.program
def tasklet_on_arrays(A: dace.float64[N, 3], B: dace.float64[N, 2]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i, 0:3]
            b >> B[i, 0:2]
            b[0] = a[0] * a[1]
            b[1] = a[2] - a[0]


def tasklet_on_arrays_reference(A, B):
    B[:, 0] = A[:, 0] * A[:, 1]
    B[:, 1] = A[:, 2] - A[:, 0]


@dace.program
def chain_of_tasklets(A: dace.float64[N], B: dace.float64[N], C: dace.float64[N]):
    for i in dace.map[0:N]:
        t = np.exp(A[i])
        u = t * B[i] + 1.0
        B[i] = u / t
        C[i] = u * u


def chain_of_tasklets_reference(A, B, C):
    t = np.exp(A)
    u = t * B + 1.0
    B[:] = u / t
    C[:] = u * u


@dace.program
def wcr_sum(A: dace.float64[N, M], s: dace.float64[1], rows: dace.float64[N]):
    for i, j in dace.map[0:N, 0:M]:
        with dace.tasklet:
            a << A[i, j]
            o >> s(1, lambda x, y: x + y)[0]
            o = a * a
    for i, j in dace.map[0:N, 0:M]:
        rows[i] += A[i, j]


def wcr_sum_reference(A, s, rows):
    s[0] += np.sum(A * A)
    rows += A.sum(axis=1)


@dace.program
def wcr_extrema(A: dace.float64[N, M], high: dace.float64[M], low: dace.float64[M]):
    for i, j in dace.map[0:N, 0:M]:
        with dace.tasklet:
            a << A[i, j]
            h >> high(1, lambda x, y: max(x, y))[j]
            l >> low(1, lambda x, y: min(x, y))[j]
            h = a
            l = a


def wcr_extrema_reference(A, high, low):
    high[:] = np.maximum(high, A.max(axis=0))
    low[:] = np.minimum(low, A.min(axis=0))


@dace.program
def softmax(x: dace.float32[N, M]):
    m = np.max(x, axis=1)
    e = np.exp(x - np.reshape(m, (N, 1)))
    return e / np.reshape(np.sum(e, axis=1), (N, 1))


def softmax_reference(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@dace.program
def conditions_in_loops(A: dace.float64[N], B: dace.float64[N], c: dace.float64):
    for i in range(1, N - 1):
        if A[i] > 0.5:
            B[i] = A[i - 1] * c
        elif A[i + 1] > c and i > 2:
            B[i] = -A[i]
        else:
            B[i] = 0
        if i == 3:
            A[i] = B[i]


def conditions_in_loops_reference(A, B, c):
    for i in range(1, len(A) - 1):
        if A[i] > 0.5:
            B[i] = A[i - 1] * c
        elif A[i + 1] > c and i > 2:
            B[i] = -A[i]
        else:
            B[i] = 0
        if i == 3:
            A[i] = B[i]


@dace.program
def condition_in_map(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        if A[i] > 0.6:
            B[i] = A[i]
        else:
            B[i] *= 2.0
    for i in dace.map[0:N]:
        if i > 0:
            A[i] = B[i - 1]


def condition_in_map_reference(A, B):
    B[:] = np.where(A > 0.6, A, 2.0 * B)
    A[1:] = B[:-1]


@dace.program
def triangle(A: dace.float64[N, N], b: dace.float64[N]):
    for i in range(N):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, N):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(N - 1, -1, -1):
        b[i] = (b[i] - A[i, i + 1 :] @ b[i + 1 :]) / A[i, i]


def triangle_reference(A, b):
    n = len(b)
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - A[i, i + 1 :] @ b[i + 1 :]) / A[i, i]


@dace.program
def triangular_map(A: dace.float64[N, N]):
    for i in dace.map[0:N]:
        for j in dace.map[0:i]:
            A[i, j] = A[i, j] * 2.0 + i - j


def triangular_map_reference(A):
    i, j = np.tril_indices(len(A), -1)
    A[i, j] = A[i, j] * 2.0 + i - j


@dace.program
def steps_of_loops(A: dace.float64[N], B: dace.float64[N]):
    for i in range(N - 2, 0, -2):
        A[i] = A[i + 1] + 0.5 * A[i - 1]
    for i in range(1, N, 3):
        B[i] = A[i] * i
    for i in dace.map[1:N:2]:
        B[i] = B[i] + A[i - 1]


def steps_of_loops_reference(A, B):
    n = len(A)
    for i in range(n - 2, 0, -2):
        A[i] = A[i + 1] + 0.5 * A[i - 1]
    for i in range(1, n, 3):
        B[i] = A[i] * i
    B[1::2] += A[: n - 1 : 2]


@dace.program
def scalars(a: dace.float64, n: dace.int32, flag: dace.bool, A: dace.float64[N]):
    s = a * a
    for i in range(n):
        s = s + A[i] * i
        if flag:
            s = s * 0.5
    return s


def scalars_reference(a, n, flag, A):
    s = a * a
    for i in range(n):
        s = s + A[i] * i
        if flag:
            s = s * 0.5
    return s


@dace.program
def inner(x: dace.float64[M], y: dace.float64[M]):
    y[:] = x * 2 + y
    y[0] = 1


@dace.program
def mean_of(x: dace.float64[M]):
    return np.sum(x) / M


@dace.program
def nested_calls(A: dace.float64[N, M], B: dace.float64[N, M], c: dace.float64[N]):
    for i in range(N):
        inner(A[i], B[i])
        c[i] = mean_of(B[i])
    for i in dace.map[0:N]:
        inner(A[i], B[N - 1 - i])


def nested_calls_reference(A, B, c):
    for i in range(len(A)):
        B[i] = A[i] * 2 + B[i]
        B[i, 0] = 1
        c[i] = B[i].mean()
    B[::-1] += 2 * A
    B[:, 0] = 1


@dace.program
def several_returns(A: dace.float64[N, M]):
    return np.sum(A), A.T @ A, A[1], A * 2 + 1


def several_returns_reference(A):
    return np.sum(A), A.T @ A, A[1], A * 2 + 1


@dace.program
def sums_in_a_map(A: dace.float64[N, M], B: dace.float64[M, N], C: dace.float64[N]):
    for i in dace.map[0:N]:
        C[i] = A[i, :] @ B[:, i]
    for i in dace.map[0:N]:
        t = 0.0
        for j in range(M):
            t += A[i, j]
        C[i] = C[i] * t


def sums_in_a_map_reference(A, B, C):
    C[:] = (A * B.T).sum(axis=1) * A.sum(axis=1)


@dace.program
def loops_in_maps(A: dace.float64[N, N], x: dace.float64[N]):
    for i in dace.map[0:N]:
        for j in range(i, N):
            A[i, j] = A[i, j] * 2.0
    for i in dace.map[0:N]:
        for j in range(N - 1, -1, -1):
            if j > i:
                A[i, j] = A[i, j] * A[i, i]
    for i in dace.map[0:N]:
        m = 0.0
        for j in range(N):
            if A[i, j] > m:
                m = A[i, j]
        x[i] = m


def loops_in_maps_reference(A, x):
    n = len(A)
    A[np.triu_indices(n)] *= 2.0
    for i in range(n):
        A[i, i + 1 :] *= A[i, i]
    x[:] = A.max(axis=1)


@dace.program
def gather(A: dace.float64[N], idx: dace.int64[M], B: dace.float64[M], count: dace.int64[1]):
    for i in range(M):
        B[i] = A[idx[i]] * A[i]
    for i in dace.map[0:M]:
        B[i] += A[idx[i]]
    n = count[0]
    for i in range(n):
        B[i] = B[i] + 1.0


def gather_reference(A, idx, B, count):
    B[:] = A[idx] * A[: len(B)] + A[idx]
    B[: count[0]] += 1.0


@dace.program
def scatter(A: dace.float64[M], idx: dace.int32[M], B: dace.float64[N]):
    for i in dace.map[0:M]:
        B[idx[i]] += A[i] * A[i]
    for i in dace.map[0:M]:
        with dace.tasklet:
            b << B(1)[:]
            k << idx[i]
            a >> A[i]
            a = b[k]
    for i in dace.map[0:M]:
        B[idx[i]] = A[i] * 2


def scatter_reference(A, idx, B):
    np.add.at(B, idx, A * A)
    A[:] = B[idx]
    B[idx] = A * 2


@dace.program
def views_of_views(A: dace.float64[N, M]):
    b = A[1:3, :]
    c = b[:, 1]
    c[0] = 5
    b += 1
    x = A[0]
    x[1] = 3
    return c, b.T, A


def views_of_views_reference(A):
    b = A[1:3, :]
    c = b[:, 1]
    c[0] = 5
    b += 1
    A[0, 1] = 3
    return c, b.T, A


@dace.program
def integers_that_change(A: dace.float64[N], B: dace.float64[N]):
    k = 0
    j = N - 1
    for i in range(N):
        if A[i] > 0.5:
            B[k] = A[i]
            k = k + 1
        A[j] = A[j] + B[i]
        j -= 1
    return B[k - 1]


def integers_that_change_reference(A, B):
    k = 0
    j = len(A) - 1
    for i in range(len(A)):
        if A[i] > 0.5:
            B[k] = A[i]
            k = k + 1
        A[j] = A[j] + B[i]
        j -= 1
    return B[k - 1]


@dace.program
def sizes_from_integers(x: dace.float64[N], n):
    padded = np.zeros((n + 2, N))
    for i in range(n):
        padded[i + 1, :] = x * i
    return padded[:n, :] + padded[2:, :]


def sizes_from_integers_reference(x, n):
    padded = np.zeros((n + 2, len(x)))
    for i in range(n):
        padded[i + 1, :] = x * i
    return padded[:n, :] + padded[2:, :]


@dace.program
def shapes(A: dace.float64[N, M], v: dace.float64[12]):
    flat = A.reshape([N * M])
    flat[2] = 5.0
    w = np.reshape(v, (3, 4))
    w[1, :] = w[0, :] * 2
    return flat[1:7] * v[0:6], np.transpose(A), np.reshape(v, (2, 6))


def shapes_reference(A, v):
    flat = A.reshape(-1)
    flat[2] = 5.0
    w = v.reshape(3, 4)
    w[1, :] = w[0, :] * 2
    return flat[1:7] * v[0:6], A.T, v.reshape(2, 6)


@dace.program
def overlapping(A: dace.float64[N], B: dace.float64[N, N]):
    A[1:] = A[:-1] * 2.0
    A[:-1] += A[1:]
    B[1:, :] = B[:-1, :]
    B[:] = B @ B
    B[:] = B / B[0, 0]


def overlapping_reference(A, B):
    A[1:] = A[:-1] * 2.0
    A[:-1] += A[1:].copy()
    B[1:, :] = B[:-1, :].copy()
    B[:] = B @ B
    B[:] = B / B[0, 0]


@dace.program
def elementwise(A: dace.float64[N]):
    return (
        np.sin(A) + np.arctan2(A, A + 1) + np.maximum(A, 0.7) + np.where(A > 0.6, A, -A) + np.cbrt(A) + np.log1p(A),
        A**2 + A**0.5 + A**A + 1 / A + abs(-A) + A // 0.3 + A % 0.3,
        np.hypot(A, 2.0) + np.sign(A - 0.5) + np.clip(A, 0.3, 0.9) + np.exp2(A) + np.minimum(A, 1.0),
    )


def elementwise_reference(A):
    return (
        np.sin(A) + np.arctan2(A, A + 1) + np.maximum(A, 0.7) + np.where(A > 0.6, A, -A) + np.cbrt(A) + np.log1p(A),
        A**2 + A**0.5 + A**A + 1 / A + abs(-A) + A // 0.3 + A % 0.3,
        np.hypot(A, 2.0) + np.sign(A - 0.5) + np.clip(A, 0.3, 0.9) + np.exp2(A) + np.minimum(A, 1.0),
    )


@dace.program
def constructors(A: dace.float64[N, N]):
    c = np.array([1.0, 2.0, 3.0, 4.0])
    return A[0, 0:4] * c, np.linspace(0, 1, 5), np.eye(N) + np.ones_like(A) - np.full((N, N), 0.25)


def constructors_reference(A):
    n = len(A)
    c = np.array([1.0, 2.0, 3.0, 4.0])
    return A[0, 0:4] * c, np.linspace(0, 1, 5), np.eye(n) + np.ones_like(A) - np.full((n, n), 0.25)


TABLE = numbers(7, 6)
WIDE = np.linspace(0.0, 1.0, 100)


@dace.program
def surroundings(A: dace.float64[N]):
    long = np.array(WIDE)
    long[3] = 7.0
    return A * TABLE[0:N] * MODULE_FACTOR + long[0:N]


MODULE_FACTOR = 1.5


def surroundings_reference(A):
    long = WIDE.copy()
    long[3] = 7.0
    return A * TABLE[0 : len(A)] * MODULE_FACTOR + long[0 : len(A)]


@dace.program
def products(A: dace.float64[N, M], B: dace.float64[K, N, M], x: dace.float64[M]):
    return A @ x, B @ np.transpose(A), np.dot(A[0], x), np.einsum("ij,kj->ik", A, A), A @ A.T


def products_reference(A, B, x):
    return A @ x, B @ A.T, np.dot(A[0], x), np.einsum("ij,kj->ik", A, A), A @ A.T


@dace.program
def reductions(A: dace.float64[N, M]):
    return np.mean(A), np.sum(A, axis=0), np.max(A), np.min(A, axis=1), np.any(A > 1.0)


def reductions_reference(A):
    return np.mean(A), np.sum(A, axis=0), np.max(A), np.min(A, axis=1), np.any(A > 1.0)


@dace.program
def single_precision(A: dace.float32[N], a: dace.float32):
    B = np.zeros_like(A)
    for i in range(1, N):
        B[i] = a * A[i] + 0.5 * B[i - 1]
    return B * 2, B.astype(np.float64) / 3


def single_precision_reference(A, a):
    B = np.zeros_like(A)
    for i in range(1, len(A)):
        B[i] = a * A[i] + np.float32(0.5) * B[i - 1]
    return B * 2, B.astype(np.float64) / 3


@dace.program
def unannotated(A, B, steps, scale=0.5):
    for t in range(steps):
        A[1:-1] = scale * (A[:-2] + A[2:])
        B[t] = A[t]


def unannotated_reference(A, B, steps, scale=0.5):
    for t in range(steps):
        A[1:-1] = scale * (A[:-2] + A[2:])
        B[t] = A[t]


@dace.program
def sequential_map(A: dace.float64[N]):
    for i in dace.map[1:N] @ dace.ScheduleType.Sequential:
        A[i] = A[i] + 0.5 * A[i - 1]


def sequential_map_reference(A):
    for i in range(1, len(A)):
        A[i] = A[i] + 0.5 * A[i - 1]


@dace.program
def integer_arithmetic(A: dace.float64[N], k: dace.int64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        B[i] = A[i] * (k[i] // 2) + k[i] % 3 + A[(i * 3) % N]


def integer_arithmetic_reference(A, k, B):
    B[:] = A * (k // 2) + k % 3 + A[np.arange(len(A)) * 3 % len(A)]


@dace.program
def rolled(A: dace.float64[N, M], B: dace.float64[N], C: dace.float64[N, M]):
    B[:] = B * np.roll(B, 1) + np.roll(B, -2) - np.roll(B, 0)
    C[:] = np.roll(A, 2, axis=1) * np.roll(A, -9, axis=0) + np.roll(A, (1, -1), axis=(0, 1))


def rolled_reference(A, B, C):
    B[:] = B * np.roll(B, 1) + np.roll(B, -2) - np.roll(B, 0)
    C[:] = np.roll(A, 2, axis=1) * np.roll(A, -9, axis=0) + np.roll(A, (1, -1), axis=(0, 1))


ROWS = (
    Row(jacobi, jacobi_reference, lambda: (4, numbers(1, 5, 6), numbers(2, 5, 6))),
    Row(gemm, gemm_reference, lambda: (1.5, 0.7, numbers(1, 4, 5), numbers(2, 4, 3), numbers(3, 3, 5))),
    Row(tasklet_with_condition, tasklet_with_condition_reference, lambda: (numbers(1, 4, 6), numbers(2, 6, 4))),
    Row(partial_write, partial_write_reference, lambda: (numbers(1, 6), numbers(2, 6))),
    Row(tasklet_on_arrays, tasklet_on_arrays_reference, lambda: (numbers(1, 4, 3), numbers(2, 4, 2))),
    Row(chain_of_tasklets, chain_of_tasklets_reference, lambda: (numbers(1, 5), numbers(2, 5), numbers(3, 5))),
    Row(wcr_sum, wcr_sum_reference, lambda: (numbers(1, 4, 5), numbers(2, 1), numbers(3, 4))),
    Row(wcr_extrema, wcr_extrema_reference, lambda: (numbers(1, 4, 5), numbers(2, 5), numbers(3, 5))),
    Row(softmax, softmax_reference, lambda: (numbers(1, 3, 4).astype(np.float32),), rtol=1e-6),
    Row(conditions_in_loops, conditions_in_loops_reference, lambda: (numbers(1, 8), numbers(2, 8), 0.4)),
    Row(condition_in_map, condition_in_map_reference, lambda: (numbers(1, 7), numbers(2, 7))),
    Row(triangle, triangle_reference, lambda: (numbers(1, 5, 5) + 4 * np.eye(5), numbers(2, 5))),
    Row(triangular_map, triangular_map_reference, lambda: (numbers(1, 5, 5),)),
    Row(steps_of_loops, steps_of_loops_reference, lambda: (numbers(1, 8), numbers(2, 8))),
    Row(scalars, scalars_reference, lambda: (0.5, 4, True, numbers(1, 6))),
    Row(nested_calls, nested_calls_reference, lambda: (numbers(1, 4, 5), numbers(2, 4, 5), numbers(3, 4))),
    Row(several_returns, several_returns_reference, lambda: (numbers(1, 4, 5),)),
    Row(sums_in_a_map, sums_in_a_map_reference, lambda: (numbers(1, 4, 5), numbers(2, 5, 4), numbers(3, 4))),
    Row(loops_in_maps, loops_in_maps_reference, lambda: (numbers(1, 5, 5), numbers(2, 5))),
    Row(
        gather,
        gather_reference,
        lambda: (numbers(1, 7), np.array([3, 1, 2, 0, 6]), numbers(2, 5), np.array([3])),
    ),
    Row(scatter, scatter_reference, lambda: (numbers(1, 5), np.array([3, 1, 3, 0, 6], dtype=np.int32), numbers(2, 7))),
    Row(views_of_views, views_of_views_reference, lambda: (numbers(1, 4, 5),)),
    Row(integers_that_change, integers_that_change_reference, lambda: (numbers(1, 7), numbers(2, 7))),
    Row(sizes_from_integers, sizes_from_integers_reference, lambda: (numbers(1, 5), 3)),
    Row(shapes, shapes_reference, lambda: (numbers(1, 4, 3), numbers(2, 12))),
    Row(overlapping, overlapping_reference, lambda: (numbers(1, 4), numbers(2, 4, 4))),
    Row(elementwise, elementwise_reference, lambda: (numbers(1, 6),)),
    Row(constructors, constructors_reference, lambda: (numbers(1, 4, 4),)),
    Row(surroundings, surroundings_reference, lambda: (numbers(1, 4),)),
    Row(products, products_reference, lambda: (numbers(1, 4, 5), numbers(2, 3, 4, 5), numbers(3, 5))),
    Row(reductions, reductions_reference, lambda: (numbers(1, 4, 5),)),
    Row(
        single_precision,
        single_precision_reference,
        lambda: (numbers(1, 6).astype(np.float32), np.float32(0.3)),
        rtol=1e-6,
    ),
    Row(unannotated, unannotated_reference, lambda: (numbers(1, 7), numbers(2, 7), 3)),
    Row(integer_arithmetic, integer_arithmetic_reference, lambda: (numbers(1, 5), np.arange(-2, 3), numbers(2, 5))),
    Row(sequential_map, sequential_map_reference, lambda: (numbers(1, 6),)),
    Row(rolled, rolled_reference, lambda: (numbers(1, 4, 5), numbers(2, 4), numbers(3, 4, 5))),
)
