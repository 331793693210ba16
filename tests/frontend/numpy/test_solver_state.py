"""What functions keep while SciPy calls them (counters, lists, the best so far) may be shown; nobody else may ask."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import row
from tests.oracle import check_gradient

P = np.array([0.5, 2.0, 1.2])


def misfit(p, x):
    return np.sum((x - p) ** 2) + np.sum(x**4)


def traced_by_a_callback(p):
    trace = []
    found = optimize.minimize(lambda x: misfit(p, x), np.zeros(3), callback=lambda x: trace.append(x.copy()), tol=1e-12)
    return np.sum(found.x**2)


def traced(p):
    trace = []

    def f(x):
        value = misfit(p, x)
        trace.append(value)
        return value

    return np.sum(optimize.minimize(f, np.zeros(3), tol=1e-12).x ** 2)


def counted_in_a_list(p):
    count = [0]

    def f(x):
        count[0] += 1
        if count[0] % 10 == 0:
            print("call", count[0])
        return x**3 - p[0]

    root = optimize.newton(f, 1.0)
    print(count[0], len(count))
    return root


def counted(p):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x**3 - p[0]

    return optimize.brentq(f, 0.0, 3.0, xtol=1e-14) * p[1]


def kept_in_a_dict(p):
    log = {"calls": 0, "values": []}
    values = {}

    def f(x):
        log["calls"] += 1
        log["values"].append(x)
        values[float(x)] = x
        return x**3 - p[0]

    first = optimize.newton(f, 1.0)
    return first + p[1] * optimize.brentq(f, 0.0, 3.0, xtol=1e-14)


class Model:
    def __init__(self, p):
        self.p, self.calls, self.history, self.best = p, 0, [], np.inf

    def __call__(self, x):
        value = misfit(self.p, x)
        if value < self.best:
            self.best = value
        self.calls = self.calls + 1
        return value

    def cost(self, x):
        self.calls += 1
        self.note(x)
        self.difference = x - self.p
        return np.sum(self.difference**2) + np.sum(x**4)

    def note(self, x):
        self.history.append(x)

    def after(self, x):
        self.note(x)
        self.best = min(self.best, misfit(self.p, x))

    def rarely(self, x):
        if x > 1.5:
            self.history.append(x)
            self.best = x
        return x**3 - self.p[0]

    def damped(self, x):
        self.calls += 1
        return x**3 - self.p[0] * (1 + 1 / min(self.calls, 3))


def state_of_an_object(p):
    model = Model(p)
    found = optimize.minimize(model.cost, np.zeros(3), callback=model.after, tol=1e-12)
    print(model.calls, len(model.history))
    return np.sum(found.x**2)


def object_that_is_called(p):
    return np.sum(optimize.minimize(Model(p), np.zeros(3), tol=1e-12).x ** 2)


def noted_rarely(p):
    model = Model(p)
    root = optimize.brentq(lambda x: model.rarely(x), 0.0, 3.0, xtol=1e-14)
    print(len(model.history), model.best)
    return root * p[1]


def listed_by_names(p):
    """A table of attributes by name, for those who want to see it."""
    models, table = [Model(p), Model(p * 1.5)], {}
    found = [optimize.minimize(model.cost, np.zeros(3), callback=model.after, tol=1e-12).x for model in models]
    for name in ("calls", "best", "p"):
        column = [getattr(model, name) for model in models]
        table[name] = column
    print(table)
    return np.sum(found[0] ** 2) + found[1][0]


TAKEN = [
    listed_by_names,
    noted_rarely,
    traced_by_a_callback,
    traced,
    counted_in_a_list,
    counted,
    kept_in_a_dict,
    state_of_an_object,
    object_that_is_called,
]


@pytest.mark.parametrize("function", TAKEN, ids=lambda function: function.__name__)
def test_what_is_only_shown_does_not_matter(function: Callable[[Any], Any]) -> None:
    case = row(function, lambda: (P.copy(),), "p")
    check_gradient(Gradient(function, Request(), compiler=Interpreted)(P), case, rtol=1e-3)  # SciPy's own accuracy


def number_of_calls(p):
    model = Model(p)
    return np.sum(optimize.minimize(model.cost, np.zeros(3)).x) * model.calls


def length_of_a_trace(p):
    model = Model(p)
    found = optimize.minimize(lambda x: misfit(p, x), np.zeros(3), callback=model.after)
    return np.sum(found.x) * len(model.history)


def read_by_another_name(p):
    trace = []
    same = trace

    def f(x):
        if x > 100.0:
            trace.append(x)
        return x**3 - p[0]

    return optimize.newton(f, 1.0) + len(same)


def best_so_far(p):
    model = Model(p)
    return np.sum(optimize.minimize(model, np.zeros(3)).x) + model.best


def sum_of_what_was_shown(p):
    count = [0]

    def f(x):
        count[0] += 1
        return x**3 - p[0]

    root = optimize.brentq(f, 0.0, 3.0)
    return root + sum(count)


def length_of_what_is_noted_rarely(p):
    """Where data decide in the last call that nothing is noted, calls before may have noted something."""
    model = Model(p)
    return optimize.brentq(lambda x: model.rarely(x), 0.0, 3.0) * len(model.history)


def value_noted_rarely(p):
    model = Model(p)
    return optimize.brentq(lambda x: model.rarely(x), 0.0, 3.0) * model.best


def length_of_a_queue(p):
    """The callback is not read, and what it changes is found in its text."""
    queue = deque()
    found = optimize.minimize(lambda x: misfit(p, x), np.zeros(3), callback=lambda x: queue.appendleft(x.copy()))
    return np.sum(found.x) * len(queue)


def condition_that_changes_something(p):
    model, seen = Model(p), []
    found = optimize.minimize(model.cost, np.zeros(3))
    if seen.append(1) or model.calls > 3:
        print("many")
    return np.sum(found.x) * len(seen)


REFUSED = {
    condition_that_changes_something: "calls",
    length_of_a_queue: "queue",
    length_of_what_is_noted_rarely: "history",
    value_noted_rarely: "best",
    number_of_calls: "calls",
    length_of_a_trace: "history",
    read_by_another_name: "trace",
    best_so_far: "best",
    sum_of_what_was_shown: "count",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_who_asks_for_it_is_refused(function: Callable[[Any], Any]) -> None:
    text = f"A function that SciPy calls changes '{REFUSED[function]}', which is none of its own variables"
    with pytest.raises(daad.Unsupported, match=text):
        Gradient(function, Request(), compiler=Interpreted)(P)


def damped(p):
    return optimize.newton(Model(p).damped, 1.0, tol=1e-12)


def test_what_calls_before_have_left_is_not_taken_for_what_the_last_one_saw() -> None:
    found = Gradient(damped, Request(), compiler=Interpreted)(P)
    check_gradient(found, row(damped, lambda: (P.copy(),), "p"), rtol=1e-5)
