"""Programs with loops that data end, for checkpoints that are placed while a loop runs."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import row, uniform


def jacobi(a, b, tolerance):
    x, change = np.zeros_like(b), 1.0
    while change > tolerance:
        y = (b - a * (np.roll(x, 1) + np.roll(x, -1))) / (3.0 + x * x)
        change = np.max(np.abs(y - x))
        x = y
    return np.sum(x * x) * (1.0 + change)


def newton(x, tolerance):
    """Several arrays of state, and locals that are read after the loop."""
    low, high, slope = 0.0 * x, 2.0 + x, x
    while np.max(high - low) > tolerance:
        middle = 0.5 * (low + high)
        slope = middle * middle * middle - x
        low = np.where(slope < 0.0, middle, low)
        high = low + 0.6 * (high - low)
    return np.sum(low * x) + np.sum(middle * slope)


def adaptive(x, end):
    """Branches: steps that are rejected."""
    t, h = 0.0, 0.2
    while t < end:
        slope = -x * x
        error = h * h * np.max(np.abs(slope * x))
        if error > 0.004:
            h *= 0.5
        else:
            x, t = x + h * slope, t + h
            h *= 1.3
    return np.sum(x**3) * t


def several_exits(x, most):
    n = 0
    while True:
        x = x - 0.1 * x * x
        n += 1
        if np.max(x) < 0.3:
            return np.sum(x * x) + n
        if n > most:
            break
        x = x * (1.0 + 0.01 * n)
    return np.sum(x) * n


def while_in_for(x, tolerance):
    for k in range(3):
        change, y = 1.0, x
        while change > tolerance:
            new = x - 0.4 * y * y
            change = np.max(np.abs(new - y))
            y = new
        x = y * (1.0 + 0.1 * k)
    return np.sum(x * x)


def for_in_while(x, tolerance):
    change = 1.0
    while change > tolerance:
        before = x
        for k in range(4):
            x = x - 0.05 * (k + 1) * x * x
        change = np.max(np.abs(x - before))
    return np.sum(x * x) + change


def while_in_while(x, tolerance):
    t = 0.0
    while t < 1.0:
        y, change = x, 1.0
        while change > tolerance:
            new = x - 0.3 * y * y
            change = np.max(np.abs(new - y))
            y = new
        x = y * (1.0 + 0.1 * t)
        t += 0.25 + 0.1 * np.max(np.abs(x))
    return np.sum(x * x)


def left_early(x, limit):
    """A `for` loop that data leave."""
    total = 0.0
    for k in range(40):
        x = x * (1.1 - 0.2 * x)
        total += np.sum(x) * k
        if total > limit:
            break
    return total * np.max(x)


def overwritten(x, tolerance):
    """In the caller's array, row by row."""
    change = 1.0
    while change > tolerance:
        old = x.copy()
        for i in range(1, x.shape[0] - 1):
            x[i] = 0.5 * (x[i - 1] + x[i + 1]) - 0.1 * x[i] * x[i]
        change = np.max(np.abs(x - old))
    return np.sum(x * x)


CASES = (
    row(jacobi, lambda: (uniform(1, 4), uniform(2, 4), 1e-4), "a, b"),
    row(newton, lambda: (uniform(3, 4), 1e-3), "x"),
    row(adaptive, lambda: (uniform(4, 3), 3.0), "x"),
    row(several_exits, lambda: (uniform(5, 3), 30), "x"),
    row(several_exits, lambda: (uniform(5, 3), 4), "x"),
    row(while_in_for, lambda: (uniform(6, 3), 1e-4), "x"),
    row(for_in_while, lambda: (uniform(7, 3), 2e-2), "x"),
    row(while_in_while, lambda: (uniform(8, 3), 1e-3), "x"),
    row(left_early, lambda: (uniform(9, 3), 60.0), "x"),
    row(overwritten, lambda: (uniform(10, 5, 2), 2e-2), "x"),
)
"""Each runs for seven to forty iterations."""
