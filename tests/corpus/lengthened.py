"""Arrays that each iteration of a loop makes longer, as programs keep histories."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def appended_numbers(x):
    out, s = np.array([]), x[0]
    for i in range(20):
        s = s + 0.1 * np.sin(s) * x[i % 3]
        out = np.append(out, s)
    return np.sum(out**2 * np.arange(20)) * len(out)


def appended_rows(x):
    table, y = np.empty([0, 3]), x.copy()
    for _i in range(12):
        y = y + 0.1 * np.sin(y) * x
        table = np.vstack([table, y])
    return np.sum(table[::2] ** 2) + np.sum(table[:, 1] * np.arange(12.0))


def joined_columns(x):
    table, y = x[:, None], x
    for _i in range(12):
        y = y + 0.1 * np.sin(y)
        table = np.hstack((table, y[:, None], 2 * y[:, None]))
    return np.sum(table**3 * np.arange(25))


def what_was_appended_last(x):
    out = np.array([x[0], x[1]])
    for _i in range(20):
        out = np.append(out, out[-1] + 0.1 * np.sin(out[-2]))
    return np.sum(out**2 * np.arange(22))


def sums_of_what_there_is(x):
    out = x.copy()
    for _i in range(15):
        out = np.concatenate((out, [np.sin(np.mean(out**2)) + x[1] * len(out) / 10]))
    return np.sum(out**2) * out.size + out[5:8] @ x


def put_before(x):
    out, s = np.array([x[0]]), x[1]
    for _i in range(12):
        s = s * 0.9 + np.sin(out[0])
        out = np.concatenate(([s * x[2]], out))
    return np.sum(out**2 * np.arange(13))


def scaled_and_longer(x):
    out = np.array([x[0]])
    for i in range(12):
        out = np.append(out * 0.9, x[i % 3] * i)
    return np.sum(out**2 * np.arange(13))


def made_complex(x):
    out, z = np.array([], complex), x[0] + 1j * x[1]
    for _i in range(12):
        z = z * np.exp(0.1j * x[2])
        out = np.append(out, z)
    return np.sum(np.abs(out) ** 2 * np.arange(12)) + np.sum(out.real)


def longer_in_two_loops(x):
    out, s = np.array([x[1]]), x[0]
    for i in range(10):
        for j in range(9):
            s = s + 0.01 * np.sin(s + j)
            out = np.append(out, s * i)
        out = np.append(out, out[-3])
    return np.sum(out**2) * out.size


def longer_in_an_inner_loop(x):
    total, s = 0.0, x[0]
    for i in range(10):
        out = np.zeros(1)
        for _j in range(i + 1):
            s = s + 0.1 * np.sin(s)
            out = np.append(out, s * x[1])
        total = total + np.sum(out**2) * out[-1]
    return total


def two_histories(x):
    a, b = np.zeros(0), np.zeros((2, 0))
    for i in range(12):
        c = np.append(a, np.sum(b) + x[0] * i)
        b = np.append(b, np.array([[x[1]], [x[2] * c[0]]]), axis=1)
        a = c
    return np.sum(a**2) + np.sum(b**3)


class Recorder:
    def __init__(self, start):
        self.history = np.array([start])

    def record(self, value):
        self.history = np.append(self.history, value)


def kept_in_an_object(x):
    recorder, s = Recorder(x[0]), x[1]
    for _i in range(30):
        s = s + 0.1 * np.sin(s * recorder.history[-1])
        recorder.record(s)
    return np.sum(recorder.history**2)


def tried_and_dropped(x):
    out = np.array([x[0]])
    for i in range(12):
        trial = np.append(out, x[1] * i)
        other = np.append(out, x[2] * np.sum(trial**2) / 10)
        out = other if i % 4 == 3 else np.append(out, trial[-1] + other[-1])
    return np.sum(out**2) + np.sum(trial) * other[-1]


def older_ones_stay(x):
    out, previous = np.array([x[0]]), np.zeros(3)
    for _i in range(12):
        before = out
        out = np.append(out, np.sum(before) * 0.1 + x[1])
        out[0] = out[0] + x[2]
        previous = previous + before[0] * x
    return np.sum(out**2) + np.sum(previous**2) + np.sum(before) * np.sum(out)


def written_before_it_gets_longer(x):
    start = x * 2
    out = start
    for _i in range(12):
        out[0] = out[0] * 1.1
        out = np.append(out, out[0] + x[1])
    return np.sum(out**2) + np.sum(start**3)


def written_after_the_loop(x):
    out = np.array([x[0]])
    for i in range(12):
        before = out
        out = np.append(out, x[1] * i + out[-1])
    out[:3] = out[:3] * x[2]
    return np.sum(out**2) + np.sum(before**3)


def rows_of_zeros_that_are_filled(x):
    table = np.zeros((1, 3))
    for i in range(12):
        table = np.vstack((table, np.zeros(3)))
        table[-1] = np.sin(table[-2]) + x * i
    return np.sum(table**2)


def longer_on_one_side(x):
    out, s = np.array([x[0]]), x[1]
    for i in range(12):
        s = s * 1.1
        if i % 3 == 0:
            out = np.append(out, s * x[2])
        else:
            out = np.append(out, s)
    return np.sum(out**2 * np.arange(13))


def longer_as_data_say(x):
    out, s = np.array([x[0]]), x[1]
    for i in range(12):
        s = s + 0.3 * np.sin(s * i)
        if s > x[1]:
            out = np.append(out, s * x[2])
    return np.sum(out**2) * len(out)


def twice_as_long(x):
    out = x[:1]
    for _i in range(9):
        out = np.append(out, out * x[1])
    return np.sum(out**2)


def a_window_that_moves(x):
    window, total = x * 2.0, 0.0
    for _i in range(12):
        window = np.append(window[1:], np.sum(window**2) * 0.05)
        total = total + window[0] * window[-1]
    return total


def of_whole_numbers_first(x):
    out = np.array([1, 2])
    for i in range(12):
        out = np.append(out, x[i % 3] * i)
    return np.sum(out**2)


def of_a_list_first(x):
    out = []
    for i in range(12):
        out = np.append(out, x[i % 3] * i)
    return np.sum(out**2)


def of_nothing_first(x):
    out = None
    for i in range(12):
        row = np.sin(x * i)
        out = row if out is None else np.vstack((out, row))
    return np.sum(out**3)


def until_data_say(x):
    out, t = np.array([x[0]]), 0.0
    while t < 2.0:
        step = 0.1 / (1 + 0.1 * out[-1] ** 2)
        out = np.append(out, out[-1] + step * np.cos(out[-1]) * x[1])
        t = t + step
    return np.sum(out**2) + len(out)


def times_of_the_last_iteration(x):
    table, t, y = np.zeros((0, 3)), 0, x
    for i in range(20):
        t = i * 0.1
        y = y + 0.1 * np.sin(y) * t
        table = np.vstack((table, y))
    return np.sum(table * np.arange(0, t + 0.1, 0.1)[:, None]) * t


def rows_that_fit_each_time(x):
    last, table = np.array([x[0]]), np.zeros((6, 6))
    for t in range(1, 6):
        last = np.append(np.sum(last), last * x[t % 3])
        table[t, : t + 1] = last
        table[t, : t + 1] -= x[1]
    return np.sum(table**2) + np.sum(last)


PROGRAMS = (appended_numbers, appended_rows, joined_columns, what_was_appended_last, sums_of_what_there_is, put_before)
PROGRAMS += (scaled_and_longer, made_complex, longer_in_two_loops, longer_in_an_inner_loop, two_histories)
PROGRAMS += (kept_in_an_object, tried_and_dropped, older_ones_stay, written_before_it_gets_longer)
PROGRAMS += (written_after_the_loop, rows_of_zeros_that_are_filled, longer_on_one_side, longer_as_data_say)
PROGRAMS += (twice_as_long, a_window_that_moves, of_whole_numbers_first, of_a_list_first, of_nothing_first)
PROGRAMS += (until_data_say, times_of_the_last_iteration, rows_that_fit_each_time)

CASES = tuple(row(function, lambda: (normal(3, 3),), "x") for function in PROGRAMS)
