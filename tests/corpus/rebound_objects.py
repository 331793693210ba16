"""Objects that each iteration of a loop, or a side of a branch, replaces by others of their class; who tells one from
another, or writes the first one, must see Python's."""

from __future__ import annotations

import dataclasses

import numpy as np

from tests.corpus.case import row, uniform

STEPS = 60


class Body:
    def __init__(self, place, speed):
        self.place, self.speed = place, speed

    def moved(self, h):
        return Body(self.place + h * self.speed, self.speed - h * np.sin(self.place))


@dataclasses.dataclass
class Field:
    u: np.ndarray
    v: np.ndarray
    n: int = 0


def states_by_a_method(x):
    s = Body(x[0], x[1])
    for _ in range(STEPS):
        s = s.moved(0.1)
    return s.place**2 + s.speed


def fields_by_replace(x):
    s = Field(x, 2 * x)
    for _ in range(STEPS):
        s = dataclasses.replace(s, u=s.u + 0.01 * s.v, v=s.v - 0.01 * np.sin(s.u), n=s.n + 1)
    return np.sum(s.u**2 + s.v) + s.n * x[0]


def state_before(x):
    s = Body(x[0], x[1])
    before, t = s, 0.0
    for _ in range(STEPS):
        t = t + before.place * s.speed
        before = s
        s = s.moved(0.1)
    return t + s.place


def best_state(x):
    s = Body(x[0], x[1])
    best = s
    for _ in range(STEPS):
        s = s.moved(0.1)
        if s.place > best.place + 0.0123:
            best = s
    return best.place + 2 * best.speed + s.place


def all_states(x):
    s, states = Body(x[0], x[1]), []
    for _ in range(STEPS):
        states.append(s)
        s = s.moved(0.1)
    return sum(one.place * one.speed for one in states)


def first_state_written(x):
    s = Body(x[0], x[1])
    first, t = s, 0.0
    for _ in range(STEPS):
        first.speed = first.speed * 1.01
        s = s.moved(0.1)
        t += first.speed * s.place
    return t


def array_of_the_first_written(x):
    s = Body(x * 1.0, 2 * x)
    first, t = s, 0.0
    for _ in range(STEPS):
        first.place[0] = 1.01 * first.place[0]
        t += np.sum(s.place)
        s = Body(s.place * 0.9, s.speed * 0.99)
    return t + np.sum(s.place)


def array_seen_by_another_name(x):
    s, t = Body(x, 2 * x), 0.0
    for _ in range(STEPS):
        s.place[0] = 1.01 * s.place[0]
        t += np.sum(x)
        s = Body(s.place * 0.9, s.speed * 0.99)
    return t + np.sum(s.place)


def object_in_an_object(x):
    s = Body(x[0], Body(x[1], x[0]))
    for _ in range(STEPS):
        inner = s.speed
        s = Body(s.place + 0.1 * s.speed.place, Body(inner.place - 0.1 * s.place, inner.speed * 0.9))
        inner.place = 3.0
    return s.place + s.speed.place + s.speed.speed


def one_of_two_objects(x):
    bodies = [Body(x[0], x[1]), Body(x[1], x[0])]
    for k in range(STEPS):
        s = bodies[k % 2]
        s.place = s.place + 0.1 * s.speed
    return s.place + bodies[0].place * 2 + bodies[1].place * 3


def told_by_is(x):
    s = Body(x[0], x[1])
    first, t = s, 0.0
    for _ in range(STEPS):
        if s is first:
            t = t + 10 * x[0]
        s = s.moved(0.1)
    return t + s.place


def told_by_equality(x):
    s = Body(x[0], x[1])
    first, t = s, 0.0
    for _ in range(STEPS):
        t = t + (10 * x[0] if s == first or s in (first,) else 0.0) + [first].count(s) * x[1]
        s = s.moved(0.1)
    return t + s.place


def keys_of_a_dict(x):
    s = Body(x[0], x[1])
    weights, t = {s: 1.0}, 0.0
    for _ in range(STEPS):
        t = t + weights.get(s, 0.5) * s.place
        s = s.moved(0.1)
    return t


def items_of_a_set(x):
    s, seen = Body(x[0], x[1]), set()
    for _ in range(20):
        seen.add(s)
        s = s.moved(0.1)
    return s.place * len(seen)


def told_by_id(x):
    s, seen = Body(x[0], x[1]), []
    for _ in range(20):
        seen.append(id(s))
        s = s.moved(0.1)
        last = s
    return s.place * (1 + (id(last) == id(s)))


def bound_method(x):
    s = Body(x[0], x[1])
    move = s.moved
    for _ in range(STEPS):
        s = move(0.1)
        move = s.moved
    return s.place + move(1.0).speed


def object_that_holds_itself(x):
    s = Body(x[0], x[1])
    s.own = s
    for _ in range(STEPS):
        other = s.moved(0.1)
        other.own = other
        s = other
    return s.own.place


def first_list_told_by_is(x):
    s = [x[0], x[1]]
    first, t = s, 0.0
    for _ in range(STEPS):
        if s is first:
            t = t + 10 * x[0]
        s = [s[0] + 0.1 * s[1], s[1] - 0.1 * s[0]]
    return t + s[0]


def first_list_written(x):
    s = [x[0], x[1]]
    first = s
    for _ in range(STEPS):
        first[0] = 2 * x[1]
        s = [s[0] + 0.1 * s[1], s[1] - 0.1 * s[0]]
    return s[0] + first[0]


def object_on_one_side(x):
    s = Body(x[0], x[1])
    other = s
    if x[0] > 0.0123:
        s = Body(x[1], x[0])
    return other.place + s.place * s.speed


class Vector:
    def __init__(self, items):
        self.items = np.asarray(items)

    def __add__(self, other):
        return Vector(self.items + other.items)

    def __mul__(self, factor):
        return Vector(self.items * factor)

    __rmul__ = __mul__


def vectors_by_operators(x):
    y, g, h = Vector(x), Vector(np.array([0.3, 0.1, 0.2])), 0.05
    for _ in range(STEPS):
        k = y * 0.3 + g
        y = y + (0.5 * h) * (k + (y + h * k) * 0.3)
    return np.sum(y.items**2)


class Simulation:
    def __init__(self, state):
        self.state, self.time = state, 0.0

    def step(self):
        self.state = self.state.moved(0.1)
        self.time += 0.1


def state_of_a_simulation(x):
    run = Simulation(Body(x[0], x[1]))
    for _ in range(STEPS):
        run.step()
    return run.state.place * run.time


def three_states(x):
    s = Body(x[0], x[1])
    a, b = s, s
    for _ in range(STEPS):
        a, b = b, s
        s = s.moved(0.05)
    return s.place * a.speed + b.place


def list_of_objects(x):
    bodies = [Body(x[0] * k, x[1]) for k in range(3)]
    for _ in range(STEPS):
        bodies = [body.moved(0.1 * x[2]) for body in bodies]
    return sum(body.place * body.speed for body in bodies)


LOOPS = (
    *(states_by_a_method, fields_by_replace, state_before, best_state, all_states, first_state_written),
    *(array_of_the_first_written, array_seen_by_another_name, object_in_an_object, one_of_two_objects, told_by_is),
    *(told_by_equality, keys_of_a_dict, items_of_a_set, told_by_id, bound_method, object_that_holds_itself),
    *(first_list_told_by_is, first_list_written, object_on_one_side, vectors_by_operators, state_of_a_simulation),
    *(three_states, list_of_objects),
)
CASES = tuple(row(f, lambda: (uniform(5, 3),), "x") for f in LOOPS)
