"""`while` loops that count, those whose conditions are known before the run, and those that data end."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import row, spread, uniform


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


def relaxed(u, tolerance):
    change = 1.0
    while change > tolerance:
        old = u.copy()
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        change = np.max(np.abs(u - old))
    return np.sum(u * u) + change


def iterated(a, tolerance=1e-9):
    z = a
    while True:
        nearer = 0.5 * (z + a / z)
        if abs(nearer - z) < tolerance:
            return nearer
        z = nearer


def sum_of_iterated(x):
    return sum(k * iterated(v) for k, v in enumerate(x, start=1))


def eccentric_anomalies(mean, eccentricity):
    found = np.zeros_like(mean)
    for k in range(len(mean)):
        guess, step = mean[k], 1.0
        while abs(step) > 1e-12:
            step = (guess - eccentricity * np.sin(guess) - mean[k]) / (1 - eccentricity * np.cos(guess))
            guess -= step
        found[k] = guess
    return np.sum(found * found)


def steps_of_their_own(y, end):
    t, h = 0.0, 0.1
    while t < end:
        h = min(h, end - t)
        first = -(y**2)
        error = np.max(np.abs(0.5 * h * (first + (y + h * first) ** 2)))
        if error < 1e-3:
            y, t = y + 0.5 * h * (first - (y + h * first) ** 2), t + h
        h *= 0.9 * min(2.0, np.sqrt(1e-3 / error))
    return np.sum(y)


def chained(x, first, following):
    total = 0.0
    for head in first:
        i = head
        while i >= 0:
            j = following[i]
            while j >= 0:
                total += x[i] * x[j] * (i + 2)
                j = following[j]
            i = following[i]
    return total


def shrunk(x, least):
    size, n = np.sum(x), 0.0
    while size > least:
        n += 1
        if x[0] * n % 2 < 1:
            continue
        size *= 0.7
        if size < 0.1 * least:
            return size * n
    else:
        size = 2.0 * size
    return size * x[1] * n


def many_small_steps(x):
    t = 0.0
    while t < 1.0:
        x = x + 0.002 * np.sin(x)
        t += 0.002
    return np.sum(x * x)


def several_exits(x, most):
    t, h = 0.0, 0.5
    while True:
        slope = -x * x
        error = h * h * np.max(np.abs(slope * x))
        if error > 0.02:
            h *= 0.5  # the step is rejected
            if h < 1e-4:
                return np.sum(x) * h
            continue
        x, t = x + h * slope, t + h
        if t > most:
            break
        if np.max(x) < 0.2:
            return np.sum(x * x) + t
        h *= 1.5
    return np.sum(x**3) * t


def sweeps_within_steps(x, tolerance, end):
    t = 0.0
    while t < end:
        y, change = x, 1.0
        while change > tolerance:
            new = x - 0.3 * np.sin(y)
            change = np.max(np.abs(new - y))
            y = new
        x = y * (1.0 + 0.1 * t)
        t += 0.25 + 0.1 * np.max(np.abs(x))
    return np.sum(x * x)


def last_norm(x, a, tolerance):
    while (size := np.sqrt(np.sum(x * x))) > tolerance:
        x = x * a
    return size * np.sum(a)


def long_with_changing_shapes(x):
    n, k, total = len(x), 0, 0.0
    while k < 40:
        part = x[: n - k % 3]
        for j in range(13):
            part = part * (1.0 + 0.01 * j * part[: len(part)])
        total, k = total + np.sum(part) * x[k % n], k + 1
    return total


def first_of(x):
    if len(x) == 1:
        return x[0] * 1.0, np.zeros_like(x)
    return x[0] * x[1], x / x[0]


def tails_read_again(x):
    """A jump of the inner loop makes that all is read again, with other variables of the loops."""
    total = np.sum(x * x)
    while total > 1.0:
        for i in range(len(x)):
            first, rest = first_of(x[i:].copy())
            x[i:] = 0.3 * x[i:] * rest[0] + 0.1 * first
        scale = x[0] * 0.5
        for k in range(1, len(x)):
            if x[k] > 1.5:
                break
            scale = scale + 0.1 * x[k]
        x[0] = scale
        total = np.sum(x * x)
    return total


def butterflies(x, w, levels):
    """A transform by halves, whose steps are powers of the level."""
    a = np.outer(x, w[:4]).reshape(16)
    for level in range(1, levels + 1):
        size = 2**level
        for start in range(0, 16, size):
            for k in range(size // 2):
                even, odd = a[start + k], a[start + k + size // 2] * np.cos(k / size)
                a[start + k], a[start + k + size // 2] = even + odd, even - odd
    return np.sum(a * np.arange(16) * w[0])


def doubled_steps(x, w):
    a, size = np.outer(x, w[:4]).reshape(16), 2
    while size <= 16:
        for start in range(0, 16, size):
            a[start] = a[start] + a[start + size // 2] * size
        size *= 2
    return a[0] * w[0] + np.sum(a * a)


CASES = (
    row(butterflies, lambda: (uniform(1, 4), uniform(2, 5), 4), "x, w"),
    row(doubled_steps, lambda: (uniform(1, 4), uniform(2, 5)), "x, w"),
    row(until_it_converges, lambda: (uniform(1, 5), uniform(2, 5), 1e-2, 20), "x, a"),
    row(sum_of_roots, lambda: (uniform(2, 4),), "x"),
    row(sweeps_both_ways, lambda: (spread(3, 6), 4), "x"),
    row(halves, lambda: (uniform(4, 6),), "x"),
    row(searched, lambda: (np.array([0.1, -0.3, 0.4, 0.9, 0.2]),), "x"),
    row(relaxed, lambda: (uniform(5, 5, 5), 1e-2), "u"),
    row(sum_of_iterated, lambda: (uniform(2, 4),), "x"),
    row(eccentric_anomalies, lambda: (uniform(6, 3), 0.4), "mean, eccentricity"),
    row(steps_of_their_own, lambda: (uniform(7, 3), 0.5), "y"),
    row(chained, lambda: (uniform(8, 6), np.array([3, 1]), np.array([-1, 5, 0, 4, 2, -1])), "x"),
    row(shrunk, lambda: (uniform(9, 4), 0.6), "x"),
    row(many_small_steps, lambda: (uniform(4, 3),), "x"),
    row(several_exits, lambda: (uniform(11, 3), 2.0), "x"),
    row(sweeps_within_steps, lambda: (uniform(12, 3), 1e-3, 1.0), "x"),
    row(long_with_changing_shapes, lambda: (uniform(15, 4),), "x"),
    row(last_norm, lambda: (uniform(13, 3), uniform(14, 3, low=0.4, high=0.9), 0.3), "x, a"),
    row(tails_read_again, lambda: (np.linspace(1.0, 2.0, 5),), "x"),
)

OTHER_ENDS = {
    until_it_converges: (uniform(1, 5), uniform(2, 5), 1e-6, 20),
    searched: (np.array([0.1, -0.3, 0.4, 0.2, 0.9]),),
    relaxed: (uniform(5, 5, 5), 1e-4),
    eccentric_anomalies: (uniform(6, 3), 0.8),
    steps_of_their_own: (uniform(7, 3), 1.5),
    shrunk: (uniform(9, 4), 0.1),
    several_exits: (uniform(11, 3), 9.0),
    sweeps_within_steps: (uniform(12, 3), 1e-6, 2.5),
    last_norm: (uniform(13, 3), uniform(14, 3, low=0.4, high=0.9), 5.0),
    tails_read_again: (np.linspace(3.0, 4.0, 5),),
}
"""Arguments with which other loops end later, or earlier."""
