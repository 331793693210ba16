"""Functions of every kind: called, nested, closed over, handed on; arguments and returns of every kind."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import numpy as np
from numpy import exp, sqrt
from numpy import sum as total

from tests.corpus import other_module
from tests.corpus.case import normal, row, uniform
from tests.corpus.other_module import COEFFICIENTS, softplus
from tests.corpus.other_module import damp as renamed_damp


def energy(x, w):
    return 0.5 * w * x**2


def calls_a_function(x, w):
    return np.sum(energy(x, w)) + np.sum(energy(w, x))


def shift_in_place(x, by):
    x += by
    x[0] = 0.0


def calls_a_function_that_writes(x, w):
    shift_in_place(x, w)
    shift_in_place(w[2:], x[2:])
    return np.sum(x * w)


def damp_and_count(x):
    x *= 0.8
    return x[0] + len(x)


def calls_a_function_that_writes_what_is_updated(x, w):
    x[1] += damp_and_count(x)
    x[2:4] *= damp_and_count(x[1:])
    w[x > 0] += damp_and_count(w)
    x[np.array([4, 0])] -= damp_and_count(x)
    for i in range(3):
        w[i] *= damp_and_count(w[i:])
    return np.sum(x * w)


def writes_an_element_seen_by_ellipsis(x, w):
    x[3, ...] += damp_and_count(x)
    x[1, ...] *= 1.0 + damp_and_count(w) + damp_and_count(x[:2])
    return np.sum(x * w)


def calls_another_module(x, w):
    y = other_module.damp(x, w, rate=0.3)
    return np.sum(renamed_damp(y, w)) + softplus(x[0]) * COEFFICIENTS[1] + other_module.COEFFICIENTS[0] * x[1]


def names_imported_from_numpy(x, w):
    return total(exp(-x) * sqrt(w))


def nested_def(x, w):
    def rhs(u):
        return np.sin(u) - 0.1 * u

    y = x + 0.1 * rhs(x)
    return np.sum(rhs(y) * w)


def nested_def_with_closure(x, w):
    scale = np.sum(w)

    def rhs(u):
        return u * scale - w * u**2

    for _ in range(3):
        x = x + 0.05 * rhs(x)
    return np.sum(x)


def nested_def_writes_outer_array(x, w):
    out = np.zeros(len(x))

    def store(i, value):
        out[i] = value * w[i]

    for i in range(len(x)):
        store(i, x[i] ** 2)
    return np.sum(out * out)


def nested_def_sees_later_binding(x, w):
    factor = 1.0

    def scaled(u):
        return factor * u

    first = np.sum(scaled(x))
    factor = w[0]
    return first + np.sum(scaled(x) ** 2)


def nonlocal_counter(x, w):
    s = 0.0

    def add(value):
        nonlocal s
        s = s + value * value

    for i in range(len(x)):
        add(x[i] * w[i])
    return s


def lambdas(x, w):
    square = lambda u: u * u
    return np.sum((lambda u, v: square(u) * v)(x, w)) + square(x[0])


def function_as_argument(x, w):
    def rk2(rhs, u, h):
        k = rhs(u)
        return u + h * rhs(u + 0.5 * h * k)

    for _ in range(3):
        x = rk2(lambda u: np.cos(u) * w, x, 0.1)
    return np.sum(x * x)


def function_that_returns_a_function(x, w):
    def power(n):
        def raised(u):
            return u**n

        return raised

    cube = power(3)
    return np.sum(cube(x) * power(2)(w))


def partial_application(x, w):
    damped = partial(renamed_damp, rate=0.7)
    return np.sum(damped(x, w))


def list_of_functions(x, w):
    s = 0.0
    for f in [np.sin, np.tanh, lambda u: u**2]:
        s += np.sum(f(x) * w)
    return s


def default_arguments(x, w, power=3, scale=0.5):
    return scale * np.sum(x**power * w)


def keyword_call(x, w):
    return default_arguments(w=x, x=w, scale=2.0) + default_arguments(x, w, power=2)


def keyword_only(x, w):
    def weigh(u, *, by, offset=1.0):
        return np.sum(u * by + offset * u * u)

    return weigh(x, by=w) + weigh(w, by=x, offset=x[0])


def star_arguments(*arrays):
    s = 0.0
    for k, v in enumerate(arrays):
        s += np.sum(v ** (k + 2))
    return s * arrays[0][0]


def star_call(x, w):
    pair = (x, w)
    options = {"power": 2, "scale": 0.25}
    return default_arguments(*pair, **options) + star_arguments(*pair, x * w)


def dictionaries_of_functions(x, w):
    parameters = dict(rate=x[0], grow=lambda t: t**2 * x[1], turn=np.sin)
    others = OrderedDict(grow=lambda t: t * w[2])
    both = dict(parameters, more=others["grow"])
    return both["grow"](both["rate"]) + both["turn"](w[1]) * both["more"](x[2])


def keyword_dictionary(x, w):
    def weigh(u, **rest):
        return np.sum(u * rest["by"]) * rest.get("factor", 2.0)

    return weigh(x, by=w) + weigh(w, by=x * x, factor=0.5)


def tuple_return(x, w):
    def moments(u):
        mean = np.mean(u)
        return mean, np.mean((u - mean) ** 2)

    m, v = moments(x)
    (first, second), third = moments(w), v
    return m * v + first * second * third


def reassigned_in_inner_scope(x, w):
    def inner(x):
        x = x * 2.0
        w = x + 1.0
        return w * x

    y = inner(x)
    return np.sum(y * x * w)


class Oscillator:
    """A plain class with constants and a method."""

    stiffness = 2.5

    def __init__(self, mass):
        self.mass = mass

    def force(self, x):
        return -self.stiffness * x / self.mass


OSCILLATOR = Oscillator(0.5)


def method_of_an_object(x, w):
    for _ in range(3):
        w = w + 0.1 * OSCILLATOR.force(x)
        x = x + 0.1 * w
    return np.sum(x * x)


def vectors():
    return normal(1, 7), uniform(2, 7)


def defaults_that_remember(x, w):
    def total_of(y, found=[0.3], *, sums=np.zeros(2)):  # noqa: B006, B008
        found.append(0.5 * y)
        sums[:] += y
        return sum(found) * sums[1]

    result = 0.0
    for k in range(3):
        result += total_of(x[k])
    if x[0] > -5.0:
        result += total_of(w[0]) ** 2
    return result * w[1]


PLAIN = (
    calls_a_function,
    calls_a_function_that_writes,
    calls_a_function_that_writes_what_is_updated,
    writes_an_element_seen_by_ellipsis,
)
PLAIN += (calls_another_module, names_imported_from_numpy)
PLAIN += (nested_def, nested_def_with_closure, nested_def_writes_outer_array, nested_def_sees_later_binding)
PLAIN += (nonlocal_counter, lambdas, function_as_argument, function_that_returns_a_function)
PLAIN += (partial_application, list_of_functions, default_arguments, keyword_call, keyword_only, star_call)
PLAIN += (defaults_that_remember,)
PLAIN += (dictionaries_of_functions, keyword_dictionary, tuple_return, reassigned_in_inner_scope, method_of_an_object)

CASES = (
    *(row(f, vectors, "x, w") for f in PLAIN),
    row(default_arguments, lambda: (*vectors(), 2), "x, w", tag="given"),
    row(star_arguments, lambda: (*vectors(), normal(3, 4)), (0, 1, 2)),
)
