"""Classes that are defined inside of the function: methods that see its variables, state, state of the class."""

# ruff: noqa: RUF023 (programs as their authors write them)
from __future__ import annotations

import abc
import enum
import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus.case import row


def with_methods(x):
    class Particle:
        """What the variables around mean is looked up when a method is called."""

        rate = 2.0

        def __init__(self, a):
            self.a, self.history = a, []

        def step(self, dt):
            self.a = self.a + dt * x[1] * self.rate
            self.history.append(self.a)
            return self

        @property
        def squared(self):
            return self.a**2

        @squared.setter
        def squared(self, value):
            self.a = value

        @staticmethod
        def twice(value):
            return 2 * value * x[3]

        @classmethod
        def made(cls, value):
            return cls(value * cls.rate)

        def __add__(self, other):
            return Particle(self.a + other.a)

        def __call__(self, t):
            return self.a * t if self.a > 0.2 else self.a + t * x[2]

    p, q = Particle(x[0]), Particle.made(x[2])
    for _ in range(3):
        p.step(0.1).step(0.2)
    p.squared = p.a * 2
    return (p + q).squared + Particle.twice(p.a) + sum(p.history) + q(x[3])


def records(x):
    @dataclass
    class State:
        position: np.ndarray
        velocity: np.ndarray
        mass: float = 1.5
        log: list = field(default_factory=list)

        def energy(self):
            return 0.5 * self.mass * np.sum(self.velocity**2) + np.sum(self.position)

    @dataclass(frozen=True)
    class Product:
        a: float
        b: float = 2.0

        def __post_init__(self):
            object.__setattr__(self, "c", self.a * self.b)

    class Pair(NamedTuple):
        a: float
        b: float = 1.0

        def product(self):
            return self.a * self.b

    state = State(x[:2] * 1.0, x[2:] * 1.0)
    for _ in range(5):
        state.velocity -= 0.1 * state.position
        state.position += 0.1 * state.velocity
        state.log.append(state.energy())
    return state.energy() + sum(state.log) * Product(x[0]).c + Pair(x[0], x[1]).product() * Pair(x[2]).product()


def factory(k):
    class Made:
        def __init__(self):
            self.v = k

        def scaled(self, y):
            return self.v * y

    return Made


def inherited(x):
    class Base(abc.ABC):
        __slots__ = ("k", "c")

        def __init__(self, k):
            self.k = k

        @abc.abstractmethod
        def value(self, v): ...

    class Derived(Base):
        class Colour(enum.Enum):
            RED = 1
            GREEN = 2

        def __init__(self, k, c):
            super().__init__(k)
            self.c = c

        def value(self, v):
            return self.k * v + self.c * v**2 * self.Colour.GREEN.value

    class TooLarge(Exception):
        pass

    def checked(v):
        if v > 100:
            raise TooLarge
        return v**2

    first, second = factory(x[0]), factory(x[1])
    try:
        found = first().scaled(x[2]) + second().scaled(x[3]) + isinstance(first(), second) * x[0] + checked(x[1])
    except TooLarge:
        found = x[2]
    return found + Derived(x[0], x[1]).value(x[2])


def state_of_the_class(x):
    class Counter:
        made, total, items, table = 0, 0.0, [], np.zeros(4)
        scaled = lambda self, v: v * self.table[1]
        table[3] = 1.0

        def __init__(self, v):
            Counter.made += 1
            Counter.total += v
            self.items.append(v * v)
            self.number = Counter.made
            self.table[1] = v

        def tick(self, dt):
            Counter.total += dt * x[1]

    counters = [Counter(v) for v in x]
    for _ in range(30):
        if Counter.total < 3.0:
            counters[0].tick(-0.1)
    found = sum(c.number * Counter.total for c in counters)
    return found + sum(Counter.items) + Counter.made * x[0] + counters[2].scaled(x[0]) + Counter.table[3] * x[1]


def functions_that_become_methods(x):
    def scaled(self, v=2.0):
        return self.k * v

    def twice(function):
        return lambda self, *args: 2.0 * function(self, *args)

    class Base:
        k = x[0]
        by = scaled

        @twice
        def cubed(self, v):
            return self.k * v**3

    class Other(Base):
        def scaled(self):
            return super().by() * 3.0

    Other.again = scaled
    other, held = Other(), Base().by
    return other.scaled() * Base().by(x[1]) + other.cubed(x[2]) + held(3.0) + other.again() + Base.by(other, x[3])


def descriptors_of_classes(x):
    count = x[0]

    class OfTheClass:
        def __init__(self, function):
            self.function = function

        def __get__(self, holder, cls):
            return self.function(cls)

    @functools.cached_property
    def counted(_):
        nonlocal count
        count += x[1]
        return count

    class First:
        k, value = x[2], counted

        @OfTheClass
        def doubled(cls):
            return 2.0 * cls.k

    class Second(First):
        k, value = x[3], counted

    first, second = First(), Second()
    return first.value + 10.0 * second.value + 100.0 * first.value + First.doubled * Second.doubled + second.doubled


CASES = tuple(
    row(f, lambda: (np.array([0.5, -0.7, 1.4, -0.3]),), "x")
    for f in (
        with_methods,
        records,
        inherited,
        state_of_the_class,
        functions_that_become_methods,
        descriptors_of_classes,
    )
)
