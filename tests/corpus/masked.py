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


CASES = (
    row(selected_before_a_write, lambda: (spread(1, 8),), "x"),
    row(selected_before_a_write_in_a_loop, lambda: (spread(2, 7), 4), "x"),
    row(selected_before_a_loop_that_writes, lambda: (spread(3, 7), 4), "x"),
    row(centres_of_groups, lambda: (spread(1, 9, 2), spread(2, 3, 2)), "x, centres"),
    row(clipped_mean, lambda: (spread(4, 12, step=0.07),), "x"),
    row(pixels_of_an_image, lambda: (spread(5, 3, 4, 2),), "image"),
    row(compressed, lambda: (spread(6, 3, 4, 2),), "image"),
)
