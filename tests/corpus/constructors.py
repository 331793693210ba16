"""Local arrays: every constructor, shapes computed from arguments, copies."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def zeros_filled(x):
    out = np.zeros(x.shape[0] + 2)
    out[1:-1] = x * x
    return np.sum(out[1:] * out[:-1])


def empty_filled(x):
    out = np.empty((2, len(x)))
    out[0] = x
    out[1] = np.sin(x) * out[0]
    return np.sum(out * out)


def empty_without_dtype(x, n):
    out = np.empty(n)
    for i in range(n):
        out[i] = x[i] ** 2
    return np.sum(out * out)


def ones_scaled(x):
    out = np.ones(x.shape)
    out *= x[0]
    out[2] = x[2]
    return np.sum(out * x)


def full_with_active_value(x):
    out = np.full((2, 3), x[1] * x[2])
    out[1] = x[:3]
    return np.sum(out * out)


def full_constant(x):
    return np.sum(np.full(len(x), 2.5) * x * x)


def made_like_others(x):
    squares, zeros = np.asarray(x**2, like=x), np.zeros(len(x), like=np.empty(0))
    zeros[1:] = np.array([2.0], like=squares) * squares[1:]
    return np.sum(zeros * np.full(len(x), x[0], like=zeros) + np.arange(7.0, like=x) * x)


class Layer:
    def __init__(self, index):
        self.index = index


def as_many_numbers_as_objects(x):
    layers = [Layer(x[0]), Layer(2.0), Layer(x[1] * x[2])]
    squares, waves = np.zeros_like([layers, layers], dtype=float), np.ones_like(layers, dtype=complex)
    depths, same = np.empty_like(layers, dtype=float), np.full_like(tuple(layers), x[3], dtype=float)
    for k, layer in enumerate(layers):
        waves[k], depths[k] = layer.index * (1.0 + 2.0j), layer.index * x[k]
        squares[1, k] = layer.index**2
    return np.sum(np.abs(waves) ** 2) + np.sum(squares) + np.sum(depths) + np.sum(same**2)


def zeros_like_family(x):
    a = np.zeros_like(x)
    b = np.ones_like(x)
    c = np.empty_like(x)
    d = np.full_like(x, 3.0)
    c[:] = x * b
    a[1:] = c[:-1] * d[1:]
    return np.sum(a * c + d)


def copies(x):
    a = x.copy()
    b = np.copy(x)
    c = np.array(x)
    a[0] = b[1] * c[2]
    b *= c
    c[:] = 1.0
    return np.sum(a * b * c * x)


def array_of_scalars(x):
    a = np.array([x[0], x[1] * x[2], 2.0, -x[3]])
    return np.sum(a * a)


def array_of_rows(x):
    rotation = np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]])
    return np.sum(rotation @ x[1:3] * np.array([1.0, 2.0]))


def array_of_arrays(x):
    a = np.array([x[:3], x[3:6] ** 2, [1.0, x[0], 3.0]])
    return np.sum(a * a[::-1])


def asarray_looks_through(x):
    y = np.asarray(x)
    z = np.ascontiguousarray(y[::2])
    return np.sum(y * y) + np.sum(z**3)


def constant_table(x):
    table = np.array([1.0, -2.0, 0.5, 4.0])
    weights = np.array([[1, 2], [3, 4]])
    return np.sum(x[:4] * table) + np.sum(weights * x[:2] ** 2)


def arange_coordinates(x):
    i = np.arange(len(x))
    j = np.arange(1, 2 * len(x), 2)
    t = np.arange(0.0, 0.1 * len(x) - 0.05, 0.1)
    return np.sum(x * i + x**2 * j - np.sin(t * x))


def linspace_coordinates(x, n):
    s = np.linspace(0.0, 1.0, n)
    t = np.linspace(-1, 1, n, endpoint=False)
    return np.sum(np.sin(s * x) + t * x**2)


def linspace_with_active_bound(x, n):
    return np.sum(np.linspace(x[0], x[1], n) ** 2)


def identity_matrices(x):
    a = np.eye(3) * x[0] + np.outer(x[:3], x[:3])
    b = np.identity(3) - np.eye(3, k=1) * x[1]
    return np.sum(a @ b * np.eye(3, 3, -1)) + np.sum(a * b)


def zeros_with_integer_argument(x, n):
    out = np.zeros((n, n + 1))
    for i in range(n):
        out[i, i + 1] = x[i] * x[i + 1]
    return np.sum(out * out)


def shape_arithmetic(a):
    rows, columns = a.shape
    out = np.zeros((rows * columns // 2, a.ndim))
    for k in range(out.shape[0]):
        out[k, 0] = a[k // columns, k % columns]
        out[k, 1] = out[k, 0] * a.size
    return np.sum(out * out)


def shape_unpacked_to_zeros(a):
    out = np.zeros((a.shape[1], a.shape[0]), dtype=a.dtype)
    out[:, :] = a.T
    out[0] += a[:, 1]
    return np.sum(out * out)


def padded_border(a):
    m, n = a.shape
    p = np.zeros((m + 2, n + 2))
    p[1:-1, 1:-1] = a
    p[0, 1:-1] = a[0]
    p[-1, 1:-1] = a[-1]
    p[1:-1, 0] = a[:, 0]
    p[1:-1, -1] = a[:, -1]
    lap = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * a
    return np.sum(lap * lap)


def table_filled_in_double_loop(x, n):
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            table[i, j] = x[i] * x[j] / (i + j + 1)
    return np.sum(table * table)


def meshgrid_coordinates(x):
    gx, gy = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 3))
    return np.sum(np.exp(-((gx - x[0]) ** 2) - (gy - x[1]) ** 2) * x[2])


def meshgrid_of_data(x):
    gx, gy = np.meshgrid(x[:3], x[3:5] ** 2, indexing="ij")
    shared = np.meshgrid(x[:3], x[3:5], sparse=True, copy=False)
    shared.insert(0, x[:2, np.newaxis])  # a list, of these options
    return np.sum(shared[0] * shared[1] * shared[2]) + np.sum(gx * gy * gx)


def list_appended_then_array(x, n):
    rows = []
    for i in range(n):
        rows.append(x[i] * x[i + 1])
    return np.sum(np.array(rows) ** 2)


def vector():
    return (normal(1, 7),)


VECTOR = (
    zeros_filled,
    empty_filled,
    ones_scaled,
    full_with_active_value,
    full_constant,
    as_many_numbers_as_objects,
    zeros_like_family,
    copies,
)
VECTOR += (array_of_scalars, array_of_rows, array_of_arrays, asarray_looks_through, constant_table, arange_coordinates)
VECTOR += (made_like_others, identity_matrices, meshgrid_coordinates, meshgrid_of_data)
SIZED = (empty_without_dtype, table_filled_in_double_loop, zeros_with_integer_argument, linspace_with_active_bound)
SIZED += (list_appended_then_array,)

CASES = (
    *(row(f, vector, "x") for f in VECTOR),
    *(row(f, lambda: (normal(1, 7), 5), "x") for f in SIZED),
    row(linspace_coordinates, lambda: (normal(1, 7), 7), "x"),
    *(row(f, lambda: (normal(2, 4, 5),), "a") for f in (shape_arithmetic, shape_unpacked_to_zeros, padded_border)),
)
