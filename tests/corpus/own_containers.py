"""Classes of the program's own that are lists or dicts and add to them: their items are variables as all items are."""

from __future__ import annotations

import collections
import functools

import numpy as np

from tests.corpus.case import row, uniform


class Named(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Looked(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class Itself(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Changing(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)

    def __getitem__(self, key):
        return super().__getitem__(key) + 1


class Doubling(dict):
    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value * 2)


class Ordered(collections.OrderedDict):
    def __init__(self, *items):
        super().__init__(*items)
        self.scale = 2


class Vector(dict):
    def __add__(self, other):
        return Vector({key: self[key] + other[key] for key in self})

    def __rmul__(self, factor):
        return Vector({key: factor * value for key, value in self.items()})


class Filled(dict):
    def __missing__(self, key):
        self[key] = value = np.float64(3.0) * len(key)
        return value


class Row(list):
    def __init__(self, items):
        super().__init__(items)
        self.first_length = len(items)

    def append(self, value):
        super().append(value * 2)

    def push(self, value):
        self.append(value)
        return self

    @property
    def last(self):
        return self[-1]


def advanced(state, x):
    """In a loop, on one side of a branch, and behind both."""
    for _ in range(5):
        state["a"] = state["a"] * x[2] + state["b"]
    if x[0] > 0.5:
        state["b"] = state["a"]
    return state["a"] * 2 + state["b"]


def dicts(x):
    changing, doubling = Changing(), Doubling()
    for state in (changing, doubling):
        state["a"], state["b"] = x[0], x[1]
    ordered = Ordered({"b": x[0], "a": x[1]})
    if x[1] > 0.5:
        ordered["b"] *= x[2]
    ordered.move_to_end("b")
    total = advanced(changing, x) + advanced(doubling, x) + advanced(collections.Counter({"a": x[0], "b": x[1]}), x)
    return total + ordered.scale * sum(value * (k + 1) for k, value in enumerate(ordered.values()))


def attributes(x):
    total = 0.0
    for kind in (Named, Looked, Itself):
        state = kind(a=x[0])
        state.b = x[1]
        for _ in range(5):
            state.a = state.a * x[2] + state.b
        if x[0] > 0.5:
            state.b = state.a
        total = total + state.a * 2 + state["b"]
    return total


def lists(x):
    pair = Row([x[0], x[1]])
    for _ in range(5):
        pair[0] = pair[0] * x[2] + pair[1]
    if x[0] > 0.5:
        pair[1] = pair[0]
    if x[1] > 0.5:
        pair.reverse()
    history = Row([])
    for k in range(30):
        history.push(x[0] * k + (history.last * 0.4 * x[1] if k else 0.0))
    return pair[0] * 2 + pair[1] * pair.first_length + history.push(x[2]).last * history[5] + len(history)


def added_and_missing(x):
    state, filled = Vector(a=x[0], b=x[1]), Filled(a=x[0])
    for _ in range(6):
        state = state + 0.1 * Vector(a=-state["b"], b=state["a"] * x[2])
        filled["a"] = filled["a"] * x[2] + filled["bb"]
    return state["a"] * 2 + state["b"] ** 2 + filled["a"] * filled["ccc"] * x[1] + len(filled)


def chained(x):
    first = collections.ChainMap({"a": x[0]}, {"a": x[1], "b": x[2]})
    child = first.new_child({"b": x[0] ** 2})
    child["c"] = x[1]
    counter = collections.Counter()
    counter["a"] += x[0]
    counter.update({"a": x[2]})
    total = sum(first.values()) + child["b"] * child["a"] + sum(child[key] * k for k, key in enumerate(sorted(child)))
    return total + first.get("c", 7.0) * counter["a"] ** 2 + counter["z"] + len(child)


class Factors(collections.abc.Mapping):
    """Calls itself a mapping, and has no keys."""

    def __init__(self, weights, factors):
        self.weights, self.factors = weights, factors

    def __getitem__(self, index):
        return (self.weights, self.factors)[index]

    def __iter__(self):
        yield self.weights
        yield self.factors

    def __len__(self):
        return 2


def mapping_without_keys(factors, x):
    weights, (a, b) = factors
    return np.sum((a * weights * x[:2]) @ b.T) + np.sum(factors[0]) * x[2]


def dispatched(name, method):
    @functools.wraps(method)
    def call(*args, **keywords):
        return getattr(np, name)(*args, **keywords)

    return call


dot, pad = dispatched("dot", np.dot), dispatched("pad", np.pad)


def functions_around_numpys(x):
    """They have its names, its module and its documentation, but are the program's own."""
    return dot(x, x) * x[0] + np.sum(pad(x, 2, mode="reflect") * np.arange(7.0))


def numbers():
    return (uniform(5, 3),)


PLAIN = (dicts, attributes, lists, added_and_missing, chained, functions_around_numpys)
FACTORS = Factors(np.array([0.5, 2.0]), [np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2)])
CASES = (
    *(row(f, numbers, "x") for f in PLAIN),
    row(mapping_without_keys, lambda: (FACTORS, *numbers()), "x"),
)
