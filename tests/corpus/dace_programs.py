"""`@dace.program` functions: symbolic shapes, maps, tasklets, reductions; each with its plain NumPy reference."""

# ruff: noqa: B007, F821, F841 (programs as their authors write them; a tasklet's names are bound by its memlets)
from __future__ import annotations

import dace
import numpy as np

from tests.corpus.case import normal, row, spread, uniform

N = dace.symbol("N")
M = dace.symbol("M")
K = dace.symbol("K")
T = 4


@dace.program
def symbolic_elementwise(A: dace.float64[N], B: dace.float64[N]):
    B[:] = np.sin(A) * B + A


def symbolic_elementwise_reference(A, B):
    B[:] = np.sin(A) * B + A


@dace.program
def map_of_products(A: dace.float64[N], B: dace.float64[N], C: dace.float64[N]):
    for i in dace.map[0:N]:
        C[i] = A[i] * B[i] * B[i]


def map_of_products_reference(A, B, C):
    C[:] = A * B * B


@dace.program
def map_of_neighbours(A: dace.float64[N, M], B: dace.float64[N, M]):
    for i, j in dace.map[1 : N - 1, 1 : M - 1]:
        B[i, j] = 0.2 * (A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) * A[i, j]


def map_of_neighbours_reference(A, B):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:]) * A[1:-1, 1:-1]


@dace.program
def nested_maps(A: dace.float64[N, M], x: dace.float64[M], y: dace.float64[N]):
    for i in dace.map[0:N]:
        for j in dace.map[0:M]:
            y[i] += A[i, j] * x[j]


def nested_maps_reference(A, x, y):
    y += A @ x


@dace.program
def map_in_a_time_loop(A: dace.float64[N], B: dace.float64[N]):
    for t in range(T):
        for i in dace.map[1 : N - 1]:
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        for i in dace.map[1 : N - 1]:
            A[i] = B[i] * B[i] + A[i]


def map_in_a_time_loop_reference(A, B):
    for _ in range(T):
        B[1:-1] = 0.3 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = B[1:-1] * B[1:-1] + A[1:-1]


@dace.program
def explicit_tasklet(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        with dace.tasklet:
            a << A[i]
            b >> B[i]
            b = a * a + 1.0


def explicit_tasklet_reference(A, B):
    B[:] = A * A + 1.0


@dace.program
def strided_map(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N:2]:
        B[i] = A[i] * A[N - 1 - i]


def strided_map_reference(A, B):
    B[::2] = A[::2] * A[::-1][::2]


@dace.program
def reduction(A: dace.float64[N, M], out: dace.float64[N]):
    out[:] = np.sum(A * A, axis=1)


def reduction_reference(A, out):
    out[:] = np.sum(A * A, axis=1)


@dace.program
def returned_sum(A: dace.float64[N], B: dace.float64[N]):
    return np.sum(A * B)


def returned_sum_reference(A, B):
    return np.sum(A * B)


@dace.program
def matrix_product(A: dace.float64[N, K], B: dace.float64[K, M], C: dace.float64[N, M]):
    C[:] = 1.5 * A @ B + 0.5 * C


def matrix_product_reference(A, B, C):
    C[:] = 1.5 * A @ B + 0.5 * C


@dace.program
def sequential_triangle(A: dace.float64[N, N]):
    for i in range(N):
        for j in range(i):
            A[i, j] = A[i, j] * A[j, j] - A[j, i]
        A[i, i] = A[i, i] + A[i, 0]


def sequential_triangle_reference(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = A[i, j] * A[j, j] - A[j, i]
        A[i, i] = A[i, i] + A[i, 0]


@dace.program
def branch_in_a_loop(A: dace.float64[N], B: dace.float64[N]):
    for i in range(N):
        if A[i] > 0.0:
            B[i] = A[i] * A[i]
        else:
            B[i] = 3.0 * A[i] * B[i]


def branch_in_a_loop_reference(A, B):
    B[:] = np.where(A > 0, A * A, 3.0 * A * B)


@dace.program
def gather(A: dace.float64[N], B: dace.float64[M], idx: dace.int64[M]):
    for i in range(M):
        B[i] = A[idx[i]] * A[i]


def gather_reference(A, B, idx):
    B[:] = A[idx] * A[: len(idx)]


@dace.program
def local_array(A: dace.float64[N]):
    scratch = np.zeros((N,), dtype=np.float64)
    for i in dace.map[0:N]:
        scratch[i] = np.exp(-A[i])
    A[:] = scratch * scratch


def local_array_reference(A):
    A[:] = np.exp(-A) ** 2


@dace.program
def single_precision(A: dace.float32[N], B: dace.float32[N]):
    for i in dace.map[0:N]:
        B[i] = np.tanh(A[i]) * B[i]


def single_precision_reference(A, B):
    B[:] = np.tanh(A) * B


@dace.program
def without_annotations(A, B):
    A[1:] = A[:-1] * B[1:]


def without_annotations_reference(A, B):
    A[1:] = A[:-1] * B[1:]


@dace.program
def squared(v: dace.float64[N]):
    return v * v


@dace.program
def calls_another_program(A: dace.float64[N], B: dace.float64[N]):
    B[:] = squared(A) + 2.0 * A


def calls_another_program_reference(A, B):
    B[:] = A * A + 2.0 * A


@dace.program
def scalar_argument(A: dace.float64[N], factor: dace.float64):
    for i in dace.map[0:N]:
        A[i] = A[i] * factor + factor * factor


def scalar_argument_reference(A, factor):
    A[:] = A * factor + factor * factor


def vectors():
    return normal(1, 7), normal(2, 7)


WEIGHTS = normal(9, 7)
TABLE = normal(9, 4, 5)

CASES = (
    row(symbolic_elementwise, vectors, "A, B", of="B", seed=WEIGHTS, reference=symbolic_elementwise_reference),
    row(
        map_of_products,
        lambda: (*vectors(), normal(3, 7)),
        "A, B",
        of="C",
        seed=WEIGHTS,
        reference=map_of_products_reference,
    ),
    row(
        map_of_neighbours,
        lambda: (normal(1, 4, 5), normal(2, 4, 5)),
        "A, B",
        of="B",
        seed=TABLE,
        reference=map_of_neighbours_reference,
    ),
    row(
        nested_maps,
        lambda: (normal(1, 4, 5), normal(2, 5), normal(3, 4)),
        "A, x, y",
        of="y",
        seed=1.0,
        reference=nested_maps_reference,
    ),
    row(map_in_a_time_loop, vectors, "A, B", of="A", seed=WEIGHTS, reference=map_in_a_time_loop_reference),
    row(explicit_tasklet, vectors, "A", of="B", seed=WEIGHTS, reference=explicit_tasklet_reference),
    row(strided_map, vectors, "A, B", of="B", seed=WEIGHTS, reference=strided_map_reference),
    row(reduction, lambda: (normal(1, 4, 5), normal(2, 4)), "A", of="out", seed=1.0, reference=reduction_reference),
    row(returned_sum, vectors, "A, B", reference=returned_sum_reference),
    row(
        matrix_product,
        lambda: (normal(1, 4, 3), normal(2, 3, 5), normal(3, 4, 5)),
        "A, B, C",
        of="C",
        seed=TABLE,
        reference=matrix_product_reference,
    ),
    row(
        sequential_triangle, lambda: (normal(1, 5, 5),), "A", of="A", seed=1.0, reference=sequential_triangle_reference
    ),
    row(
        branch_in_a_loop,
        lambda: (spread(1, 7), normal(2, 7)),
        "A, B",
        of="B",
        seed=WEIGHTS,
        reference=branch_in_a_loop_reference,
    ),
    row(
        gather,
        lambda: (normal(1, 6), normal(2, 5), np.array([3, 0, 3, 5, 1])),
        "A",
        of="B",
        seed=1.0,
        reference=gather_reference,
    ),
    row(local_array, lambda: (normal(1, 7),), "A", of="A", seed=WEIGHTS, reference=local_array_reference),
    row(
        single_precision,
        lambda: (normal(1, 7).astype(np.float32), normal(2, 7).astype(np.float32)),
        "A, B",
        of="B",
        seed=1.0,
        reference=single_precision_reference,
    ),
    row(without_annotations, vectors, "A, B", of="A", seed=WEIGHTS, reference=without_annotations_reference),
    row(calls_another_program, vectors, "A", of="B", seed=WEIGHTS, reference=calls_another_program_reference),
    row(
        scalar_argument,
        lambda: (uniform(1, 7), 1.3),
        "A, factor",
        of="A",
        seed=WEIGHTS,
        reference=scalar_argument_reference,
    ),
)
