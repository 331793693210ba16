"""What runs when attributes are looked up and items are asked for: descriptors, properties, iterators of classes."""

from __future__ import annotations

import contextlib
import functools
import itertools

import numpy as np

from tests.corpus.case import normal, row, uniform


class Checked:
    """A descriptor that keeps what it is assigned in the object, halved."""

    def __set_name__(self, owner, name):
        self.place = f"_{name}#"

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.place)

    def __set__(self, instance, value):
        if np.ndim(value) > 1:
            raise TypeError("a vector is asked for")
        setattr(instance, self.place, 0.5 * value)


class Once:
    """A descriptor without `__set__`, which the object's own attribute hides from then on."""

    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        value = instance.__dict__[self.function.__name__] = self.function(instance)
        return value


class Signal:
    rate, level = Checked(), Checked()

    def __init__(self, rate, level):
        self.rate, self.level, self.asked = rate, level, 0

    @Once
    def power(self):
        self.asked += 1
        return self.rate * self.level

    @functools.cached_property
    def energy(self):
        self.asked += 1
        return np.sum(self.rate**2)


def descriptors_of_a_class(x, w):
    signal = Signal(x, w)
    total = np.sum(signal.power) if hasattr(signal, "rate") and not hasattr(signal, "phase") else 0.0
    for _ in range(3):
        signal.rate = signal.rate * signal.level + 1.0
        total += signal.energy + signal.power[1]
    return np.sum(signal.rate * Signal.rate.__get__(signal, Signal)) + total * signal.asked


def properties_cached_on_one_side(x, w):
    signal, total = Signal(x, w), 0.0
    if x[0] > w[0]:
        total = signal.energy
    signal.rate = w
    return total + signal.energy * x[1] if str(x.__class__) == "<class 'numpy.ndarray'>" else total


class Tree:
    """A node whose iterator goes on in its branches."""

    __slots__ = ("branches", "value")

    def __init__(self, value, branches=()):
        self.value, self.branches = value, list(branches)

    def __iter__(self):
        yield self
        yield from itertools.chain.from_iterable(self.branches)


def iterators_of_iterators(x, w):
    tree = Tree(x[0] * w[0], [Tree(x[1]), Tree(w[2], [Tree(x[3] ** 2)])])
    nodes = list(itertools.islice(itertools.chain(tree, tree.branches[1]), 5))
    pairs = sum(a.value * b.value for a, b in itertools.pairwise(tree))
    return sum(node.value * (k + 1) for k, node in enumerate(nodes)) + pairs


@contextlib.contextmanager
def scaled(state, factor):
    before = state["scale"]
    state["scale"] = before * factor
    try:
        yield state
    finally:
        state["scale"] = before


def dictionaries_changed_by_generators(x, w):
    state, total = {"scale": x[0]}, 0.0
    for k in range(3):
        with scaled(state, w[k]) as held:
            total += held["scale"] ** 2
    return total + state["scale"]


def vectors():
    return normal(1, 7), uniform(2, 7)


PLAIN = (descriptors_of_a_class, properties_cached_on_one_side, iterators_of_iterators)
PLAIN += (dictionaries_changed_by_generators,)

CASES = (*(row(f, vectors, "x, w") for f in PLAIN),)
