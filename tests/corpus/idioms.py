"""Odds and ends of Python, NumPy and SciPy that published programs lean on."""

from __future__ import annotations

import array
import operator
from abc import ABC
from collections import UserList

import numpy as np
from scipy.interpolate import InterpolatedUnivariateSpline
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation

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


def first_above(values, least):
    if values[0] < least:
        return None
    return values[0]


def nothing_returned_on_one_side(x, w):
    if x[0] < -9.0:
        return None
    return np.sum(x * w) * 2.0


def nothing_given_on_one_side(x, w):
    return first_above(w * w, 1e-9)


def operators_as_functions(x, w):
    signs = {"<": operator.lt, ">=": operator.ge}
    found = operator.iadd(x * 2.0, w)
    held = {}
    operator.setitem(held, "k", found * x)
    s = np.sum(np.where(signs["<"](x, 0.25), x * w, 0.0))
    for k in range(len(x)):
        s += w[k] if signs[">="](x[k], 0.5) else w[k] ** 2
    return np.sum(held["k"]) * s if operator.not_(x[0] > 5.0) else s


def products_of_truth_values(x, w):
    m = np.outer(x, w) > 0.0
    k = m @ m.T
    return np.sum(np.where(k, np.outer(x, x), 1.0)) + np.sum(x[np.dot(m, m[0])]) + k.sum() * w[0]


def without_an_attribute(a):
    try:
        return a.magnitude
    except AttributeError:
        return np.array(a)


def attribute_that_arrays_lack(x, w):
    y = without_an_attribute(x)
    y.shape = (len(x),)
    is_same_place = x.__array_interface__["data"][0] == x[:2].__array_interface__["data"][0]
    return np.sum(y * w) if is_same_place else y[0]


def functions_of_sparse_matrices(x, w):
    n = len(x)
    a = csr_matrix((x * (1.0 + 1.0j), (range(n), np.roll(np.arange(n), 1))), shape=(n, n))
    b = csr_matrix((w, (np.arange(n) * 1.0, np.arange(n))), shape=(n, n))
    size = np.sum(np.abs((np.conj(a) @ a + np.conjugate(a)).toarray()) ** 2)
    return size + np.sum(np.sqrt(b).toarray() * 2.0) + np.abs(a).toarray()[1, 0] + np.expm1(b).toarray()[0, 0]


LINKS = csr_matrix([[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.5], [0.0, 0.0, 0.0, 1.0]])


def rows_of_a_known_sparse_matrix(x, w):
    y = np.zeros(4)
    for i in range(LINKS.shape[0]):
        part = slice(LINKS.indptr[i], LINKS.indptr[i + 1])
        y[i] = LINKS.data[part] @ x[LINKS.indices[part]]
    return np.sum(y * w) * LINKS.nnz * len(LINKS.format) + np.sum(LINKS @ x)


def spline_of_a_row(x, w):
    rows = (x * w)[None, :]
    return InterpolatedUnivariateSpline(np.arange(4.0), rows)(1.3) * w[0]


def columns_of_a_sparse_system(x, w):
    a = diags([x[:-1], 5.0 + w, x[1:]], [-1, 0, 1], format="csc")
    return np.sum(spsolve(a, w[:, None]) ** 2)


def sets_of_data(x, w):
    joined = np.union1d(x, list(w))
    apart = np.setxor1d(x, w)
    kept = np.setdiff1d(np.append(x, w[:2]), w)
    shared, _, others = np.intersect1d(np.append(x, w[1]), w, return_indices=True)
    return (
        joined @ np.arange(len(joined)) + np.sum(apart**3) + kept @ np.arange(len(kept)) + np.sum(w[others]) * shared[0]
    )


def checked_by_numpy(x, w):
    np.testing.assert_equal(x, x * 1.0, err_msg="not the same")
    np.testing.assert_equal({"x": [x, 1, "text", None]}, {"x": [x, 1, "text", None]})
    np.testing.assert_allclose(x, x + 1e-12, rtol=1e-5, atol=1e-10)
    np.testing.assert_almost_equal(x[0], x[0] + 1e-9)
    np.testing.assert_array_less(x, np.max(x) + 1.0)
    np.testing.assert_equal(x.ndim, 1)
    try:
        np.testing.assert_array_equal(x, np.ones(len(x) + 1))
    except AssertionError:
        x = 3.0 * x
    return np.sum(w * x**2)


PROGRAMS = (until_the_index_fails, iterated_by_index, arrays_of_python, dates, complex_rows, text_of_the_program)
PROGRAMS += (
    sets_of_data,
    object_of_an_abstract_class,
    lists_of_users,
    nothing_on_one_path,
    functions_of_sparse_matrices,
    rows_of_a_known_sparse_matrix,
    spline_of_a_row,
)

PROGRAMS += (nothing_returned_on_one_side, nothing_given_on_one_side, operators_as_functions)


def flat_elements_compared(x, w):
    """And a list that is lengthened by complex numbers."""
    total = np.sum(w[np.array(x.flat > 0.1)]) if any(x.flat != 0) else 0.0
    roots = [1.0 + 2.0j]
    roots.extend(x + 1j * w)
    return total + np.sum(np.abs(np.array(roots)) ** 3)


def series_of_another_kind(x, w):
    fitted = np.polynomial.Chebyshev.fit(np.linspace(0.0, 1.0, 4), x * w, 2)
    return np.sum(fitted.convert(kind=np.polynomial.Polynomial).coef * np.arange(1.0, 4.0)) + fitted(w[0])


class Turned:
    def __init__(self):
        self.turns, self.pixels = Rotation.from_rotvec([[0.0, 0.0, 0.3], [0.1, 0.2, 0.0]]), np.eye(3)


def rotations_of_an_object(x, w, given=Turned()):  # noqa: B008
    """Compiled code that takes arrays which may be written, and writes none."""
    places = [turn.apply(given.pixels.reshape(-1, 3)) * x[:3] + w[0] for turn in given.turns]
    return np.sum(np.concatenate(places) ** 3)


class Instrument:
    def __init__(self, place):
        self.place = place


def instruments_or_places(x, w):
    """What NumPy makes no array of is an instrument, or a list of these."""
    total = 0.0
    for given in (Instrument(x), [Instrument(x * w)], [1.0, 2.0, 3.0]):
        try:
            total = total + np.sum(np.array(given, dtype=float) ** 2)
        except (TypeError, ValueError):
            instruments = given if isinstance(given, list) else [given]
            total = total + np.sum(np.sin(instruments[0].place))
    return total


PROGRAMS += (products_of_truth_values, attribute_that_arrays_lack, checked_by_numpy, instruments_or_places)
PROGRAMS += (rotations_of_an_object, flat_elements_compared, series_of_another_kind)

CASES = (
    *(row(f, lambda: (normal(1, 4), uniform(2, 4)), "x, w") for f in PROGRAMS),
    row(rows_of_selected, lambda: (normal(1, 4), uniform(2, 4)), "x, w"),
    row(columns_of_a_sparse_system, lambda: (normal(1, 8), uniform(2, 8)), "x, w"),
)
