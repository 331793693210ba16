"""Masks that depend on data: how many elements they select is known only when the program runs."""

from __future__ import annotations

import numpy as np

from .case import row, spread


def selected_before_a_write(x):
    y = x.copy()
    large = y[y > 0.2]
    small = 2.0 * y[y < -0.2]
    y[0], y[3] = 5.0, -5.0
    return np.sum(np.exp(large)) + np.min(large) * np.max(small) + y[1]


def selected_before_a_write_in_a_loop(x, steps):
    y = x.copy()
    for k in range(steps):
        large = y[y > 0.2]
        y[k] = 0.5 * y[k]
        y[-1 - k] += 0.1 * np.sum(np.exp(large))
    return y @ y


def selected_before_a_loop_that_writes(x, steps):
    y = x.copy()
    large = y[y > 0.2]
    for k in range(steps):
        if x[k] > 0.0:
            y[k] = x[k] - np.sum(np.exp(large))
    return y @ y + np.min(large)


CASES = (
    row(selected_before_a_write, lambda: (spread(1, 8),), "x"),
    row(selected_before_a_write_in_a_loop, lambda: (spread(2, 7), 4), "x"),
    row(selected_before_a_loop_that_writes, lambda: (spread(3, 7), 4), "x"),
)
