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


CASES = (
    row(first_states, lambda: (normal(1, 4), normal(2, 4)), "x, w"),
    row(running_averages, lambda: (normal(3, 4),), "x"),
    row(pairs_of_particles, lambda: (normal(4, 4),), "x"),
    row(cells_of_a_mesh, lambda: (normal(5, 4),), "x"),
    row(made_in_a_loop, lambda: (normal(6, 4), normal(7, 4)), "x, w"),
    row(changed_between_items, lambda: (normal(8, 4), normal(9, 4)), "x, w"),
    row(some_of_the_items, lambda: (normal(10, 5),), "x"),
)
