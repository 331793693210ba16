"""Loops that data end early: `break`, `return`, `else`, and what is read after them; `print` along the way."""

# ruff: noqa: B905, UP031 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def newton(x, e):
    for _ in range(30):
        step = (x - e * np.sin(x) - 0.5) / (1.0 - e * np.cos(x))
        x = x - step
        if abs(step) < 1e-3:
            break
    return x * (1.0 + step)


def _logged(*lines):
    for line in lines:
        print("newton: " + line)


def steps_taken(x, e):
    for k in range(30):
        x = x - 0.3 * (x**3 - e)
        if abs(x**3 - e) < 1e-2:
            print(f"converged after {k:3d}: x = {x:.3e}", x, "%g" % x)
            _logged(", ".join(map(str, ["converged after", k, x])), ", ".join(str(v) for v in (x, e)))
            break
    else:
        k = 99
    return x * k


def conjugate_gradients(a, b):
    m = a.T @ a + 5.0 * np.eye(len(b))
    x = np.zeros_like(b)
    r = b - m @ x
    p = r.copy()
    rs = r @ r
    for _ in range(10):
        q = m @ p
        alpha = rs / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        if np.sqrt(new) < 0.1:
            break
        p = r + (new / rs) * p
        rs = new
    return np.sum(x**3)


def returned_from_loop(x, e):
    def solve(start):
        for k in range(20):
            step = (start - e * np.sin(start) - x) / (1.0 - e * np.cos(start))
            if abs(step) < 1e-2:
                return start - step, k
            start = start - step
        return start, 20

    (p, k), (q, n) = solve(x), solve(x + 0.4)
    return p * q + k * p + n


def returned_from_inner_loop(x, w):
    def first_above(limit):
        for row_ in x:
            for v in row_:
                limit = limit - v * w[0]
                if v > limit:
                    return v * limit
                if v < -1.5:
                    break
            limit = limit * 0.9
        return limit**2

    return first_above(0.8) + first_above(0.2) * first_above(9.0)


def backtracking(x, w):
    def f(z):
        return np.sum(z**4) + np.sum((z - 1.0) ** 2)

    g = 4.0 * x**3 + 2.0 * (x - 1.0)
    for _ in range(3):
        size = w[0]
        for _ in range(10):
            trial = x - size * g
            if f(trial) < f(x) - 1e-2 * size * g @ g:
                break
            size *= 0.5
        x = trial
        g = 4.0 * x**3 + 2.0 * (x - 1.0)
    return f(x)


def bracketed(x, w):
    """A static table is searched in an unrolled loop, with a variable that an earlier loop has used."""
    edges, total = [0.0, 0.5, 1.0, 3.0], 0.0
    for i in range(3):
        total += w[i]
    for v in x:
        part = 0.0
        for i in range(3):
            if edges[i] <= abs(v) < edges[i + 1]:
                part = (abs(v) - edges[i]) / (edges[i + 1] - edges[i]) * (i + 1)
                break
        total += part**2
    return total


def pairs_until(x, w):
    s = 1.0
    for k, (a, b) in enumerate(zip(x, w)):
        if a < 0.0:
            continue
        s += a * b + k
        if s > 4.0:
            break
    else:
        s *= 3.0
    return s * a


def no_trip(x, n):
    a = 1.5
    for i in range(n):
        a = x[i] * a
        if a > 2.0:
            break
    return a * x[0]


def scalars():
    return 0.5, 0.3


def vectors():
    return normal(1, 6), normal(2, 6)


def matrix_and_vector():
    return normal(1, 5, 3), normal(2, 5)


def statements_behind_blocks(x):
    """What a block of several statements stands for ends on a side of a branch: the rest of the function follows."""
    s = 0.0
    for k in range(4):
        if x[k] > 0:
            with np.errstate(all="ignore"):
                s += x[k] ** 2
        s += x[k] ** 3
    if x[0] > 0:
        try:
            s += x[0]
        finally:
            s *= 1.5
    if s > -100.0:
        match len(x):
            case 4:
                s += x[1]
    return s * x[2]


def continued_in_tries(x):
    s = 0.0
    for k in range(4):
        try:
            if x[k] > 1.0:
                continue
            s += x[k] ** 2
            with np.errstate(all="ignore"):
                if x[k] > 0.0:
                    continue
                s *= 1.5
        except ValueError:
            s = 0.0
        else:
            if x[k] < -0.5:
                continue
            s *= 1.2
        finally:
            s *= 1.1
        s += x[k] ** 3
    return s


def broken_off_in_tries(x):
    s = 0.0
    for k in range(4):
        try:
            if x[k] > 1.0:
                break
            s += x[k] ** 2
        except ValueError:
            s = 0.0
        s += x[k] ** 3
    return s


def continued_behind_loops(x):
    s, j = 0.0, 0
    for k in range(4):
        for v in x[:2]:
            s += v
        else:
            if x[k] > 0:
                continue
            s += x[k] ** 2
        while s < 1.0 and j < 3:
            s, j = s + 0.3, j + 1
        else:
            if x[k] < -0.5:
                continue
        s += x[k] ** 3
    return s


def returned_before_the_final_block(x):
    s = 0.0
    for k in range(4):
        try:
            s += x[k] ** 2
            if x[k] > 1.0:
                return s * x[0]
        except ValueError:
            s = 2.0
        finally:
            s *= 1.2
        s += x[k] ** 3
    return s


def raised_behind_a_finally(x, w):
    total = x[0] * w[0]
    if total > -5.0:
        try:
            try:
                total += w[1]
            finally:
                total *= x[1]
            n = int("a")
        except ValueError:
            n = 2
            total = total * 0.9 + w[2]
    return total * n if total > -5.0 else total


def inner_final_blocks_come_first(x):
    w = x[0]
    try:
        try:
            try:
                if w > 0.1:
                    return w + x[1]
            finally:
                x[0] = x[0] * w
                w = w + 1.0
        finally:
            x[1] += x[0] * w
            w = w * 2.0
    finally:
        x[2] = x[1] * w
    return w


def broken_off_in_two_tries(x):
    w = x[0]
    for k in range(4):
        try:
            try:
                if w > 0.6 + 0.2 * k:
                    break
            except ZeroDivisionError:
                w = x[1]
            finally:
                w = w * x[2]
        finally:
            x[3] += w
    return w * x[3]


def raised_at_once_in_a_loop(x, w):
    total, left = x[0], 0
    try:
        for value in x:
            left += 1
            if len(x) > 2:
                raise ValueError("no")
            total = total * value
    except ValueError:
        total = 0.9 * total
    return total * w[left]


def dropped_at_last(x):
    def first(limit):
        for v in x:
            try:
                return v * v
            finally:
                if v < limit:
                    continue  # noqa: B012
        return 7.0 * x[0]

    total = 0.0 * x[0]
    while total < 2.0 * x[0]:
        total += x[0]
        try:
            if total > 0.0:
                break
        finally:
            continue  # noqa: B012
    return total + first(x[2] - 0.1) + first(2.0)


def as_many_steps_as_data_say(x, w):
    s = 0.5
    for value in x:
        for _ in range(int(4 * value)):
            s = s + (1 - s ** w[0]) * 0.3
        s = s * 0.5 * w[1]
    return s


def counted_down_by_data_in_a_loop(x, w):
    s, j, t = 0.5, 0, np.zeros(16)
    for i in range(len(x)):
        m = int(4 * x[i])
        for k in range(m, 0, -1):
            if s > 0.9:
                break
            s = s + (1 - abs(s) ** w[0]) * 0.3 + t[k]
            t[k] = 0.3 * np.sin(s) * x[i]
            j += k
        else:
            s = s * 0.9
        for k in range(2, m + 1, 2):
            if k == 4:
                continue
            s = s * np.cos(t[k]) + 0.1 * k
        s = s * 0.5 * w[1]
    return s + np.sum(t**2) * j


def _root_of_each(b, q, h):
    c = np.zeros(3)
    c[:2], c[2] = b, q
    for it in range(1, 1001):
        c -= 0.01 * (c**2 - h * np.arange(1, 4))
        error = np.max(np.abs(c**2 - h * np.arange(1, 4)))
        if c.max() > 50:
            raise ValueError("Not found: %r in %d." % (error, it))
        if error < 1e-2:
            b = c[:2]
            q = c[2]
            return b, q, error, it
    raise ValueError("Not found after %d: %r." % (it, error))


def names_given_where_a_loop_returns(x, w):
    b, q, s = np.ones(2), 1.0, 0.0
    for h in np.linspace(1.0, 2.0 + w[0], 40):
        b, q, error, it = _root_of_each(b, q, h)
        s = s + it * error + x[0] * q
    b[0] *= 2.0
    return np.sum(b) * q + s


def loops_that_return_behind_a_choice(x, w):
    count = 40
    if x[0] > 100.0:
        count = 50
    b, q = np.ones(2), 1.0
    for h in np.linspace(1.0, 2.0 + w[0], count):
        b, q, _, _ = _root_of_each(b, q, h)
    return np.sum(b) * q * x[1]


def counted_by_numpy(x, w):
    s, total = np.zeros((len(x), 8)), 0.0
    for k in np.arange(0, len(x)):
        n = int(4 * abs(x[k]))
        for j in np.arange(0, n):
            s[k, j] = np.sin(w[j] * x[k] * (j + 1))
        for j in np.arange(n + 1, 8, 2):
            s[k, j] += w[j] ** 2 / (j + 1) + np.float32(0.3) * j
        for j in np.arange(int(3 * abs(x[k])) + 1, 0, -1):
            total += x[k] ** j
    return np.sum(s**2) + total


CASES = (
    row(counted_by_numpy, lambda: (np.array([0.55, 1.21, -0.93, 1.72]), uniform(2, 8)), "x, w"),
    row(names_given_where_a_loop_returns, vectors, "x, w"),
    row(loops_that_return_behind_a_choice, vectors, "x, w"),
    row(raised_at_once_in_a_loop, vectors, "x, w"),
    *(
        row(f, lambda: (np.array([0.5, -0.7, 1.4, -0.3]),), "x")
        for f in (
            statements_behind_blocks,
            continued_in_tries,
            broken_off_in_tries,
            continued_behind_loops,
            returned_before_the_final_block,
            inner_final_blocks_come_first,
            broken_off_in_two_tries,
            dropped_at_last,
        )
    ),
    row(inner_final_blocks_come_first, lambda: (np.array([0.5, -0.7, 1.4, -0.3]),), "x", of="x", seed=1.0, tag="left"),
    row(newton, scalars, "x, e"),
    row(as_many_steps_as_data_say, lambda: (2 * uniform(1, 40), uniform(2, 2)), "w"),
    row(counted_down_by_data_in_a_loop, lambda: (2 * uniform(1, 40), uniform(2, 2)), "x, w"),
    row(steps_taken, scalars, "x, e"),
    row(conjugate_gradients, lambda: (normal(1, 5, 5), normal(2, 5)), "a, b"),
    row(returned_from_loop, scalars, "x, e"),
    row(returned_from_inner_loop, matrix_and_vector, "x, w"),
    row(backtracking, lambda: (normal(1, 4), uniform(2, 1)), "x, w"),
    row(bracketed, vectors, "x, w"),
    row(pairs_until, vectors, "x, w"),
    row(no_trip, lambda: (normal(1, 4), 0), "x"),
    row(no_trip, lambda: (normal(1, 4), 4), "x", tag="some"),
    row(raised_behind_a_finally, vectors, "x, w"),
)
