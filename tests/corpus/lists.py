"""Lists that get an item in each iteration of a loop, and what programs do with them then."""

from __future__ import annotations

import collections
import itertools
from datetime import datetime

import numpy as np

from tests.corpus.case import normal, row, uniform


def best_path(x):
    best = [[0.0] * 4 for _ in range(4)]
    for i in range(1, 4):
        for j in range(1, 4):
            best[i][j] = max(best[i - 1][j], best[i][j - 1]) + x[i] * x[j - 1]
    return best[-1][-1]


def trajectory(x, w, n):
    out = [x]
    for _ in range(n):
        x = x + 0.1 * np.sin(x * w)
        out.append(x)
    return np.sum(np.array(out) ** 2) + out[-1][0] + x[1]


def from_the_last(x, w, n):
    states = [x]
    for _ in range(n):
        states.append(states[-1] + 0.1 * np.sin(states[-1] * w))
    return np.sum(states[-1] ** 2) + states[3].sum()


def from_the_last_two(x, w, n):
    terms = [x[0], x[1]]
    for _ in range(n):
        terms.append(0.5 * terms[-1] + 0.3 * terms[-2] * w[0])
    return sum(terms)


def numbers(x, w, n):
    values, s = [], 0
    for t in range(n):
        values.append(s)
        s = s + x[t % 5] * w[0]
    return np.var(values) + np.dot(values, np.arange(n)) + max(values)


def number_by_branch(x, w, n):
    values, s = [], x[0]
    for _ in range(n):
        if s > 0.7:
            s = s * 0.5
        else:
            s = s + w[1]
        values.append(s)
    return np.mean(values)


def every_third(x, w, n):
    values, s = [], x[0]
    for t in range(n):
        s = s * w[1] + x[2]
        if t % 3 == 0:
            values.append(s)
    return np.mean(values)


def length_counts(x, w, n):
    values = []
    for t in range(n):
        values.append(x[t % 5] * len(values))
    return np.sum(values) * w[0]


def snapshots_of_what_is_updated(x, w, n):
    snapshots, u = [], x.copy()
    for _ in range(n):
        u[1:] += 0.1 * np.sin(u[:-1] * w[1:])
        snapshots.append(u.copy())
    return np.sum(np.stack(snapshots) ** 2 * np.arange(n)[:, None]) + len(snapshots) * snapshots[2][1]


def what_is_updated_itself(x, w, n):
    same, u = [], x.copy()
    for _ in range(n):
        u[1:] += 0.1 * np.sin(u[:-1] * w[1:])
        same.append(u)
    return np.sum(np.array(same) ** 2)


def updated_after_it_was_added(x, w, n):
    items, u = [], x * 1.0
    for _ in range(n):
        u = u * 0.9
        v = u * w
        items.append(v)
        v[1] *= 2.0
    return np.sum(np.array(items) ** 3)


def updated_before_it_is_bound_again(x, w, n):
    items, u = [], x * 1.0
    for _ in range(n):
        items.append(u)
        u = u * w
        u[0] += 1.0
    return np.sum(np.array(items) ** 3)


def updated_after_the_loop(x, w, n):
    items = []
    for _ in range(n):
        x = x + 0.1 * np.sin(x * w)
        items.append(x)
    x += 1.0
    return np.sum(np.array(items) ** 2) + (items[-1] * w).sum()


def first_item_updated_after_the_loop(x, w, n):
    items = [x]
    for _ in range(n):
        items.append(items[-1] * w)
    x[0] = 7.0
    return np.sum(np.array(items))


def views_of_what_is_updated(x, w, n):
    items, u = [], np.outer(x, w)
    for t in range(4):
        items.append(u[t])
    u *= 2.0
    return np.sum(np.array(items) ** 2)


def argument_many_times(x, w, n):
    items = []
    for _ in range(n):
        items.append(x)
    items[0][0] = 3.0
    return np.sum(np.array(items) * w)


def item_written(x, w, n):
    items, v = [], w
    for _ in range(n):
        v = v * 0.95 + x
        items.append(v)
    items[2][0] = 5.0
    items[3] = items[3] * 2
    return np.sum(np.array(items) ** 2)


def one_array_in_two_lists(x, w, n):
    a, b, v = [], [], w
    for _ in range(n):
        v = v * 0.95 + x
        a.append(v)
        b.append(v)
    a[2][0] = 5.0
    return np.sum(np.array(a) * np.array(b))


def joined_in_all_ways(x, w, n):
    a, b, s, v = [], [], x[0], w
    for _ in range(n):
        s, v = s * 0.9 + v[0], v * 0.95 + x
        a.append(s)
        b.append(v)
    joined = np.vstack(b).sum() + np.concatenate(b)[3] + np.column_stack(b)[2, 1] + np.stack(b, axis=1)[1, 2]
    return np.dot(a, np.array(b)[:, 1]) + joined


def exchanged_buffers(x, w, n):
    u, new, items = x.copy(), x.copy(), []
    for _ in range(n):
        new[1:-1] = u[1:-1] + 0.1 * w[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, new = new, u
        items.append(u.copy())
    return np.sum(np.array(items) ** 2)


def list_for_each_row(x, w, n):
    means, last = [], [x]
    for _ in range(3):
        sums = []
        for _ in range(n):
            last.append(last[-1] * w)
            sums.append(np.sum(last[-1]))
        means.append(np.mean(sums))
        last = [last[-1] + 0.1]
    return np.dot(means, np.arange(1.0, 4.0)) + np.sum(last[0])


def under_another_name(x, w, n):
    items = []
    add, other = items.append, items
    for _ in range(n):
        x = x * w
        add(x)
    return np.sum(np.array(other)) + len(other)


class Recorder:
    """What a run writes down."""

    def __init__(self):
        self.states = []
        self.sums = {"energy": []}

    def note(self, state):
        self.states.append(state)
        self.sums["energy"].append(state @ state)


def lists_of_an_object(x, w, n):
    recorder = Recorder()
    for _ in range(n):
        x = x * w
        recorder.note(x)
    return np.sum(np.array(recorder.states)) + np.mean(recorder.sums["energy"])


def truth_of_the_list(x, w, n):
    items = []
    for _ in range(n):
        x = x * w
        if items:
            x = x + items[-1] * 0.1
        items.append(x)
    return np.sum(items) if isinstance(items, list) else 0.0


def backwards(x, w, n):
    items = []
    for t in range(n - 1, -1, -2):
        x = x * w
        items.append(x[0] * t)
    items.reverse()
    return np.dot(items, np.arange(len(items)))


def joined_by_plus(x, w, n):
    items = []
    for t in range(n):
        x = np.sin(x) * w
        items += [x[0] * t]
    return np.mean(items) + items[-1]


def queue(x, w, n):
    """An absorbing boundary: what is two steps old."""
    low, high = [0, 0], [0.0, 0.0, 0.0]
    for _ in range(n):
        x = np.sin(x) * w + 0.1 * np.roll(x, 1)
        x[0] = low.pop(0)
        low.append(x[1])
        x[-1] = high.pop()
        high.insert(0, x[-2] + high[0])
    return np.sum(x**2) + low[0] * high[1]


def queue_of_arrays(x, w, n):
    items = [x, x * w, w**2]
    for _ in range(n):
        oldest = items.pop(0)
        items.append(np.sin(oldest + items[0]) * w)
        items[0] *= 0.9
        items.reverse()
        oldest += 0.1
    return np.sum(items[0] * items[1] + items[2])


def updated_by_its_method(x, w, n):
    state = {"x": x, "v": w * 1.0}
    for _ in range(n):
        state.update(x=state["v"], v=np.sin(state["x"]) * w)
    return np.sum(state["x"] + state["v"] ** 2)


def repeated_as_often_as_an_argument_says(x, w, n):
    weights = [0.5] * (n + 1) + n * [w[0]] + list((w[1],) * (n - 7))
    halves = [x[0], x[1]]
    halves *= n
    return sum(weights) * sum(halves) + len([0] * n) * x[2]


def slots_for_an_argument(x, w, n):
    states = [None] * (n + 1)
    states[n] = x
    for t in range(n, 0, -1):
        states[t - 1] = np.sin(states[t] * w)
    return np.sum(states[0] ** 2) + states[n // 2][1]


def sizes_compared_with_an_argument(x, w, n):
    y = np.outer(x, np.ones(n)) if x.shape == (n,) else np.outer(w, np.arange(n))
    same = 2.0 if y.shape == (len(x), n) and (n, 1) != (1, n) and [n] == [n] and [n, 2] > [8, 1] else 3.0
    return same * np.sum(np.sin(y) * x[:, None])


def items_of_ranges(x, w, n):
    pairs = itertools.product(range(n - 5), range(2))
    return sum(x[i] * w[j] for i, j in pairs) + x[range(n)[-1] - n] * range(n)[3] + sum(range(n)[2:]) * w[1]


def several_at_once(x, w, n):
    out, seen = [x[0]], []
    for k in range(n):
        x = x + 0.1 * np.sin(x * w)
        out.append(x[1] * out[-1])
        seen.extend([x, x * k])
        out.append(np.sum(x) + len(out))
    return np.sum(np.array(out) * np.arange(2 * n + 1)) + np.sum(seen[5] * seen[-1])


def by_loops_within(x, w, n):
    out = []
    for k in range(n):
        for i in range(3):
            x = x + 0.1 * np.sin(x * w)
            out.append(x[i])
        out.append(x[0] * k + out[-1])
        for i in range(2, 0, -1):
            out.append(x[i] * out[-1])
    return np.sum(np.array(out) * np.arange(6 * n)) / len(out)


class Diagnostics:
    def __init__(self, x):
        self.x, self.seen = x, collections.defaultdict(list)

    def step(self, w):
        self.x = self.x + 0.1 * np.sin(self.x * w)
        self.seen["mean"].append(np.mean(self.x))
        self.seen["first"].append(self.x[0])


def keys_of_the_first_iteration(x, w, n):
    recorder = Diagnostics(x)
    for _ in range(n):
        recorder.step(w)
    return np.dot(recorder.seen["mean"], recorder.seen["first"])


DATES = np.array([datetime(2020, month, 1) for month in range(1, 7)])
LAYERS = np.array([np.ones(2), np.arange(3.0), "tanh"], dtype=object)


def array_of_dates(x, w, n):
    s = x[0]
    for t in range(1, len(DATES)):
        s = s * (1.0 + w[t % 5] * (DATES[t] - DATES[t - 1]).days / 365)
    return s * (DATES[-1] - DATES[0]).days


def array_of_arrays(x, w, n):
    y = np.tanh(x[1:3] * LAYERS[0]) if LAYERS[2] == "tanh" else x[1:3]
    return np.sum(LAYERS[1] * w[:3]) * np.sum(y)


def array_of_objects(x, w, n):
    parts = np.array([Diagnostics(x[k:]) for k in range(3)])
    for part in parts:
        part.x = part.x * w[0]
    return sum(np.sum(parts[k].x * parts[k + 1].x[0]) for k in range(2))


PROGRAMS = (array_of_dates, array_of_arrays, array_of_objects)
PROGRAMS += (trajectory, from_the_last, from_the_last_two, numbers, number_by_branch, every_third, length_counts)
PROGRAMS += (snapshots_of_what_is_updated, what_is_updated_itself, updated_after_it_was_added, exchanged_buffers)
PROGRAMS += (updated_before_it_is_bound_again, updated_after_the_loop, first_item_updated_after_the_loop)
PROGRAMS += (views_of_what_is_updated, argument_many_times, item_written, one_array_in_two_lists, joined_in_all_ways)
PROGRAMS += (list_for_each_row, under_another_name, lists_of_an_object, truth_of_the_list, backwards)
PROGRAMS += (repeated_as_often_as_an_argument_says, slots_for_an_argument, sizes_compared_with_an_argument)
PROGRAMS += (items_of_ranges,)
PROGRAMS += (several_at_once, by_loops_within, keys_of_the_first_iteration)
PROGRAMS += (joined_by_plus, queue, queue_of_arrays, updated_by_its_method)

CASES = (
    *(row(f, lambda: (normal(1, 5), uniform(2, 5), 9), "x, w") for f in PROGRAMS),
    row(best_path, lambda: (normal(1, 4),), "x"),
)
