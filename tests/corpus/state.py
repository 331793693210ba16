"""State that lies outside of the function: objects, containers, arrays and globals that the program changes."""

from __future__ import annotations

import functools

import numpy as np

from tests.corpus import other_module
from tests.corpus.case import normal, row, uniform


class Grid:
    """A part of a model, which other parts hold, too."""

    def __init__(self, n):
        self.n = n
        self.height = np.linspace(0.1, 1.0, n)
        self.count = np.zeros(n, dtype=int)


class Model:
    """A model as a class: fields that are updated in place and anew, time, a log, parameters, a part."""

    def __init__(self, u, rate):
        self.grid = Grid(len(u))
        self.u = u
        self.flux = np.zeros(len(u) + 1)
        self.rate = rate
        self.t = 0.0
        self.log = []
        self.parameters = {"dt": 0.1, "order": 2}

    def advance(self, forcing):
        dt = self.parameters["dt"]
        self.flux[1:-1] = self.rate * np.diff(self.u) * self.grid.height[1:]
        self.u += dt * (np.diff(self.flux) + forcing)
        self.grid.height = self.grid.height * (1.0 + dt * np.tanh(self.u))
        self.grid.count[0] += 1
        self.t += dt
        self.log.append(np.sum(self.u**2))

    def run(self, steps, forcing):
        for step in range(steps):
            if step == 1:
                self.parameters["dt"] *= 0.5
            self.advance(forcing)
        return self.t


def model_as_argument(model, x):
    time = model.run(3, x)
    return sum(model.log) * time + np.sum(model.grid.height * model.grid.count[0])


MODEL = Model(np.ones(6), 0.7)


def model_from_outside(x, w):
    MODEL.u = x * w
    MODEL.t, MODEL.log, MODEL.parameters["dt"] = 0.0, [], 0.1
    MODEL.flux[:] = 0.0
    MODEL.grid.height = w.copy()
    MODEL.grid.count[...] = 0
    grid = MODEL.grid
    MODEL.run(4, 0.1 * x)
    return np.sum(grid.height * MODEL.u) + MODEL.log[-1] + grid.count[0] * MODEL.t


class Car:
    """One of many."""

    def __init__(self, x, v):
        self.x, self.v, self.lead = x, v, None

    def update(self, dt):
        gap = 10.0 if self.lead is None else self.lead.x - self.x
        self.v += dt * (np.tanh(gap - 2.0) - 0.1 * self.v)
        self.x += dt * self.v


CARS = [Car(9.0 - 3.0 * k, 1.0) for k in range(3)]
ROAD = {"cars": CARS, "first": CARS[0], "speeds": (CARS[1], 2.0)}


def objects_that_hold_each_other(x, w):
    for k, car in enumerate(CARS):
        car.x, car.v, car.lead = 9.0 - 3.0 * k + x[k], w[k], (CARS[k - 1] if k else None)
    for _ in range(4):
        for car in ROAD["cars"]:
            car.update(0.3)
    second, factor = ROAD["speeds"]
    return ROAD["first"].x * second.v * factor + sum(car.x * car.v for car in CARS)


COUNT = 0
ENERGY = 0.0
FIELD = np.zeros(6)
HISTORY = [0.0]


def tick(x):
    global COUNT, ENERGY
    COUNT += 1
    ENERGY = ENERGY + np.sum(x * x)
    HISTORY.append(ENERGY)
    FIELD[1:] += ENERGY * x[1:]


def globals_that_functions_assign(x, w):
    global COUNT, ENERGY
    COUNT, ENERGY = 0, 0.0
    FIELD[:] = w
    HISTORY.clear()
    for _ in range(3):
        tick(x)
        if FIELD[0] > 100.0:
            ENERGY *= 2.0
    return ENERGY * COUNT + np.sum(FIELD**2) + HISTORY[1]


WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
PLACES = np.array([0, 1, 2, 3, 4, 5])


def arrays_by_other_names(x, w):
    WEIGHTS[:] = w
    PLACES[:] = np.arange(6)
    weights, places = WEIGHTS, PLACES
    weights *= x
    places += 1
    numbers = np.array([1, 2, 3])
    same = numbers
    numbers += 1
    numbers[0] = 7
    tail = WEIGHTS[2:]
    tail -= 1.0
    return np.sum(WEIGHTS * x) + np.sum(PLACES * w) + np.sum(same * x[:3])


class Counted:
    """Objects whose class counts them; a kind of them has a scale of its own."""

    made = 0
    scale = 1.0

    def __init__(self, x):
        self.x = x
        type(self).made += 1
        Counted.total = self.x[0] * Counted.made


class Scaled(Counted):
    """A kind that inherits what the other class is given."""


def evaluated(x):
    evaluated.calls += 1
    return np.tanh(x)


def attributes_of_modules_classes_functions(x, w):
    other_module.RATE = w[0]
    evaluated.calls, Counted.made, Scaled.made, Counted.scale = 0, 0, 0, 1.0
    Counted.value = lambda self: self.x * self.scale
    one, other = Counted(x), Scaled(w)
    for k in range(3):
        if k == 1:
            Counted.scale = x[1]
        x = other_module.damped(x, evaluated(one.value()) + other.value())
    return np.sum(x * other.value()) * evaluated.calls + Counted.total * Scaled.made


def vectors():
    return normal(1, 6), uniform(2, 6)


PLAIN = (model_from_outside, objects_that_hold_each_other, globals_that_functions_assign, arrays_by_other_names)
PLAIN += (attributes_of_modules_classes_functions,)


class Channel:
    """An object whose functions are given to it, or made from its parameters."""

    def __init__(self, conductance, gate=None, rates=()):
        def current(v):
            return self.scale * conductance * v

        self.scale = 0.5
        self.current = current
        self.gate = (lambda v: conductance + v * v) if gate is None else lambda v: gate(v) * conductance
        self.rates = [lambda v, rate=rate: np.tanh(rate * v) for rate in rates]
        self.shifted = functools.partial(lambda a, b: a * b + conductance, 3.0)

    def at(self, v):
        def derivative(t, y):
            return [self.gate(y[0]) - t, self.current(y[1])]

        for k in range(3):
            v = v + 0.1 * np.array(derivative(0.1 * k, v))
        return v[0] * v[1] + sum(rate(v[0]) for rate in self.rates) + self.shifted(v[1])


def counted_by_a_function(x, w):
    def scaled(y):
        scaled.calls += 1
        scaled.total = scaled.total * y
        return y * scaled.calls

    scaled.calls, scaled.total = 0, 1.0
    for v in x:
        w[0] += scaled(v)
    if x[0] > 0.0:
        scaled(w[1])
    return scaled(x[0]) * scaled(w[0]) + scaled.total


def functions_with_defaults_of_the_run(x, w):
    def times(c):
        return functools.partial(lambda c, y: y * c, c)

    plain, made = None, times(w[0])
    kept = last = lambda y, c=w[1]: y * c
    for i in range(3):
        before, kept = made, last
        plain = lambda y, i=i: y * x[i]
        last = lambda y, c=kept(x[i]): y * c  # noqa: B008
        made = times(before(x[i]))
    chosen = lambda y, c=w[0]: y * c
    if x[1] > 0.0:
        chosen = times(w[1])
    return plain(2.0) * last(w[2]) * made(3.0) * before(x[0]) * kept(w[1]) + chosen(x[2])


def functions_in_attributes(x, w):
    first, second = Channel(x[0]), Channel(x[1], lambda v: v * w[0], (x[2], w[1]))
    registry = {}
    keep_functions(registry, w[2])
    return first.at(w[:2]) + second.at(x[1:]) + registry["twice"](x[0]) + np.sum([f(w[0]) for f in registry["all"]])


def keep_functions(registry, scale):
    """Nothing is returned, all is left behind."""
    registry["twice"] = lambda v: 2.0 * scale * v
    registry["all"] = list(map(lambda factor: lambda v: factor * scale + v, (1.0, 3.0)))


CASES = (
    row(counted_by_a_function, lambda: (normal(1, 3), normal(2, 3)), "x, w"),
    row(functions_with_defaults_of_the_run, lambda: (normal(1, 3), normal(2, 3)), "x, w"),
    row(functions_in_attributes, lambda: (normal(1, 3), normal(2, 3)), "x, w"),
    row(model_as_argument, lambda: (Model(uniform(1, 6), 0.7), normal(2, 6)), "x"),
    *(row(f, vectors, "x, w") for f in PLAIN),
)
