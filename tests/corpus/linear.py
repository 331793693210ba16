"""Products of matrices and vectors, and what they are written with."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def matrix_matrix(a, b):
    return np.sum((a @ b) ** 2)


def matmul_function(a, b):
    return np.sum(np.matmul(a, b) * np.matmul(a, b))


def dot_of_matrices(a, b):
    return np.sum(np.sin(np.dot(a, b)))


def dot_method(a, b):
    return np.sum(a.dot(b) ** 2)


def matrix_vector(a, x, y):
    return np.sum((a @ x) * y) + np.sum(np.dot(a, x) ** 2)


def vector_matrix(a, x, y):
    return np.sum((y @ a) * x) + np.sum(y.dot(a) ** 2)


def vector_vector(x, y):
    return np.dot(x, y) * (x @ y) + x.dot(x)


def quadratic_form(a, x, y):
    return y @ a @ x + y.T @ a.dot(x)


def outer_product(x, y):
    return np.sum(np.outer(x, y) ** 2 * np.outer(x, np.sin(y)))


def multiply_outer(x, y):
    return np.sum(np.multiply.outer(x, y) ** 2 + np.subtract.outer(x, y) ** 3)


def inner_products(x, y):
    return np.inner(x, y) ** 2


def inner_of_matrices(a, b):
    return np.sum(np.inner(a, b.T) ** 2)


def vdot_and_tensordot(a, b):
    return np.vdot(a, b.T) * np.sum(np.tensordot(a, b, axes=1) ** 2)


def transposed_operands(a, b):
    return np.sum(a.T @ b.T) + np.sum((b.T @ a.T) ** 2)


def symmetric_product(a, b):
    return np.sum((a @ a.T) ** 2) + np.sum(b.T @ b)


def matrix_powers(a, x):
    y = x
    for _ in range(3):
        y = a @ y
    return np.sum(y * x)


def product_into_slice(a, b):
    out = np.zeros((a.shape[0] + 1, b.shape[1]))
    out[1:] = a @ b
    out[0] = out[1] * out[2]
    return np.sum(out * out)


def product_of_slices(a, b):
    return np.sum((a[1:3, ::2] @ b[:3, 1:]) ** 2) + np.sum(a[:, 1] @ a[:, :3])


def accumulated_product(a, b, c, alpha, beta):
    c[:] = alpha * a @ b + beta * c
    return np.sum(c)


def in_place_product(a, x):
    x[:] = a @ x
    x += a.T @ x
    return np.sum(x * x)


def batched_product(p, q):
    return np.sum((p @ q) ** 2)


def batched_broadcast_product(p, a):
    return np.sum(np.matmul(p, a) ** 2)


def batched_by_loop(p, q):
    s = 0.0
    for i in range(p.shape[0]):
        s += np.sum((p[i] @ q[i]) ** 2)
    return s


def product_in_loop_of_rows(a, x):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        y[i] = np.dot(a[i, :], x) + a[i, : i + 1] @ x[: i + 1]
    return np.sum(y * y)


def trace_of_product(a, b):
    return np.trace(a @ b) + np.trace(a @ a.T) * (b.T @ b).trace()


def trace_offset(a):
    return np.trace(a, offset=1) ** 2 + np.trace(a) * np.trace(a[:, ::-1])


def gram_and_shift(a, x):
    g = a.T @ a + 0.5 * np.eye(a.shape[1])
    return x @ g @ x


def linear_layer(a, x, y):
    return np.sum(np.tanh(x @ a.T + y) ** 2)


def cross_by_hand(x, y):
    z = np.array([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])
    return np.sum(z * z) + z[0]


def two_matrices():
    return normal(1, 3, 5), normal(2, 5, 4)


def matrix_and_vectors():
    return normal(3, 4, 5), normal(4, 5), normal(5, 4)


def square():
    return normal(6, 4, 4), normal(7, 4)


MATRICES = (matrix_matrix, matmul_function, dot_of_matrices, dot_method, inner_of_matrices, symmetric_product)
MATRICES += (product_into_slice, product_of_slices)
VECTORS = (vector_vector, outer_product, multiply_outer, inner_products, cross_by_hand)

CASES = (
    *(row(f, two_matrices, "a, b") for f in MATRICES),
    row(vdot_and_tensordot, lambda: (normal(1, 3, 4), normal(2, 4, 3)), "a, b"),
    row(transposed_operands, lambda: (normal(1, 4, 4), normal(2, 4, 4)), "a, b"),
    row(trace_of_product, lambda: (normal(1, 3, 4), normal(2, 4, 3)), "a, b"),
    *(row(f, matrix_and_vectors, "a, x, y") for f in (matrix_vector, vector_matrix, quadratic_form, linear_layer)),
    *(row(f, lambda: (normal(1, 4), normal(2, 4)), "x, y") for f in VECTORS),
    *(row(f, square, "a, x") for f in (matrix_powers, in_place_product, product_in_loop_of_rows, gram_and_shift)),
    row(accumulated_product, lambda: (*two_matrices(), normal(3, 3, 4), 1.5, 1.2), "a, b, c, alpha, beta"),
    row(batched_product, lambda: (normal(1, 2, 3, 4), normal(2, 2, 4, 2)), "p, q"),
    row(batched_by_loop, lambda: (normal(1, 2, 3, 4), normal(2, 2, 4, 2)), "p, q"),
    row(batched_broadcast_product, lambda: (normal(1, 2, 3, 4), normal(2, 4, 2)), "p, a"),
    row(trace_offset, lambda: (normal(1, 4, 4),), "a"),
)
