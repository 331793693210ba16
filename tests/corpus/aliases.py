"""Two names of one array: what happens to the other name when one is bound anew or written in place."""

from __future__ import annotations

import numpy as np

from .case import row, uniform


def both_rebound_in_loop(a):
    x = 2.0 * a
    y = x
    for _ in range(3):
        x = x + a
        y = 0.5 * y
    return np.sum(x * y)


def view_made_in_the_first_iteration(a):
    for i in range(4):
        if i == 0:
            x = 2.0 * a
            y = x[1:]
        else:
            x = x * a
    return np.sum(x) * np.sum(y)


def pair():
    return (uniform(1, 4),)


PAIRS = (both_rebound_in_loop, view_made_in_the_first_iteration)

CASES = tuple(row(f, pair, "a") for f in PAIRS)
