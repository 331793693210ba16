"""Arrays of classes of their own: `np.matrix`, and classes of the program derived from NumPy's array."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import row, uniform


def written(x, n=3):
    a = np.asmatrix(np.zeros((2, n)))
    for i in range(n):
        a[:, i] = np.matrix(x[:2] * (i + 1)).T
    a[0, 1] += x[2]
    a[1, :] *= 2.0
    return (a * a.T).sum()


def kalman(z, n=3):
    x = np.matrix([[0.0], [1.0]])
    p = np.matrix(np.eye(2))
    f = np.matrix([[1.0, 0.1], [0.0, 1.0]])
    h = np.matrix([1.0, 0.0])
    for k in range(4):
        x = f * x
        p = f * p * f.T + 0.01 * np.eye(2)
        s = h * p * h.T + 0.1
        gain = p * h.T * np.linalg.inv(s)
        x = x + gain * (z[k] - h * x)
        p = (np.matrix(np.eye(2)) - gain * h) * p
    return float(x[0, 0]) + p[1, 1]


def chosen(x):
    a = np.asmatrix(x.reshape(2, 2))
    if x[0] > 0.0:
        a = a * a
    else:
        a = a + a
    return a.sum()


class Series(np.ndarray):
    def __new__(cls, values, step=1.0):
        made = np.asarray(values).view(cls)
        made.step = step
        return made

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.step = getattr(obj, "step", 1.0)

    def slope(self):
        return (self[1:] - self[:-1]) / self.step

    @property
    def length(self):
        return self.step * len(self)


def series(x):
    s = Series(x * 1.0, step=0.5)
    t = np.sin(s) * 2.0
    return np.sum(t.slope() ** 2) * t.length


class Quat(np.ndarray):
    def __new__(cls, w, x, y, z):
        obj = np.empty(4).view(cls)
        obj[:] = [w, x, y, z]
        return obj

    def __mul__(self, o):
        a, b, c, d = self
        e, f, g, h = o
        return Quat(
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        )

    @property
    def conj(self):
        return Quat(self[0], -self[1], -self[2], -self[3])

    def normalized(self):
        return self / np.linalg.norm(self)


def quat_loop(x, n=5):
    q = Quat(x[0], x[1], x[2], x[3])
    for _ in range(n):
        q = (q + 0.1 * q * q).normalized()
    return q[0] * q[1] + np.sum(q**3)


class Held:
    """No array, but NumPy takes it for one."""

    def __init__(self, values, is_shared=True):
        self.values, self.is_shared = np.asarray(values), is_shared

    def __array__(self, dtype=None, copy=None):
        found = self.values if dtype is None else self.values.astype(dtype)
        return found if self.is_shared and not copy else found.copy()

    def __mul__(self, factor):
        return Held(self.values * factor)


def taken_for_arrays(x):
    """What is stored, an argument of NumPy's functions, an operand; copied or not, as the class says."""
    matrix, row, single = Held(x.reshape(2, 2) * 2.0), Held(x[:2]), Held(x[:2], False)
    copied, same, own = np.array(matrix), np.asarray(matrix), np.asarray(single)
    copied[0], same[1, 1], own[0] = 1.0, x[0], 7.0
    big = np.zeros((3, 3))
    big[:2, :2] = matrix * 0.5
    big[2, :2] += row
    big *= Held(1.0 + np.vstack([matrix, row])[:, :1])
    total = np.sum(copied * same) + np.sum(x[:2] * row) + (row + x[2:]) @ single + np.linalg.det(matrix)
    for k in range(2):
        total += np.sum(np.exp(Held(x * k))) + big.dot(Held(big[k]))[0]
    return total


def of_an_object(held, x):
    """It is an argument, which NumPy takes for an array."""
    return np.sum(np.asarray(held) * x[:2]) + np.sum((held * x[3]).values ** 2) + x[2:] @ held


def four():
    return (uniform(1, 4) + 0.3,)


CASES = [
    row(kalman, four, "z"),
    row(written, lambda: (*four(), 3), "x"),
    row(chosen, four, "x"),
    row(series, four, "x"),
    row(taken_for_arrays, four, "x"),
    row(of_an_object, lambda: (Held(np.array([0.5, 2.0])), *four()), "x"),
    row(quat_loop, lambda: (*four(), 5), "x"),
]
