"""Odds and ends of Python, NumPy and SciPy that published programs lean on."""

from __future__ import annotations

import array
from abc import ABC
from collections import UserList

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import spsolve

from tests.corpus.case import normal, row, uniform

# ruff: noqa: B007, B024


def until_the_index_fails(x, w):
    s, k = 0.0, 0
    while True:
        try:
            s = s + x[k] ** 2
        except IndexError:
            break
        k += 1
    try:
        s = s * w[9]
    except IndexError:
        s = s * w[0]
    return s


class Layer:
    def __init__(self, x):
        self.x = x


class Layers:
    """A sequence by `__getitem__` alone."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, key):
        return Layer(self.x[key])


def iterated_by_index(x, w):
    layers = Layers(x * w)
    assert np.all([isinstance(layer, Layer) for layer in layers])
    s = 0.0
    for k, layer in enumerate(layers):
        s += layer.x * w[k]
    return s


def arrays_of_python(x, w):
    coefficients = array.array("d", list(x))
    size = np.sqrt(np.sum(x * x))
    for i in range(len(coefficients)):
        coefficients[i] /= size
    powers = array.array("d")
    for v in w:
        powers.append(v**2)
    powers.extend(coefficients)
    return np.dot(np.array(coefficients), w) + sum(powers) * powers[1] + len(powers)


DAYS = np.arange("2005-02", "2005-03", dtype="datetime64[D]")


def dates(x, w):
    since = (DAYS - DAYS[0]).astype("timedelta64[s]").astype(float) / 86400.0
    first = np.asarray("1970-01-04").astype("datetime64[ms]")
    age = (first - np.datetime64("1970-01-01", "ms")).astype(float) / 86400000
    is_late = since[np.datetime64("2005-02-20") <= DAYS]
    gaps = np.diff(DAYS) / np.timedelta64(1, "h")
    return np.sum(np.sin(x[0] * since)) + age * x[1] * w[0] + np.sum(is_late) * w[1] + gaps[0] * w[2]


def complex_rows(x, w):
    z = np.r_[x * (1.0 + 2.0j), 1j * w, x, 0:2]
    columns = np.c_[x * 1j, w]
    return np.sum(np.abs(z) ** 2) + np.sum(np.real(columns) * np.imag(columns[::-1]))


def rows_of_selected(x, w):
    above, below = np.flatnonzero(x > 0.0), np.flatnonzero(x <= 0.0)
    order = np.r_[above, below]
    jacobian = np.outer(x, w) + 3.0 * np.eye(len(x))
    return np.sum(x[order] * w) + np.linalg.det(jacobian[np.array([order]).T, order])


def text_of_the_program(x, w):
    case = {"bus": {"load": x * 2.0}, "ext": {}}
    for key in ("bus",):
        exec(f'case["ext"]["{key}"] = case["{key}"]["load"].copy()')
    s = 1.0
    for _ in range(len(x)):
        s = eval("s * w[0] + x[1]")
    a = np.zeros(3)
    for i in range(3):
        exec("a[i] = x[i] * a[i - 1] + w[i]")
    return np.sum(case["ext"]["bus"] ** 2) + s + a[2] * eval("x[0] * 2.0")


class Base(ABC):
    """An abstract class, whose objects have attributes as others do."""

    def setup(self, p):
        self.params: dict = {"p": p}
        return self


class Solver(Base):
    pass


SOLVER = Solver()


def object_of_an_abstract_class(x, w):
    SOLVER.setup(x * w)
    return np.sum(SOLVER.params["p"])


class Poses(UserList):
    """A list of matrices, made as robotics packages make theirs."""

    def __new__(cls, *args):
        made = super().__new__(cls)
        super().__init__(made, [])
        return made

    def __init__(self, first):
        self.data = [first]

    def __mul__(self, other):
        return Poses(self.data[0] * other.data[0])


def lists_of_users(x, w):
    poses = Poses(x) * Poses(w)
    poses.append(x[0])
    s = poses[0] @ w * len(poses)
    for one in poses[:1]:
        s = s + np.sum(one)
    return s * poses[1] + poses.pop()


def norm_or_nothing(v):
    size = np.linalg.norm(v)
    if size < 1e-12:
        return (None, None)
    if abs(v[0]) < 1e-12:
        return (v / size, size)
    return (v / v[0], v[0])


def logarithm(v):
    if np.linalg.norm(v) < 1e-9:
        return np.eye(3)
    (direction, size) = norm_or_nothing(v)
    return np.outer(direction, direction) * size


def nothing_on_one_path(x, w):
    return np.sum(logarithm(x[:3]) * logarithm(w[:3]))


def functions_of_sparse_matrices(x, w):
    n = len(x)
    a = csr_matrix((x * (1.0 + 1.0j), (range(n), np.roll(np.arange(n), 1))), shape=(n, n))
    b = csr_matrix((w, (np.arange(n) * 1.0, np.arange(n))), shape=(n, n))
    size = np.sum(np.abs((np.conj(a) @ a + np.conjugate(a)).toarray()) ** 2)
    return size + np.sum(np.sqrt(b).toarray() * 2.0) + np.abs(a).toarray()[1, 0] + np.expm1(b).toarray()[0, 0]


def columns_of_a_sparse_system(x, w):
    a = diags([x[:-1], 5.0 + w, x[1:]], [-1, 0, 1], format="csc")
    return np.sum(spsolve(a, w[:, None]) ** 2)


PROGRAMS = (until_the_index_fails, iterated_by_index, arrays_of_python, dates, complex_rows, text_of_the_program)
PROGRAMS += (object_of_an_abstract_class, lists_of_users, nothing_on_one_path, functions_of_sparse_matrices)

CASES = (
    *(row(f, lambda: (normal(1, 4), uniform(2, 4)), "x, w") for f in PROGRAMS),
    row(rows_of_selected, lambda: (normal(1, 4), uniform(2, 4)), "x, w"),
    row(columns_of_a_sparse_system, lambda: (normal(1, 8), uniform(2, 8)), "x, w"),
)
