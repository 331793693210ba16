"""Functions that yield: models that give their states one after another, coroutines, `__iter__` of classes."""

from __future__ import annotations

import itertools

import numpy as np

from tests.corpus.case import normal, row


def states(u, rate):
    while True:
        u = u + rate * np.sin(u)
        yield u


def first_states(x, w):
    total = 0.0
    for u in itertools.islice(states(x, 0.1), 4):
        total += np.sum(u * w)
    for number, u in enumerate(states(w, x)):
        if number == 3:
            break
        total += np.sum(u)
    return total


def _averages():
    total, count, mean = 0.0, 0, None
    while True:
        value = yield mean
        total += value
        count += 1
        mean = total / count


def running_averages(x):
    averages = _averages()
    next(averages)
    return sum(averages.send(v) * v for v in x)


def _pairs(x):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            yield x[i] - x[j], i * j


def pairs_of_particles(x):
    pairs = list(_pairs(x))
    return sum(d**3 * w for d, w in pairs) + sum(d * d for d, _ in _pairs(x)) * len(pairs)


class Cells:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for i in range(len(self.x) - 1):
            yield self.x[i : i + 2]

    def closed(self):
        count = yield from self._counted()
        yield self.x[:1] * count

    def _counted(self):
        yield from self
        return len(self.x)


def cells_of_a_mesh(x):
    mesh = Cells(x * x)
    total = sum(np.prod(cell) for cell in mesh)
    return total + sum(np.sum(cell**2) for cell in mesh.closed())


def made_in_a_loop(x, w):
    total = 0.0
    for i in range(4):
        for u in itertools.islice(states(x[i:], w[i]), 2):
            total += np.sum(u) * w[i]
    return total


def changed_between_items(x, w):
    def walk():
        u = x.copy()
        for k in range(3):
            u[k] *= w[k]
            yield u

    total = 0.0
    for u in walk():
        total += np.sum(u**2)
        u[3] += 1.0
    return total


def some_of_the_items(x):
    def large():
        for v in x:
            if v > 0.1:
                yield v

    return sum(v * v for v in large())


def _windows(x, size, hop):
    first, last = 0, len(x) - size + 1
    for k in range(first, last, hop):
        yield x[k : k + size]


def numbered_windows(x, w):
    spectra = np.zeros((4, 7))
    for number, part in enumerate(_windows(x, 4, 2)):
        part = part - part.mean()
        if part[0] > 0.5:
            continue
        spectra[:, number] += part * w
    return np.sum(spectra**2 * np.arange(7)) + number * np.sum(part)


def _of_windows(x):
    for part in _windows(x, 4, 2):
        for k in range(0, len(part), 2):
            yield part[k] * part[k + 1], k


def through_two_generators(x):
    state = 0.0
    for product, k in _of_windows(x):
        state = 0.9 * state + product * (k + 1)
    return state


def _positive(x):
    for v in x:
        if v > 0:
            yield v**2


def chosen_by_data(x):
    total, count = 0.0, 0
    for square in _positive(x):
        total, count = total + square, count + 1
    return total / count


def _times(step, end):
    t = 0.0
    while True:
        t = t + step
        if t > end:
            return
        yield t


def until_data_end_it(x):
    state = x[0]
    for t in _times(0.3 + 0.1 * x[1] ** 2, 2.0):
        state = np.cos(state) * t
    return state


class Sums:
    def __init__(self, x):
        self.x, self.sum = x, 0.0

    def __iter__(self):
        for k in range(len(self.x)):
            self.sum = self.sum + self.x[k]
            yield self.x[k] * self.sum


def object_changed_by_the_loop(x):
    sums, total = Sums(x), 0.0
    for product in sums:
        total += product
        sums.sum = sums.sum * 0.5
    return total + sums.sum


def left_by_break(x):
    total = 0.0
    for part in _windows(x, 4, 2):
        if part[0] > 0.8:
            break
        total += np.sum(part**3)
    return total


def caught_by_the_caller(x):
    def guarded():
        for v in x:
            try:
                yield v
            except ValueError:
                yield 2.0 * v

    total = 0.0
    try:
        for v in guarded():
            total += v * v
            if len(x) > 3:
                raise ValueError
    except ValueError:
        total += x[1]
    return total


def taken_twice(x):
    products, total = _of_windows(x), 0.0
    for product, k in products:
        total = total * product + next(products)[0] * (k + 1)
    return total


CASES = (
    row(numbered_windows, lambda: (normal(21, 16), normal(22, 4)), "x, w"),
    row(through_two_generators, lambda: (normal(23, 16),), "x"),
    row(chosen_by_data, lambda: (normal(24, 8),), "x"),
    row(until_data_end_it, lambda: (normal(25, 3),), "x"),
    row(object_changed_by_the_loop, lambda: (normal(26, 6),), "x"),
    row(left_by_break, lambda: (normal(27, 16),), "x"),
    row(taken_twice, lambda: (normal(29, 16),), "x"),
    row(caught_by_the_caller, lambda: (normal(28, 5),), "x"),
    row(first_states, lambda: (normal(1, 4), normal(2, 4)), "x, w"),
    row(running_averages, lambda: (normal(3, 4),), "x"),
    row(pairs_of_particles, lambda: (normal(4, 4),), "x"),
    row(cells_of_a_mesh, lambda: (normal(5, 4),), "x"),
    row(made_in_a_loop, lambda: (normal(6, 4), normal(7, 4)), "x, w"),
    row(changed_between_items, lambda: (normal(8, 4), normal(9, 4)), "x, w"),
    row(some_of_the_items, lambda: (normal(10, 5),), "x"),
)
