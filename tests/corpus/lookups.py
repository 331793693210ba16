"""What runs when attributes are looked up and items are asked for: descriptors, properties, iterators of classes."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import itertools
import operator
import warnings
from typing import Generic, TypeVar

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


class Measured:
    def __init__(self, x):
        self.x, self.asked = x, 0

    @property
    def total(self):
        self.asked += 1
        return self.x.sum()

    @property
    def length(self):
        return len(self.x)

    @property
    def missing(self):
        return self.nothing

    @functools.cached_property
    def half(self):
        return self.nowhere


def properties_asked_for(x, w):
    one = Measured(x * w)
    total = sum(getattr(one, name, 3.0) for name in ("total", "length", "missing", "half", "none"))
    found = [hasattr(one, name) for name in ("total", "length", "missing", "half", "none")]
    return (one.total * total if found == [True, True, False, False, False] else w[0]) * one.asked


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


class Layer:
    """An object in front of another one, whose attributes it has, too."""

    def __init__(self, weight, inner):
        self.weight, self.inner = weight, inner

    def __getattr__(self, name):
        if name == "double":
            return 2.0 * self.weight
        return getattr(self.inner, name)

    @property
    def output(self):
        return self.weight * np.sum(self.inner)

    def scaled(self, factor, *, power=1):
        return (self.weight * factor) ** power


def attributes_that_are_missing(x, w):
    layer, name = Layer(w[0], x * w), "output"
    total = layer.double * layer.sum() + getattr(layer, name) + getattr(layer, "bias", x[1])
    return total * layer.size


def callables_of_operator(x, w):
    layers = [Layer(x[k], w[k:]) for k in range(4)]
    weights = sum(map(operator.attrgetter("weight"), layers))
    outputs = [a * b for a, b in map(operator.attrgetter("output", "inner.size"), layers)]
    powers = map(operator.methodcaller("scaled", 3.0, power=2), layers)
    largest = max(layers, key=operator.attrgetter("output")).weight
    rows = sorted([(x[0], "b", 2), (x[1], "a", 1), (x[2], "c", 0)], key=operator.itemgetter(1))
    return weights * largest + sum(outputs) + sum(powers) + operator.itemgetter(0)(rows[0]) * rows[1][0]


def groups_of_neighbours(x, w):
    signs = sum(sum(group) * (k + 1) for k, (_, group) in enumerate(itertools.groupby(x, key=lambda v: v > 0)))
    runs = sum(len(list(group)) * w[ord(name) - 97] for name, group in itertools.groupby("aabbbc"))
    pairs = itertools.groupby(zip([0, 0, 1, 1, 2, 2, 2], x, strict=True), key=operator.itemgetter(0))
    return signs + runs + sum((key + 1) * sum(v for _, v in group) ** 2 for key, group in pairs)


def dictionaries_with_more_to_them(x, w):
    ordered = collections.OrderedDict([("a", x[0]), ("b", x[1])])
    ordered["c"] = x[2]
    ordered.move_to_end("a")
    if x[0] > x[1]:
        ordered["b"] *= w[0]
    filled = collections.defaultdict(lambda: [w[3]])
    for k in range(4):
        if x[k] > 0.0:
            filled["positive"].append(x[k] ** 2)
        filled[k % 2].append(x[k])
    chained = collections.ChainMap({"a": x[3]}, {"a": 5.0, "b": w[1]})
    total = sum(value * (k + 1) for k, value in enumerate(ordered.values())) + chained["a"] * chained["b"]
    return total + sum(sum(v) * len(v) for v in filled.values()) + filled["new"][0]


def polynomials_as_objects(x, w):
    p, q = np.poly1d(x[:4]), np.polynomial.Polynomial(x[:3])
    total = (
        (p * p)(0.2) + (p**2)(0.4) + (2 * p - 1)(w[0]) + p.integ()(0.1) + p.coeffs[0] * p.order + np.polyval(p, w[1])
    )
    quotient, rest = p / np.poly1d([1.0, 2.0])
    other = np.polynomial.Polynomial([1.0, 2.0])
    return total + quotient(0.3) + rest(0.1) + (q * other)(w[2]) + (q - 1)(0.2) + (q**2)(0.1) + (q // other)(0.3)


@dataclasses.dataclass
class Inputs:
    """Checks what it is given once all fields are there."""

    temperature: float
    speed: float = 0.1
    posture: str = "standing"
    factors: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if np.any(np.asarray(self.posture).astype(str) == "floating") or not isinstance(self.temperature, float):
            raise ValueError("not known")
        self.factors.append(self.temperature * self.speed)


@dataclasses.dataclass
class SittingInputs(Inputs):
    def __init__(self, temperature, speed):
        super().__init__(temperature=temperature, speed=speed, posture="sitting")


def exchanged(temperature, speed, posture):
    return temperature * np.sqrt(speed) if posture == "sitting" else temperature**2


def generated_constructors_called_by_others(x, w):
    inputs = SittingInputs(x[0], w[1])
    over_all = np.vectorize(exchanged)(x, speed=w, posture=np.array(inputs.posture))
    return np.sum(over_all) * inputs.factors[0] + Inputs(x[1]).factors[-1]


T = TypeVar("T")
DEFAULTS = [1.0, 3.0, 5.0]


class Stack(Generic[T]):
    """Made as `Stack[float]()`, by a `__new__` of its own."""

    def __new__(cls, *args):
        made = super().__new__(cls)
        made.scale = 2.0
        return made

    def __init__(self, *items):
        self.items = DEFAULTS[:2]
        self.items.extend(items)

    @functools.cache  # noqa: B019
    def power(self, n):
        return 1.0 if n == 0 else self.items[-1] * self.power(n - 1)

    def __iter__(self):
        return iter(lambda: self.items.pop() if self.items else None, None)


def objects_made_in_other_ways(x, w):
    stack = Stack[float](x[0] * w[0], x[1])
    names = [name for name in vars(stack) if name.startswith("sc")]
    total = stack.power(3) * getattr(stack, names[0])
    return total + sum(value * (k + 1) for k, value in enumerate(stack)) + len(DEFAULTS) * x[2]


def _forwarded(name):
    def found(self):
        return getattr(np.asarray(self), name)

    functools.update_wrapper(found, getattr(np.ndarray, name))
    return property(found)


class Cell:
    def __init__(self, vectors):
        self.vectors = np.asarray(vectors, dtype=float)

    def __array__(self, dtype=float):
        return self.vectors


for _name in ("getitem", "setitem", "mul", "rmul", "rsub", "neg", "matmul", "rmatmul", "len", "iter"):
    setattr(Cell, f"__{_name}__", _forwarded(f"__{_name}__"))
for _name in ("sum", "T", "shape", "dot"):
    setattr(Cell, _name, _forwarded(_name))


def methods_of_arrays_by_properties(x, w):
    cell = Cell(np.eye(3))
    cell[:] = np.outer(x[:3], w[:3])
    cell[0] = cell[1] * 2.0 + cell[2]
    cell[1, 1] += x[3]
    total = sum(np.sum(line**2) for line in cell) + cell.T[0, 1] + cell.shape[0] * x[4]
    total += (2.0 * cell).sum() - np.sum(x[:3] - cell) + np.sum(-cell) + np.sum(cell @ w[:3])
    return total + np.sum(w[:3] @ cell) + len(cell) + cell.dot(x[:3])[1]


def keys_that_data_decide(x, w):
    motifs, boxes, seen, total = {}, collections.defaultdict(list), set(), 0.0
    for value, places in zip(w, x[:6].reshape(3, 2).argsort(axis=1), strict=False):
        motif = tuple(places)
        motifs[motif] = motifs.get(motif, 0.0) + value**2
        if tuple(places.tolist()) in motifs:
            total += value
    for value in x:
        boxes[int(value * 2)].append(value)
        if int(value) not in seen:
            seen.add(int(value))
            total += value * value
    return total + sum(v * v for v in motifs.values()) + sum(np.prod(v) for v in boxes.values())


def texts_that_data_choose(x, w):
    """And what is computed everywhere, as data say."""
    names, order = np.array(["a", "b", "a", "c", "b", "a", "c"]), np.argsort(x)
    places = [order[k] for k in range(7)]
    found = [
        np.take_along_axis(names, order, axis=0),
        np.take(names, order),
        names[places],
        names[order.reshape(7, 1)][:, 0],
    ]
    total = sum(np.sum(x ** (k + 1) * (texts == "a")) for k, texts in enumerate(found))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = np.sqrt(w, where=w > 0) + np.log(w, where=np.ones(7, bool))
    return total + len(np.unique(names)) * np.sum(root) * x[0]


def order_of_equal_keys(x, w):
    """What NumPy's sorting makes of equal keys is its own affair, unless it is stable; NaN is equal to NaN."""
    values = np.concatenate([x * k for k in range(1, 9)])
    keys = np.round(values * 0 + np.arange(56) % 3 + w[0] * 1e-9)
    some = keys.copy()
    some[3:40:7] = np.nan
    orders = [np.argsort(keys), keys.argsort(kind="heapsort"), np.argsort(keys.astype(int)), np.argsort(some)]
    orders += [np.argsort(keys, kind="stable"), np.argsort(keys.reshape(8, 7), axis=None)]
    rows = np.take_along_axis(values.reshape(4, 14), np.argsort(keys.reshape(4, 14), axis=1), 1)
    places = np.arange(56.0)
    return sum(np.sum(values[order] * places) for order in orders) + np.sum(rows.ravel() * places)


def partitions(x, w):
    """On both sides of the chosen places the order is NumPy's own affair."""
    values = np.concatenate([x * k for k in range(1, 9)])
    changed, places = values.reshape(8, 7).copy(), np.arange(56.0)
    changed.partition(3, axis=0)
    total = np.sum(np.partition(values, (2, 4)) * places) + np.sum(changed.ravel() * places)
    total += np.sum(np.partition(values.reshape(8, 7), 2) ** 2 @ w)
    return total + np.sum(np.argpartition(values, 9) * values)


class Near:
    """Says by a number of NumPy's, or by any other thing, whether it holds something."""

    def __init__(self, values, says):
        self.values, self.says = values, says

    def __contains__(self, number):
        return self.says(np.abs(self.values - number) < 0.5)


def truth_of_membership_is_pythons(x, w):
    """Truth values of Python are added as numbers."""
    near, first = Near(w, np.any), Near(w, np.argmin)
    total = (w[0] in w) + (w[1] in w) + ~(w[2] in w)
    total += (w[0] in near) + (w[1] in near) + (w[0] in first) + (w[0] in Near(w, np.sum))
    place = np.argmax(w)
    return total * np.sum(x) + ((place in range(7)) + (place in range(1, 9))) * np.sum(x**2)


def iterators_of_arrays(x, w):
    """What gives the indices or the elements of an array gives them once."""
    points, pairs, cells = np.ndindex(len(x)), np.ndenumerate(x), w.flat
    total = sum(x[i] for i in points) + sum(x[i] for i in points)
    total += sum(p[1] * q[1] for p, q in zip(pairs, pairs, strict=False)) + sum(x[i] for i in points)
    total += next(cells) ** 2 + sum(a * b for a, b in zip(cells, cells, strict=False)) + cells[0] * cells[-1]
    for place in np.ndindex(2, 3):
        total += x[sum(place)]
    kinds = isinstance(x.flat, tuple | list), isinstance(pairs, np.ndenumerate), iter(pairs) is pairs
    return total * (1 + kinds[0] + 2 * kinds[1] + 4 * kinds[2])


def what_cannot_be_called(x, w):
    total = 0.0
    for k, curve in enumerate((None, np.sin, x[0], 3, float(x[1]), x)):
        try:
            total = total + curve(w[k % 3])
            total = total * 1.5
        except TypeError as error:
            total = total + k * x[k % 3] ** 2 * len(str(error))
    return total


def vectors():
    return normal(1, 7), uniform(2, 7)


PLAIN = (descriptors_of_a_class, properties_asked_for, properties_cached_on_one_side, iterators_of_iterators)
PLAIN += (dictionaries_changed_by_generators, attributes_that_are_missing, callables_of_operator)
PLAIN += (groups_of_neighbours, dictionaries_with_more_to_them, polynomials_as_objects)
PLAIN += (methods_of_arrays_by_properties, keys_that_data_decide)
PLAIN += (truth_of_membership_is_pythons, iterators_of_arrays)
PLAIN += (order_of_equal_keys, partitions, texts_that_data_choose, what_cannot_be_called)
PLAIN += (generated_constructors_called_by_others, objects_made_in_other_ways)

CASES = (*(row(f, vectors, "x, w") for f in PLAIN),)
