"""Arrays of classes of their own: operators, methods and attributes are the class's, results have NumPy's classes."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported
from tests.corpus.array_classes import Quat, Series

X = np.array([0.7, 0.4, 0.9, 1.3])
Q = np.matrix([[2.0, 0.3], [0.1, 1.0]])


def product(x):
    a = np.matrix([[x[0], x[1]], [x[2], x[3]]])
    return (a * a)[0, 1] + np.sum(a)


def outside(x):
    a = x.reshape(2, 2)
    return np.sum(Q * a * Q.T)


def column(x):
    v = np.matrix(x).T
    return (v.T * Q[0, 0] * v)[0, 0] + v[1, 0]


def inverse(x):
    a = np.asmatrix(x.reshape(2, 2)) + np.eye(2)
    return (a.I * Q).sum() + np.linalg.det(a)


def pseudo(x):
    a = np.matrix(np.vstack([x.reshape(2, 2), [1.0, 2.0]]))
    return np.sum(np.multiply(a.I, a.T))


def powers(x):
    a = np.asmatrix(x.reshape(2, 2))
    return (a**2 + a**3).mean()


def rows(x):
    a = np.asmatrix(x.reshape(2, 2))
    total = 0.0
    for row in a:
        total += (row * row.T)[0, 0]
    return total


def in_loop(x, n=4):
    a = np.asmatrix(x.reshape(2, 2))
    v = np.matrix([[1.0], [0.5]])
    for _ in range(n):
        v = a * v + 0.1 * v
    return float(v[0, 0] + v[1, 0] ** 2)


def attributes(x):
    a = np.asmatrix(x.reshape(2, 2))
    return np.sum(a.A * a.A) + np.sum(a.A1[1:]) + a.H[0, 1] + a.T[0, 1] * a.shape[0]


def reductions(x):
    a = np.asmatrix(x.reshape(2, 2))
    return (a.sum(axis=0) * a.sum(axis=1))[0, 0] + a.mean() * a.max() + a.mean(1)[0, 0] + np.sum(a, axis=0)[0, 1]


def joined(x):
    a = np.asmatrix(x.reshape(2, 2))
    b = np.bmat([[a, Q], [Q.T, a.T]])
    c = np.hstack((a, Q)) * np.vstack((Q, a))
    return (b * b)[0, 3] + c.sum()


def negated(x):
    a = np.asmatrix(x.reshape(2, 2))
    return (-a * a + 2 * a - a / 3 + 1 / 2 * a).sum() - np.trace(a) + np.linalg.norm(a)


def augmented(x):
    a = np.asmatrix(x.reshape(2, 2)) + 0.0
    a += Q
    a *= Q
    b = a
    b -= 1.0
    return (a * a).sum()


def solved(x):
    a = np.asmatrix(x.reshape(2, 2)) + Q
    b = np.linalg.solve(a, np.matrix([[1.0], [2.0]]))
    return (b.T * b)[0, 0]


def masked(x):
    a = np.asmatrix(x.reshape(2, 2))
    return np.where(a > 0.5, a, 2 * a).sum() + np.sum(np.array(a) * np.asarray(a)) + np.max(np.abs(a))


def elements(x):
    a = np.asmatrix(x)
    return sum(a[0, i] * a[0, 3 - i] for i in range(4)) + a[0, 1:3].sum() + a[0].A1[2]


class Vector(np.ndarray):
    def __new__(cls, *args):
        return np.array(args, dtype=float).view(cls)

    def __mul__(self, other):
        if isinstance(other, Vector):
            return np.dot(np.asarray(self), np.asarray(other))
        return np.ndarray.__mul__(self, other)

    def norm(self):
        return np.sqrt(self * self)

    def cross(self, other):
        return np.cross(self, other).view(Vector)


def vectors(x):
    a = Vector(x[0], x[1], x[2])
    b = Vector(x[1], 2.0, x[3])
    c = a.cross(b) * 2.0
    return c * a + (a + b).norm() + (a - b)[1]


class Field(np.ndarray):
    def __new__(cls, shape, fill=0.0):
        made = super().__new__(cls, shape)
        made.fill(fill)
        made.name = "field"
        return made

    def __getitem__(self, key):
        return 2.0 * super().__getitem__(key)

    def total(self):
        return self.view(np.ndarray).sum()


def fields(x):
    f = Field((4,), 1.0)
    f[:] = x
    f[1] = f[0]
    return f.total() + f[2] * f[3]


class Counting(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [one.view(np.ndarray) if isinstance(one, Counting) else one for one in inputs]
        found = getattr(ufunc, method)(*plain, **kwargs)
        return found.view(Counting) if isinstance(found, np.ndarray) else found


def counting(x):
    a = x.view(Counting)
    return np.sum(np.exp(a) * a + 1.0)


def own_loop(x, n=3):
    s = Series(x * 1.0, 0.1)
    for _ in range(n):
        s = s + s.step * np.cos(s)
    return np.sum(s * s)


def chained(x):
    s = Series(x, 0.1)
    s.label = "a"
    t = s.reshape(2, 2).T.copy()
    u = np.concatenate([t, t])
    return np.sum(u**2 * t.step) if not hasattr(u, "label") else 0.0


class Info(np.ndarray):
    def __new__(cls, input_array, info=None):
        obj = np.asarray(input_array).view(cls)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)

    def __array_wrap__(self, out, context=None, return_scalar=False):
        return super().__array_wrap__(out, context, return_scalar)


def wrapped(x):
    a = Info(x, info=2.0)
    b = np.sqrt(a)
    return np.sum(b * b.info)


class Unit(np.ndarray):
    def __new__(cls, values, unit="m"):
        self = np.array(values, dtype=float).view(cls)
        self.unit = unit
        return self

    def __array_finalize__(self, obj):
        self.unit = getattr(obj, "unit", "m")

    def __add__(self, other):
        if getattr(other, "unit", self.unit) != self.unit:
            raise ValueError("units differ")
        return super().__add__(other)

    def __repr__(self):
        return "Unit"

    def mean(self, *args, **kwargs):
        return 2.0 * super().mean(*args, **kwargs)


def units(x):
    a = Unit(x, unit="km")
    b = Unit(x**2, unit="km")
    c = a + b
    return np.mean(c) * float(c[0]) + c.mean() + (1.0 / c).sum()


def quats(x):
    q = Quat(x[0], x[1], x[2], x[3]).normalized()
    p = Quat(0.0, 1.0, 2.0, 3.0)
    r = q * p * q.conj
    return r[1] + 2 * r[2] ** 2


def quat_branch(x):
    q = Quat(x[0], x[1], x[2], x[3])
    for i in range(4):
        if q[i] > 0.8:
            q = q * q
        else:
            q = -q
    return np.sum(q * np.array([1.0, 2.0, 3.0, 4.0])) if False else q[2] + q[1]


class State:
    def __init__(self, m):
        self.m = np.matrix(m)
        self.h = []

    def step(self, u):
        self.m = self.m + self.m * self.m * 0.1 + np.matrix(u)
        self.h.append(self.m[0, 0])

    def run(self, n, u):
        for _ in range(n):
            self.step(u)
        return self.h


def stateful(x):
    s = State(x.reshape(2, 2))
    h = s.run(4, np.eye(2))
    return h[-1] + sum(h)


def listed(x):
    a = np.matrix(x)
    ms = [a.T * a * k for k in range(3)]
    total = ms[0]
    for m in ms[1:]:
        total = total + m
    return np.sum(np.array(total)) + max(float(m[0, 0]) for m in ms)


def conv(x):
    m = np.asmatrix(x).reshape(2, 2)
    flat = np.asarray(m).flatten()
    l = m.tolist()
    d = {"m": m}
    return (
        flat[1] * l[0][0]
        + d["m"][1, 1] * m.item(2)
        + m.ravel()[0, 3]
        + m.flatten()[0, 1] ** 2
        + np.squeeze(np.asarray(m))[0, 1]
    )


def blocks(x):
    a = np.asmatrix(np.zeros((4, 4)))
    a[:2, :2] = x.reshape(2, 2)
    a[2:, 2:] = np.eye(2) * x[0]
    a[0:2, 3] = np.matrix([[1.0], [2.0]]) * x[1]
    b = np.concatenate((a, a), axis=1)
    w = np.linalg.eigvalsh(np.asarray(a + a.T))
    return (b * b.T).sum() + w[0]


def complexes(x):
    m = np.matrix([[x[0] + 1j * x[1], 1j], [x[2], 1.0]])
    h = m.H * m
    return (h[0, 0] + h[0, 1] * h[1, 0]).real


def compare(x):
    m = np.asmatrix(x.reshape(2, 2))
    k = m > 0.5
    if (m[0] > 0).all() and m.any():
        return np.sum(m[m > 0.5]) if False else np.sum(np.multiply(m, k))
    return 0.0


def indexing(x):
    m = np.asmatrix(np.outer(x, x))
    i = [0, 2]
    return (
        m[i, :].sum() + m[1, i].sum() + m[:, [1]].T[0, 2] + m[1:3, 0].sum() + (m[:, 0] * m[0, :])[1, 1] + m[-1].A1.sum()
    )


def one_by_one(x):
    a = np.asmatrix(x.reshape(2, 2))
    total = np.sum((a * a).flat) + a.flat[2]
    for value in a.flat:
        total += value**3
    a.flat[1:3] = a.flat[:2] * 2.0
    return total + (a.flat[1:3] * a.flat[2:].T)[0, 0]


def jac(x):
    F = np.mat([[1.0, 0.0], [0.0, 1.0]]) if hasattr(np, "mat") else np.matrix([[1.0, 0.0], [0.0, 1.0]])
    F[0, 1] = np.sin(x[0]) * x[2]
    F[1, 0] = x[3] - F[0, 1]
    e = F - np.eye(2)
    K = F.T * F.I * e
    return np.sqrt(np.sum(np.power(K, 2))) + K.T.dot(K)[0, 0] + np.dot(F, K)[1, 0]


def setattr_out(x):
    s = Info(x, info=1.0)
    s.rate = 0.5
    s.info = x[0] * 2
    t = s[1:]
    return np.sum(t * t.info) * s.rate


class Odd(np.ndarray):
    def __add__(self, other):
        return 2.0 * np.ndarray.__add__(self, other)

    def __radd__(self, other):
        return 3.0 * np.ndarray.__add__(self, other)


def by_numpys_own_code(x):
    return np.trapezoid(x.view(Odd)) + np.diff(x.view(Odd))[0] * x[1]


def in_rows_and_columns(x):
    a = np.asmatrix(x.reshape(2, 2))
    s = np.r_[a, np.eye(2)]
    t = np.c_[a, a.T]
    return (s * a).sum() + (t.T * t)[0, 1]


def given_to_a_method(x):
    a = np.asmatrix(x.reshape(2, 2))
    b = x.reshape(2, 2).dot(a)
    return (b * b)[0, 1]


def added_up(x):
    a = np.asmatrix(x.reshape(2, 2))
    total = 0.0
    for k in range(3):
        total += a * k
    return (total * total)[0, 1]


def operators_as_functions(x):
    a = np.asmatrix(x.reshape(2, 2))
    b = sum([a, a.T, a * a])
    c = reduce(operator.mul, [a, a, a.T])
    d = reduce(lambda p, q: p * q, [a, b])
    total = (b * c)[0, 1] + operator.mul(a, a)[1, 0] + d[0, 0]
    return total + sum(a * k for k in range(3))[0, 0] + np.dot(x.reshape(2, 2), a)[0, 0]


def summed_by_its_operator(x):
    a = x.view(Odd)
    return np.sum(sum([a, a]).view(np.ndarray))


def added_by_functions(x):
    a = x.view(Odd)
    return np.sum((operator.add(a, 1.0) + reduce(operator.add, [a, a])).view(np.ndarray))


def vectors_in_functions(x):
    a = Vector(x[0], x[1], x[2])
    b = Vector(x[1], x[2], x[3])
    return np.linalg.norm(a) * (a * b) + np.dot(a, b) + np.outer(a, b)[0, 1] + np.mean(a) + np.var(b) + np.average(a)


PAIR = (Q, np.matrix([[1.0, 2j], [0.1, 1.0]]))
LISTED = [Q]
NAMED = {"q": Q}


class Holder:
    Q = np.matrix([[2.0, 0.3], [0.1, 1.0]])

    def __init__(self):
        self.r = np.matrix([[1.0, 0.5]])


HOLDER = Holder()


def from_many_places_outside(x):
    a = np.asmatrix(x.reshape(2, 2))
    t = PAIR[0] * a + LISTED[0] * a + NAMED["q"] * a + Holder.Q * a
    for q in PAIR:
        t = t + (q * a)
    return (t * t)[0, 1].real + (HOLDER.r * a * HOLDER.r.T)[0, 0]


def copied(x):
    a = np.asmatrix(x.reshape(2, 2))
    b = copy.copy(a)
    c = copy.deepcopy(a)
    b[0, 0] = 5.0
    c[1, 1] = x[0]
    d = {"a": a, "l": [a]}
    e = copy.deepcopy(d["l"])
    e[0][0, 1] = 2.0
    return (a * b * c)[0, 1] + (e[0] * a)[1, 0]


def selected_by_a_mask(x):
    a = np.asmatrix(x.reshape(2, 2))
    s = a[a > 0.5]
    return s.sum() * s[0, 0]


def iterated(x):
    a = np.asmatrix(x.reshape(2, 2))
    p, q = a
    rows = [r * a for r in a]
    t = list(zip(a, a.T, strict=True))
    return (p * q.T)[0, 0] + rows[1][0, 0] + (t[0][0] * t[1][1].T)[0, 0] + sum((r * r.T)[0, 0] for r in a)


def copy_of_one_outside_written(x):
    q = PAIR[0]
    w = q.copy()
    w[0, 0] = x[0]
    return (w * w)[0, 0] + (q * q)[0, 0] * x[1]


def copied_series(x):
    s = Series(x, 0.5)
    t = copy.copy(s)
    t[0] = 2.0
    t.step = 3.0
    return np.sum(s * s) * s.step + np.sum(t) * t.step


def views_written(x):
    a = np.asmatrix(x.reshape(2, 2))
    b = a.T
    b[0, 1] = 3.0
    c = a.A
    c[0, 0] = x[1]
    d = np.asarray(a)
    d += 1.0
    return (a * a)[1, 0] + np.sum(a)


def made_like(x):
    z = np.zeros_like(np.asmatrix(np.eye(2)))
    o = np.ones_like(PAIR[0])
    a = np.asmatrix(x.reshape(2, 2))
    return (a * o * a + z * a)[0, 1] + (PAIR[0] * PAIR[0] * a)[0, 0] + (np.full_like(a, 2.0) * a)[0, 1]


def viewed(x):
    y = x.view(np.ndarray)
    z = x.view(dtype=float)
    y[0] = 2.0 * z[1]
    return np.sum(x * z.view())


PROGRAMS = [
    *(from_many_places_outside, copied, selected_by_a_mask, iterated, copy_of_one_outside_written),
    *(copied_series, views_written, made_like),
    *(
        in_rows_and_columns,
        given_to_a_method,
        added_up,
        operators_as_functions,
        summed_by_its_operator,
        added_by_functions,
        vectors_in_functions,
    ),
    viewed,
    product,
    outside,
    column,
    inverse,
    pseudo,
    powers,
    rows,
    one_by_one,
    in_loop,
    attributes,
    reductions,
    joined,
    negated,
    augmented,
    solved,
    masked,
    by_numpys_own_code,
    elements,
    vectors,
    fields,
    counting,
    own_loop,
    chained,
    wrapped,
    units,
    quats,
    quat_branch,
    stateful,
    listed,
    conv,
    blocks,
    complexes,
    compare,
    indexing,
    jac,
    setattr_out,
]


def gradient(program: Callable[..., Any]) -> Gradient:
    return Gradient(program, Request(), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient_matches_central_differences(program):
    steps = 1e-6 * np.eye(len(X))
    expected = [(program(X + step) - program(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(gradient(program)(X.copy()), np.ravel(expected), rtol=1e-6, atol=1e-7)


class Told(np.ndarray):
    def __array_wrap__(self, made, context=None, return_scalar=False):
        if context is not None:
            made = 2.0 * made
        return super().__array_wrap__(made, context, return_scalar)


class Own(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return 3.0


def told_of_the_call(x):
    return np.sum(np.sqrt(x.view(Told)))


def own_functions(x):
    return np.sum(x.view(Own))


def one_of_two_gets_an_attribute(x):
    s = Series(x)
    for _ in range(3):
        s = s + s
    s.step = x[0]
    return np.sum(s) * s.step


def changed_in_place(x):
    a = (x + 1.0).view(Counting)
    a += x
    return a.view(np.ndarray).sum()


def other_names(x):
    m = np.asmatrix(x)
    n = m
    m.shape = (2, 2)
    return m[0, 1] * n[0, 0]


def no_such_attribute(x):
    return np.asmatrix(x).inverse[0, 0]


REFUSED = {
    told_of_the_call: "What '__array_wrap__' is told about a call",
    own_functions: "The class 'Own' has '__array_function__'",
    one_of_two_gets_an_attribute: "'step' is assigned to an array that",
    changed_in_place: "An array of a class with '__array_ufunc__' is changed in place.",
    other_names: "An array that has other names gets another shape.",
    no_such_attribute: "An array of the class 'matrix' has no attribute 'inverse'.",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda f: f.__name__)
def test_refusal_says_what_of_the_class(program):
    with pytest.raises(Unsupported, match=REFUSED[program]):
        gradient(program)(X.copy())
