"""Tuples of numbers that loops choose from lists of them, and lists of tuples and complex numbers that they replace."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tests.corpus.case import normal, row

N = 60
PAIRS = [(k % 7, (3 * k + 1) % 7) for k in range(N)]
MANY = [((k % 7, (3 * k + 1) % 7), 0.1 * (k % 5), True, "kg") for k in range(700)]
ORDER = np.random.default_rng(0).permutation(700)
WEIGHTS = [(0.1, 1), (0.2, 2), (0.3, 3), (0.4, 4), (0.5, 5)]
Pair = namedtuple("Pair", "a b")


def step(x, a, b):
    x[a] = x[a] * 0.9 + 0.1 * np.sin(x[b])


def chosen_by_counting(x):
    for i in range(N):
        a, b = PAIRS[i]
        step(x, a, b)
    return np.sum(x**2)


def chosen_from_the_end(x):
    s = 0.0
    for i in range(N):
        p = PAIRS[-i - 1]
        s = s + x[p[0]] * x[p[1]] * i
    return s


def chosen_in_any_order(x):
    for i in ORDER:
        (a, b), w, is_used, unit = MANY[i]
        if is_used and unit == "kg":
            x[a] = x[a] * 0.9 + 0.1 * w * np.sin(x[b])
    return np.sum(x**2)


def chosen_by_data(x):
    s = 0.0
    for i in range(N):
        w, b = WEIGHTS[int(abs(x[i % 7]) * 3) % 5]
        s = s + w * x[b] ** 2
    return s


def chosen_in_loops_of_loops(x):
    pairs = tuple(PAIRS)
    s = 0.0
    for i in range(N):
        a, b = pairs[i]
        for j in range(N):
            c, d = pairs[j]
            s = s + x[a] * x[c] * (b + 2 * d)
    return s


def tuples_of_data(x):
    rows = [(0.1 * x[k % 7], k % 7) for k in range(N)]
    for i in range(N - 1, -1, -1):
        w, b = rows[i]
        x[b] = x[b] * 0.9 + w * np.sin(x[b])
    return np.sum(x**2)


def compared_and_kept(x):
    s, kept = 0.0, []
    for i in range(N):
        p = PAIRS[i]
        kept.append(p)
        if p == (0, 1) or p in ((1, 4),):
            s = s + x[p[0]] ** 2
        else:
            s = s + x[p[1]]
    return s * len(kept) + x[kept[5][0]]


def written_after_it_is_read(x):
    pairs = [*PAIRS]
    for i in range(N):
        a, b = pairs[i]
        step(x, a, b)
        pairs[(i + 1) % N] = (b, a)
    return np.sum(x**2) + sum(p[0] for p in pairs)


def written_before_it_is_read(x):
    pairs = [*PAIRS]
    for i in range(N):
        pairs[i] = (pairs[i][1], 3)
        a, b = pairs[i]
        step(x, a, b)
    return np.sum(x**2)


def grown_while_it_is_read(x):
    pairs = [(0, 1)]
    for i in range(N):
        a, b = pairs[i]
        step(x, a, b)
        pairs.append((b, (a + b + 1) % 7))
    return np.sum(x**2)


def replaced_on_one_side(x):
    pairs = PAIRS[:10]
    for i in range(10):
        a, b = pairs[i]
        step(x, a, b)
        if i == 5:
            pairs = [(b, a) for a, b in pairs]
    return np.sum(x**2)


def sizes_and_slices(x):
    s = 0.0
    for i in range(10):
        a, b = PAIRS[i]
        for k in range(a):
            s = s + x[k] * b
        s = s + np.sum(x[min(a, b) : max(a, b)])
    return s


def named_tuples(x):
    pairs = [Pair(*p) for p in PAIRS[:20]]
    for i in range(20):
        step(x, pairs[i].a, pairs[i].b)
    return np.sum(x**2)


def new_tuples(x):
    z = [(0.1 * k, x[k]) for k in range(6)]
    for _ in range(N):
        z = [(a * 0.9 + 0.1 * np.sin(b), b - 0.1 * a) for a, b in z]
    return sum(a**2 + b for a, b in z)


def new_tuples_on_one_side(x):
    z = [(0.1 * k, x[k]) for k in range(6)]
    old, p = z, z[0]
    for i in range(N):
        if x[0] * i > 3:
            z = [(b, a * 0.99) for a, b in z]
        p = z[1]
    return sum((k + 1) * a**2 + b for k, (a, b) in enumerate(z)) + sum(a * b for a, b in old) + p[0] * p[1]


def tuples_that_change_places(x):
    z = [(0.1 * k, x[k]) for k in range(6)]
    for i in range(N):
        if i % 3 == 1:
            z = [(b, a * 0.99) for a, b in z]
        else:
            z[0], z[1] = z[1], z[0]
    return sum((k + 1) * a**2 + b for k, (a, b) in enumerate(z))


def new_complex_numbers_on_one_side(x):
    z = [complex(0.1 * k, x[k]) for k in range(6)]
    s = 0.0
    for i in range(N):
        s = s + abs(z[1]) ** 2 * 0.01
        if i % 2 == 0:
            z = [a * (0.9 + 0.1j) + 0.01 * b for a, b in zip(z, z[1:] + z[:1])]
    return s + sum(abs(a) ** 2 for a in z)


STAGED = (chosen_by_counting, chosen_from_the_end, chosen_in_any_order, chosen_in_loops_of_loops)
STAGED += (new_tuples, new_tuples_on_one_side, new_complex_numbers_on_one_side)
OTHERS = (chosen_by_data, compared_and_kept, written_after_it_is_read, written_before_it_is_read)
OTHERS += (
    tuples_of_data,
    grown_while_it_is_read,
    replaced_on_one_side,
    sizes_and_slices,
    named_tuples,
    tuples_that_change_places,
)

CASES = tuple(row(function, lambda: (normal(6, 7),), "x") for function in (*STAGED, *OTHERS))
