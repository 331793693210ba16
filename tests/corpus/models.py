"""Programs as their authors publish them: models as classes with state, options as attributes, objects in lists."""

# ruff: noqa: B007, B010, B905, F841, RET506 (programs as their authors write them)
from __future__ import annotations

import bisect
import functools
import sys

import numpy as np
from scipy import sparse

from tests.corpus.case import normal, row, uniform


class Spline:
    """Names that only the class may use."""

    __order = 2

    def __init__(self, x, y):
        self.__x = x
        self.__y = self.__scaled(y, 2.0)

    def __scaled(self, y, __factor):
        return __factor * y

    def __slopes(self):
        def __of(k):
            return (self.__y[k + 1] - self.__y[k]) / (self.__x[k + 1] - self.__x[k])

        return [__of(k) for k in range(len(self.__x) - 1)]

    def bend(self):
        slopes = self.__slopes()
        return sum(slope**self.__order for slope in slopes)


def private_names(x, w):
    return Spline(np.cumsum(w), x).bend()


class Vehicle:
    """Attributes set by name."""

    def __init__(self, config):
        self.length = 4.0
        for name, value in config.items():
            setattr(self, name, value)


def attributes_by_name(x, w):
    lead, follower = Vehicle({"x": x[0], "v": w[0]}), Vehicle({"x": x[1], "v": w[1], "length": w[2]})
    gap = lead.x - follower.x - follower.length
    setattr(follower, "v", follower.v * np.tanh(gap))
    for name in ("x", "v"):
        follower.__setattr__(name, 2.0 * follower.__getattribute__(name))
    states = np.zeros((2, 2))
    states[0] = None
    return follower.v * gap + lead.v * np.sum(np.isnan(states))


class Wave:
    """Properties with setters, one of which gives work to do."""

    def __init__(self, psi, dt):
        self.norms = 0.0
        self.dt_ = None
        self.psi = psi
        self.dt = dt

    @property
    def psi(self):
        return self._psi * self._scale

    @psi.setter
    def psi(self, psi):
        self._scale = np.sqrt(np.sum(psi * psi))
        self._psi = psi / self._scale
        self.norms += self._scale

    def _get_dt(self):
        return self.dt_

    def _set_dt(self, dt):
        if self.dt_ is None or dt != self.dt_:
            self.dt_ = dt
            self.evolve = np.exp(-dt * np.arange(7.0))

    dt = property(_get_dt, _set_dt)

    def step(self, steps):
        for _ in range(steps):
            self.psi = self.psi * self.evolve


def properties_with_setters(x, w):
    wave = Wave(x, w[0])
    wave.step(2)
    wave.dt = 2.0 * wave.dt
    wave.dt += 0.1
    wave.step(3)
    return np.sum(wave.psi * w) + wave.norms


class Tracked:
    """Counts how often it is assigned to."""

    def __init__(self, value):
        object.__setattr__(self, "changes", 0.0)
        self.value = value

    def __setattr__(self, name, value):
        super().__setattr__(name, 0.5 * value)
        object.__setattr__(self, "changes", self.changes + 1.0)


def assignments_that_a_class_watches(x, w):
    tracked = Tracked(x)
    for _ in range(3):
        tracked.value = tracked.value * w
    return np.sum(tracked.value) * tracked.changes


class Vec3:
    """An array-like class of the program's own."""

    def __init__(self, x, y, z):
        (self.x, self.y, self.z) = (x, y, z)

    def __mul__(self, other):
        return Vec3(self.x * other, self.y * other, self.z * other)

    def __sub__(self, other):
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def __abs__(self):
        return self.dot(self)

    def __float__(self):
        return float(np.sum(self.x))

    def __round__(self, digits=0):
        return self * (1.0 / 10.0**digits)

    def __bool__(self):
        return len(self.x) > 2

    def __len__(self):
        return 3

    def __iter__(self):
        return iter((self.x, self.y, self.z))

    def __contains__(self, name):
        return hasattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __getitem__(self, name):
        return getattr(self, name)

    def norm(self):
        size = np.sqrt(abs(self))
        return self * (1.0 / np.where(size == 0, 1, size))


def builtins_of_a_class(x, w):
    ray = (Vec3(x, w, x * w) - Vec3(1.0, 2.0, 0.5)).norm()
    total = float(ray) + abs(round(ray, 1)).sum()
    if ray and "x" in ray and "u" not in ray:
        ray["y"] = ray["x"] * ray.z
    a, b, c = ray
    return total + np.sum(a * b - c) * len(ray) + sum(np.sum(part**2) for part in ray) + len(list(ray))


class Filter:
    """A measurement that is not there yet is an array of nothing."""

    def __init__(self, size):
        self.z = np.array([[None] * size]).T
        self.x = np.zeros((size, 1))
        self.log = []

    def update(self, z):
        if self.z[0, 0] is None:
            self.x = self.x + 1.0
        self.z = np.reshape(z, self.x.shape)
        self.x = 0.5 * self.x + self.z**2


def placeholder_of_nothing(x, w):
    kalman = Filter(len(x))
    kalman.update(x)
    kalman.update(w)
    return np.sum(kalman.x * kalman.z)


def asked_for_sparsity(x, w):
    matrix = np.outer(x, w)
    if sparse.issparse(matrix) or sparse.isspmatrix(x):
        matrix = matrix.toarray()
    return np.sum(matrix @ matrix)


def lists_extended(x, w):
    s = [0]
    s.extend(np.cumsum(x))
    s.extend(w[1:3])
    return sum(value**2 for value in s)


def extracted_and_placed(x, w):
    hit = (x > 0.1) & (w < 1.3)
    direction, total = np.extract(hit, x), np.zeros(x.shape)
    colour = np.zeros(hit.shape)
    np.place(colour, hit, direction * np.extract(hit, w) + 1.0)
    np.place(total, x < 0, [2.0])
    return np.sum(colour * w + total * x)


def selected_by_places(x, w):
    near = np.nonzero(x * w < 0.5)
    force = np.zeros((2, len(x)))
    force[0, np.where(x > 0)[0]] = w[np.where(x > 0)[0]] ** 2
    weights = np.outer(x, w)
    row, column = np.nonzero(weights > 0.2)
    weights[row, column] = np.sin(weights[row, column])
    chosen = np.flatnonzero(w > x)
    total = np.sum(x[near] ** 2) + np.sum(w[chosen]) * len(chosen)
    x[near] *= w[near]
    x[chosen] += 1.0
    return total + np.sum(x**3) + np.sum(force[0] * x) + np.sum(weights) + np.sum(near[0] * x[near]) + near[0].size


class Process:
    """What is wrong is told first, and all else stands behind it."""

    def __init__(self, sigma, theta):
        if sigma <= 0 or theta == 0:
            raise ValueError("sigma and theta must be positive")
        else:
            self.sigma = sigma
            self.theta = theta
            self.steps = [sigma]
        if theta > 10:
            self.fail("theta is too large")
        elif theta > 1:
            self.scale, name = sigma * theta, "fast"
        elif theta > 0:
            self.scale, name = sigma, "slow"
        else:
            raise ValueError("no scale")
        self.name = "fast"

    def fail(self, what):
        raise ValueError(what)

    def path(self, x):
        for k in range(3):
            if self.sigma > 5.0:
                raise ValueError("diverged")
            if self.sigma > 4.0:
                print("diverges")
                sys.exit(1)
            elif self.sigma > 3.0:
                exit()
            self.steps.append(self.steps[-1] * self.theta + x[k])
        return np.array(self.steps)


def written_at_places(x, w):
    force, pairs = np.zeros((7, 7)), np.array(np.triu_indices(7, 1)).T
    gaps = x[pairs[:, 0]] - x[pairs[:, 1]]
    near = np.nonzero(gaps**2 < 1.0)
    chosen = pairs[near].T
    force[(chosen[0], chosen[1])] = w[chosen[0]] * gaps[near]
    force[(chosen[1], chosen[0])] = -w[chosen[0]] * gaps[near]
    box = np.stack((x, w))
    is_out = np.where(box[0] < 0)
    box[0, is_out] *= -2.0
    box[1][is_out] = box[1][is_out] ** 2
    return np.sum(force**2 * w) + np.sum(box**3)


def in_float(function):
    @functools.wraps(function)
    def made(self, *args, **kwargs):
        result = function(*args, **kwargs)
        return np.array(result, dtype=self.float) if result.dtype is np.dtype(float) else result

    return made


class Backend:
    """What computes: NumPy's functions as attributes of a class."""

    float = np.float64
    array = in_float(np.array)
    sin = staticmethod(np.sin)
    sum = staticmethod(lambda a: np.sum(a))

    @property
    def exp(self):
        return np.exp


backend = Backend()


def backend_as_an_object(x, w):
    field = backend.array([x, w])
    return backend.sum(backend.sin(field) * backend.exp(-field))


class Boundary:
    """Becomes what it is when it is placed."""

    def place(self, left):
        self.__class__ = Left if left else Right
        return self

    def value(self, x):
        raise NotImplementedError


class Left(Boundary):
    def value(self, x):
        return x[0] ** 2


class Right(Boundary):
    def value(self, x):
        return np.sin(x[-1])


def classes_assigned(x, w):
    return sum(Boundary().place(left).value(x * w) for left in (True, False))


class Table:
    """Knots and slopes as lists, looked up by bisection."""

    def __init__(self, x, y):
        self.x, self.y = [0], [0.5]
        for dx, value in zip(x, y):
            self.x.append(self.x[-1] + dx)
            self.y.append(value**2)
        self.slopes = tuple((b - a) / h for a, b, h in zip(self.y[:-1], self.y[1:], x))
        self.counts = [1, 2, 3, 4, 5, 6, 7]

    def __search(self, t):
        return bisect.bisect(self.x, t) - 1

    def at(self, t):
        i = self.__search(t)
        return self.y[i] + self.slopes[i] * (t - self.x[i]) * self.counts[i]


def numbers_that_data_choose(x, w):
    table = Table(w, x)
    total = sum(table.at(t) for t in (0.3, 1.7, 3.1))
    for k in range(3):
        total += table.at(abs(x[k])) * (0.1, 0.2, -0.3)[int(4.0 * w[k]) % 3]
    return total


def drawn_from_a_seed(x, w):
    np.random.seed(7)
    state = x + 0.1 * np.random.randn(7)
    walkers = np.zeros((3, 7))
    for step in range(3):
        kicks = np.random.uniform(-1.0, 1.0, 7)
        state = state + kicks * w
        if step < 2:
            walkers[step] = np.random.normal(0.0, 1.0) * state
        for k in range(2):
            state[k] += np.random.rand() * np.tanh(state[k + 1])
    rng = np.random.default_rng(3)
    for k in range(2):
        total = np.sum(rng.normal(size=7) * state)
        if total > 100.0:
            state = 2.0 * state
    return np.sum(walkers * state) + total + np.sum(np.random.permutation(7) * x)


def checked_first(x, w):
    process = Process(w[0], w[1])
    if np.any(w > 100):
        raise ValueError("too large")
    else:
        grid, rows = w[:4], 4
    return np.sum(process.path(x) * grid) * process.scale + np.sum(np.ones(rows) * x[0])


def relaxed(a, b, tolerance, most):
    x = np.zeros(len(b))
    for k in range(most):
        new = x.copy()
        for i in range(len(b)):
            new[i] = (b[i] - a[i] @ new + a[i, i] * new[i]) / a[i, i]
        if np.max(np.abs(new - x)) < tolerance:
            return new
        x = new.copy()
    else:
        raise ValueError("Fail to converge")


def newton_or_nothing(a, x):
    for _ in range(50):
        step = (x**3 - a) / (3 * x**2)
        x = x - step
        if abs(step) < 1e-13:
            return x
    raise RuntimeError("no convergence")


def bisected(a):
    low, high, k = 0.0, 4.0, 0
    while k < 200:
        middle = 0.5 * (low + high)
        if high - low < 1e-3:
            break
        if middle**2 > a:
            high = middle
        else:
            low = middle
        k += 1
    else:
        raise RuntimeError("no convergence")
    return middle - (middle**2 - a) / (2 * middle)


def loops_that_end_or_raise(x, w):
    matrix = np.diag(w + 3.0) + 0.1 * np.outer(x, x)
    root = newton_or_nothing(w[2], 1.0 + w[3])
    return np.sum(relaxed(matrix, x, 1e-13, 200) ** 2) * root


class Heated:
    def __init__(self, x):
        self.x = x

    @property
    def energy(self):
        return np.sum(self.x**2)


class Cooled(Heated):
    @property
    def energy(self):
        return 0.5 * super().energy

    def gap(self):
        return super().energy - self.energy * self.x[0]


def properties_of_a_base(x, w):
    return Cooled(x).gap() * Cooled(w).energy


def ranges_that_data_begin(x, w):
    n = 1 + int(w[0] / 0.3)
    a, b = np.meshgrid(range(-n, n + 1), range(1 - n, n), indexing="ij")
    return np.sum(a.flatten() ** 2 * x[0] + b.flatten() * x[1] ** 2)


def vectors():
    return normal(1, 7), uniform(2, 7)


PLAIN = (private_names, attributes_by_name, properties_with_setters, assignments_that_a_class_watches)
PLAIN += (builtins_of_a_class, placeholder_of_nothing, asked_for_sparsity, lists_extended, extracted_and_placed)
PLAIN += (
    classes_assigned,
    backend_as_an_object,
    drawn_from_a_seed,
    selected_by_places,
    numbers_that_data_choose,
    written_at_places,
    checked_first,
    loops_that_end_or_raise,
    properties_of_a_base,
    ranges_that_data_begin,
)

CASES = (*(row(f, vectors, "x, w") for f in PLAIN),)
