"""Functions that are called several times with arguments of the same kind, or with the same arguments."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, rv_continuous

from tests.corpus.case import row, uniform

SCALE = np.array([0.5, 1.5, 2.5])


def bent(a, x):
    b = a * x
    b[1:] += 0.5 * b[:-1] ** 2
    for k in range(len(x)):
        b[k] = np.sin(b[k]) + SCALE[k] * x[k]
    return b


def hermite(i, t, distance, a):
    if t < 0 or t > i:
        return 0.0
    if i == t == 0:
        return np.exp(-a * distance * distance)
    return hermite(i - 1, t - 1, distance, a) / a - hermite(i - 1, t, distance, a) * distance


def doubled(v):
    v *= 2.0
    return v


def first_of(v):
    return v[:2]


def clipped(v):
    if v[0] > 1.0:
        return v * v
    return 3.0 * v


def pair(v):
    return np.sum(v), v + 1.0


def with_default(v, scale=1.5, shift=None):
    return v * scale if shift is None else v * scale + shift


def called_on_other_arrays(x):
    a = bent(0.3, x)
    b = bent(0.3, a)
    c = bent(0.3, b + x)
    d = bent(0.7, x)
    return np.sum(a * b + c * d)


def result_changed_in_place(x):
    a = bent(0.3, x)
    b = bent(0.3, x)
    a[0] = 2.0
    c = bent(0.3, x)
    c *= a
    return np.sum(a + 2.0 * b + c * c)


def argument_changed_in_between(x):
    y = x * 1.0
    a = bent(0.3, y)
    y[1] = a[0]
    b = bent(0.3, y)
    y += b
    return np.sum(a * b) + np.sum(bent(0.3, y))


def in_loops_and_branches(x):
    total = 0.0
    for k in range(4):
        y = bent(0.3, x)
        if y[0] > 0.6:
            total = total + np.sum(bent(0.3, y * x[k % 3]))
        else:
            total = total - np.sum(bent(0.3, x))
        x = 0.5 * x + 0.1 * bent(0.3, x)
    return total + np.sum(bent(0.3, x))


def argument_written_by_the_call(x):
    y = x * 1.0
    a = doubled(y)
    b = doubled(y)
    c = doubled(y)
    return np.sum(a * b * c * x)


def part_of_the_argument(x):
    y = x * 1.0
    a, b, c = first_of(y), first_of(y), first_of(y)
    a[0] = 5.0
    return np.sum(a * b) + np.sum(c * y[:2])


def decided_by_data(x):
    a, b, c = clipped(x), clipped(2.0 * x), clipped(3.0 * x)
    return np.sum(a * b * c)


def several_results(x):
    a, u = pair(x)
    b, v = pair(u)
    c, w = pair(v * x)
    return a * b * c + np.sum(u * v * w)


def defaults_and_keywords(x):
    a = with_default(x)
    b = with_default(a, shift=x[0])
    c = with_default(b, 2.0)
    d = with_default(v=c, scale=1.5, shift=None)
    return np.sum(a * b + c * d)


def of_transposes(m):
    a = np.linalg.inv(m + 2.0 * np.eye(3))
    b = np.linalg.inv(a.T + np.eye(3))
    c = np.linalg.inv(b.T)
    d = np.linalg.inv(c[::-1, ::-1])
    return np.sum(a * b) + np.sum(c.ravel() * d.ravel()) + np.linalg.det(d) * np.linalg.det(c)


def recursion_on_numbers(x):
    total = 0.0
    for i in range(6):
        for t in range(i + 1):
            total = total + hermite(i, t, x[0] - x[1], x[2])
    return total


def equal_numbers_in_a_loop(x):
    s = x[0] * 1.0
    total = hermite(4, 1, s, x[2])
    for _ in range(3):
        total = total + hermite(4, 1, s, x[2])
        s = 0.5 * s
    return total + hermite(4, 1, s, x[2])


def equal_numbers_on_one_side(x):
    total = hermite(3, 1, x[0], x[1])
    if total > 0.0:
        total = total + hermite(3, 2, x[0], x[1])
    else:
        total = total * hermite(3, 2, x[0], x[1])
    x[0] = 0.5 * x[0]
    return total * hermite(3, 1, x[0], x[1]) + hermite(3, 2, x[0], x[1])


def number_taken_up(x):
    a = hermite(3, 1, x[0], x[1])
    b = hermite(3, 1, x[0], x[1])
    a += 1.0
    for k in range(3):
        b = b * x[k]
    return a * b + hermite(3, 1, x[0], x[1])


def waved(x, h):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * h + np.exp(-h * x[i])
    return y


def with_numbers_that_count(x):
    total = 0.0
    for k in range(3):
        total += np.sum(waved(x, 0.5 * k) + 2 * waved(x, 0.25 * k) + 3 * waved(x, 0.125 * k))
    for k in range(2):
        for j in range(3):
            total += np.sum(waved(x, 0.25 * k + j) ** 2)
    return total + np.sum(waved(x, x[1]))


PRIMES = np.array([2, 3, 5])


def factorial(n):
    result = 1
    for i in range(2, n + 1):
        result = result * i
    return result


def quadrature(n, verbose=False):
    """Nodes and weights of Gauss and Legendre, by Newton's method."""
    x, w = np.zeros(n), np.ones(n)
    for i in range(n):
        z, moved = np.cos(np.pi * (i + 0.75) / (n + 0.5)), 1.0
        while abs(moved) > 1e-14:
            p, before = 1.0, 0.0
            for j in range(n):
                p, before = ((2 * j + 1) * z * p - j * before) / (j + 1), p
            slope = n * (z * p - before) / (z * z - 1)
            moved = p / slope
            z = z - moved
        if verbose:
            print(z)
        x[i], w[i] = z, 2 / ((1 - z * z) * slope * slope)
    return x, w


def of_a_table(n):
    table = np.array([0, n], dtype=object)
    for i in range(3):
        table = np.vstack((table, np.array([PRIMES[i] * factorial(i), n], dtype=object)))
    return float(table[3, 0])


def tables_of_numbers(x):
    nodes, weights = quadrature(5)
    total = np.sum(weights * np.exp(x[0] * nodes)) * factorial(3) + x[1] * of_a_table(2)
    nodes[1] = x[2]
    return total + np.sum(x[1] * nodes) + x[2] * quadrature(5)[0][1]


def whole_table(n):
    for _ in range(n):
        n = n + 1
    return PRIMES


def part_of_the_table(n):
    return whole_table(n)[1:], n


def tables_that_are_not_made(x):
    table, (part, _) = whole_table(2), part_of_the_table(3)
    table[0], part[0] = 7, 11
    total = PRIMES[0] * x[0] + PRIMES[1] * x[1] + whole_table(2)[2] * x[2]
    table[0], part[0] = 2, 3
    return total


def price(spot, strike):
    d = np.log(spot / strike) + 0.1
    return spot * norm.cdf(d) - strike * norm.cdf(d - 0.2) + norm.pdf(d) + norm.logsf(d, 0.1, scale=2.0)


def normal_numbers(x):
    return price(x[0] + 2.0, 2.0) + price(x[1] + 2.0, 2.1) * price(x[2] + 2.0, 1.9) + np.sum(norm.cdf(x, x[1]))


class Steep(rv_continuous):
    rate = 1.0

    def _cdf(self, x):
        return 1.0 - np.exp(-self.rate * x)


def distribution_of_the_programs_own(x):
    steep = Steep(a=0.0)
    total = steep.cdf(x[0] + 1.0)
    for rate in (2.0, 3.0, 0.5):
        steep.rate = rate
        total = total + steep.cdf(x[1] + 1.0)
    return total


def means_of_numpys_python(x):
    total = 0.0
    for k in (1.0, 2.0, 3.0, 4.0):
        total = total + np.average(x * k, weights=x + k) * np.trapezoid(x**k, dx=0.5)
    return total + np.trapezoid(x, dx=x[0])


FUNCTIONS = (
    *(normal_numbers, distribution_of_the_programs_own, means_of_numpys_python),
    *(called_on_other_arrays, result_changed_in_place, argument_changed_in_between, in_loops_and_branches),
    *(argument_written_by_the_call, part_of_the_argument, decided_by_data, several_results, defaults_and_keywords),
    *(recursion_on_numbers, equal_numbers_in_a_loop, equal_numbers_on_one_side, number_taken_up),
    *(with_numbers_that_count, tables_of_numbers, tables_that_are_not_made),
)
CASES = tuple(row(f, lambda: (uniform(3, 3),), "x") for f in FUNCTIONS)
CASES += (row(of_transposes, lambda: (uniform(4, 3, 3),), "m"),)
