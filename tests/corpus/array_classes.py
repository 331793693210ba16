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


def four():
    return (uniform(1, 4) + 0.3,)


CASES = [
    row(kalman, four, "z"),
    row(written, lambda: (*four(), 3), "x"),
    row(chosen, four, "x"),
    row(series, four, "x"),
    row(quat_loop, lambda: (*four(), 5), "x"),
]
