"""Loops over long lists of numbers, which become tables that a loop reads; and what only some items decide."""

from __future__ import annotations

import itertools

import numpy as np

from tests.corpus.case import normal, row, uniform

PLACES = [3, 0, -1, 2, 2, -5, 1, 0, 4, 4, -2, 3]
WEIGHTS = (0.3, -1.2, 0.8, 2.5, -0.4, 1.1, 0.9, -0.7, 1.3, 0.2, -0.6, 1.7)
DELAYS = np.array([2, 0, 1, 3, 2, 2, 0, 4, 1])
ROWS = np.array([[0, 1], [2, 3], [4, 0], [1, 1], [3, 2], [0, 0], [4, 4], [2, 1], [1, 3]])
CHOICES = [0, 1, 2, 1, 0, 2, 2, 1, 0, 1]


def places(x, w):
    for p in PLACES:
        x[p] = x[p] * 0.5 + w[p] * w[p] + np.sin(x[-p - 1])
    return np.sum(x**2)


def weights(x, w):
    total = 0.0
    for a in WEIGHTS:
        x = np.tanh(x * a + w)
        total += a * x[0] * x[1]
    return total + np.sum(x)


def pairs(x, w):
    for p, a in zip(PLACES, WEIGHTS, strict=True):
        x[p] += a * w[-p - 1] + x[p] * 0.1
    return x @ w


def counted(x, w):
    out = np.zeros(len(PLACES))
    for k, (p, a) in enumerate(zip(PLACES, WEIGHTS, strict=True)):
        out[k] = a * x[p] * w[k % 5]
        x[p] = out[k] + k
    return out @ out + x.sum()


def products(x, w):
    s = 0.0
    for i, j in itertools.product((0, 2, 3), (1, 4, 0, 2)):
        s = s * w[i] + x[j] * x[i - j]
        x[i] = s + i / (j + 1)
    return s + x[2]


def rows(x, w):
    for i, j in ROWS:
        x[i] = x[i] * w[j] + np.cos(x[j])
    return np.sum(x * x)


def nested(x, w):
    s = 0.0
    for i in DELAYS:
        for a, j in zip(WEIGHTS, PLACES, strict=True):
            s += a * x[i] * w[j]
            x[j] = 0.9 * x[j] + 0.01 * s
    return s


def given(x, w, ratings):
    mean = np.mean([r for _, _, r in ratings])
    for u, i, r in ratings:
        error = r - (mean + x[u] * w[i])
        x[u], w[i] = x[u] + 0.1 * error * w[i], w[i] + 0.1 * error * x[u]
    return np.sum(x**2) + np.sum(w**2)


def factors(x, w, a, b):
    s = 0.0
    for k, (p, q) in enumerate(zip(a, reversed(b), strict=True)):
        s = np.sin(s * p) + x[k % 5] * q
        w = w * p + 0.1 * s
    return s + w @ w


def items_of_an_array(x, w):
    for v, p in zip(list(x), itertools.cycle((0, 1, 2)), strict=False):
        for q in PLACES:
            w[q] = w[q] * v + x[p] / (q + 7)
            x[p] = 0.3 * x[p] + w[q] * 0.1
    return w.sum() + x.sum()


def appended(x, w):
    values = []
    for p in PLACES:
        values.append(max(x[p] * w[p], 0.1) ** 1.5)
        x[p] = x[p] + 0.3
    return np.cumsum(values)[-1] + np.max(values) + values[3]


def powers(x, w):
    s = 0.0
    for p in [0, 1, 2, 3, 0, 2, 5, 4, 1, 1]:
        s += x[p % 5] ** p * w[1] + 2.0**p * w[2] ** (p - 1)
        s += p // 2 * w[0] + p % 3 * w[3] + p / 4 * w[4]
    return s


def chosen(x, w):
    s = 0.0
    for c in CHOICES:
        if c == 0:
            s = s + x[c] * w[0]
        elif c == 1:
            s = np.sin(s) * w[1] + x[1]
        else:
            x[c] = s
    return s + x[2] * w[2]


def skipped(x, w):
    s = 0.0
    for c in CHOICES:
        if c == 1:
            continue
        s = s * w[c] + x[c] * x[c + 1]
    return s


def ended(x, w):
    s = 0.0
    for c, a in zip(CHOICES, WEIGHTS, strict=False):
        if a > 1.2:
            break
        s = s + np.sin(s * a + w[c]) * x[c]
    return s


def sizes(x, w):
    s = 0.0
    for c in CHOICES:
        s = s + np.sum(x[c:] * w[: 5 - c]) * np.sin(s)
    return s


def shapes(x, w):
    y = x
    for c in CHOICES:
        y = np.concatenate([np.sin(y), w[: c + 1]])
    return y @ y


def names(x, w):
    functions = {0: np.sin, 1: np.cos, 2: np.tanh}
    for c in CHOICES:
        x = functions[c](x * w) + x * 0.5
    return x.sum()


def mixed(x, w):
    s = 0.0
    for a in [1, 2.5, 3, 0.5, 2, 1.5, 1, 2, 0.25]:
        s = s + np.sin(a * x[0] + s) * w[1]
    return s


def changed_on_the_way(x, w):
    places = [1, 2, 0, 3, 1, 0, 4, 2, 3]
    for p in places:
        x[p] = np.sin(x[p]) * w[p]
        places[4] = 2
    return x @ w


def written_further_in(x, w):
    values = [x[k] * w[k] for k in (0, 1, 2, 3, 4, 0, 1, 2)]
    s = 0.0
    for v in values:
        for k in range(3):
            values[-1] = values[-1] * w[k] + s
        s += v * v
    for _ in range(3):
        values[3] = values[3] + w[2]
        for v in values:
            values[3] = np.sin(values[3] * v)
            s += v
    return s


def longer_on_the_way(x, w):
    places = [1, 2, 0, 3, 1, 0, 4, 2, 3]
    for p in places:
        x[p] = np.sin(x[p]) * w[p]
        if len(places) < 12:
            places.append(p)
    return x @ w


def backwards(x, w):
    pairs = zip(reversed(PLACES), reversed(WEIGHTS), strict=True)
    for k, (p, a) in enumerate(pairs, 3):
        x[p] = np.sin(x[p]) * a + k
    return x @ w


def taken_before(x, w):
    places = iter(PLACES)
    x = x * w[next(places)]
    for p in places:
        x[p] = np.sin(x[p]) * w[p]
    return x @ w


def in_pairs(x, w):
    places = iter(PLACES)
    for p, q in zip(places, places, strict=True):
        x[p] = np.sin(x[q]) * w[p]
    return x @ w


def items_as_they_are_then(x, w):
    for a, p in zip(x, PLACES, strict=False):
        x[p] = x[p] * a + w[p]
    return x @ w


def last(x, w):
    for p, a in zip(PLACES, WEIGHTS, strict=True):
        x[p] = np.sin(x[p]) * w[p]
        y = x[p] * a
    return y * x[p] + a * np.sum(x[:p])


PROGRAMS = (places, weights, pairs, counted, products, rows, nested, items_of_an_array, appended, powers, chosen)
PROGRAMS += (skipped, ended, sizes, shapes, names, mixed, last, changed_on_the_way, longer_on_the_way, backwards)
PROGRAMS += (written_further_in, taken_before, in_pairs, items_as_they_are_then)


def arguments():
    return uniform(1, 5), uniform(2, 5)


def ratings():
    users, things, values = [0, 3, -1, 2, 3, 1, 0, 4], [1, 1, 4, 0, 2, -3, 3, 1], uniform(3, 8)
    return list(zip(users, things, map(float, values), strict=True))


def rated():
    return normal(1, 5), normal(2, 5), ratings()


def with_factors():
    return *arguments(), list(map(float, uniform(4, 9))), tuple(map(float, normal(5, 9)))


CASES = [row(function, arguments, "x, w") for function in PROGRAMS]
CASES += [row(given, rated, "x, w"), row(factors, with_factors, "a, b, w")]
