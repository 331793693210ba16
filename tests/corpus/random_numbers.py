"""Random numbers behind a seed that the program gives: what differences of the program see, too."""

from __future__ import annotations

import random

import numpy as np

from tests.corpus.case import normal, row


def walk_behind_a_seed(x):
    np.random.seed(42)
    kick, count = np.random.randn(5), np.random.randint(2, 4)
    for _ in range(count):
        x = x + 0.1 * kick
    for _ in range(20):
        x = x + 0.1 * np.random.normal(0, 1, 5) * x
    return np.sum(x**2) + np.random.rand()


def loops_that_draw(x):
    rng = np.random.default_rng(3)
    for _ in range(7):
        x = x + 0.1 * rng.normal(size=5) * x
        for j in range(2):
            x[j] += rng.uniform(-1, 1) * x[j]
    return np.sum(x**2) * rng.random()


def sides_that_draw(x):
    rng = np.random.default_rng(5)
    for _ in range(4):
        new = x + 0.3 * rng.standard_normal(5)
        if rng.random() < np.exp(np.sum(x**2) - np.sum(new**2)):
            x = new * rng.exponential()
    return np.sum(x**2)


def parameters_of_distributions(x):
    rng = np.random.RandomState(3)
    scale = np.abs(x[1])
    found = rng.normal(x, scale) + rng.exponential(scale, 5) + rng.uniform(x, x + scale) + rng.lognormal(scale, 0.1, 5)
    return np.sum(found**2)


def numbers_that_hang_together(x):
    old, new = np.random.RandomState(3), np.random.default_rng(3)
    cov = np.diag(np.exp(x[:3])) + 0.1 * np.outer(x[1:4], x[1:4])
    weights, total = np.arange(3.0), np.sum(old.multivariate_normal(x[2:], cov, (2, 4)) ** 3)
    for method in ("svd", "eigh", "cholesky"):
        total = total + np.sum(new.multivariate_normal(x[2:], cov, 4, method=method) ** 2 * weights)
    return total + np.sum(new.multivariate_normal([1.0, 2.0, 3.0], cov) * weights)


def arrays_in_random_order(x):
    rng = np.random.default_rng(1)
    weights, chosen, shuffled = np.arange(5.0), rng.choice(x, 3, replace=False), x.copy()
    rng.shuffle(shuffled)
    return np.sum(rng.permutation(x) * weights) + np.sum(chosen**2) + np.sum(shuffled * weights**2)


def minibatches(x):
    rng, w = np.random.Generator(np.random.PCG64(0)), 0.5
    for _ in range(2):
        order = rng.permutation(5)
        for start in range(0, 5, 2):
            batch = x[order[start : start + 2]]
            w = w - 0.1 * np.sum(w * batch - batch**2)
    return w


def pythons_own(x):
    random.seed(3)
    total = 0.0
    for value in x:
        total += value * random.random() + random.gauss(value, 0.1) ** 2 + random.uniform(0, value)
    return total


def lists_in_random_order(x):
    random.seed(3)
    generator, total = np.random.default_rng(5), 0.0
    order, values, numbers = [0, 1, 2, 3, 4], [x[0], x[1], x[2]], [3.0, 4.0, 5.0]
    for _ in range(3):
        random.shuffle(order)
        for i in order[:2]:
            total = 0.5 * total + x[i] ** 2
    random.shuffle(values)
    generator.shuffle(numbers)
    if total > 0.0:
        random.Random(4).shuffle(values)
    return total + values[0] * numbers[1] + values[1] ** 2


CASES = tuple(
    row(f, lambda: (normal(1, 5),), "x")
    for f in (
        walk_behind_a_seed,
        loops_that_draw,
        sides_that_draw,
        parameters_of_distributions,
        numbers_that_hang_together,
        arrays_in_random_order,
        minibatches,
        pythons_own,
        lists_in_random_order,
    )
)
