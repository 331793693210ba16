"""Masks that depend on data: how many elements they select is known only when the program runs."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import row, spread


def selected_before_a_write(x):
    y = x.copy()
    large = y[y > 0.2]
    small = 2.0 * y[y < -0.2]
    y[0], y[3] = 5.0, -5.0
    return np.sum(np.exp(large)) + np.min(large) * np.max(small) + y[1]


def selected_before_a_write_in_a_loop(x, steps):
    y = x.copy()
    for k in range(steps):
        large = y[y > 0.2]
        y[k] = 0.5 * y[k]
        y[-1 - k] += 0.1 * np.sum(np.exp(large))
    return y @ y


def selected_before_a_loop_that_writes(x, steps):
    y = x.copy()
    large = y[y > 0.2]
    for k in range(steps):
        if x[k] > 0.0:
            y[k] = x[k] - np.sum(np.exp(large))
    return y @ y + np.min(large)


def centres_of_groups(x, centres):
    label = np.argmin(np.sum((x[:, None] - centres[None]) ** 2, axis=2), axis=1)
    spread_inside = 0.0
    for k in range(len(centres)):
        group = x[label == k]
        if len(group) > 0:
            centres[k] = group.mean(axis=0)
            spread_inside += np.sum((group - centres[k]) ** 2) / group.shape[0] + group[:, 0].std() + group.size
    return spread_inside + np.sum(centres**2)


def clipped_mean(x):
    kept = x[np.abs(x - x.mean()) < 0.4]
    kept = kept[kept > kept.mean() - 0.2]
    centred = kept - np.average(kept)
    return np.var(kept) + centred @ centred / (len(centred) - 1) + np.mean(np.exp(kept))


def pixels_of_an_image(image):
    bright = image[image[:, :, 0] > 0.0]
    rows, channels = bright.shape
    total = bright.sum(axis=0) / rows + bright.ndim
    turned = bright[:, [1, 0]] * np.arange(1.0, 1.0 + channels)
    return np.sum(total * bright.mean(axis=0)) + np.sum(turned[..., 0] ** 2) + np.max(bright, axis=1).mean()


def compressed(image):
    bright = np.compress(image[0, :, 0] > 0.2, image, axis=1)
    return np.sum(bright**2) / bright.shape[1] + image.compress(image[:, 1, 0] > 0.2, axis=0).mean()


def _corrected(u, h):
    """As functions of weather and remote sensing are written: for any points, with masks of their own."""
    length = np.asarray(np.ones(u.shape) * 3.0)
    moves = h != 0.0
    factor = np.asarray(2.0 / (u + 5.0))
    length[moves] = -(u[moves] ** 3) / (factor[moves] * h[moves])
    correction = np.zeros(len(u))
    correction[length < 0.0] = np.arctan(length[length < 0.0])
    return np.asarray(length), correction


def selected_for_a_function_with_masks(u, h):
    length, total = np.zeros(h.shape), np.zeros(h.shape)
    warm = h > 0.1
    length[warm], total[warm] = _corrected(u[warm], h[warm])
    return np.sum(length * np.arange(1.0, 1.0 + len(h))) + np.sum(total**2)


def selected_until_all_is_done(u, h):
    length, done = np.zeros(h.shape), np.zeros(h.shape, dtype=bool)
    for n in range(4):
        if np.all(done):
            break
        left = np.logical_and(~done, h > 0.1)
        length[left], _ = _corrected(u[left], h[left] + 0.1 * n)
        change = np.abs(length[left] + 0.2)
        done[left] = change > 0.3
    return np.sum(length * u)


def truth_values_as_masks(x):
    h = np.asarray(x[0] * 2.0)
    h[np.asarray(np.isnan(h))] = 0
    h[h > 0.0] *= x[1]
    a = x.copy()
    a[x[0] > 0.0] = x * x
    a[x[1] > 0.0, 1:] += x[2]
    return h * a[np.True_].sum() + np.sum(h[h > 100.0]) + np.sum(a[x[0] < 0.0])


def selected_last(x, w):
    for k in range(3):
        found = np.compress(x[k] + w > 0.1, w)
    x[:] = w * 2.0
    return np.sum(found**2) + np.sum(x)


def selected_last_in_a_loop(x, w):
    total = 0.0
    for i in range(3):
        for k in range(i + 1):
            found = w[x + w[k] > 0.1 * i]
        total += np.sum(found**2)
        x[i] = w[i] * x[i]
    return total + np.max(found)


CASES = (
    row(selected_last, lambda: (spread(1, 6), spread(2, 6)), "x, w"),
    row(selected_last_in_a_loop, lambda: (spread(1, 6), spread(2, 6)), "x, w"),
    row(truth_values_as_masks, lambda: (np.array([0.7, 0.4, -0.3]),), "x"),
    row(truth_values_as_masks, lambda: (np.array([-0.7, -0.4, 0.3]),), "x", tag="none"),
    row(selected_for_a_function_with_masks, lambda: (spread(7, 6), spread(8, 6)), "u, h"),
    row(selected_until_all_is_done, lambda: (spread(7, 6), spread(8, 6)), "u, h"),
    row(selected_before_a_write, lambda: (spread(1, 8),), "x"),
    row(selected_before_a_write_in_a_loop, lambda: (spread(2, 7), 4), "x"),
    row(selected_before_a_loop_that_writes, lambda: (spread(3, 7), 4), "x"),
    row(centres_of_groups, lambda: (spread(1, 9, 2), spread(2, 3, 2)), "x, centres"),
    row(clipped_mean, lambda: (spread(4, 12, step=0.07),), "x"),
    row(pixels_of_an_image, lambda: (spread(5, 3, 4, 2),), "image"),
    row(compressed, lambda: (spread(6, 3, 4, 2),), "image"),
)
