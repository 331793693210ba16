"""Every form of `for`: steps and signs of ranges, bounds from arguments and outer loops, sequences, rows of arrays."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def range_stop(x, w, n):
    s = 0.0
    for i in range(n):
        s += np.sin(x[i]) * w[i]
    return s


def range_start_stop(x, w, n):
    s = 0.0
    for i in range(2, n):
        s += x[i] * x[i - 1] * w[i - 2]
    return s


def range_with_step(x, w, n):
    for i in range(1, n, 2):
        x[i] = x[i - 1] * w[i]
    for i in range(0, n - 2, 3):
        x[i] *= x[i + 2]
    return np.sum(x * x)


def range_downwards(x, w, n):
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - w[i] * x[i + 1]
    for i in range(n - 1, 1, -2):
        x[i] *= x[i - 2]
    return np.sum(x * x)


def range_of_length(x, w):
    p = 1.0
    for i in range(len(x)):
        p *= x[i] + w[i]
    for i in range(w.shape[0] - 1):
        p += x[i] * w[i + 1]
    return p


def empty_range(x, w, n):
    for i in range(n, 2):
        x[i] = 0.0
    return np.sum(x * w)


def bounds_from_expressions(x, w, n):
    s = 0.0
    for i in range(n // 2, min(n, len(x))):
        s += x[i] ** 2 * w[n - i - 1]
    for i in range((n + 1) % 4, 2 * n - n - 1):
        s *= 1.0 + 0.1 * x[i]
    return s


def nested(a, w):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] ** 2 * w[i] * w[j]
    return s


def triangular_lower(a, w):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = a[i, j] * w[j] + a[j, i]
    return np.sum(a * a)


def triangular_upper(a, w):
    n = len(w)
    for i in range(n):
        for j in range(i + 1, n):
            a[i, j] -= a[j, i] * w[i]
            w[j] += 0.1 * a[i, j]
    return np.sum(a * a) + np.sum(w)


def triple_with_dependent_bounds(a, w):
    n = a.shape[0]
    for i in range(n):
        for j in range(i, n):
            for k in range(i, j + 1):
                w[k] += 0.1 * a[i, j] * a[k, j] * w[i]
    return np.sum(w * w)


def wavefront(a, w):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] += 0.3 * a[i - 1, j] * w[j] + 0.2 * a[i, j - 1] * a[i - 1, j - 1]
    return np.sum(a)


def backward_wavefront(a, w):
    for i in range(a.shape[0] - 2, -1, -1):
        for j in range(a.shape[1] - 2, -1, -1):
            a[i, j] = np.tanh(a[i + 1, j] * w[j] + a[i, j + 1]) + a[i, j]
    return np.sum(a * a)


def rows_with_slices(a, w):
    for i in range(1, a.shape[0]):
        a[i] = a[i] + a[i - 1] * w
        a[i, 1:] *= a[i - 1, :-1]
    return np.sum(a * a)


def over_tuple_of_numbers(x, w):
    s = 0.0
    for c in (1.0, -0.5, 2.0):
        s += np.sum(np.sin(c * x) * w)
    return s


def over_list_of_arrays(x, w):
    s = 0.0
    for v in [x, w, x * w]:
        s += np.sum(v * v) * np.sum(v)
    return s


def over_offsets(x, w):
    out = np.zeros_like(x)
    for shift, weight in ((-1, 0.25), (0, 0.5), (1, 0.25)):
        out += weight * np.roll(x, shift)
    return np.sum(out * out * w)


def over_zip(x, w):
    s = 0.0
    for a, b in zip(x, w):
        s += a * np.exp(-b)
    return s


def over_zip_of_static(x, w):
    s = 0.0
    for k, name, factor in zip(range(3), ("sin", "cos", "exp"), (1.0, 2.0, 0.1)):
        function = getattr(np, name)
        s += factor * np.sum(function(x) * w**k)
    return s


def over_enumerate(x, w):
    s = 0.0
    for i, v in enumerate(x):
        s += v * v * w[i] * (i + 1)
    return s


def over_enumerate_with_start(x, w):
    s = 0.0
    for k, v in enumerate((x, w), start=2):
        s += np.sum(v**k)
    return s


def over_reversed(x, w):
    state = 0.0
    for i in reversed(range(len(x))):
        state = np.sin(state + x[i]) * w[i]
    for v in reversed((x, w)):
        state = state * v[0] + v[1]
    return state


def over_elements(x, w):
    s = 0.0
    for v in x:
        s = s * 0.5 + v * v
    return s * np.sum(w)


def over_rows(a, w):
    s = 0.0
    for r in a:
        s += np.sum(r * w) ** 2
    return s


def over_rows_written(a, w):
    for r in a:
        r *= w
        r[0] = r[1] * r[2]
    return np.sum(a * a)


def over_rows_with_enumerate(a, w):
    s = 0.0
    for i, r in enumerate(a):
        s += r[i] * np.dot(r, w)
    return s


def over_zip_of_rows(a, w):
    out = np.zeros(a.shape[1])
    for r, c in zip(a, w):
        out = out * 0.5 + r * c
    return np.sum(out * out)


def over_columns_of_transpose(a, w):
    s = 0.0
    for c, v in zip(a.T, w):
        s += np.sum(c * c) * v
    return s


def over_dictionary(x, w):
    arrays = {"x": x, "w": w}
    s = 0.0
    for name, v in arrays.items():
        s += np.sum(v**2) * (3.0 if name == "x" else 1.0)
    for name in arrays:
        s *= arrays[name][1]
    return s


def time_loop_with_history(x, w, n):
    history = np.zeros((n + 1, len(x)))
    history[0] = x
    for t in range(n):
        history[t + 1] = history[t] + 0.1 * np.sin(history[t]) * w
    return np.sum(history[-1] ** 2) + np.sum(history[n // 2])


def counter_in_expressions(x, w, n):
    s = 0.0
    for t in range(1, n + 1):
        x *= np.exp(-w / t)
        s += np.sum(x) / (t * t + 1)
    return s


def index_arithmetic(x, w, n):
    s = 0.0
    for i in range(n):
        s += x[(i + 2) % n] * w[i // 2] - x[n - 1 - i] * x[i]
    return s


def counter_after_the_loop(x, w, n):
    for i in range(n - 1):
        x[i] += w[i] * x[i + 1]
    return x[i] * w[i + 1] * i


def manual_counter(x, w, n):
    k = 0
    s = 0.0
    for i in range(n):
        if i % 2 == 0:
            s += x[k] * w[i]
            k += 1
    return s * s * k


def scalar_state(x, w, n):
    previous = x[0]
    current = x[1]
    for i in range(2, n):
        previous, current = current, w[i] * current + 0.5 * previous + x[i]
    return current * previous


def unrolled_by_literal(x, w):
    s = 0.0
    for k in range(3):
        for j in range(2):
            s += x[k + j] * w[k] ** (j + 1)
    return s


def newton_fixed_iterations(x, w):
    y = x.copy()
    for _ in range(6):
        y = y - (y * y * y + y - w) / (3 * y * y + 1)
    return np.sum(y * y)


def continue_on_index(x, w, n):
    s = 0.0
    for i in range(n):
        if i == 2:
            continue
        s += x[i] ** 2 * w[i]
    return s


def for_else(x, w, n):
    s = 0.0
    for i in range(n):
        s += x[i] * w[i]
    else:
        s *= 2.0
    return s


def bounds_by_parity(a, w):
    for _ in range(2):
        for i in range(1, a.shape[0] - 1):
            for j in range(1 + i % 2, a.shape[1] - 1, 2):
                a[i, j] = w[i] * a[i, j] * a[i, j - 1] + 0.25 * a[i + 1, j]
    return np.sum(a * a)


def bounds_by_parity_downwards(a, w):
    for i in range(1, a.shape[0] - 1):
        for j in range(a.shape[1] - 2 - i % 2, 0, -1):
            a[i, j] = w[i] * a[i, j] * a[i, j - 1] + 0.25 * a[i - 1, j] * a[i, j + 1]
    return np.sum(a * a)


def slices_in_triangular_loops_with_steps(a, w):
    s = 0.0
    for i in range(len(w)):
        for j in range(i, -1, -2):
            s += a[i, j::-1] @ w[: j + 1]
        for j in range(i, len(w), 3):
            t = w[j:] * a[i, j:]
            s += t[0] * t[-1]
    return s


def exchange_in_triangular_loop_with_step(x, w):
    for i in range(len(x) - 1, 0, -3):
        for j in range(0, i, 2):
            x[j] *= w[1]
            x, w = w, x
    return np.sum(x * x)


def extent_below_int_argument(x, w, n):
    s = 0.0
    for i in range(n):
        s += np.sum(np.full(i, x[i]) * w[:i])
    return s


def rebound_in_a_loop_that_may_not_run(a, w):
    for i in range(len(w)):
        for j in range(i, 2):
            w = a[:, j] * 2.0
    return np.sum(w * w)


def read_after_a_loop_that_may_not_run(a, w):
    s = 1.0
    for i in range(len(w) - 1, -1, -1):
        for j in range(i):
            s = a[i, j] * a[j, i]
        w[i] += s * w[0]
    return np.sum(w * w)


def counter_after_a_loop_that_may_not_run(a, w):
    k = 1
    for i in range(len(w)):
        for j in range(i, 3):
            k = j + i
    return np.sum(w) * a[k, k] ** 2


def within(values, times):
    left = 3
    for _ in range(times):
        values, left = values[1:-1], left - 1
    return np.sum(values) * (1.0 + left)


def shapes_by_the_count_of_a_loop(x, w):
    """How often the inner loop runs is known where the outer one is written out, and not that it runs."""
    s, t = 0.0, x
    for m in range(3, -1, -1):
        s += within(x, m) ** 2
        t = w
        for _ in range(m):
            t = t[1:]
        s += t[0] * t[-1]
    return s


FACTORS = [0.5 + 0.001 * n for n in range(220)]


def hundreds_of_statements(x, w):
    for factor in FACTORS:
        x = np.tanh(factor * x + w)
    return np.sum(x)


def vectors():
    return normal(1, 7), uniform(2, 7)


def bounds_of_few_bits(x, w):
    for i in range(2):
        for k in range(2, np.int64(i + 511).astype(np.uint8), -1):
            x[k] = 0.4 * x[k] * w[i]
    return np.sum(x * w)


def counter_after_loops_that_data_end(x, lengths):
    for i in range(int(lengths[0]) - 1, -1, -1):
        if x[i] > 0:
            break
    total = x[i] ** 2 * i
    for t in range(2):
        for j in range(t, int(lengths[t]), 2):
            y = x[j] * t
            part = np.sin(x[j : j + 2])
        total += y * j + part[0] * part[1]
    return total


def matrix_and_weights():
    return normal(3, 5, 5), uniform(4, 5)


WITH_LENGTH = (range_stop, range_start_stop, range_with_step, range_downwards, empty_range, bounds_from_expressions)
WITH_LENGTH += (time_loop_with_history, counter_in_expressions, index_arithmetic, counter_after_the_loop)
WITH_LENGTH += (manual_counter, scalar_state, continue_on_index, for_else, extent_below_int_argument)
VECTORS = (range_of_length, over_tuple_of_numbers, over_list_of_arrays, over_offsets, over_zip, over_zip_of_static)
VECTORS += (over_enumerate, over_enumerate_with_start, over_reversed, over_elements, over_dictionary)
VECTORS += (
    unrolled_by_literal,
    shapes_by_the_count_of_a_loop,
    hundreds_of_statements,
    newton_fixed_iterations,
    bounds_of_few_bits,
    exchange_in_triangular_loop_with_step,
)
MATRICES = (nested, triangular_lower, triangular_upper, triple_with_dependent_bounds, wavefront, backward_wavefront)
MATRICES += (rows_with_slices, over_rows, over_rows_written, over_rows_with_enumerate, over_zip_of_rows)
MATRICES += (over_columns_of_transpose, bounds_by_parity, bounds_by_parity_downwards)
MATRICES += (slices_in_triangular_loops_with_steps, rebound_in_a_loop_that_may_not_run)
MATRICES += (read_after_a_loop_that_may_not_run, counter_after_a_loop_that_may_not_run)

CASES = (
    *(row(f, lambda: (*vectors(), 7), "x, w") for f in WITH_LENGTH),
    *(row(f, vectors, "x, w") for f in VECTORS),
    *(row(f, matrix_and_weights, "a, w") for f in MATRICES),
    row(counter_after_loops_that_data_end, lambda: (normal(1, 7), np.array([5, 4])), "x"),
    row(range_stop, lambda: (*vectors(), 0), "x, w", tag="no_trip"),
    row(range_downwards, lambda: (*vectors(), 1), "x, w", tag="no_trip"),
)
