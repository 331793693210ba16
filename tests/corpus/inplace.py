"""In-place and augmented assignment, swaps, overwritten inputs, names bound again to other values, shapes and types."""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def augmented_arrays(x, y):
    x += y
    x *= y
    x -= 2.0 * y
    x /= y
    x **= 2
    return np.sum(x * x)


def overwritten_input(x, y):
    t = x * y
    x[:] = np.sin(t)
    y[:] = x * y
    return np.sum(x * y * t)


def overwritten_twice(x, y):
    x[:] = x * x
    x[:] = x * y
    x[:] = np.exp(-x)
    return np.sum(x)


def input_killed_before_use(x, y):
    x[:] = y
    x *= x
    return np.sum(x)


def partly_killed(x, y):
    x[:3] = 0.0
    x[4] = y[0] * x[5]
    return np.sum(x * x * y)


def swap_names(x, y):
    x, y = y, x
    return np.sum(x * np.sin(y)) + np.sum(x)


def swap_names_in_loop(x, y, n):
    for _ in range(n):
        x, y = y, x * 0.5 + y
    return np.sum(x * y)


def swap_elements(x, y):
    x[0], x[1] = x[1], x[0] * y[0]
    x[2], y[2] = y[2] ** 2, x[2]
    return np.sum(x * y * np.arange(len(x)))


def swap_slices_by_copy(x, y):
    head = x[:3].copy()
    x[:3] = x[-3:]
    x[-3:] = head * y[:3]
    return np.sum(x * x * y)


def ping_pong_buffers(x, y, n):
    old = x.copy()
    new = np.zeros_like(x)
    for _ in range(n):
        new[1:-1] = old[1:-1] + 0.2 * (old[2:] - 2 * old[1:-1] + old[:-2]) * y[1:-1]
        old, new = new, old
    return np.sum(old * old)


def rebound_to_other_shape(x, y):
    t = x * y
    t = np.sum(t)
    t = t * x[:2]
    t = t.reshape(1, 2) * y[:3, None]
    return np.sum(t * t)


def rebound_parameter(x, y):
    x = x * y
    x = np.concatenate((x, y))
    return np.sum(x * x)


def integer_becomes_float(x, y):
    s = 0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s * s


def integer_becomes_array(x, y):
    total = 0
    for k in range(3):
        total = total + x * k - y**k
    return np.sum(total * total)


def integer_product(x, y):
    p = 1
    for i in range(len(x)):
        p *= x[i] + y[i] ** 2
    return p


def none_becomes_array(x, y):
    best = None
    for k in range(3):
        term = x * y**k
        best = term if best is None else best + np.sin(term)
    return np.sum(best)


def temporaries_reused(x, y):
    t = np.empty_like(x)
    t[:] = x + y
    s = np.sum(t * t)
    t[:] = x - y
    s += np.sum(t**3)
    t[:] = t * s
    return np.sum(t)


def out_argument(x, y):
    t = np.empty_like(x)
    np.multiply(x, y, out=t)
    np.sin(t, out=t)
    np.add(t, x, t)
    return np.sum(t * t)


def recurrence_forward(x, y):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1] * y[i]
    return np.sum(x * x)


def recurrence_backward(x, y):
    for i in range(len(x) - 2, -1, -1):
        x[i] -= np.tanh(x[i + 1]) * y[i]
    return np.sum(x * x)


def accumulate_into_one_element(x, y):
    for i in range(1, len(x)):
        x[0] += x[i] * x[0] * y[i]
    return x[0] * x[1]


def value_used_before_and_after(x, y):
    a = x[2] * 1.0
    x[2] = y[2] * a
    b = x[2]
    x[2] = b * a * y[1]
    return np.sum(x) * a * b


def unused_work(x, y):
    dead = np.exp(x) * y
    dead[0] = 3.0
    np.sum(dead)
    return np.sum(x * y)


def constant_output_part(x, y):
    x[:] = 1.0
    return np.sum(x * y)


def in_place_stencil(u, k, steps):
    for t in range(steps):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def nonlinear_in_place_stencil(u, c, steps):
    for t in range(steps):
        u[1:-1] = u[1:-1] - 0.1 * c * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def updated_extrema(x, y):
    high, low = x * 1.0, np.full(4, 2.0)
    places = np.array([0, 3, 0, 1, 3, 3, 2])
    np.maximum.at(high, places, x * y)
    np.minimum.at(low, places, y)
    for k in range(1, 4):
        np.multiply.at(low, -k, y[k])
    return np.sum(high * high) + np.sum(low**3)


def pair():
    return uniform(1, 7), uniform(2, 7, low=0.4, high=1.3)


PAIRS = (augmented_arrays, overwritten_input, overwritten_twice, input_killed_before_use, partly_killed, swap_names)
PAIRS += (swap_elements, swap_slices_by_copy, rebound_to_other_shape, rebound_parameter, integer_becomes_float)
PAIRS += (integer_becomes_array, integer_product, none_becomes_array, temporaries_reused, out_argument)
PAIRS += (recurrence_forward, recurrence_backward, accumulate_into_one_element, value_used_before_and_after)
PAIRS += (unused_work, constant_output_part, updated_extrema)

CASES = (
    *(row(f, pair, "x, y") for f in PAIRS),
    *(row(f, lambda: (*pair(), 5), "x, y") for f in (swap_names_in_loop, ping_pong_buffers)),
    row(in_place_stencil, lambda: (normal(1, 9), uniform(2, 9, low=0.1, high=0.3), 6), "u, k"),
    row(nonlinear_in_place_stencil, lambda: (normal(1, 9), 0.7, 6), "u, c"),
)
