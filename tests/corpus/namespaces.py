"""What Python looks up: slots of classes, names of modules; and values with more axes than their place."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row

SCALE = 2.0


class Body:
    __slots__ = ("mass",)


class Satellite(Body):
    __slots__ = ("log", "speed")

    def __init__(self, mass, speed):
        self.mass, self.speed, self.log = mass, speed, []

    @property
    def momentum(self):
        return np.sum(self.mass * self.speed)

    def doubled(self):
        return type(self)(self.mass * 2.0, self.speed)


def classes_with_slots(x, w):
    one = Satellite(x, w)
    other = one.doubled()
    third = other.__class__(w, x)
    for i in range(3):
        one.mass = one.mass * w
        one.log.append(np.sum(one.mass))
        if hasattr(one, "speed") and not hasattr(one, "orbit"):
            one.speed = one.speed + x[i]
    if type(other) is Satellite and type(third) is type(other) and isinstance(third, Body):
        return one.momentum + other.momentum * third.momentum + sum(one.log)
    return x[0]


def names_of_the_module(x):
    total = np.sum(x) * globals().get("SCALE", 1.0)
    if "SCALE" in globals() and "NOWHERE" not in globals():
        total += globals()["SCALE"] * np.sum(x * x)
    for i in range(4):
        if x[i] > 0.1:
            total += x[i] ** 3
            if "WARNED" not in globals():
                global WARNED
                WARNED = True
    return total


def more_axes_than_their_place(x, w):
    a, b = np.zeros(4), np.zeros((2, 4))
    a[:] = (x * w)[None, :]
    b[0], b[1, :] = x[None, :], np.transpose(w.reshape(4, 1))
    b[:, [0, 2]] = x[None, None, :2]
    c = np.zeros((2, 4), dtype=complex)
    c[1, :] = (x + 1j * w)[None, :]
    a[1:] = a[None, :-1]
    return np.sum(a**2) + np.sum(b**3) + np.sum(np.abs(c) ** 2)


def true_itself(x, w):
    total = 0.0
    for a, b in zip(x, w, strict=True):
        warm = bool(a > 0.1)
        if warm is True:
            total += a * b
        if warm is not False and (a > 0.1) is not True:
            total += a**3
        total += b if (float(a) > 0.1) is False else b * b
    return total


CASES = (
    row(classes_with_slots, lambda: (normal(1, 4), normal(2, 4)), "x, w"),
    row(true_itself, lambda: (normal(6, 4), normal(7, 4)), "x, w"),
    row(names_of_the_module, lambda: (normal(3, 4),), "x"),
    row(more_axes_than_their_place, lambda: (normal(4, 4), normal(5, 4)), "x, w"),
)
