"""Exceptions that leave a `with` or a `try … finally`: contexts are told, may suppress them, and what comes last is
done."""

from __future__ import annotations

import contextlib
import operator

import numpy as np

from tests.corpus.case import row


class Told:
    """Does another thing for each way out."""

    def __init__(self, x, *kinds):
        self.x, self.kinds, self.told = x, kinds, 0

    def __enter__(self):
        self.x *= 1.2
        return self

    def __exit__(self, kind, error, trace):
        self.told += 1 if kind is None else 10
        if kind is ValueError and str(error) == "large":
            self.x += 1.0
        if trace is None:
            self.x *= 0.5
        return kind is not None and issubclass(kind, self.kinds)


class Doubled:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, *how):
        self.x *= 2.0


@contextlib.contextmanager
def catching(x):
    x *= 1.1
    try:
        yield x
    except ValueError:
        x *= 3.0
    else:
        x *= 5.0
    x += 0.5


@contextlib.contextmanager
def restoring(x):
    x *= 2.0
    try:
        yield x
    finally:
        x *= 0.7


@contextlib.contextmanager
def exchanging(x):
    with Doubled(x):
        try:
            yield
        except ValueError as error:
            x *= 0.3
            raise KeyError("other") from error


def told_of_exceptions(x):
    told = Told(x, ValueError, KeyError)
    with told:
        x *= 2.0
        raise ValueError("large")
    with told, contextlib.suppress(AssertionError):
        assert x.ndim > 1, "a matrix"
        x *= 9.0
    with told:
        {}["key"]
    with told:
        x[0] += x[1]
    n = 1
    try:
        with Doubled(x) as y, told:
            y += x[2]
            int("a") if x.ndim > 1 else [][3]
    except IndexError:
        n = 2
    return np.sum(x**2) * told.told * n


def thrown_into_generators(x):
    n = 1
    with catching(x) as y:
        y += x[0]
        raise ValueError
    with catching(x):
        x *= 0.1
    for kind in (KeyError, ValueError):
        try:
            with restoring(x), exchanging(x):
                x[1:] += x[0]
                raise kind("a")
        except KeyError as error:
            n += len(error.args[0])
    return np.sum(x**2) * n


def data_tell(x):
    s = 0.0
    for k in range(4):
        with Told(x, ValueError) as told:
            if x[k] > 0.5:
                raise ValueError
            s += x[k] ** 2
        try:
            with Doubled(x):
                if x[k] < 0.0:
                    raise KeyError
                s += x[k]
        except KeyError:
            s *= 1.5
        s += x[k] ** 3 * told.told
    return s


def last_things_are_done(x):
    def returned():
        try:
            try:
                return 2
            finally:
                x[:] = x * 1.1
                int("c")
        except ValueError:
            return 3

    def deep(k):
        try:
            x[:] = x * 1.1
            if k == 0:
                raise ValueError("abc", 4)
            deep(k - 1)
        finally:
            x[:] = x + 0.2

    n = returned()
    try:
        try:
            deep(2)
        except ValueError:
            x *= 3.0
            raise
        finally:
            x *= 0.4
    except ValueError as error:
        n += len(error.args) + len(error.args[0])
    return np.sum(x**2) * n


def closed_generators(x):
    def items(factor):
        try:
            yield x[0]
            yield x[1]
        except GeneratorExit:
            x[1] *= factor
            raise
        finally:
            x[2] *= factor

    s, first = 0.0, items(3.0)
    try:
        s += next(first)
        first.close()
        raise ValueError
    except ValueError:
        s *= x[1] * x[2]
    return s


def numbers_have_no_items(x):
    total, last = 0.0, float(x[0])
    for value in (x, x[1], last):
        try:
            value[0][0]
            nested = True
        except (IndexError, TypeError) as error:
            nested = isinstance(error, IndexError)
        total += np.sum(value) * (2.0 if nested else 3.0)
    return total


def shapes_raise(x):
    s = 0.0
    for n in (1, 2, 3):
        try:
            s += np.sum(np.linalg.solve(np.eye(3)[:2, :n] + np.outer(x[:2], x[:n]), x[:2]))
        except np.linalg.LinAlgError:
            s += n * x[0]
        try:
            s += np.sum(x * x[:n]) + np.sum(np.concatenate([x, x[:n, np.newaxis]]))
        except ValueError as error:
            s += len(error.args) * x[1]
    return s


def inner(values, shift, edge=1):
    try:
        low, high = edge
    except (ValueError, TypeError):
        low = high = edge
    return values[low + shift : high + 3]


def caught_in_loops(x):
    """What was computed for one iteration is not held by the exception that was caught in it."""
    rows, changes = np.outer(x, [1.0, 2.0, 3.0]), np.zeros((4, 3))
    for k in range(3):
        changes[1:, k] += 2.0 * (inner(rows[:, k], 0) - inner(rows[:, k], -1)[:3])
    for k in range(3):
        rows[:, k] += changes[:, k]
    return np.sum(rows**2)


class Kept:
    pass


def what_is_not_there_is_deleted(x):
    kept, names = Kept(), {"x": x}
    with contextlib.suppress(AttributeError):
        del kept.matrix
    try:
        del kept.rows, names["x"]
    except AttributeError:
        kept.rows = 2.0 * x
    try:
        del names["y"]
    except KeyError:
        del kept.rows
    with contextlib.suppress(AttributeError):
        names["x"] = kept.rows
    return np.sum(names["x"] ** 2)


def constants_that_fail(x):
    factor = 0.0
    try:
        factor = 1 / (len(x) - 4)
    except ZeroDivisionError:
        factor += 2.0
    try:
        factor = operator.truediv(0, 1) + operator.truediv(0, 0)
    except Exception:
        factor += 0.5
    try:
        factor = "x" + 1
    except TypeError:
        factor += 10.0**-1
    return factor * np.sum(x**2)


CASES = tuple(
    row(f, lambda: (np.array([0.55, -0.7, 1.4, -0.3]),), "x")
    for f in (
        told_of_exceptions,
        thrown_into_generators,
        data_tell,
        last_things_are_done,
        closed_generators,
        shapes_raise,
        numbers_have_no_items,
        caught_in_loops,
        what_is_not_there_is_deleted,
        constants_that_fail,
    )
)
