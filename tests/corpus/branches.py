"""`if` on data, on indices, on flags; inside and outside loops; conditional expressions; early return."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def on_data_outside_loops(x, w):
    if np.sum(x) > 0:
        y = x * w
    else:
        y = x - w**2
    return np.sum(y * y)


def on_data_in_loop(x, w):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += x[i] * w[i]
        else:
            s -= x[i] ** 3
    return s


def on_data_writing_arrays(x, w):
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            x[i] = x[i] * w[i]
        else:
            x[i] += w[i] * x[i - 1]
    return np.sum(x * x)


def on_overwritten_data(x, w):
    for i in range(len(x)):
        if x[i] < 0:
            x[i] = -x[i] * w[i]
            w[i] = x[i]
    return np.sum(x * w)


def on_index(x, w):
    for i in range(len(x)):
        if i == 0:
            x[i] = w[i] ** 2
        elif i % 2 == 0:
            x[i] *= x[i - 1]
        elif i == len(x) - 1:
            x[i] = 1.0
        else:
            x[i] -= w[i]
    return np.sum(x * x)


def without_else(x, w):
    y = x * w
    if y[0] > -10.0:
        y = y * 2.0
    if y[1] > 100.0:
        y[1] = 0.0
    return np.sum(y * x)


def nested_conditions(x, w):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            if w[i] > 1.0:
                s += x[i] * w[i]
            else:
                s += x[i] / w[i]
        elif x[i] > -0.5 and w[i] > 0.6:
            s += np.exp(x[i])
        else:
            s -= w[i]
    return s


def compound_conditions(x, w):
    s = 0.0
    for i in range(len(x)):
        if 0 < x[i] < 0.6 or not w[i] < 1.2:
            s += x[i] ** 2 * w[i]
        elif x[i] > 0 and i > 1:
            s += w[i]
    return s


def conditional_expression(x, w):
    s = 0.0
    for i in range(len(x)):
        step = w[i] if x[i] > 0 else x[i] * w[i]
        s += step * step
    return s


def conditional_expression_of_arrays(x, w):
    y = x if np.max(w) > 1.0 else w
    return np.sum(y * x)


def sign_change_in_recurrence(x, w):
    state = 0.1
    for i in range(len(x)):
        state = state + x[i]
        if state > 0.4:
            state = state - w[i] * state**2
    return state


def loop_inside_branch(x, w, n):
    if w[0] > 0:
        for i in range(1, n):
            x[i] += x[i - 1] * w[i]
    else:
        for i in range(n):
            x[i] = 0.0
    return np.sum(x * x)


def scalar_bound_in_branches(x, w):
    if x[0] > 0:
        a = x[0]
        b = w[0]
    else:
        a = w[0]
        b = x[0] * 2.0
    return a * b * b


def running_maximum(x, w):
    best = x[0]
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i] * 1.0
    return best * np.sum(w * best)


def saturating_update(x, w):
    for i in range(1, len(x)):
        t = x[i - 1] + w[i]
        x[i] = min(max(t, -0.8), 1.3) * x[i]
    return np.sum(x * x)


def branch_skips_a_nan(x, w):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += np.sqrt(x[i]) * np.log(x[i]) * w[i]
    return s


def early_return_on_flag(x, w, squared):
    if squared:
        return np.sum(x * x * w)
    y = np.sin(x)
    return np.sum(y * w)


def early_return_on_string(x, w, kind):
    if kind == "sum":
        return np.sum(x * w)
    if kind in ("mean", "average"):
        return np.mean(x * x * w)
    raise ValueError(kind)


def early_return_on_shape(x, w):
    if x.ndim == 2:
        return np.sum(x @ x)
    if len(x) < 3:
        return np.sum(x)
    return np.sum(x * w[::-1])


def early_return_on_none(x, w, weights=None):
    if weights is None:
        return np.sum(x * w) ** 2
    return np.sum(weights * x)


def return_in_both_branches(x, w):
    if np.sum(x * w) > 0:
        return np.sum(x**2 * w)
    else:
        return np.sum(x * w**2)


def static_dispatch_in_loop(x, w, order):
    for k in range(3):
        if order == 1:
            x = x + 0.1 * w * x
        elif order == 2:
            half = x + 0.05 * w * x
            x = x + 0.1 * w * half * k
        else:
            x = w
    return np.sum(x * x)


def boolean_array_condition(x, w):
    mask = x > 0
    s = 0.0
    for i in range(len(x)):
        if mask[i]:
            s += x[i] * w[i]
    return s + np.sum(x[0] * w)


def integer_array_condition(x, w, kinds):
    s = 0.0
    for i in range(len(x)):
        if kinds[i] == 1:
            s += x[i] ** 2
        elif kinds[i] == 2:
            s += x[i] * w[i]
    return s


def assertion_on_static_facts(x, w):
    assert x.shape == w.shape, "shapes must agree"
    assert x.ndim == 1
    if x.shape != w.shape:
        raise ValueError("shapes must agree")
    return np.sum(x * w)


def chosen_array_written_into_one_of_both(x, w):
    x[:] = x[::-1] if w[0] > 1.0 else x
    w[1:] += w[1:] if x[0] > 0.0 else x[:-1]
    return np.sum(x * w)


def loop_of_unknown_length_on_one_side(x, w, n):
    y = 2.0 * x
    if w[0] < 0.0:
        y[0] = 0.5 * w[1]
    else:
        if w[0] > 0.1:
            for _ in range(n - 1, -1, -1):
                y = 0.5 * w
    return y[0] * np.sum(y)


def vectors():
    return spread(1, 8), uniform(2, 8)


def neighbours_that_may_not_exist(x, w):
    s = 0.5
    for i in range(len(x)):
        left = x[i - 1] if i > 0 else 0.1
        s = np.sin(s) * left + (w[i + 1] if i < len(x) - 1 and s > 0 else w[i])
    return s


def rows_that_may_not_exist(x, w):
    s = np.zeros((3, len(x)))
    for k in range(3):
        for i in range(len(x)):
            before = s[k - 1, i - 1] if k > 0 and i > 0 else 0.1
            s[k, i] = before * x[i] + (w[i] if i == len(x) - 1 else w[i + 1])
    return np.sum(s)


def one_side_of_a_row(x, w):
    a = np.empty(len(x))
    for i in range(len(x)):
        a[i] = x[i] * (a[i - 1] if i else 1.0)
    return a[-1] * w[0] + a[2]


def number_or_another(x, w):
    scale = x[0] or 2.0
    step = (w[1] and x[1]) + (0.0 * w[2] or x[2] * w[2]) + ((x[3] > 0 and w[3]) or x[4])
    return scale * step + (0 or w[5] or w[6])


def neighbours_before_the_first(x, w):
    """How far back may be looked depends on two loops."""
    y = np.zeros(len(x))
    for n in range(len(x)):
        for k in range(3):
            y[n] += w[k] * x[n - k] if n >= k else 0.0
    return np.sum(y * y)


def nothing_given_has_no_columns(x, w):
    fixed, y = np.array([]), x * w
    if fixed.any():
        _, columns = fixed.shape
        y = y * columns
    return np.sum(y * y) if np.all(x[:0]) else np.sum(y)


def in_a_range(x, w):
    s = 0.0
    for i in range(60):
        if i in range(10, 30):
            s = s + np.sin(x[i % 8] * i)
        if i not in range(0, 50, 3):
            s = s * w[0]
        if i in range(40, 5, -4) or i in (3, 7, 50):
            s = s + w[i % 8] * i
    return s


def number_of_data_in_a_range(x, w):
    s, first = 0.0, int(10 * w[0] ** 2)
    for i in range(len(x)):
        if first + i in range(first, first + 3):
            s = s + x[i] * w[i]
        if np.floor(4 * w[i]) in range(0, 50, 2):
            s = s * w[i]
        if w[i] in range(3) or first in range(i, 100):
            s = s + w[1]
    return s


PLAIN = (on_data_outside_loops, on_data_in_loop, on_data_writing_arrays, on_overwritten_data, on_index, without_else)
PLAIN += (nested_conditions, compound_conditions, conditional_expression, conditional_expression_of_arrays)
PLAIN += (sign_change_in_recurrence, scalar_bound_in_branches, running_maximum, saturating_update, branch_skips_a_nan)
PLAIN += (early_return_on_shape, return_in_both_branches, boolean_array_condition, assertion_on_static_facts)
PLAIN += (chosen_array_written_into_one_of_both, neighbours_that_may_not_exist, rows_that_may_not_exist)
PLAIN += (one_side_of_a_row, number_or_another, neighbours_before_the_first)
PLAIN += (nothing_given_has_no_columns, in_a_range, number_of_data_in_a_range)

CASES = (
    *(row(f, vectors, "x, w") for f in PLAIN),
    row(on_data_outside_loops, lambda: (-uniform(1, 6), uniform(2, 6)), "x, w", tag="other_side"),
    row(return_in_both_branches, lambda: (-uniform(1, 6), uniform(2, 6)), "x, w", tag="other_side"),
    row(scalar_bound_in_branches, lambda: (-uniform(1, 6), uniform(2, 6)), "x, w", tag="other_side"),
    row(loop_inside_branch, lambda: (*vectors(), 6), "x, w"),
    row(loop_inside_branch, lambda: (normal(1, 6), -uniform(2, 6), 4), "x, w", tag="other_side"),
    row(loop_of_unknown_length_on_one_side, lambda: (*vectors(), 2), "x, w"),
    row(early_return_on_flag, lambda: (*vectors(), True), "x, w"),
    row(early_return_on_flag, lambda: (*vectors(), False), "x, w", tag="unset"),
    row(early_return_on_string, lambda: (*vectors(), "average"), "x, w"),
    row(early_return_on_none, lambda: (*vectors(), None), "x, w"),
    row(early_return_on_none, vectors, "x, w", tag="default"),
    row(static_dispatch_in_loop, lambda: (*vectors(), 2), "x, w"),
    row(integer_array_condition, lambda: (*vectors(), np.array([0, 1, 2, 2, 1, 0, 1, 2])), "x, w"),
)
