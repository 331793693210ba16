"""Lists of numbers that loops write at places that they count, as programs without arrays have them."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform

N = 12


def steps(a):
    y = [0.0] * N
    y[0] = 0.2
    for i in range(1, N):
        y[i] = y[i - 1] + 0.1 * a * y[i - 1] * (1 - y[i - 1])
    return y[-1] + sum(y) / N


def zeros_of_int(a):
    y = [0] * N
    for i in range(N):
        y[i] += a * i
    for i in range(N - 1, 0, -1):
        y[i - 1] -= 0.5 * y[i]
    return y[0] + max(y) + np.sum(y)


def other_names(a):
    y = [1.0] * N
    z, d, t = y, {"y": y}, (y, 1)
    for i in range(2, N):
        z[i] = a * y[i - 1] + d["y"][i - 2] * t[0][i - 1]
    return y[N - 1]


def kept_in_a_tuple(a):
    y, kept = [0.0] * N, None
    for i in range(1, N):
        y[i] = y[i - 1] * a + 1
        kept = (y, i)
    return kept[0][-1] * kept[1]


def tree(a):
    values = [a * 0.9**j for j in range(N + 1)]
    for i in range(N - 1, -1, -1):
        for j in range(i + 1):
            values[j] = max(a * 0.8**j, 0.5 * (values[j + 1] + values[j]))
    return values[0]


def sorted_by_exchanges(x):
    v = list(x)
    for i in range(len(v)):
        for j in range(len(v) - 1 - i):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    return v[0] + 2 * v[1] + v[-1] ** 2


class Delays:
    def __init__(self, n):
        self.held = [0.0] * n

    def run(self, x, a):
        out = []
        for value in x:
            for k in range(len(self.held) - 1, 0, -1):
                self.held[k] = self.held[k - 1]
            self.held[0] = value
            out.append(sum(a**k * h for k, h in enumerate(self.held)))
        return out


def lists_of_an_object(x):
    return np.dot(Delays(10).run(x, 0.5), x)


def made_again(a):
    y = [a] * N
    for _ in range(10):
        new = y[:]
        for i in range(1, N - 1):
            new[i] = y[i] + 0.1 * (y[i - 1] - 2 * y[i] + y[i + 1]) + 0.01 * a * i
        y = new
    return y[5] ** 2


def seen_while_written(a):
    y = [1.0] * N
    for j, v in enumerate(y):
        if j + 1 < N:
            y[j + 1] = a * v
    waiting = iter(y)
    s = next(waiting)
    for j in range(1, N - 1):
        y[j + 1] += a * y[j]
        s += next(waiting)
    return s


def looked_at_whole(a):
    y, s = [0.0] * N, 0.0
    for i in range(1, N):
        y[i] = y[i - 1] * a + 1
        s += np.array(y).mean() + max(y) + len(y) + sum(y[i - 1 : i + 2])
        if i == 5:
            y.append(2.0)
        if isinstance(y, list) and y and y != [0.0]:
            s += float(f"{len(y)}")
    return y[-1] + y[-2] + s


def by_functions(a):
    y = [0.0] * N

    def put(k, v):
        y[k] = v

    def before():
        for k in range(1, N):
            yield y[k - 1]

    for i, p in zip(range(1, N), before()):
        put(i, p * a + 1)
    for i in range(1, N):
        put(i, y[i - 1] + (lambda k: y[k])(i))
    return y[-1]


def counted_by_data(x):
    y, c = [0.0] * len(x), 0
    for i in range(len(x)):
        if x[i] > 0:
            y[c] = x[i] ** 2
            c += 1
    while c > 1 and y[c - 1] > 0.1:
        c -= 1
        y[c] = y[c - 1] * x[0]
    return sum((k + 1) * v for k, v in enumerate(y))


def sorted_by_insertion(x):
    v = [x[k] for k in range(len(x))]
    for i in range(1, len(v)):
        key, j = v[i], i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    v.reverse()
    return sum((k + 1) * t for k, t in enumerate(v)) + v.index(max(v))


def nothing_first(a):
    y = [None] * N
    y[0] = a
    for i in range(1, N):
        y[i] = y[i - 1] * a
    return y[-1]


def histogram(data, count):
    hits, weight = [0] * (count + 1), [0.0] * (count + 1)
    for v in data:
        hits[int(4.0 * v)] += 1
        weight[int(4.0 * v)] += v * v
    hits[-2] += hits[-1]
    hits.pop()
    return sum(h * w for h, w in zip(hits, weight)) + (weight[3] if hits[1] > 5 else 0.0)


def read_in_turn(data, steps):
    total = 0.0
    for i in range(steps):
        x, y = data[i % len(data)], data[(2 * i + 1) % len(data)]
        total += x * y if x < y else x - y
    return total


def elements():
    return [[i, (i * 7 + 3) % 10, (i * 5 + 1) % 10] for i in range(10)]


def added(s, x, e, k):
    for a in range(3):
        for b in range(3):
            for c in range(3, 12):
                s[e[a]] += x[e[b]] * (a + 2 * b + c) * x[k]


def assembled(x):
    """Lists of places, one for each element of a mesh, as tables of them are written by hand."""
    s, total = np.zeros(10), 0.0
    for k, e in enumerate(elements()):
        i, j, _ = e
        added(s, x, e, k)
        s[i] += x[j] * len(e)
    for place, (weights, scale) in enumerate([([0.1 * i, 1.0 - 0.2 * i], 0.5 * i) for i in range(10)]):
        for a in range(80):
            total += x[place] * weights[0] * np.sin(weights[1] * x[a % 10]) * scale
    return np.sum(s**2) + x[e[1]] * e[0] + total


def lists_of_places_that_change(x):
    """What is written into such a list, or kept of it, is the list's own."""
    s, kept, before = np.zeros(10), [], elements()[0]
    first, second, third = elements(), elements(), elements()
    for k, e in enumerate(first):
        e[0] = (e[0] + 1) % 10
        added(s, x, e, k)
    for k, e in enumerate(second):
        second[3][0] = 7
        added(s, x, e, k)
        kept.append(e)
    kept[4][1] = 9
    for k, e in enumerate(third):
        added(s, x, e, k)
        s[before[1]] += x[e[1]] * (3.0 if e is third[5] else 1.0)
        before = e
    before[2] = 3
    return np.sum(s**2) + x[first[3][0]] * first[5][0] + x[second[4][1]] * kept[5][1] + x[third[9][2]]


def assembled_by_comprehensions(x):
    elements = [[i, i + 1, (7 * i) % 90] for i in range(60)]
    matrix, total = np.zeros((90, 90)), 0.0
    for k, nodes in enumerate(elements):
        own = [x[n] for n in nodes]
        area = own[1] - own[0] + own[2] * sum([n > 3 for n in nodes])
        for i in range(3):
            for j in range(3):
                matrix[nodes[i], nodes[j]] += area * (i + 1) * (j + 2)
        total += k * own[2] ** 2 - sum(x[n] * n for n in nodes)
    return np.sum(matrix**2) * 1e-3 + total


def assembled_by_whole_rows(x):
    elements = [[i, i + 1, (7 * i) % 40] for i in range(30)]
    places = np.linspace(0.0, 3.0, 80).reshape(40, 2) ** 2
    matrix, load = np.zeros((40, 40)), np.zeros(80)
    for e in elements:
        corners, own = places[e], x[e]
        matrix[np.ix_(e, e)] += np.outer(own, own)
        both = np.array([2 * e[0], 2 * e[0] + 1, 2 * e[2], 2 * e[2] + 1])
        load[both] += np.abs(corners[1, 0] - corners[2, 1]) * np.repeat(own[:2], 2)
    return np.sum(matrix**2) + np.sum(load**2)


def rows_changed_after_they_were_taken(x):
    elements, weights = [[i, i + 1, (7 * i) % 40] for i in range(30)], [[0.5, 1.5, 2.5] for _ in range(30)]
    y, total = x * 1.0, 0.0
    for e, w in zip(elements, weights):
        taken = np.array(e)
        e[0] = (e[0] + 1) % 40
        y[e] = y[e] * 0.9 + np.mean(y[taken])
        total += np.dot(w, y[taken]) + np.max(e) * y[0] + len(e) * y[1]
        w[0] = w[0] * x[e[0]]
        total += np.sum(w)
    return total + sum(y[e[0]] * e[0] for e in elements)


MONTHS = [6.5, 7.5, 9, 12.8, 13.9, 12.4, 9.4, 8]


def drying(temperature, month):
    lengths, corrections = [-1.6, 0.9, 3.8, 5.8, 6.4, 5.0, 2.4, 0.4], (1, 2, 3, 4, 5, 6, 7, 8)
    lengths[2] = 4.5
    return temperature * lengths[month - 1] + MONTHS[month - 1] / corrections[month]


def chosen_by_days(x):
    moisture = 1.0
    for k in range(300):
        moisture = 0.9 * moisture + 0.01 * drying(x[k % 10], 1 + k // 50)
        moisture = moisture - MONTHS[k % 8] * moisture * 1e-3 * (1, -1)[k % 2]
    return moisture**2


def chosen_from_the_end(x):
    total = 0.0
    for k in range(4, 8):
        for j in range(200):
            total = 0.9 * total + x[j % 10] * MONTHS[k - j % 4] * MONTHS[-k] * MONTHS[(3 * j - k) % 8]
    return total


def chosen_sizes(x):
    total, sizes = 0.0, [3, 5, 4]
    for k in range(300):
        total = 0.9 * total + np.sum(x[: sizes[k % 3]]) * MONTHS[k % 8]
    return total


NUMBERS = (steps, zeros_of_int, other_names, kept_in_a_tuple, tree, made_again, seen_while_written, looked_at_whole)
NUMBERS += (by_functions, nothing_first)
VECTORS = (
    chosen_by_days,
    chosen_from_the_end,
    chosen_sizes,
    sorted_by_exchanges,
    lists_of_an_object,
    counted_by_data,
    sorted_by_insertion,
)

TABLE = [float(k % 7) for k in range(3000)]


def chosen_many_times_from_a_long_list(d):
    share, place, found = d - int(d), int(d) - 1, []
    for n in range(5):
        found.append([])
        for m in range(n + 1):
            if m != 0:
                found[n].append((1 - share) * TABLE[place] + share * TABLE[place + 100])
                place += 2
            else:
                found[n].append(share * TABLE[place])
                place += 1
    return sum(number**2 for line in found for number in line)


CASES = (
    row(chosen_many_times_from_a_long_list, lambda: (3.3,), "d"),
    *(row(f, lambda: (0.4,), "a") for f in NUMBERS),
    *(row(f, lambda: (normal(1, 10) + uniform(2, 10),), "x") for f in VECTORS),
    row(assembled, lambda: (uniform(5, 10),), "x"),
    row(lists_of_places_that_change, lambda: (uniform(6, 10),), "x"),
    row(assembled_by_whole_rows, lambda: (normal(6, 40),), "x"),
    row(rows_changed_after_they_were_taken, lambda: (normal(7, 40),), "x"),
    row(assembled_by_comprehensions, lambda: (normal(5, 90),), "x"),
    row(histogram, lambda: (list(uniform(3, 230)), 6), "data"),
    row(read_in_turn, lambda: (list(uniform(4, 20)), 300), "data"),
)
