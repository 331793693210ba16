"""The Python around the arithmetic: static structures, comprehensions, flags, annotations, decorators, statements."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

import functools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tests.corpus.case import normal, row, uniform

GRAVITY = 9.81
OPTIONS = {"order": 2, "scheme": "upwind"}
OFFSETS = [(-1, 0.25), (0, 0.5), (1, 0.25)]
TABLE = np.array([0.5, -1.0, 2.0, 0.25, 1.5, -0.75, 3.0])
Parameters = namedtuple("Parameters", ["rate", "power"])


def jit(function=None, **options):
    """A decorator of another compiler, which changes nothing."""
    return function if callable(function) else lambda f: f


def starred_unpacking(x, w):
    first, *rest = x[0], x[1] * w[1], w[2]
    head, tail = x[:3], x[3:]
    return first * rest[0] + rest[1] + np.sum(head[:2] * tail[:2])


def unpack_an_array(x, w):
    a, b, c = x[:3]
    p, q = np.array([w[0] * a, w[1]])
    return a * b * c + p * q


def list_of_arrays_inside(x, w):
    states = [x]
    for k in range(3):
        states.append(np.tanh(states[-1] * w + k))
    return sum(np.sum(s * s) for s in states) + np.sum(states[1][0] * states[2])


def list_written(x, w):
    parts = [x, w, None]
    parts[2] = parts[0] * parts[1]
    parts[0] = parts[2] ** 2
    parts[1][0] = 2.0
    last = parts.pop()
    return np.sum(parts[0] * last) + np.sum(w * x) + len(parts)


def dictionary_inside(x, w):
    state = {"position": x, "velocity": w}
    for _ in range(3):
        state["position"] = state["position"] + 0.1 * state["velocity"]
        state["velocity"] = state["velocity"] - 0.1 * np.sin(state["position"])
    return np.sum(state["position"] ** 2) + np.sum(state["velocity"])


def nested_structures(x, w):
    layers = [{"weight": x, "bias": w[0]}, {"weight": w, "bias": x[0]}]
    y = 0.5
    for layer in layers:
        y = np.sum(np.tanh(layer["weight"] * y + layer["bias"]))
    return y


def named_tuple(x, w):
    parameters = Parameters(rate=w, power=3)
    return np.sum(parameters.rate * x**parameters.power) + parameters[0][1]


def list_comprehension(x, w):
    terms = [x[k] * w[k + 1] ** k for k in range(4)]
    shifted = [np.roll(x, k) for k in (1, -1)]
    return sum(terms) + np.sum(shifted[0] * shifted[1])


def comprehension_with_condition(x, w):
    even = np.array([x[k] * w[k] for k in range(len(x)) if k % 2 == 0])
    table = np.array([[x[i] * w[j] for j in range(3)] for i in range(2)])
    return np.sum(even**2) + np.sum(table[0] * table[1])


def dictionary_comprehension(x, w):
    powers = {k: x**k for k in range(1, 4)}
    return np.sum(powers[3] * w) + np.sum(powers[1] * powers[2])


def string_flag(x, w, scheme="centred"):
    if scheme == "upwind":
        flux = x[1:] - x[:-1]
    elif scheme.startswith("cent"):
        flux = 0.5 * (x[2:] - x[:-2])
    else:
        raise ValueError(f"unknown scheme {scheme}")
    return np.sum(flux**2) * w[0]


def boolean_flags(x, w, normalise=True, *, invert=False):
    y = x * w
    if normalise and not invert:
        y = y / np.sum(y * y)
    return np.sum(1.0 / y if invert else y**3)


def module_constants(x, w):
    order = OPTIONS["order"]
    s = GRAVITY * np.sum(x**order) + np.sum(TABLE * w)
    for shift, weight in OFFSETS:
        s += weight * np.sum(np.roll(x, shift) * x)
    return s if OPTIONS.get("scheme") == "upwind" else 0.0


def annotated(x: np.ndarray, w: np.ndarray) -> float:
    y: np.ndarray = x * w
    count: int = len(y)
    scale: float
    scale = 1.0 / count
    return scale * np.sum(y * y)


@jit
def decorated(x, w):
    """A docstring."""
    return np.sum(x * w * w)


@jit(nopython=True, cache=True)
def decorated_with_options(x, w):
    return decorated(x, w) + np.sum(x)


def import_inside(x, w):
    import math
    from math import tau

    import numpy

    return numpy.sum(numpy.sin(x) * w) * math.sqrt(2.0) + tau * x[0]


def docstring_and_pass(x, w):
    """Says what it does,

    in several lines.
    """
    "a lonely string"
    if len(x) > 100:
        pass
    y = z = x * w
    y += 1.0
    return np.sum(y * z)


def len_and_static_arithmetic(x, w):
    n = len(x)
    half, odd = divmod(n, 2)
    k = max(half, 1) + int(n / 4) + abs(-1) - 2 * bool(odd)
    return np.sum(x[:k] * w[-k:]) + float(n) * x[half] + x[n // 2 : n - 1].sum()


def walrus(x, w):
    if (n := len(x)) > 3:
        return np.sum(x * w) * n
    return np.sum(x)


def formatted_strings(x, w):
    names = [f"layer{k}" for k in range(2)]
    weights = dict(zip(names, (x, w)))
    return np.sum(weights["layer0"] * weights[f"layer{1}"])


def isinstance_tests(x, w):
    if isinstance(x, np.ndarray) and not isinstance(w, (int, float)):
        return np.sum(x * w)
    return x


def chained_methods(x, w):
    return (x * w).reshape(1, -1).sum(axis=1)[0] * x.copy().clip(-5, 5).mean()


def array_from_dictionary_argument(parameters, x):
    return np.sum(parameters["a"] * x**2) + parameters["b"] * np.sum(x)


def arrays_from_list_argument(arrays, x):
    s = 0.0
    for a in arrays:
        s += np.sum(a * x) ** 2
    return s


def tuple_argument(grid, x):
    (nx, dx), shift = grid
    return np.sum(x[:nx] ** 2) * dx + x[shift]


def early_constant_folding(x, w):
    dt, steps = 0.1, 4
    t = 0.0
    for k in range(steps):
        t = k * dt
        x = x + dt * np.cos(t) * w
    return np.sum(x * x) * t


def comprehension_over_elements(x, w):
    waves = np.array([math.sin(v) * v for v in x])
    return waves @ w + max([a * b for a, b in zip(x, w)])


def comprehension_over_rows(x, w):
    table = np.outer(x, w)
    norms = np.array([np.sum(row * row) for row in table])
    by_number = {k: row[k] for k, row in enumerate(table)}
    return norms @ w + by_number[2]


def comprehension_names_its_source(x, w):
    return sum([x * x for x in x]) * np.sum([w for w in w])


def sum_of_many_terms(x, w):
    many = np.concatenate([x, w] * 3)
    total = sum(v * math.sin(v * k) for k, v in enumerate(many))
    return total + sum((many[k] * w for k in range(len(many))), w)[1] + np.sum(w)


def sum_of_chosen_terms(x, w):
    many = np.concatenate([x, w] * 3)
    return sum(v * v for v in many if v > 0) * sum([k * w[0] for k in range(20)], start=w[1])


def sum_of_the_others(x, w):
    for i in range(3):
        x[i] = x[i] + sum(w[j] * x[j] for j in range(3) if j != i) + sum(v for v in w if v > x[i])
    return x[0] * x[1] + x[2]


def all_but_one(x, w):
    s = 0.0
    for i in range(len(x)):
        s += np.prod(np.delete(x, i)) * w[i] + np.sum(np.delete(np.outer(x, w), i, axis=1)[0] ** 2)
        s *= np.delete(w, [0, 2])[0] + np.delete(x, -1)[0]
    return s


def reduced_by_functions(x, w):
    joined = functools.reduce(operator.mul, [x, w, x])
    powers = functools.reduce(lambda a, b: a * b + 1.0, (np.sum(x), w[0], w[1]), 0.5)
    return np.sum(joined) + powers


class Vector:
    """Arithmetic by methods."""

    def __init__(self, parts):
        self.parts = parts

    def __add__(self, other):
        return Vector(self.parts + (other.parts if isinstance(other, Vector) else other))

    def __mul__(self, factor):
        return Vector(self.parts * factor) if not isinstance(factor, Vector) else NotImplemented

    def __matmul__(self, other):
        return np.dot(self.parts, other.parts)

    def __neg__(self):
        return self * -1.0

    def __lt__(self, other):
        return self @ self < other @ other

    def __getitem__(self, key):
        return self.parts[key]

    def __len__(self):
        return len(self.parts)

    __radd__ = __add__
    __rmul__ = __mul__


def operators_of_a_class(x, w):
    u, v = Vector(x), Vector(w)
    for _ in range(3):
        u += 0.5 * v
        v = 1.0 + (-v) * 0.3 + u
    length = u @ v
    if u < v:
        length = length * 2.0
    return length + v[0] * np.sum(u[1:3]) / len(u)


class Motion:
    """NumPy's numbers on the left leave an operator to it."""

    def __init__(self, position, speed):
        self.position, self.speed = position, speed

    def __add__(self, other):
        return Motion(self.position + other.position, self.speed + other.speed)

    def __rmul__(self, factor):
        return Motion(factor * self.position, factor * self.speed)

    def __rtruediv__(self, number):
        return number / self.speed


class Weighted:
    """NumPy's arrays on the left leave an operator to it."""

    __array_ufunc__ = None

    def __init__(self, weight):
        self.weight = weight

    def __rmul__(self, values):
        return np.sum(values) * self.weight

    def __rsub__(self, values):
        return values[::-1] - self.weight


def numbers_of_numpy_with_a_class(x, w):
    state, heavy = Motion(x[0], w[1]), Weighted(w[2])
    for step in range(3):
        state = state + (np.sum(x) * 0.1) * Motion(state.speed, -x[step])
    return state.position * state.speed + x[1] / state + x * heavy + np.sum((x - heavy) ** 2)


class Signal:
    """Joined by operators that numbers have for their bits."""

    def __init__(self, parts):
        self.parts = parts

    def __and__(self, other):
        return Signal(self.parts * other.parts)

    def __rxor__(self, shift):
        return Signal(self.parts - shift)

    def __lshift__(self, count):
        return Signal(np.roll(self.parts, -count))

    def __ior__(self, other):
        self.parts = np.maximum(self.parts, other.parts)
        return self

    def __rshift__(self, count):
        return Signal(np.roll(self.parts, count))

    def __or__(self, other):
        return Signal(self.parts + other.parts)


def bits_of_a_class(x, w):
    u, v = Signal(x), Signal(w)
    u |= v >> 1
    return np.sum(((u & v) | (0.5 ^ v) << 2).parts * w)


class State(NamedTuple):
    """Where a body is, and how fast."""

    x: np.ndarray
    v: np.ndarray
    t: float = 0.0


def records_replaced(x, w):
    s = first = State(x, w)
    for _ in range(3):
        s = s._replace(v=s.v - 0.1 * s.x, t=s.t + 0.5)
        s = s._replace(x=s.x + 0.1 * s.v * s.t)
        s.x[0] += first.v[1]
    return s.x @ first.x + s.t * s._asdict()["v"][2]


@dataclass
class Body:
    """A body that remembers where it was."""

    x: np.ndarray
    v: np.ndarray
    seen: list = field(default_factory=list)

    def kick(self, force):
        self.v += 0.1 * force
        self.seen.append(self.x.copy())
        self.x += 0.1 * self.v


def dataclasses_replaced(x, w):
    a = Body(x, w)
    b = replace(a, v=w[::-1].copy())
    for _ in range(2):
        a.kick(-b.x)
        b.kick(a.x * a.v)
    return np.sum(a.x * b.v) + sum(s[1] for s in a.seen) * len(b.seen)


@dataclass(frozen=True)
class Grid:
    """Points with what follows from them."""

    x: np.ndarray
    scale: float = 2.0
    width: np.ndarray = None
    names: list = field(default_factory=list)

    def __post_init__(self):
        object.__setattr__(self, "width", np.diff(self.x) * self.scale)
        self.names.append(len(self.x))
        self.x[0] = 1.0


def dataclass_that_completes_itself(x, w):
    grid = Grid(x, scale=w[1])
    finer = replace(grid, x=w)
    return np.sum(grid.width * finer.width) * len(finer.names) + x[0] * w[0]


def sums_are_numbers_and_new_arrays(x, w):
    above = sum(v > 0.1 for v in x)
    above += 0.3
    total = sum([w])
    total += x
    return above * np.sum(total * w)


@dataclass
class Ray:
    """Can be iterated over, and is compared as a whole."""

    x: np.ndarray
    length: float = 0.3

    def __iter__(self):
        return iter(self.x)


def items_or_what_is_compared(x, w):
    longer = max(Ray(x), Ray(w, x[1] + 9.0), key=lambda ray: ray.length)
    pairs = zip(longer, Ray(x), strict=True)
    return sum(a * b for a, b in pairs) + min(Ray(w)) * sum(Ray(x), start=w[0])


def vectors():
    return normal(1, 7), uniform(2, 7)


PLAIN = (starred_unpacking, unpack_an_array, list_of_arrays_inside, list_written, dictionary_inside)
PLAIN += (nested_structures, named_tuple, list_comprehension, comprehension_with_condition)
PLAIN += (dictionary_comprehension, string_flag, boolean_flags, module_constants, annotated, decorated)
PLAIN += (decorated_with_options, import_inside, docstring_and_pass, len_and_static_arithmetic, walrus)
PLAIN += (comprehension_over_elements, comprehension_over_rows, comprehension_names_its_source, operators_of_a_class)
PLAIN += (numbers_of_numpy_with_a_class,)
PLAIN += (bits_of_a_class,)
PLAIN += (sums_are_numbers_and_new_arrays, items_or_what_is_compared)
PLAIN += (sum_of_many_terms, sum_of_chosen_terms, sum_of_the_others, all_but_one, reduced_by_functions)
PLAIN += (records_replaced, dataclasses_replaced, dataclass_that_completes_itself)
PLAIN += (formatted_strings, isinstance_tests, chained_methods, early_constant_folding)


def members_of_ranges(x, n, m):
    numbers = range(1, n, 2)
    ends = numbers.start * x[0] + numbers.stop * x[1] + numbers.step * x[2]
    return np.sum(x) * (2.0 if n in range(2, m) else 3.0) + (ends if 4 in range(n) else -ends)


CASES = (
    row(members_of_ranges, lambda: (normal(1, 5), 7, 8), "x"),
    *(row(f, vectors, "x, w") for f in PLAIN),
    row(string_flag, lambda: (*vectors(), "upwind"), "x, w", tag="upwind"),
    row(array_from_dictionary_argument, lambda: ({"a": uniform(1, 5), "b": 0.7}, normal(2, 5)), "x"),
    row(arrays_from_list_argument, lambda: ([uniform(1, 5), normal(3, 5)], normal(2, 5)), "x"),
    row(tuple_argument, lambda: (((4, 0.1), 2), normal(2, 5)), "x"),
)
