"""Slices of which data decide the place but not the length, and elements that may lie beside their array."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def patches_around_points(image, points):
    total = 0.0
    for k in range(len(points)):
        i, j = int(np.floor(points[k, 0])), int(points[k, 1])
        patch = image[i - 1 : i + 3, j - 1 : j + 3]
        total += np.sum(patch * patch) * (k + 1)
    return total


def bilinear_samples(image, points):
    out = np.zeros(len(points))
    for k, (y, x) in enumerate(points):
        i, j = int(np.floor(y)), int(np.floor(x))
        wy, wx = np.array([1 - (y - i), y - i]), np.array([1 - (x - j), x - j])
        out[k] = wy @ image[i : i + 2, j : j + 2] @ wx
    return np.sum(out**2)


def templates_updated_in_place(image, points):
    h = 2
    template, total = image[4:9, 4:9].copy(), 0.0
    for i, j in points:
        patch = image[i - h : i + h + 1, j - h : j + h + 1]
        total += np.sum((patch - template) ** 2) + np.sum(patch[h, :] * patch[:, h])
        image[i - h : i + h + 1, j - h : j + h + 1] = 0.5 * patch + patch.T
        template[1:, :] += patch[:-1, ::-1]
    return total + np.sum(image**2)


def around_the_largest(x):
    k = np.argmax(x[5:-5]) + 5
    return np.sum(x[k - 2 : k + 3] ** 2)


def blocks_of_a_vector(x, places, m):
    z = np.zeros_like(x)
    for n in range(len(places)):
        k = places[n]
        z[k * m : (k + 1) * m] += x[n] * x[k * m : (k + 1) * m]
        z[k * m : k * m + 2] = x[:2] * 2
    return np.sum(z**2)


def named_ends(x, places):
    total, width = 0.0, 4
    for k in places:
        low = k + 2
        high = low + width
        total += np.sum(x[low:high:2] ** 2) + np.sum(x[low + 1 : high] * x[low : high - 1])
        low += 1
        total += np.sum(x[low - 1 : low + 1])
    return total


def counted_from_the_end(x, places):
    total = 0.0
    for k in places:
        total += np.sum(x[k : k + 3] ** 2)
        x[k : k + 3] = x[k - 3 : k] * 2
    return total + np.sum(x**2)


def windows_are_views(x, places):
    i = places[0]
    p = x[i : i + 3]
    i = places[1]
    q = x[i : i + 3]
    x[places[0]] = 5.0 * x[1]
    p[1] = q[0] * 2
    q *= p
    return np.sum(x**2) + np.sum(p * q)


def the_window_before(x, places):
    before, total = x[0:3], 0.0
    for k in range(len(places)):
        i = places[k]
        window = x[i : i + 3]
        total += np.sum(before * window) * (k + 1)
        before = window
    return total + np.sum(before**3)


def a_window_moves_on(x, places):
    i, total = places[2], 0.0
    while i < 14:
        window = x[i : i + 4]
        inner = window[1:-1]
        i = i + places[0]
        x[i : i + 4] *= 1.1
        total += np.sum(window**2) * np.sum(inner)
        inner[0] = total * 0.01
    return total + np.sum(x)


def lengths_of_a_loop(x, places):
    total = 0.0
    for a in range(4):
        k = places[a]
        for b in range(3):
            total += np.sum(x[k : k + b] ** 2) * (a + 1)
    return total


def deposited_charge(grid, position):
    x = (position - position.min()) * 2
    for n in range(len(position)):
        i = int(x[n])
        f = x[n] - i
        grid[i : i + 2] += np.array([1 - f, f]) * position[n]
    return np.sum(grid**2)


def window_on_one_side(x):
    i = np.argmax(x[3:-3]) + 3
    value = np.sum(x[i - 1 : i + 2]) if x[i] > 0 else np.sum(x[i : i + 3])
    if x[0] > 5:
        i = 4
    return value * np.sum(x[i : i + 2] ** 2)


def blocks_of_a_matrix(u, elements):
    n, A = 2, np.zeros((10, 10))
    for e in range(len(elements)):
        for a in range(3):
            for b in range(3):
                i, j = elements[e, a], elements[e, b]
                A[n * i : n * i + n, n * j : n * (j + 1)] += np.array([[2.0, -1.0], [-1.0, 2.0]]) * u[a, b]
    return np.sum(A**2)


def element_if_there_is_one(x, places):
    total = 0.0
    for i in range(len(places)):
        value = x[places[i]] if places[i] < len(x) else 0.0
        total += value * value
    return total


def neighbours_on_a_line(x, position):
    n, total = len(x), 0.0
    for p in position:
        i = int(np.floor(p))
        a = x[i] if 0 <= i < n else 0.0
        b = x[i + 1] if 0 <= i + 1 < n else 0.0
        total += ((1 - (p - i)) * a + (p - i) * b) ** 2
    return total


def asked_by_a_mask(x, places):
    there, total = places < len(x), 0.0
    for k in range(len(places)):
        total += x[places[k]] ** 2 if there[k] else -1.0
    return total


def copies_of_what_is_only_read(x):
    y = np.repeat(np.broadcast_to(x * 2.0, (3, 6)), 2)
    y[0] = 1.0
    z = np.diagonal(np.outer(x, x)).copy()
    z[0] = 2.0
    w = np.lib.stride_tricks.sliding_window_view(x, 2).copy()
    w[0, 0] = x[1]
    q = np.diag(x)
    q[0, 1] = x[2]
    np.fill_diagonal(q, 0.5)
    return np.sum(y * y) + np.sum(z * z) + np.sum(w**2) + np.sum(q * q)


def element_of_a_table(x, rows, columns):
    total = 0.0
    for i in rows:
        for j in columns:
            value = x[i, j] if i < x.shape[0] and j < x.shape[1] else 0.0
            total += value * (0.0 if i >= 4 or j >= 5 else x[i, j] * x[0, 0])
    return total


PLACES = np.array([3, 7, 2, 10, 3])


def windows_by_strides(x, w):
    strides = (*x.strides, x.strides[-1])
    frames = np.lib.stride_tricks.as_strided(x, shape=(x.shape[-1] - 3, 4), strides=strides)[::2]
    whole = np.lib.stride_tricks.as_strided(w[1:], (3, 2), (2 * w.itemsize, w.strides[0]))
    return np.sum((frames * np.hanning(4)) ** 2) + np.sum(whole[0] * whole[2])


BEYOND = np.array([3, 12, 2, 9, 10, 3])
POINTS = np.array([[3, 4], [5, 9], [3, 5]])


def strides_share_memory(x):
    windows = np.lib.stride_tricks.as_strided(x, (len(x) - 1, 2), (x.itemsize, x.itemsize))
    windows[0, 1] = windows[2, 0] * 2
    x[3] = x[4] ** 2
    return np.sum(windows**3) + np.sum(x)


def windows_of_complex_numbers(x, y):
    z = np.pad(x + 1j * y, (2, 1))
    steps = list(z.strides)
    frames = np.lib.stride_tricks.as_strided(z, strides=[2 * steps[0], *steps], shape=(5, 4))
    flipped = np.flip(frames, axis=-1)
    z[3] = z[4] ** 2
    return np.sum(np.abs(frames * flipped) ** 2) + z.strides[0] * x[0]


def windows_of_windows(x):
    table = (np.arange(36.0) * x[0] ** 2).reshape(6, 6) + np.outer(x[:6], x[4:])
    inner, total = table[1:-1, ::-2], 0.0
    for k in range(3):
        rows = np.lib.stride_tricks.as_strided(table[k, k:], (2, 3), (table.strides[0], 8))
        total += np.sum(rows**2) * x[k]
    mirrored = np.lib.stride_tricks.as_strided(inner, (2, 2, 3), (48, 48, inner.strides[1]))
    diagonal = np.lib.stride_tricks.as_strided(table[::-1].T, (6,), (8 - 48,))
    return total + np.sum(mirrored[0] * mirrored[1]) + np.sum(diagonal**3) * 1e-3


CASES = (
    row(patches_around_points, lambda: (normal(1, 12, 12), uniform(2, 4, 2, low=2, high=9)), "image"),
    row(bilinear_samples, lambda: (normal(1, 12, 12), uniform(2, 4, 2, low=2, high=9)), "image, points"),
    row(templates_updated_in_place, lambda: (normal(1, 12, 12), POINTS.copy()), "image"),
    row(around_the_largest, lambda: (spread(1, 30),), "x"),
    row(blocks_of_a_vector, lambda: (normal(1, 20), np.array([3, 0, 2], np.int32), 5), "x"),
    *(
        row(f, lambda: (normal(1, 18), PLACES.copy()), "x")
        for f in (named_ends, windows_are_views, the_window_before, a_window_moves_on)
    ),
    row(counted_from_the_end, lambda: (normal(1, 18), np.array([-5, 7, -9, 12])), "x"),
    row(lengths_of_a_loop, lambda: (normal(1, 18), PLACES.copy()), "x"),
    row(deposited_charge, lambda: (normal(1, 20), spread(2, 9)), "grid, position"),
    row(window_on_one_side, lambda: (spread(1, 20),), "x"),
    row(blocks_of_a_matrix, lambda: (normal(1, 3, 3), np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])), "u"),
    row(element_if_there_is_one, lambda: (normal(1, 10), BEYOND.copy()), "x"),
    row(neighbours_on_a_line, lambda: (normal(1, 10), uniform(2, 8, low=-2, high=12)), "x, position"),
    row(asked_by_a_mask, lambda: (normal(1, 10), BEYOND.copy()), "x"),
    row(windows_by_strides, lambda: (normal(1, 10), uniform(2, 8)), "x, w"),
    row(windows_of_complex_numbers, lambda: (normal(1, 10), normal(2, 10)), "x, y"),
    row(windows_of_windows, lambda: (normal(1, 10),), "x"),
    row(copies_of_what_is_only_read, lambda: (normal(1, 6),), "x"),
    row(strides_share_memory, lambda: (normal(1, 6),), "x"),
    row(element_of_a_table, lambda: (normal(1, 4, 5), np.array([0, 4, 2]), np.array([1, 2, 6])), "x"),
)
