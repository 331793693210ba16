"""Reading and writing slices of any start, stop, step and sign, ellipsis, newaxis, chained slices, views."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def inner_points(a, b):
    return np.sum(a[1:-1] * b[2:] - a[:-2] * b[1:-1])


def steps(a, b):
    return np.sum(a[::2] * b[1::2]) + np.sum(a[1:9:3] * b[:3]) - np.sum(a[-7::4] ** 2)


def negative_steps(a, b):
    return np.sum(a[::-1] * b) + np.sum(a[7:2:-2] * b[:3]) + np.sum(a[-2::-3] * b[-3:] ** 2)


def out_of_range_bounds(a, b):
    return np.sum(a[3:100] * b[-100:7]) + np.sum(a[8:2]) + np.sum(a[-3:] * b[:3])


def slice_object(a, b):
    inner = slice(1, -1)
    every_other = slice(None, None, 2)
    return np.sum(a[inner] * b[inner]) + np.sum(a[every_other] ** 2)


def variable_bounds(a, b, n, k):
    s = 0.0
    for i in range(n):
        s += np.sum(a[i : i + k] * b[n - i : n - i + k])
    return s


def symbolic_stop(a, b, n):
    return np.sum(a[:n] * b[-n:]) * np.sum(a[n:])


def rows_and_columns(a, b):
    return np.sum(a[1] * b[-1]) + np.sum(a[:, 2] * b[:, 0]) + a[0, 0] * b[-1, -2] + np.sum(a[1:3, ::2])


def integer_then_slice(a, b):
    return np.sum(a[2, 1:] * b[0, :-1]) + np.sum(a[-1, ::-1] * b[1])


def ellipsis(a, b):
    return np.sum(a[..., 0] * b[..., -1]) + np.sum(a[1, ...] ** 2) + np.sum(b[..., 1:, :2] * 3.0)


def newaxis_everywhere(a, b):
    return np.sum(a[np.newaxis, :, None] * b[:, None, None]) + np.sum(a[None] ** 2)


def chained_slices(a, b):
    return np.sum(a[2:][1:-1][::2] ** 2) + np.sum(b[1:][::-1][2:5] * a[:3]) + a[3:][2] * b[::2][-1]


def chained_rows(a, b):
    return np.sum(a[1:][0][2:] * b[2][1:-1]) + a[0][1] * b[1:][1][0]


def write_inner_points(a, b):
    a[1:-1] = b[2:] - b[:-2] * a[1:-1]
    return np.sum(a * a)


def write_with_step(a, b):
    a[::2] = b[::2] ** 2
    a[1::3] += a[0] * b[1::3]
    a[-1:4:-2] *= b[:3]
    return np.sum(a * a * b)


def write_reversed(a, b):
    a[::-1] = b * 2.0
    b[5:1:-1] = a[:4] ** 2
    return np.sum(a * b)


def write_scalar_to_slice(a, b):
    a[2:6] = b[0] * b[1]
    a[:2] = 0.0
    a[6:] += 1
    return np.sum(a**3)


def write_row_and_column(a, b):
    a[1] = b[0] * b[2]
    a[:, 3] = b[:, 1] ** 2
    a[0, 1:3] -= a[1, 2:4]
    a[-1, -1] = a[0, 0] * b[1, 1]
    return np.sum(a * a)


def write_broadcast(a, b):
    a[:] = b[1]
    a[1:3, :] += b[:2, :1]
    a[..., -1] = 2.0 * a[..., 0] * b[:, 0]
    return np.sum(a * a)


def write_chained(a, b):
    a[1:][::2][:] = b[:5] ** 2
    a[3:][1:3] *= b[4:6]
    return np.sum(a * a)


def write_chained_rows(a, b):
    a[1:][0][2:] = b[0][:3] * a[0][2:]
    a[2][1] += b[1][1] ** 2
    return np.sum(a * a)


def overlapping_shift_right(a, b):
    a[1:] = a[:-1] * b[1:]
    return np.sum(a * a)


def overlapping_shift_left(a, b):
    a[:-1] = a[1:] * a[:-1] + b[1:]
    a[1:-1] += a[2:] - a[:-2]
    return np.sum(a * a)


def reverse_in_place(a, b):
    a[:] = a[::-1] * b
    return np.sum(a[:4] * a[2:6] * b[:4])


def write_through_view(a, b):
    v = a[2:7]
    v[:] = v * b[:5]
    v[0] += b[8] ** 2
    v += 1.0
    return np.sum(a * a)


def two_views_of_one_array(a, b):
    left = a[:-1]
    right = a[1:]
    left += right * b[1:]
    right *= left
    return np.sum(a * a)


def view_of_a_view(a, b):
    v = a[1:]
    w = v[::2]
    w[1:] = b[:4] * w[:-1]
    return np.sum(a * v[0]) + np.sum(v * v)


def view_sees_later_write(a, b):
    v = a[3:6]
    a[4] = b[0] * b[1]
    return np.sum(v * v) * np.sum(a)


def reshaped_view_is_written(a, b):
    m = a.reshape(2, 5)
    m[1] = m[0] * b[:5]
    m[:, 0] = b[5:7] ** 2
    return np.sum(a * a)


def transposed_view_is_written(a, b):
    t = a.T
    t[1:, 0] = b[0, :4] ** 2 * t[0, 0]
    t *= 2.0
    return np.sum(a * a * b)


def copy_is_no_view(a, b):
    c = a[2:7].copy()
    a[2:7] = b[:5]
    c *= 2.0
    return np.sum(a * a) + np.sum(c * c)


def alias_by_assignment(a, b):
    c = a
    c[0] = b[0] * 2.0
    c += b
    return np.sum(a * c)


def alias_through_function(a, b):
    def scale(v, factor):
        v *= factor

    scale(a[1:4], b[0])
    scale(a[2:], b[1])
    return np.sum(a * a)


def mixed_newaxis_and_write(a, b):
    a[:, np.newaxis][1:3] = b[1:3, None] ** 2
    return np.sum(a * a)


def integer_array_gather(a, idx):
    return np.sum(a[idx] ** 2 * np.arange(len(idx)))


def integer_array_scatter(a, b, idx):
    a[idx] = b * b
    a[idx] += b
    return np.sum(a**3)


def index_from_an_array(a, b, idx):
    s = 0.0
    for i in range(len(idx)):
        s += a[idx[i]] * b[i] ** 2
        a[idx[i]] = s
    return s + np.sum(a * b)


def boolean_mask_write(a, b):
    a[a > 0] = 0.5
    b[a < 0] *= 2.0
    return np.sum(a * b)


def multiplied_by_reflected_rows(a, b):
    a[:] *= np.concatenate((a[1:2], a[2::-1] + a[1:]))
    return np.sum(a * b)


def vectors():
    return normal(1, 10), normal(2, 10)


def matrices():
    return normal(3, 4, 5), normal(4, 4, 5)


VECTORS = (inner_points, steps, negative_steps, out_of_range_bounds, slice_object, newaxis_everywhere, chained_slices)
VECTORS += (write_inner_points, write_with_step, write_reversed, write_scalar_to_slice, write_chained)
VECTORS += (overlapping_shift_right, overlapping_shift_left, reverse_in_place, write_through_view, view_of_a_view)
VECTORS += (two_views_of_one_array, view_sees_later_write, reshaped_view_is_written, copy_is_no_view)
VECTORS += (alias_by_assignment, alias_through_function, mixed_newaxis_and_write, boolean_mask_write)
MATRICES = (rows_and_columns, integer_then_slice, chained_rows, write_row_and_column, write_broadcast)
MATRICES += (write_chained_rows, transposed_view_is_written, multiplied_by_reflected_rows)

CASES = (
    *(row(f, vectors, "a, b") for f in VECTORS),
    *(row(f, matrices, "a, b") for f in MATRICES),
    row(ellipsis, lambda: (normal(1, 3, 4, 5), normal(2, 3, 4, 5)), "a, b"),
    row(variable_bounds, lambda: (*vectors(), 5, 3), "a, b"),
    row(symbolic_stop, lambda: (*vectors(), 4), "a, b"),
    row(integer_array_gather, lambda: (normal(1, 6), np.array([3, 0, 3, 5, -1])), "a"),
    row(integer_array_scatter, lambda: (normal(1, 6), normal(2, 3), np.array([4, 0, 2])), "a, b"),
    row(index_from_an_array, lambda: (normal(1, 6), normal(2, 6), np.array([3, 0, 3, 5, 3, 1])), "a, b"),
)
