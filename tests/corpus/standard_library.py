"""Functions of the standard library that are written in C: what they do to numbers and containers of the program."""

from __future__ import annotations

import bisect
import cmath
import itertools
import math
import operator

import numpy as np

from tests.corpus.case import row, uniform


def operators(x):
    items = [x[0], x[1], x[2]]
    total = (
        operator.getitem(items, 1) + operator.neg(x[0]) + operator.pos(x[1]) + operator.concat(items, [x[1] * 3])[-1]
    )
    operator.delitem(items, 0)
    operator.setitem(items, 0, x[2] * x[1])
    total = total + operator.imod(x[2] + 1.0, x[0]) + operator.ipow(x[0], 2) + operator.ifloordiv(x[2], 0.3) * x[1]
    longer = operator.iconcat(items, [x[0]])
    total = total + abs(operator.abs(-x[0])) + (x[0] if operator.is_(longer, items) else 0.0)
    total = total + (x[1] if operator.is_not(longer, items) else x[2]) + operator.countOf([1, 2, 1], 1) * x[0]
    return total + sum(items)


def halves_of_a_table(x):
    table = [0.1, 0.5, 1.0, 2.0]
    first, last = bisect.bisect_left(table, x[0], 1, 3), bisect.bisect_right(table, x[0], lo=2)
    return table[first] * x[0] + bisect.bisect(table, x[1]) * x[1] + last * x[2]


def of_complex_numbers(x):
    size, phase = cmath.polar(cmath.rect(x[0], x[1]) * x[2])
    return size * 2.0 + phase


def parts_of_numbers(x):
    rest, whole = math.modf(x[2] * 3.3)
    return rest * 3.0 + whole * x[0]


def counted_and_skipped(x):
    count = itertools.count(x[0], 0.5)
    total = next(count) * next(count)
    return total + sum(itertools.islice(list(x), 0, 3, 2)) + sum(itertools.islice(itertools.count(x[1]), 1, 8, 3))


def largest_of_lists(x):
    pairs = [[x[0], x[1]], [x[1], x[2]], [x[0], x[2]]]
    return max(pairs)[0] * 2.0 + min(pairs)[1] * 5.0


def lengths_of_data(x):
    from numpy import bincount, newaxis

    counts = bincount((x * 5.0).astype(int), x)
    times = np.arange(0.0, x[0] * 9.0, x[1], dtype=float)
    return np.sum(counts * np.arange(len(counts))) + np.sum(times * times) + np.sum(x[:, newaxis] * x[newaxis])


def masked_by_place(x):
    y = x * 1.0
    np.putmask(y, y > 0.5, [7.0, 8.0])
    z = x * 2.0
    np.place(z, z > 0.3, [5.0, 6.0])
    np.place(z, z < 5.5, np.ravel(x**2))
    return np.sum(y * x) + np.sum(z * np.arange(1.0, 4.0)) + np.vdot(x[:2].reshape(1, 2), x[1:])


def numbers():
    return (uniform(4, 3),)


FUNCTIONS = (operators, halves_of_a_table, of_complex_numbers, parts_of_numbers, counted_and_skipped)
FUNCTIONS += (largest_of_lists, lengths_of_data, masked_by_place)
CASES = (*(row(f, numbers, "x") for f in FUNCTIONS),)
