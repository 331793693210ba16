"""Masks that follow from sizes and constants: how many elements they select is known."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def flow_around_an_obstacle(f, tau, steps):
    """A lattice Boltzmann scheme; in the obstacle particles turn round."""
    n, m, _ = f.shape
    velocities = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])
    weights = np.array([1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    x, y = np.meshgrid(range(m), range(n))
    obstacle = (x - m / 4) ** 2 + (y - n / 2) ** 2 < (n / 4) ** 2
    for _ in range(steps):
        for k, (cx, cy) in enumerate(velocities):
            f[:, :, k] = np.roll(np.roll(f[:, :, k], cx, axis=1), cy, axis=0)
        turned = f[obstacle, :]
        turned = turned[:, [0, 3, 4, 1, 2]]
        density = np.sum(f, 2)
        u = np.sum(f * velocities[:, 0], 2) / density
        v = np.sum(f * velocities[:, 1], 2) / density
        for k in range(5):
            cu = velocities[k, 0] * u + velocities[k, 1] * v
            f[:, :, k] += (weights[k] * density * (1 + 3 * cu) - f[:, :, k]) / tau
        f[obstacle, :] = turned
        u[obstacle] = 0
    return np.sum(u**2) + np.sum(f[:, -1, 1])


def reversed_inside(x, n):
    i, j = np.mgrid[0:n, 0:n]
    inside = i + j > n - 2
    x[inside] = 2.0 * x[inside][::-1]
    return np.sum(x * x) + x[inside][:3].sum() * len(x[inside])


def drawn_mask(x, steps):
    chosen = np.zeros(x.shape, dtype=bool)
    chosen[1:3, 2:] = True
    chosen[0, 0] = True
    chosen = chosen & ~np.eye(x.shape[0], dtype=bool)
    for _ in range(steps):
        x[chosen] = 1.5 * x[chosen][::-1]
        x[~chosen] += x[chosen][0]
    i, j = np.where(chosen)
    return (
        np.sum(x[i, j] * np.arange(len(i))) + np.sum(x[np.nonzero(chosen)] ** 2) + x.ravel()[np.flatnonzero(chosen)][-1]
    )


def held_out(x, y):
    train = np.arange(len(x)) % 3 != 0
    slope = np.sum(x[train] * y[train]) / np.sum(x[train] ** 2)
    residual = y[~train] - slope * x[~train]
    return np.mean(residual**2) + residual[0] * len(residual)


def upper_triangle(a):
    n = a.shape[0]
    upper = np.triu(np.ones((n, n))) > 0
    packed = a[upper]
    total = 0.0
    for k in np.argwhere(np.arange(n) > 1)[:, 0]:
        total += a[k, 0] ** 2
    return np.sum(packed[1:] * packed[:-1]) + total


def flow_by_indices(f, omega, steps):
    """A lattice Boltzmann scheme as it is often written: arrays of velocities, indexed in the loop over directions."""
    cx, cy = np.array([0, 1, 0, -1, 0]), np.array([0, 0, 1, 0, -1])
    w = np.array([1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    for _ in range(steps):
        rho = np.sum(f, axis=0)
        ux, uy = np.tensordot(cx, f, 1) / rho, np.tensordot(cy, f, 1) / rho
        new = np.zeros_like(f)
        for i in range(5):
            cu = 3 * (cx[i] * ux + cy[i] * uy)
            collided = f[i] - omega * (f[i] - rho * w[i] * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2)))
            new[i] = np.roll(np.roll(collided, cx[i], axis=0), cy[i], axis=1)
        f = new
    return np.sum(ux**2 + uy**2) + np.sum(f[1, :, 0])


def pieces_by_table(x):
    starts = np.array([0, 2, 3, 7])
    total = 0.0
    for k in range(len(starts) - 1):
        piece = x[starts[k] : starts[k + 1]]
        total += np.mean(piece) ** 2 + np.sum(np.zeros(starts[k + 1]) + x[k]) + len(piece)
    return total


def piecewise_of_what_is_selected(x):
    """Each function gets the elements that are its own, and may look at all of them."""
    one = np.piecewise(x, [x < 0], [lambda v: v * np.mean(v), lambda v: v - v[0]])
    two = np.piecewise(x, np.array([x < 0, x >= 0.5]), [lambda v: v**2, np.cumsum, lambda v: 3 * v])
    return np.sum(one**2) + np.sum(two * x)


def piecewise_conditions(x):
    """One condition of scalars, one for rows, one for all."""
    a = x.reshape(3, 3)
    rows = np.piecewise(a, [True, False, True], [lambda v: v**2, lambda v: 3 * v])
    more = np.piecewise(a, [np.array([True, False, True])], [-1, lambda v: v**3])
    every = np.piecewise(a, True, [-10, 10]) + np.piecewise(a, x[0] > -9, np.array([2, 5]))
    whole = np.piecewise(np.arange(9) - 4, [np.arange(9) > 4], [lambda v: v**2, 2.7])
    number = np.piecewise(x[0], [x[0] < 0, x[0] >= 0], [lambda v: v**2, lambda v: np.sin(v)])
    return np.sum(rows) + np.sum(more * a) + np.sum(every * a) + np.sum(whole * x) + number * x[1]


def interpolated_over_one_knot(x, w):
    """How many knots there are, data decide."""
    knots, counts = np.unique(np.minimum(w, 0.1), return_counts=True)
    return np.sum(x * np.interp(x, np.cumsum(counts) / 7.0, knots)) + np.sum(np.interp(w, w[:1], x[1:2]) * x)


def rows_of_selections(x, w):
    """A mask of two axes selects along one, as all functions have to see it."""
    planes = np.stack([np.outer(x, w), np.outer(w, w)], axis=-1)
    chosen = planes[:, :, 1] > 0.8
    return np.sum(np.einsum("ij,ij->i", planes[chosen], planes[chosen] ** 2)) + np.sum(x)


def selections_of_one(x, w):
    """An axis of one element is left out, however it has come to be one."""
    one, many = np.squeeze(x[x == x[2]]), np.squeeze(w[w > 0.6])
    return one * x[1] * (one.ndim + 1) + np.sum(many**2) * (many.ndim + 1)


def turned_to_the_least(x, w):
    """Methods of arrays are given ranges that data begin."""
    least = np.argmin(x)
    return np.sum(x.take(range(least, least + len(x)), mode="wrap") * np.arange(7.0)) + np.sum(w.take(range(least)))


BY_DATA = (interpolated_over_one_knot, rows_of_selections, selections_of_one, turned_to_the_least)
CASES = (
    row(piecewise_of_what_is_selected, lambda: (normal(8, 9),), "x"),
    row(piecewise_conditions, lambda: (normal(9, 9),), "x"),
    row(flow_by_indices, lambda: (uniform(1, 5, 4, 6), 0.8, 2), "f, omega"),
    row(pieces_by_table, lambda: (normal(1, 7),), "x"),
    row(flow_around_an_obstacle, lambda: (uniform(1, 6, 8, 5), 0.8, 3), "f, tau"),
    row(reversed_inside, lambda: (normal(1, 4, 4), 4), "x"),
    row(drawn_mask, lambda: (normal(1, 4, 4), 2), "x"),
    row(held_out, lambda: (uniform(1, 8), normal(2, 8)), "x, y"),
    row(upper_triangle, lambda: (normal(1, 4, 4),), "a"),
    *(row(f, lambda: (normal(1, 7), uniform(2, 7)), "x, w") for f in BY_DATA),
)
