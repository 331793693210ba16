"""Python's other constructs, and functions that are about elements, indices and sets rather than whole arrays."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
import logging
import math
import pprint
import sys
import types
import warnings

import numpy as np

from tests.corpus.case import normal, row, spread


def optional_module(x):
    try:
        import no_such_module

        n = no_such_module.power
    except ImportError:
        n = 3
    try:
        s = np.sum(x**n)
    finally:
        k = 2.0
    return s * k


def guarded_operations(x, a):
    def quotient(p, q):
        try:
            return p / q
        except ZeroDivisionError:
            return 0.0

    s = 0.0
    for v in x:
        try:
            s += math.log(quotient(v * v, a))
        except (ValueError, OverflowError):
            s = 0.0
    return s


def guarded_factorisation(x):
    A = np.outer(x, x) + np.eye(len(x))
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        return np.inf
    else:
        A = L + 1.0
    return np.sum(np.log(np.diag(L))) + np.sum(A)


def handler_of_a_name_that_is_gone(x):
    try:
        found = np.linalg.inv(np.outer(x, x) + np.eye(len(x)))
    except np.linalg.linalg.LinAlgError:
        return np.inf
    return np.sum(found)


def checked(n):
    if n > 3:
        raise ValueError(f"too large: {n}")
    return n


def exceptions_of_its_own(x, n, options):
    message = "fine"
    try:
        k = checked(n)
    except (TypeError, ValueError) as error:
        k, message = 3, str(error)
    try:
        w = options["missing"]
    except KeyError:
        w = 5.0
    for name in ("sqrt", "nothing", "exp"):
        try:
            f = getattr(np, name)
        except AttributeError:
            continue
        finally:
            k += 1
        x = f(np.abs(x))
    return np.sum(x**2) * k * w * (2 if message == "fine" else 3)


def matched_under_guards(x, k, name):
    s = 0.0
    for i in range(4):
        match i:
            case n if n < k:
                s += n * x[n]
            case 2 | 3 if x[i] > 0.0:
                s += x[i] ** 2
            case m if x[m] < 0.0:
                s -= np.sin(x[m])
            case _:
                s += 1.0
        match name:
            case other if other.startswith("t"):
                s = s * len(other)
    return s


def matched(x, k, name):
    match name:
        case "relu" | "linear":
            y = np.maximum(x, 0)
        case "tanh" if k > 1:
            y = np.tanh(x)
        case _:
            return np.sum(x)
    for i in range(4):
        match i:
            case 0:
                continue
            case 1:
                y = y * 2
            case n:
                y = y * n
        y = y + 1
    return np.sum(y)


class Scaled:
    def __init__(self, x, factor):
        self.x, self.factor, self.entered = x, factor, 0

    def __enter__(self):
        self.x *= self.factor
        self.entered += 1
        return self.x[1:]

    def __exit__(self, kind, error, trace):
        self.x /= self.factor


def in_contexts(x, k, _):
    quiet, s, scaled = np.errstate(all="ignore"), 0.0, Scaled(x, 2.0)
    with quiet, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s += np.sum(x**2)
    with scaled as rest:
        s += np.sum(rest**2) * x[0]
        with contextlib.suppress(KeyError, ZeroDivisionError):
            s += x[0]
            {}["key"]
            s += 1000.0
    with scaled, contextlib.nullcontext(x[::2]) as some:
        if k > 0:
            return s * np.sum(some * x[1]) * scaled.entered
    return s


def returned_from_a_context(x, k, _):
    with np.errstate(all="ignore"):
        if x[0] > 0.0:
            return np.sum(x**2)
        x *= 2.0
    return np.sum(x**3)


def partly_called(x, k, _):
    def line(a, b, c=1.0):
        return a * b + c

    power = functools.partial(np.power, x * x + 1.0)
    half = functools.partial(line, x[0], c=x[1] ** 2)
    return np.sum(power(1.5)) * half(x[2]) + functools.partial(half, 2.0)(c=x[3])


@dataclasses.dataclass
class Push:
    place: int
    force: float = 1.0


def matched_structures(x, k, _):
    events = [
        ("kick", 0, x[1]),
        ["kick", 1],
        Push(2, x[3]),
        Push(3),
        {"at": 1, "by": x[2], "to": 0},
        ("pair", x, k, x[0]),
    ]
    events += [3, 2.5, [1, 2, 3, 4], {"at": 3}, "done"]
    s = 0.0
    for event in events:
        match event:
            case ("kick", place, size):
                x[place] += size * size
            case ["kick", place]:
                x[place] *= 2.0
            case Push(place, force=force) if place > 2:
                s += force * x[place] * place
            case Push(place, force):
                s += force * x[place]
            case {"by": size, "at": place, **others}:
                x[place] -= size * (1 + others["to"])
            case ("pair", first, *rest):
                s += np.sum(first * rest[1]) * len(rest)
            case int(n) | float(n) if n < 0:
                s += 100.0
            case int() | float():
                s += x[1] * event
            case [first, *_, last]:
                s += x[first] * x[last - 1]
            case {}:
                s += x[place] * size
            case _:
                s = s * 1.5
    return s


def matched_by_data(x, k, _):
    s = 0.0
    for pair in itertools.pairwise(x):
        match pair:
            case (a, b) if a > b:
                s += a * b
            case (a, 0.0):
                s += a
            case (c, d) if c * d > 0.1:
                s += np.sin(c) * d + b
            case _:
                s -= a * b
    return s


def decorated_inside(x):
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **named):
            return 2 * function(*args, **named)

        return wrapper

    @twice
    def squares(a):
        return np.sum(a**2)

    @functools.cache
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return squares(x) * fibonacci(6)


def piece(v, a):
    if v > 0:
        return a * v**2
    return v**3


@np.vectorize
def soft_threshold(v, t):
    return np.sign(v) * max(abs(v) - t, 0)


def vectorised(x, a):
    f, g = np.vectorize(piece), np.vectorize(lambda v: (v * a, math.sin(v)), otypes=[float, float])
    powers = np.frompyfunc(lambda v, n: v**n, 2, 1)
    first, second = g(x)
    y = f(x, a) * x + soft_threshold(x, 0.1 * a) + first * second
    return np.sum(y) + np.sum(powers(x, np.array([1, 2, 3])).astype(float)) + np.sum(f(x[:, None, 0], x[0]))


def flat_elements(x, b):
    s, y = 0.0, np.zeros_like(x)
    for v in x.flat:
        s += v**2
    y.flat = b
    y.flat[::4] += 2 * x.flat[::4]
    y.flat[1] = x[0, 0] * 3
    y.flat[[3, 5]] = b[:2] ** 2
    y.flat[:: x.shape[1] + 1] = 1.5
    y.flat[1:8:2] = b[:2]
    y.flat[[0, 2]] = b[:5] * 3
    kept = x.flat[2:6]
    x.flat[3] = 7.0
    return s + np.sum(kept**3) + np.sum(y**2 * x) + np.sum(x.flat) + len(x.flat)


def grids(x):
    s, y = 0.0, np.zeros_like(x)
    for (i, j), v in np.ndenumerate(x):
        s += v**2 * (i + 2 * j)
    for index in np.ndindex(x.shape):
        y[index] = x[index] ** 2
        if index[0] == index[1]:
            continue
        y[index] *= 3
    for i, j in np.ndindex(2, 2):
        if i == 1 and j == 1:
            break
        y[i, j] += x[i + 1, j] * i
    for (i,), v in np.ndenumerate(x[0]):
        if i == 2:
            break
        x[0, i + 1] += v
    return s + np.sum(y) + sum(v for v in np.nditer(x)) + np.sum(x[0])


def first_large_element(x):
    s = 0.0
    for index in np.ndindex(*x.shape):
        s += x[index] ** 2
        if s > 2.0:
            return s * x[index]
    return s


def histograms(x, w):
    h, edges = np.histogram(x, bins=5, weights=w)
    counts, _ = np.histogram(x, bins=np.linspace(-2, 2, 5), density=True)
    both, rows, _ = np.histogram2d(x, w, bins=(4, 3), range=[[-2, 2], [-2, 2]], weights=w)
    return np.sum(h**2 * 0.5 * (edges[1:] + edges[:-1])) + np.sum(counts) * np.sum(w) + np.sum(both[1:] ** 2 * rows[1])


def sets_of_places(x):
    fixed = np.array([0, 3, 9])
    free, both = np.setdiff1d(np.arange(len(x)), fixed), np.union1d(fixed, [1, 2])
    one = np.intersect1d(free, np.arange(5))
    return np.sum(x[free] ** 2) + np.sum(x[both] ** 3) + np.sum(x[one]) * x[np.unique([3, 3, 1])[0]]


logger = logging.getLogger(__name__)


def logged(x):
    log, status = [], "begin "
    for i in range(3):
        x = x - 0.1 * np.sin(x)
        log.append(f"iteration {i}: {np.sum(x):.4f}")
        status += str(x[0]) + " %.2f" % x[1] + "{:.3f}".format(x[2])  # noqa: UP031, UP032
        logger.info("value %s", np.sum(x))
    told = json.dumps({"values": [x[0], np.sum(x)], "size": len(x)}, indent=4) + pprint.pformat((x, status))
    print(told, np.array2string(x, precision=3) + np.array_str(x))
    sys.stdout.write("\n".join(log) + repr(x) + status + json.dumps({"size": len(x)}))
    return np.sum(x**2)


def records(x):
    run = types.SimpleNamespace(state=x, steps=[])
    run.state = run.state * 2.0
    run.steps.append(run.state[0])
    by_name = dict(sorted({"b": x[0], "a": x[1] * 3}.items()))
    (low, first), *_ = sorted(zip([3, 1, 2], x[:3], strict=True))
    pairs = itertools.product(x[:2], repeat=2)
    return (
        np.sum(run.state**2) + run.steps[0] + next(iter(by_name.values())) * first * low + sum(a * b for a, b in pairs)
    )


def paths_of_a_seed(x, n, seed=3):
    random = np.random.default_rng(seed)
    steps, old = random.standard_normal((n, 4)), np.random.RandomState(1).randn(n)

    def drawn(k):
        return random.uniform(1.0, 2.0, k)

    y = np.full(n, x[0])
    for t in range(4):
        y = y * np.exp(0.1 * x[1] * steps[:, t])
    return np.sum((y + 0.1 * old)[random.permutation(n)] * drawn(n)) + random.random() * x[2]


def over_axes(x):
    path = np.einsum_path("ij,jk->ik", x, x, optimize="optimal")[0]
    return np.sum(np.apply_over_axes(np.sum, x**2, [0]) * np.einsum("ij,jk->ik", x, x, optimize=path))


LEVELS = list(np.linspace(0.0, 1.0, 9) ** 2)


def chained_comparisons_of_known_numbers(x):
    """The first comparison of NumPy's numbers is one of NumPy's truths."""
    total = 0.0
    for k in range(9):
        if 0.1 <= LEVELS[k] < 0.5:
            total = total + (k + 1) * x
        if 0.3 < LEVELS[k] < x:
            total = total * x
    return total


def last_point_of_a_range(x):
    points = np.linspace(x.min(), x.max(), 6)
    return np.sum(x * (x >= points[-1])) + np.sum(points**2) * np.sum(x[np.searchsorted(points, x) < 6])


def deep_expression(x):
    e, q = 0.5 * x[0], 0.7 * x[1]
    # fmt: off
    return (
        6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q * (5.0 + e * (q * (3.0 + e * (q * (1.0 + e *
        (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q * (5.0 + e * (q * (3.0 + e * (q *
        (1.0 + e * (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q * (5.0 + e * (q * (3.0 + e *
        (q * (1.0 + e * (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q * (5.0 + e * (q *
        (3.0 + e * (q * (1.0 + e * (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q * (5.0 + e *
        (q * (3.0 + e * (q * (1.0 + e * (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q * (7.0 + e * (q *
        (5.0 + e * (q * (3.0 + e * (q * (1.0 + e * (q * (6.0 + e * (q * (4.0 + e * (q * (2.0 + e * (q *
        1.0 - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0))
        - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) -
        0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0))
        - 3.0)) - 0.0)) - 2.0)) - 4.0)) - 1.0)) - 3.0)
    )
    # fmt: on


def numbers_or_sequences(x):
    try:
        total = float(x)
    except TypeError:
        total = np.sum(x**2)
    if not x.flags["C_CONTIGUOUS"]:
        x = np.ascontiguousarray(x)
    return total * np.sum(x)


def flags_by_keys(x):
    return np.sum(x**2 if x.flags["C"] and x.T.flags["F_CONTIGUOUS"] else x)


def flags_are_no_tuple(x):
    return np.sum(x if isinstance(x.flags, tuple | list | dict) else x**3)


CASES = (
    row(numbers_or_sequences, lambda: (normal(1, 4),), "x"),
    row(deep_expression, lambda: (normal(1, 4),), "x"),
    row(flags_by_keys, lambda: (normal(1, 4, 3),), "x"),
    row(flags_are_no_tuple, lambda: (normal(1, 4, 3),), "x"),
    *(
        row(f, lambda: (normal(1, 10),), "x")
        for f in (optional_module, decorated_inside, sets_of_places, logged, records)
    ),
    row(chained_comparisons_of_known_numbers, lambda: (0.6,), "x"),
    row(last_point_of_a_range, lambda: (spread(1, 10),), "x"),
    row(guarded_operations, lambda: (normal(1, 4), 2.0), "x, a"),
    row(guarded_factorisation, lambda: (normal(1, 4),), "x"),
    row(handler_of_a_name_that_is_gone, lambda: (normal(1, 4),), "x"),
    row(exceptions_of_its_own, lambda: (normal(1, 4), 5, {"here": 1.0}), "x"),
    row(matched_under_guards, lambda: (normal(1, 4), 1, "tanh"), "x"),
    row(matched_structures, lambda: (spread(1, 4), 1, None), "x"),
    row(in_contexts, lambda: (spread(1, 4), 1, None), "x"),
    row(returned_from_a_context, lambda: (spread(1, 4), 1, None), "x"),
    row(returned_from_a_context, lambda: (-spread(1, 4), 1, None), "x", tag="behind"),
    row(partly_called, lambda: (spread(3, 4), 1, None), "x"),
    row(matched_by_data, lambda: (spread(2, 4), 1, None), "x"),
    row(matched, lambda: (normal(1, 4), 2, "tanh"), "x"),
    row(vectorised, lambda: (normal(1, 4, 3), 1.3), "x, a"),
    row(flat_elements, lambda: (normal(1, 4, 3), normal(2, 12)), "x, b"),
    *(row(f, lambda: (normal(1, 4, 4),), "x") for f in (grids, first_large_element, over_axes)),
    row(paths_of_a_seed, lambda: (normal(1, 3), 7), "x"),
    row(histograms, lambda: (spread(1, 30), normal(2, 30)), "x, w"),
)
