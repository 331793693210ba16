"""Lists of which data decide how many items they get: adaptive steps, rejected ones, events, what was accepted."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import row, uniform


def adaptive_steps(x):
    times, values = [0.0], [x[0]]
    while times[-1] < 2.0:
        step = 0.05 / (1 + 0.01 * x[1] * values[-1])
        values.append(values[-1] + step * np.sin(x[2] * values[-1]))
        times.append(times[-1] + step)
    return np.sum(np.array(values) ** 2) * times[-1] + len(times)


def rejected_and_accepted(x):
    times, states, rejected = [], [], 0
    t, h, y = 0.0, 0.1, x.copy()
    while t < 2.0:
        k = np.sin(y) * h
        if np.max(np.abs(h * np.cos(y) * k)) < 0.01:
            y, t = y + k, t + h
            states.append(y.copy())
            times.append(t)
            h = h * 1.2
        else:
            rejected += 1
            h = h * 0.6
    return np.sum(np.array(states) ** 2) * len(times) + rejected + times[-1]


def chosen_by_data(x):
    good = []
    for i in range(60):
        s = np.sin(x[0] * i + x[1])
        if s > 0.3:
            good.append(s * x[2])
    return np.sum(np.array(good) ** 2) + len(good) if good else 0.0 * x[0]


def states_as_tuples(x):
    history, t, y = [], 0.0, x[0]
    while t < 1.5:
        step = 0.05 * (1 + x[1] * y**2)
        y, t = y + step * np.cos(y) * x[2], t + step
        history.append((t, y, np.array([y, t * x[1]])))
    return sum(a * b + np.sum(c**2) for a, b, c in history)


def states_as_lists(x):
    table, t, y = [[0.0, x[0]]], 0.0, x[0]
    while t < 1.5:
        step = 0.05 * (1 + x[1] * y**2)
        y, t = y + step * np.cos(y) * x[2], t + step
        table.append([t, y])
    table[1][1] = 2 * x[0]
    table = np.array(table)
    return np.sum(table[:, 0] * table[:, 1] ** 2)


def lists_that_stay_the_same(x):
    table, t = [], 0.0
    pair = [0.0, x[0]]
    while t < 1.5:
        t = t + 0.1 * (1 + x[1] ** 2)
        pair[0] = pair[0] + t * x[2]
        table.append(pair)
    return np.sum(np.array(table) ** 2)


def complex_numbers_as_data_say(x):
    found, z = [], x[0] + 1j * x[1]
    for i in range(30):
        z = z * np.exp(0.3j) * 1.01
        if z.real > 0.2 * x[2]:
            found.append(z * i)
    return np.sum(np.abs(np.array(found)) ** 2) if len(found) > 0 else 0.0 * x[0]


def one_or_two_at_a_time(x):
    out = [x[0]]
    for i in range(40):
        s = np.cos(x[1] * i)
        out.append(s * out[-1])
        if s > 0:
            out += [x[2] * s, s]
        elif s < -0.7:
            out.extend([x[0] * s])
    return np.sum(np.array(out) ** 2 * np.arange(len(out)))


def in_loops_within(x):
    out, total = [], 0.0
    for i in range(9):
        for j in range(7):
            s = np.sin(x[0] * i + x[1] * j)
            if s > 0.5:
                out.append(s * x[2])
        total = total + len(out)
    return np.sum(np.array(out) ** 3) + total if out else 0.0 * x[1]


def as_long_as_data_say(x):
    out, s = [x[1]], x[0]
    for i in range(int(20 * x[2])):
        s = s + 0.1 * np.sin(s * i)
        out.append(s)
    return np.sum(np.array(out) ** 2)


def ends_in_the_middle(x):
    out, s = [], x[0]
    for _ in range(50):
        s = s + 0.1 * np.cos(s * x[1])
        out.append(s)
        if s > 1.2 + 0.1 * x[2]:
            break
        out.append(s * x[2])
    return np.sum(np.array(out) ** 2 * np.arange(len(out)))


def an_older_item(x):
    out, t = [x[0]], 0.0
    while t < 2.0:
        last = out[-1]
        for k in range(3):
            out.append(last * 0.5 + 0.1 * k * x[1])
        out.append(out[-1] + last * x[2])
        t = t + 0.1 * (1 + last**2)
    return np.sum(np.array(out) ** 2)


class Recorder:
    def __init__(self):
        self.times, self.values = [], []

    def record(self, t, value):
        self.times.append(t)
        self.values.append(value)


def of_an_object(x):
    recorder, t, y = Recorder(), 0.0, x[:2].copy()
    while t < 2.0:
        y = y + 0.05 * np.array([y[1], -np.sin(y[0]) * x[2]])
        t = t + 0.05 * (1 + y[1] ** 2)
        if y[0] > 0.1:
            recorder.record(t, y)
    values = np.array(recorder.values)
    return np.sum(values[:, 0] ** 2) + sum(recorder.times)


def crossings(x):
    found, before = [], np.sin(x[0])
    for i in range(1, 80):
        now = np.sin(x[0] + x[1] * 0.3 * i)
        if before * now < 0:
            found.append(i - 1 + before / (before - now))
        before = now
    return x[2] * np.mean(np.diff(found)) * x[1]


def epidemic_in_lists(x):
    healthy, ill, immune = [0.99], [0.01], [0.0]
    for t in range(40):
        new, over = x[0] * 0.5 * healthy[t] * ill[t], x[1] * 0.1 * ill[t]
        healthy.append(healthy[t] - new)
        ill.append(ill[t] + new - over)
        immune.append(immune[-1] + over)
    return max(ill) * x[2] + immune[-1] + healthy[5]


def items_from_before(x):
    out = [x[0], x[1], 2.0]
    for i in range(3, 30):
        out.append(0.5 * out[i - 1] + 0.3 * out[i - 3] * x[2] + 0.1 * out[-2])
    return sum(out) + out[7] * out[1]


def an_item_that_is_not_there(x):
    out, total = [x[0]], 0.0
    for _ in range(30):
        out.append(out[-1] * 1.01)
        if len(out) > 5:
            total = total + out[-1] - out[-5] * x[1]
    return total * x[2]


def every_tenth_state(x):
    state, kept, times = np.outer(x, np.ones(2)), [], [0.0]
    for i in range(300):
        state = state + 1e-2 * np.sin(state)
        if i % 10 == 0:
            kept.append(state.copy())
        if i > 20:
            times.append(times[-1] + np.mean(state[0]))
    return np.sum(np.array(kept) ** 2) + times[-1] * len(kept) + times[3]


def early_stopping(x):
    w, history = np.array([x[0], x[1]]), {"loss": [], "w": []}
    for epoch in range(400):
        slope = np.array([2 * (w[0] - x[2]) * (1 + w[1] ** 2), 2 * w[1] * (w[0] - x[2]) ** 2 + 0.1 * w[1]])
        w = w - 0.1 * slope
        history["loss"].append(np.sum(slope**2))
        history["w"].append(w.copy())
        if epoch > 10 and history["loss"][-1] < 1e-6:
            break
    return history["loss"][-1] * 1e3 + np.sum(np.array(history["w"]) ** 2)


PROGRAMS = (adaptive_steps, rejected_and_accepted, chosen_by_data, states_as_tuples, states_as_lists)
PROGRAMS += (lists_that_stay_the_same, complex_numbers_as_data_say, one_or_two_at_a_time, in_loops_within)
PROGRAMS += (as_long_as_data_say, ends_in_the_middle, an_older_item, of_an_object, crossings)
PROGRAMS += (epidemic_in_lists, items_from_before, an_item_that_is_not_there, every_tenth_state)
PROGRAMS += (early_stopping,)

CASES = tuple(row(function, lambda: (uniform(5, 3),), "x") for function in PROGRAMS)
