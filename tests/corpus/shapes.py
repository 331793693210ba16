"""Functions and methods that move elements: transpositions, joins, repeats, parts of matrices."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def transpose_attribute(a):
    return np.sum(a.T[1:] * a.T[:-1] * np.arange(4))


def transpose_axes(p):
    q = np.transpose(p, (2, 0, 1))
    r = p.transpose(1, 2, 0)
    return np.sum(q[1:] * q[:-1]) + np.sum(r[0] * r[1]) + np.sum(np.transpose(p)[0] ** 2) + np.sum(p.transpose()[1])


def swapaxes(p):
    q = np.swapaxes(p, 0, 2)
    return np.sum(q[1:] * q[:-1]) + np.sum(p.swapaxes(1, -1)[0, 1] ** 2)


def moveaxis(p):
    q = np.moveaxis(p, 0, -1)
    r = np.moveaxis(p, -1, 0)
    return np.sum(q[0] * q[1]) + np.sum(r[0] * r[2])


def reshape_function(a):
    r = np.reshape(a, (2, 10))
    return np.sum(r[0] * r[1] ** 2)


def reshape_method(a):
    return np.sum(a.reshape(5, 4) @ a) + np.sum(a.reshape(-1)[::3] ** 2) + np.sum(a.reshape((2, 2, -1))[:, 1] ** 3)


def reshape_of_transpose(a):
    return np.sum(a.T.reshape(4, 5) * a * a)


def ravel_and_flatten(a):
    x = np.ravel(a)
    y = a.ravel()
    z = a.flatten()
    z[0] = 3.0
    return np.sum(x[1:] * y[:-1] * z[1:]) + z[0] * x[0]


def squeeze_and_expand(a):
    b = np.expand_dims(a, 1)
    c = np.squeeze(b * b)
    d = b[:, :, :1].squeeze(axis=1)
    return np.sum(c * a) + np.sum(d * d) + np.sum(np.squeeze(np.expand_dims(a, (0, -1)), axis=0) ** 2)


def concatenate_vectors(a):
    x = np.concatenate((a[0], a[1] ** 2, a[0, :2]))
    return np.sum(x[1:] * x[:-1])


def concatenate_axes(a):
    down = np.concatenate([a, a[:2] * 2.0], axis=0)
    right = np.concatenate((a, np.sin(a), a[:, :1]), axis=1)
    return np.sum(down[1:] * down[:-1]) + np.sum(right[:, 1:] * right[:, :-1])


def stack_axes(a):
    s = np.stack((a[0], a[1] * a[2], a[3]))
    t = np.stack([a, a * a], axis=-1)
    return np.sum(s[1:] * s[:-1]) + np.sum(t[..., 0] * t[..., 1])


def hstack_vstack(a):
    h = np.hstack((a[0], a[1:3, 1]))
    v = np.vstack((a, a[0] * a[1]))
    w = np.hstack([a, a[:, :2] ** 2])
    return np.sum(h[1:] * h[:-1]) + np.sum(v[1:] * v[:-1]) + np.sum(w[:, 1:] * w[:, :-1])


def column_and_depth_stack(a):
    c = np.column_stack((a[:, 0], a[:, 1] ** 2))
    d = np.dstack((a, a * a))
    return np.sum(c[1:] * c[:-1]) + np.sum(d[..., 0] * d[..., 1])


def flips(a):
    return np.sum(np.flip(a) * a) + np.sum(np.flip(a, axis=1) * a * a) + np.sum(np.flipud(a) * np.fliplr(a) ** 2)


def rolls(a):
    x = a[0]
    laplacian = np.roll(a, 1, axis=0) + np.roll(a, -1, axis=0) + np.roll(a, 1, 1) + np.roll(a, -1, axis=1) - 4 * a
    return np.sum(laplacian**2) + np.sum(np.roll(x, 2) * x) + np.sum(np.roll(a, 3) * a * a)


def roll_two_axes(a):
    return np.sum(np.roll(a, (1, -2), axis=(0, 1)) * a)


def tiles(a):
    x = np.tile(a[0], 3)
    y = np.tile(a, (2, 1))
    return np.sum(x * np.arange(15) ** 2 * 0.1) + np.sum(y[1:] * y[:-1])


def repeats(a):
    x = np.repeat(a[0], 2)
    y = np.repeat(a, 3, axis=0)
    return np.sum(x[1:] * x[:-1]) + np.sum(y[1:] * y[:-1]) + np.sum(a[1].repeat(2) ** 3)


def diffs(a):
    return np.sum(np.diff(a[0]) ** 2) + np.sum(np.diff(a, axis=0) ** 3) + np.sum(np.diff(a, n=2, axis=1) ** 2)


def diag_extracts(a):
    return np.sum(np.diag(a) ** 2) + np.sum(np.diag(a, k=1) * np.diag(a, -1)) + np.sum(np.diagonal(a) ** 3)


def diag_builds(a):
    m = np.diag(a[0]) + np.diag(a[1, :-1] ** 2, k=1)
    return np.sum((m @ a.T) ** 2)


def triangles(a):
    return np.sum(np.tril(a) @ np.triu(a)) + np.sum(np.tril(a, -1) ** 2) + np.sum(np.triu(a, k=1) ** 3)


def symmetrised(a):
    lower = np.tril(a, k=-1)
    m = lower + lower.T + np.diag(np.diag(a))
    return np.sum(m @ m)


def meshgrid_products(a):
    gx, gy = np.meshgrid(a[0], a[1])
    return np.sum(gx**2 * gy) + np.sum(np.sin(gx - gy))


def at_least(a):
    s = np.sum(a)
    return (
        np.sum(np.atleast_1d(s) * a[0]) + np.sum(np.atleast_2d(a[0]) * a[1:3]) + np.sum(np.atleast_3d(a)[:, :, 0] ** 2)
    )


def astype_float(a):
    mask = (a > 0).astype(np.float64)
    return np.sum(a.astype(np.float64) * mask * a) + np.sum((a < 0).astype(float) * a)


def astype_int_is_inactive(a):
    k = (10 * a).astype(int)
    return np.sum(k * a) + np.sum(a.astype(np.int64) * a)


def broadcast_to(a):
    return np.sum(np.broadcast_to(a[0], (4, 5)) * a) + np.sum(np.broadcast_to(a[1, 0], (3,)) ** 2)


def split_in_parts(a):
    left, right = np.split(a[:, :4], 2, axis=1)
    first, second, third = np.array_split(a[0], 3)
    return np.sum(left * right) + np.sum(first * second) + np.sum(third**3)


def pad_constant_and_edge(a):
    p = np.pad(a, 1)
    q = np.pad(a, ((1, 1), (0, 2)), mode="edge")
    return np.sum(p[1:] * p[:-1]) + np.sum(q[1:] * q[:-1])


def rot90_and_append(a):
    return np.sum(np.rot90(a)[:4, :4] * a[:, :4]) + np.sum(np.append(a[0], a[1]) ** 2)


def shape_attributes(a):
    return np.sum(a) * a.shape[0] / a.size + a.ndim * a[0, 0] ** 2 + len(a) * np.shape(a)[1] * a[1, 1]


def take_elements(a):
    return np.sum(np.take(a, [0, 2, 2], axis=1) ** 2) + np.sum(a.take([1, 3]) ** 3) + np.sum(a[[0, 2]] * a[[1, 3]])


def copy_of_a_column_written(a):
    b = a * 1.0
    v = b[:, 1].ravel()
    v *= a[0, 0]
    return np.sum(v * v) + np.sum(b * b)


def transpose_in_c_order(a):
    b = a * 1.0
    c = np.ascontiguousarray(b.T)
    c[0] *= a[0, 1]
    return np.sum(c * c) + np.sum(b * b * b)


def einsum_is_a_view(a):
    b = a * 1.0
    c = np.einsum("ij->ji", b)
    c[0] *= a[0, 1]
    return np.sum(b * b * b)


def einsum_by_given_labels(a, labels, transposed):
    return np.sum(np.einsum(a, labels, transposed) * np.arange(20.0).reshape(5, 4))


def columns_on_both_sides(a):
    first = a[:2, :1]
    rows = np.zeros((2, 4))
    for i in range(4):
        columns = first
        for _ in range(i):
            columns = np.c_[first, columns]
        for _ in range(i, 3):
            columns = np.c_[columns, first]
        rows = np.r_[rows, columns]
    return np.sum(rows**2 * np.arange(40.0).reshape(10, 4))


def resized(a):
    b = a[0] * a[1]
    b.resize(8, refcheck=False)
    b[6] = a[0, 1]
    c = a.copy()
    c.resize((3, 2), refcheck=False)
    d = np.zeros(0)
    for k in range(3):
        d.resize(d.size + 1, refcheck=False)
        d[-1] = a[k, 1] ** 2
    return np.sum(b * b) + np.sum(c[1] * c[2]) + np.sum(d * d)


def shape_assigned(a):
    b = a * 2.0
    b.shape = (-1,)
    rows, columns = np.mgrid[0:2, 0:2]
    rows.shape = columns.shape = 4
    b[0] = 5.0
    c = b.copy()
    c.shape = a.shape
    known = np.array((1, 2, 3, 4))
    known.shape = (4,)
    known.shape = 2, -1
    return np.sum(b * b) + np.sum(c[rows, columns] * np.arange(4.0)) + np.sum(known * c[:2, :2])


MATRIX = (
    transpose_attribute,
    reshape_function,
    reshape_method,
    reshape_of_transpose,
    ravel_and_flatten,
)
MATRIX += (squeeze_and_expand, concatenate_vectors, concatenate_axes, stack_axes, hstack_vstack, flips, rolls)
MATRIX += (column_and_depth_stack, roll_two_axes, tiles, repeats, diffs, at_least, astype_float, astype_int_is_inactive)
MATRIX += (broadcast_to, shape_attributes, meshgrid_products, split_in_parts, pad_constant_and_edge, rot90_and_append)
MATRIX += (
    shape_assigned,
    resized,
    columns_on_both_sides,
    take_elements,
    copy_of_a_column_written,
    transpose_in_c_order,
    einsum_is_a_view,
)
SQUARE = (diag_extracts, diag_builds, triangles, symmetrised)

CASES = (
    *(row(f, lambda: (normal(1, 4, 5),), "a") for f in MATRIX),
    *(row(f, lambda: (normal(2, 4, 4),), "a") for f in SQUARE),
    row(einsum_by_given_labels, lambda: (normal(1, 4, 5), (0, 1), (1, 0)), "a"),
    *(row(f, lambda: (normal(3, 2, 3, 4),), "p") for f in (transpose_axes, swapaxes, moveaxis)),
)
