"""`copy.copy` and `copy.deepcopy` of objects, containers and arrays."""

from __future__ import annotations

import copy
import logging

import numpy as np

from tests.corpus.case import normal, row


class Optimizer:
    """What is copied for each array of parameters; it gets attributes at its first step."""

    def __init__(self, rate):
        self.rate, self.mean = rate, None
        self.seen = [np.zeros(4), np.zeros(4)]

    def step(self, w, slope):
        if self.mean is None:
            self.mean = np.zeros(np.shape(w))
        self.mean = 0.9 * self.mean + 0.1 * slope
        self.seen[0][:] = slope
        self.last = w
        return w - self.rate * self.mean


OPTIMIZER = Optimizer(0.3)


def objects_copied(x, w, rate):
    own = Optimizer(rate)
    first, second = copy.copy(own), copy.deepcopy(own)
    for _ in range(3):
        x = first.step(x, x * w)
        w = second.step(w, x * w)
    return np.sum(x * w) + np.sum(own.seen[0] * x) + np.sum(second.seen[0] ** 2 + second.last)


def copied_from_outside(x, w):
    one, other = copy.deepcopy(OPTIMIZER), copy.deepcopy([OPTIMIZER, OPTIMIZER])
    x = one.step(one.step(x, w), w * w)
    w = other[1].step(other[0].step(w, x), x * x)
    return np.sum(x * w) + np.sum(other[0].mean * one.mean) + (OPTIMIZER.mean is None)


class Stamped(Optimizer):
    def __copy__(self):
        return Stamped(self.rate * 2.0)

    def __deepcopy__(self, memo):
        return Stamped(copy.deepcopy(self.rate, memo) * 3.0)


def copied_its_own_way(x, rate):
    one = Stamped(rate)
    twice, thrice = copy.copy(one), copy.deepcopy({"a": one, "b": (one,)})
    same = thrice["a"] is thrice["b"][0]
    return np.sum(twice.step(x, x * x)) + np.sum(thrice["b"][0].step(x, x**3)) * (1 + same)


def arrays_copied(x, w):
    y = copy.copy(x)
    y[0] = w[1]
    parts = copy.deepcopy([x, w])
    parts[0] *= 2.0
    return np.sum(x * y * parts[0]) + np.sum(parts[1])


def flat_is_no_copy(x):
    """NumPy 2 makes none of the elements of `a.flat`, not even for 'np.array' and 'np.copy'."""
    a, b, c, d = x * 1.0, x * 2.0, x.reshape(3, 3) * 1.0, x * 3.0
    one, two, three, four = np.array(a.flat), np.copy(b.flat), np.ravel(c.flat), np.asarray(d.flat)
    one[0] = 7 * x[1]
    b[1] *= x[0]
    three[4] = x[2] ** 2
    d[3:] *= x[4]
    return np.sum(a * a) + np.sum(two**3) + np.sum(c * c) + np.sum(four**2)


def flat_is_a_copy(x):
    a, b, c = x * 1.0, x * 2.0, x * 3.0
    one, two, three = np.array(a.flat, dtype=np.float32), b.flat.copy(), c.flat[:]
    a[0], b[1], c[2] = 7 * x[1], x[0] ** 2, x[5]
    return np.sum(one[:1] * a[:1]) + np.sum(two**3) + np.sum(three**2)


def put_along_all(x):
    a = x.reshape(3, 3) * 1.0
    np.put_along_axis(a, np.array([1, 4]), np.array([10.0, 20.0]) * x[0], axis=None)
    return np.sum(a * np.arange(9.0).reshape(3, 3))


class Verbose(logging.Logger):
    pass


logging.setLoggerClass(Verbose)
LOG = logging.getLogger("daad.copied")
logging.setLoggerClass(logging.Logger)


class Logged:
    def __init__(self, x):
        self.x, self.log = x, LOG


def loggers_stay_the_same(x):
    first = Logged(x * 2.0)
    second, third = copy.deepcopy(first), copy.copy(first.log)
    second.x[0] = x[1] ** 2
    second.log.info("copied %s", second.x)
    third.debug("the same")
    return np.sum(first.x**2) + np.sum(second.x**3) * (1.0 if second.log is first.log else 2.0)


CASES = (
    row(loggers_stay_the_same, lambda: (normal(53, 4),), "x"),
    row(flat_is_no_copy, lambda: (normal(50, 9),), "x"),
    row(flat_is_a_copy, lambda: (normal(51, 9),), "x", rtol=1e-4),
    row(put_along_all, lambda: (normal(52, 9),), "x"),
    row(objects_copied, lambda: (normal(41, 4), normal(42, 4), 0.3), "x, w, rate"),
    row(copied_from_outside, lambda: (normal(43, 4), normal(44, 4)), "x, w"),
    row(copied_its_own_way, lambda: (normal(45, 4), 0.3), "x, rate"),
    row(arrays_copied, lambda: (normal(46, 4), normal(47, 4)), "x, w"),
)
