"""Two names of one array: what happens to the other name when one is bound anew or written in place."""

from __future__ import annotations

import operator

import numpy as np

from tests.corpus.case import row, uniform


def both_rebound_in_loop(a):
    x = 2.0 * a
    y = x
    for _ in range(3):
        x = x + a
        y = 0.5 * y
    return np.sum(x * y)


def view_made_in_the_first_iteration(a):
    for i in range(4):
        if i == 0:
            x = 2.0 * a
            y = x[1:]
        else:
            x = x * a
    return np.sum(x) * np.sum(y)


def view_written_before_its_array_is_rebound(a):
    x = 2.0 * a
    y = x[1:]
    for _ in range(3):
        y *= 0.9
        x = x * a
    return np.sum(x) * np.sum(y)


def array_written_before_it_is_rebound(a):
    x = 2.0 * a
    y = x
    for _ in range(4):
        x[0] = 1.5 * a[0]
        y[1] += x[0]
        x = x * a
    return np.sum(x * y)


def rebound_in_a_branch_in_a_loop(a):
    x = 2.0 * a
    y = x
    for _ in range(3):
        if a[0] > 0.0:
            x[0] = 3.0 * a[1]
            x = x * a
            x[1] = a[2]
        else:
            x = x + a
    return np.sum(x * y)


def rebound_in_the_inner_loop(a):
    x = 2.0 * a
    y = x[1:]
    for _ in range(3):
        for _ in range(2):
            x *= 0.9
            x = x * a
            y *= 0.9
    return np.sum(x) * np.sum(y)


def rebound_or_written(a):
    x = 2.0 * a
    for _ in range(2):
        y = x
        if a[1] < 1.0:
            x = x + a
        else:
            x[0] = 2.0
            y[1] = a[0]
    return np.sum(x * y)


def view_renewed_at_the_end_of_the_body(a):
    x = 2.0 * a
    y = x[1:]
    for _ in range(3):
        x = x * a
        y = x[1:]
    return np.sum(x) * np.sum(y)


def written_after_a_loop_that_rebinds(a):
    x = 2.0 * a
    y = x
    for _ in range(3):
        x = x + a
    y[0] = 1.0
    return np.sum(x) * np.sum(y)


def vector():
    return (uniform(1, 4),)


def exchanged_without_axes(x, y):
    first = x
    for _ in range(2):
        x, y = y, x
    x[...] = 2.0 * y * y
    return first * y


def small_integers_are_one_object(a, n, ways):
    zero, two, fast = 0, 2, "fast"
    total = np.sum(a) * (2.0 if n is two else 3.0) * (5.0 if ways["way"] is fast else 7.0)
    for i in range(n + 3):
        total = total + a[0] if i is zero else total * (1.5 if operator.is_not(i, two) else a[1])
    return total


def index_arrays_around_nothing(a):
    table = np.reshape(a[:3, None, None] * np.arange(20.0).reshape(1, 4, 5), (3, 4, 5))
    table[:, [2, 3], ..., [0, 4]] = np.arange(6.0).reshape(2, 3) * a[0]
    return np.sum(table[:, [0, 3], ..., [1, 4]] @ a[:3] + table[:, 2, ..., [0, 1]] @ a[:3])


def two_names_of_what_a_branch_makes(a):
    first, second = np.ones(a.shape), np.ones(a.shape)
    if a[0] > 0.0:
        first = second = a * np.arange(4.0)
    first += a
    return np.sum(first * second)


def two_names_of_what_an_iteration_makes(a):
    held, seen = [np.ones(a.shape), np.ones(a.shape)], a
    for i in range(3):
        held[1] += seen
        seen = held[0] = held[1] = a * float(i)
        seen *= a
    held[0] += 1.0
    return np.sum(held[1] * seen)


def result_in_an_array(a):
    out = np.zeros(a.shape)
    found, other = np.cos(a, out), np.sin(a, out=np.zeros(a.shape))
    return np.sum(found * other) * (2.0 if found is out else 3.0) * (5.0 if other is out else 7.0)


def two_names_of_an_array_turned_on_one_side(a):
    u, w = a * 1.0, a
    if np.sum(a) < 1e3:
        u = w = u[::-1]
    return np.sum(u * np.cos(a)) + np.sum(w * np.sin(a))


def two_names_of_an_array_turned_in_a_loop(a):
    u, w = a * 1.0, a
    for _ in range(31):
        u = w = u[::-1]
    u[0] = 0.9 * w[1]
    return np.sum(u * np.cos(a)) + np.sum(w * np.sin(a))


def pairs_of_turned_arrays(a):
    x, y = a, np.cos(a)
    u, w = x * 1.0, y * 2.0
    p, q = u, w
    if np.sum(y) < 1e3:
        (u, w) = (p, q) = (w[::-1], u[::-1])
    return np.sum(u * p * y) + np.sum(w * q * x)


def copies_by_names_of_modes(a):
    modes, y = np._CopyMode, a * 2.0
    same, other = np.array(y, copy=modes.IF_NEEDED), np.array(y, copy=modes.ALWAYS)
    same[0], other[1] = a[1] ** 2, a[2]
    np.asarray(y, copy=modes.NEVER)[2] = a[0] ** 3
    return np.sum(y * np.cos(a)) + np.sum(other * np.sin(a))


def known_arrays_given_back(a):
    """What NumPy gives back without a copy is one with what it was made of."""
    k, m = np.array([1, 2, 3]), np.array([1, 2, 3])
    row, whole = np.array(k, copy=False, ndmin=2), np.array(m, copy=None)
    row[0, 0] = 5
    whole[1] = 7
    return np.sum(a * k[0] + a**2 * m[1]) if whole is m else np.sum(a)


def given_back_by_another_name(a):
    same, other, deep = np.array(a, copy=None), np.array(a), np.array(a, copy=np._CopyMode.IF_NEEDED)
    return np.sum(a * 2.0) if same is a and other is not a and deep is a else np.sum(a * 3.0)


CASES = tuple(
    row(f, vector, "a")
    for f in (
        both_rebound_in_loop,
        view_made_in_the_first_iteration,
        view_written_before_its_array_is_rebound,
        array_written_before_it_is_rebound,
        rebound_in_a_branch_in_a_loop,
        rebound_in_the_inner_loop,
        rebound_or_written,
        view_renewed_at_the_end_of_the_body,
        written_after_a_loop_that_rebinds,
        index_arrays_around_nothing,
        result_in_an_array,
        two_names_of_what_a_branch_makes,
        two_names_of_what_an_iteration_makes,
        two_names_of_an_array_turned_on_one_side,
        two_names_of_an_array_turned_in_a_loop,
        pairs_of_turned_arrays,
        copies_by_names_of_modes,
        known_arrays_given_back,
        given_back_by_another_name,
    )
)
CASES += (row(exchanged_without_axes, lambda: (np.array(0.5), np.array(0.7)), "x, y"),)
CASES += (row(small_integers_are_one_object, lambda: (uniform(1, 4), 2, {"way": "fast"}), "a"),)
