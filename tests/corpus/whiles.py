"""`while` loops that count, and those whose conditions are known before the run."""

from __future__ import annotations

import numpy as np

from .case import row, spread, uniform


def until_it_converges(x, a, tolerance, most):
    n, change = 0, 1.0
    while change > tolerance and n < most:
        y = 0.5 * (x + a / x)
        change = np.sum(np.abs(y - x))
        x = y
        n += 1
    return np.sum(x * x) * n


def root(a, most=30):
    z, n = a, 0
    while abs(z * z - a) > 1e-10 and n < most:
        z = 0.5 * (z + a / z)
        n += 1
    return z


def sum_of_roots(x):
    return sum(root(v) * k for k, v in enumerate(x, start=1))


def sweeps_both_ways(x, n):
    i, j = 0, len(x) - 1
    while i < n:
        x[i + 1] += x[i] * x[i + 1]
        i += 1
    i = n
    while i >= 1:
        i -= 1
        x[i] += x[i + 1] * x[i]
        if x[i] < -0.9:
            continue
        x[j] = 2.0 * x[j] + i
    return np.sum(x * x) * i


def halves(x):
    n, total = len(x), 0.0
    while n > 1:
        total += x[:n].sum() * x[n - 1]
        n //= 2
    t, dt = 0.0, 0.25
    while t < 1.0:
        x = x + dt * x * (1.0 - x)
        t += dt
    return total + np.sum(x)


def searched(x):
    k = 0
    while k < len(x):
        if x[k] > 0.5:
            break
        x[k] *= x[k]
        k += 1
    return x[k] * np.sum(x) * (k + 1)


CASES = (
    row(until_it_converges, lambda: (uniform(1, 5), uniform(2, 5), 1e-2, 20), "x, a"),
    row(sum_of_roots, lambda: (uniform(2, 4),), "x"),
    row(sweeps_both_ways, lambda: (spread(3, 6), 4), "x"),
    row(halves, lambda: (uniform(4, 6),), "x"),
    row(searched, lambda: (np.array([0.1, -0.3, 0.4, 0.9, 0.2]),), "x"),
)
