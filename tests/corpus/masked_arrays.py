"""Masked arrays of NumPy's, whose own Python is read."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform

POWERS = np.array([1.0, 10.0, 100.0, 1000.0])
STATIONS = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0])


def masked_below(x, w):
    m = np.ma.masked_less(x * w, 0.0)
    y = np.ma.sqrt(m) * w
    return y.sum() + y.filled(2.0).sum() + y.count() * x[0] + np.sum(y.mask * POWERS) * w[1]


def statistics_of_masked(x, w):
    m = np.ma.masked_array(x, mask=x < 0.0)
    pairs = np.ma.array([m, m * 2.0])
    middle = np.ma.median(m * w) + np.ma.average(m, weights=w) + np.ma.dot(m, w)
    return middle + (pairs.mean(axis=0) * w).sum() + m.std() + np.var(m) + np.mean(m) + m.max() - m.min()


def written_under_a_mask(x, w):
    m = np.ma.zeros((2, 4))
    m[0] = x
    m[1] = w
    m[0, 1] = np.ma.masked
    m[m > 1.5] = np.ma.masked
    m += 1.0
    m *= m
    m /= w
    m[1, 2] = x[3]
    return (m.mean(axis=1) * np.array([1.0, 2.0])).sum() + np.ma.filled(m, 0.5).sum() + m.mask.sum()


def told_by_functions(x, w):
    m, n = np.ma.masked_array(x, [0, 0, 1, 0]), np.ma.masked_array(w, [1, 0, 0, 0])
    logs = np.log(m)
    y = np.hypot(m, n) + np.add(m, n) + np.exp(n)
    limited = np.clip(m, 0.1, 1.0)
    joined = np.ma.concatenate([m, n]).sum() + np.concatenate([m, n]).sum()
    return np.sum(logs.mask * POWERS) + logs.sum() + y.sum() + np.sum(limited.mask * POWERS) * limited.sum() + joined


def through_functions_in_python(x, w):
    m = np.ma.masked_array(x, [0, 0, 1, 0])
    rolled, differences = np.roll(m, 1), np.diff(m)
    order = np.ma.sort(m * w)
    return (
        (rolled * w).sum() + np.sum(differences.mask * POWERS[:3]) + (differences**2).sum() + (order[1:] * w[1:]).sum()
    )


def asked_item_by_item(x, w):
    m = np.ma.masked_array(x, x < 0.0)
    s = 0.0
    for k in range(len(m)):
        if m[k] is not np.ma.masked:
            s = s + m[k] * w[k]
    for v in m:
        s = s * 2.0 if v is np.ma.masked else s + v * v
    return s


def nothing_invalid(x, w):
    m = np.ma.masked_invalid(x * w)
    if np.ma.is_masked(m):
        return 0.0
    here = STATIONS * x + np.ma.where(m > 0.1, m, 2.0 * m)
    return np.sum(m.filled(0.0) * w) + here.sum() + np.ma.getmaskarray(here).sum() + here.compressed() @ w[1:]


def two_dimensions(x, w):
    m = np.ma.masked_array(np.outer(x, w), np.outer(x, w) < 0.0)
    steps = m[1:, :] - m[:-1, :]
    column = steps[:, 0] * 3.0
    turned = m.reshape(8, 2).T
    return (
        steps.sum()
        + (column**2).sum()
        + m.anom().sum()
        + (turned * np.array([[1.0], [2.0]])).sum()
        + np.ma.polyfit(w, m[0], 1)[0]
    )


def asked_for_its_type(x, w):
    m = np.ma.masked_less(x, 0.0)
    kinds = np.ma.isMaskedArray(m) + 2 * np.ma.isMA(m + x) + 4 * np.ma.isMaskedArray(x) + 8 * isinstance(m, np.ndarray)
    return m.sum() * kinds + np.sum(w)


def in_another_shape(x, w):
    m = np.ma.masked_array(x * w, [0, 1, 0, 1])
    m.shape = (2, 2)
    return m[0].filled(3.0) @ w[:2] + m.mask.shape[0] * x[0] + m.sum(axis=0).filled(2.0) @ x[:2]


def filled_otherwise(x, w):
    m = np.ma.masked_array(x * w, [0, 1, 0, 1], fill_value=2.0)
    first = m.fill_value
    m.fill_value = 3.0
    return first * x[0] + m.fill_value * x[1] + np.sum(m.filled() * w)


def invalid_under_a_mask(x, w):
    m = np.ma.masked_invalid([1.0, np.nan, 3.0, 7.0])
    taken = m.take(1) is np.ma.masked
    return np.ma.median(m) * x[0] + np.sum(w) * taken + x[1] * (np.isnan(m[1]) is np.ma.masked)


def extremes_are_numbers(x, w):
    m = np.ma.masked_array(x * w, [0, 1, 0, 1])
    return np.sum(w) * isinstance(m.max(), np.ndarray) + m.max() * isinstance(m.min(), float) + m.min() * x[0]


PROGRAMS = (masked_below, statistics_of_masked, written_under_a_mask, told_by_functions, through_functions_in_python)
PROGRAMS += (asked_item_by_item, asked_for_its_type, nothing_invalid, two_dimensions, in_another_shape)
PROGRAMS += (filled_otherwise, extremes_are_numbers, invalid_under_a_mask)

CASES = (
    *(row(f, lambda: (normal(1, 4), uniform(2, 4)), "x, w") for f in PROGRAMS),
    row(masked_below, lambda: (uniform(1, 4), uniform(2, 4)), "x, w", tag="none"),
)
