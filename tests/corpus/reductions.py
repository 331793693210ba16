"""Reductions over all axes, some axes, with keepdims, as functions, methods and builtins."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def sum_all(a):
    return np.sum(a * a)


def sum_axes(a):
    rows = np.sum(a, axis=1)
    columns = np.sum(a, axis=0)
    return np.sum(rows**2) + np.sum(columns**3) + np.sum(np.sum(a, axis=-1) * rows)


def sum_keepdims(a):
    return np.sum(a / (3.0 + np.sum(np.abs(a), axis=1, keepdims=True)) * np.sum(a, axis=0, keepdims=True))


def sum_several_axes(a):
    s = np.sum(a, axis=(0, 2))
    t = a.sum(axis=(1, -1), keepdims=True)
    return np.sum(s * s) + np.sum(t * a)


def sum_method(a):
    return (a * a).sum() + (a.sum(axis=0) ** 2).sum() + np.sum(a.sum(1, keepdims=True) * a)


def mean_all(a):
    return np.mean(a * a) * a.mean()


def mean_axes(a):
    centred = a - np.mean(a, axis=0)
    other = a - a.mean(axis=1, keepdims=True)
    return np.sum(centred**2 * other)


def prod_all(a):
    return np.prod(a) + a.prod()


def prod_axes(a):
    return np.sum(np.prod(a, axis=0) ** 2) + np.sum(a.prod(axis=1, keepdims=True) * a)


def max_all(a):
    return np.max(a) ** 2 + a.max() * np.sum(a)


def max_axes(a):
    return np.sum(np.max(a, axis=1) ** 2) + np.sum((a - a.max(axis=0, keepdims=True)) ** 2)


def min_all(a):
    return np.min(a) ** 3 + a.min() * a[0, 0]


def min_axes(a):
    return np.sum(np.min(a, axis=-1) ** 2) + np.sum(np.amin(a, axis=0) * np.amax(a, axis=0))


def std_all(a):
    return np.std(a) * a.std()


def std_axes(a):
    return np.sum((a - a.mean(axis=0)) / a.std(axis=0) * np.arange(a.shape[1]) ** 2 * a)


def var_all(a):
    return np.var(a) + 2 * a.var() ** 2


def var_axes(a):
    return np.sum(np.var(a, axis=1) ** 2) + np.sum(a.var(axis=0, keepdims=True) * a)


def var_unbiased(a):
    return np.var(a, ddof=1) + np.sum(np.std(a, axis=0, ddof=1) ** 3)


def softmax(a):
    e = np.exp(a - np.max(a, axis=-1, keepdims=True))
    y = e / np.sum(e, axis=-1, keepdims=True)
    return np.sum(y * y)


def logsumexp(a):
    m = a.max(axis=1)
    return np.sum(np.log(np.sum(np.exp(a - m[:, None]), axis=1)) + m)


def any_all(a):
    scale = 2.0 if np.any(a > 0) else 1.0
    other = np.where((a > -5.0).all(axis=1), a[:, 0], a[:, 1])
    some = np.any(a > 1.0, axis=0)
    return np.sum(a * scale) + np.sum(other**2) + np.sum(a * a * some) + np.all(a > -9) * a[0, 0]


def norms(a):
    euclid = np.sqrt(np.sum(a**2))
    one = np.sum(np.abs(a))
    largest = np.max(np.abs(a))
    return euclid * one + largest


def normalise_rows(a):
    return np.sum((a / np.sqrt(np.sum(a * a, axis=1, keepdims=True)))[:, 0] * a[:, 1])


def count_of_mask(a):
    return np.sum(a * a) / np.sum(a > 0) + np.sum((a > 0) * a) / np.count_nonzero(a < 0)


def masked_sum(a):
    return np.sum(a * a, where=a > 0)


def builtin_sum_max_min(x):
    return sum(x) * max(x) + min(x) ** 2 + sum(x[i] * x[i + 1] for i in range(3))


def sum_of_slices(a):
    return sum([np.sum(a[k] ** (k + 1)) for k in range(3)])


def sum_into_slice(a):
    out = np.zeros(a.shape[1] + 1)
    out[:-1] = a.sum(axis=0)
    out[-1] = out[:-1].sum()
    return np.sum(out * out)


def sum_in_loop(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += np.sum(a[i, : i + 1]) * np.max(a[i])
    return total


def sum_with_dtype(a):
    return np.sum(a, dtype=np.float64) * np.sum(a, axis=0, dtype=np.float64)[1]


def ptp_and_average(a):
    return np.ptp(a) + np.average(a) ** 2 + np.sum(np.average(a, axis=0, weights=np.array([1.0, 2.0, 3.0, 4.0])) ** 2)


def argmax_is_inactive(a):
    i = np.argmax(a[:, 0])
    j = np.argmin(a[1])
    return a[i, 1] * a[2, j]


def matrix():
    return (normal(1, 4, 5),)


def distinct():
    return (spread(3, 4, 5),)


SMOOTH = (sum_all, sum_axes, sum_keepdims, sum_method, mean_all, mean_axes, std_all, std_axes, var_all, var_axes)
SMOOTH += (var_unbiased, norms, normalise_rows, count_of_mask, masked_sum, sum_of_slices, sum_into_slice, any_all)
SMOOTH += (sum_with_dtype,)


def place_of_the_largest(a):
    i, j = np.unravel_index(np.argmax(a * a), a.shape)
    h = np.exp(-((np.arange(a.shape[0]) - i) ** 2)[:, None] - (np.arange(a.shape[1]) - j) ** 2)
    return np.sum(h * a) + a[i, j] ** 2 + a.ravel()[np.ravel_multi_index((i, 0), a.shape)]


ORDERED = (
    place_of_the_largest,
    max_all,
    max_axes,
    min_all,
    min_axes,
    softmax,
    logsumexp,
    sum_in_loop,
    ptp_and_average,
    argmax_is_inactive,
)

CASES = (
    *(row(f, matrix, "a") for f in SMOOTH),
    *(row(f, distinct, "a") for f in ORDERED),
    *(row(f, lambda: (uniform(4, 3, 4),), "a") for f in (prod_all, prod_axes)),
    row(prod_axes, lambda: (np.array([[1.2, 0.0, -0.7], [0.0, 0.0, 2.0]]),), "a", tag="with_zeros"),
    row(sum_several_axes, lambda: (normal(5, 2, 3, 4),), "a"),
    row(builtin_sum_max_min, lambda: (spread(6, 5),), "x"),
)
