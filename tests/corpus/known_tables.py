"""Tables that a program makes of numbers: what they hold is known until they are written."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline, CubicSpline, PPoly, RectBivariateSpline, RegularGridInterpolator

from tests.corpus.case import row, uniform

KNOTS = [0.0, 0.5, 1.0, 2.0]


class Coefficients:
    """As aircraft have them."""

    def __init__(self):
        self.angle = np.array([-1.0, 0.0, 0.4, 1.1, 2.0])
        self.lift = np.array([0.2, 0.5, 1.4, 1.1, 0.3])
        self.drag = 0.1 + self.lift**2 * np.array([0.1, 0.2, 0.1, 0.3, 0.2])
        self.thrust = np.outer([1.0, 2.0, 2.5, 4.0], self.lift)

    def at(self, x):
        return np.interp(x, self.angle, self.lift) - np.interp(x, self.angle, self.drag)


def tables_of_an_object(a):
    c, total = Coefficients(), 0.0
    for i in range(len(a)):
        total += c.at(a[i]) * c.at(a[i] + total * 0.1)
    return total


def surfaces_of_tables(a):
    c, total = Coefficients(), 0.0
    for i in range(len(a)):
        surface = RectBivariateSpline(np.array(KNOTS), c.angle, c.thrust, kx=2)
        total += surface(a[i], 0.3 * a[i])[0, 0] + CubicSpline(c.angle, c.drag)(a[i])
    return total


def written_behind(a):
    knots, values = np.array(KNOTS), np.array([1.0, 2.0, 0.0, 3.0])
    first = np.interp(a, knots, values)
    values[1] = 5.0
    second = np.interp(a, knots, values)
    values[2] = a[0]
    return np.sum(first * second + np.interp(a, knots, values))


def written_in_the_loop_that_uses_it(a):
    knots, values, total = np.array(KNOTS), np.array([1.0, 2.0, 0.0, 3.0]), 0.0
    for i in range(len(a)):
        total += np.interp(a[i], knots, values)
        values[i % 2] += 0.5
    return total


def written_by_another_name(a):
    knots, values = np.array(KNOTS), np.array([1.0, 2.0, 0.0, 3.0])
    part, total = values[1:], 0.0
    for i in range(len(a)):
        total += np.interp(a[i], knots, values) * a[i]
        part *= 1.1
    return total


def written_on_one_side(a):
    knots, values = np.array(KNOTS), np.array([1.0, 2.0, 0.0, 3.0])
    if a[0] > 0.5:
        values[:] = 2.0 * values
    return np.sum(np.interp(a, knots, values) * a)


def rebound_in_the_loop(a):
    knots, values, total = np.array(KNOTS), np.array([1.0, 2.0, 0.0, 3.0]), 0.0
    for i in range(len(a)):
        total += np.interp(a[i], knots, values)
        values = values[::-1] * 0.9
    return total


def made_in_the_loop_and_written(a):
    total = 0.0
    for i in range(len(a)):
        values = np.array([1.0, 2.0, 0.0, 3.0])
        total += np.interp(a[i], KNOTS, values)
        values += a[i]
        total += np.interp(a[i], KNOTS, values)
    return total


def made_of_a_table_that_is_written(a):
    values, total = np.array([1.0, 2.0, 0.0, 3.0]), 0.0
    twice = 2.0 * values
    values[0] = 4.0
    more = twice + values
    for i in range(len(a)):
        total += np.interp(a[i], KNOTS, twice) * np.interp(a[i], KNOTS, more)
        more[3] *= 0.5
    return total


def sorted_in_a_function(a):
    def ordered(values):
        values.sort()
        return values

    values, total = np.array([1.0, 2.0, 0.0, 3.0]), 0.0
    for i in range(2):
        total += np.interp(a[i], KNOTS, values)
        ordered(values)
    return total + np.sum(np.interp(a, ordered(values), KNOTS))


def given_by_out(a):
    values, total = np.array([1.0, 2.0, 0.0, 3.0]), 0.0
    for i in range(2):
        total += np.interp(a[i], KNOTS, values)
        np.multiply(values, a[i], out=values)
    return total


def with_infinities(a):
    steps, infinite = np.array([0.0, 0.5, 0.5, 2.0]), np.array([1.0, 2.0, np.inf, 3.0])
    return np.sum(np.interp(a, steps, [1.0, 2.0, 4.0, 3.0])) + np.interp(0.1 * a[0], KNOTS, infinite)


def kept_by_interpolators(a):
    """Some have the memory of what they are made of, and see what is written there later."""
    c, d, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0, 3.0, 1.0]), np.array([1.0, 2.0, 4.0, 0.0])
    cubes, splines = PPoly(c, np.array([0.0, 1.0, 3.0])), BSpline(np.array([0.0, 0.0, 0.0, 1.0, 3.0, 3.0, 3.0]), d, 2)
    grid, copies = RegularGridInterpolator((np.array([0.0, 1.0, 2.0, 3.0]),), v), CubicSpline(KNOTS, v)
    c[0, 0], d[1], v[1] = 7.0, 5.0, -3.0
    return np.sum(cubes(a) * splines(a) + grid(a[:, np.newaxis]) * copies(a))


def table_of_a_choice(a):
    """A number of a table decides the text of the program."""
    order, total = np.array([2.0, 0.0, 1.0]), 0.0
    for k in order:
        total += a[int(k)] ** (k + 1.0)
    return total if order[0] > 1.5 else np.sum(a)


CASES = tuple(
    row(f, lambda: (uniform(5, 4) * 1.5 + 0.1,), "a")
    for f in (
        tables_of_an_object,
        surfaces_of_tables,
        written_behind,
        written_in_the_loop_that_uses_it,
        written_by_another_name,
        written_on_one_side,
        rebound_in_the_loop,
        made_in_the_loop_and_written,
        made_of_a_table_that_is_written,
        sorted_in_a_function,
        given_by_out,
        with_infinities,
        table_of_a_choice,
        kept_by_interpolators,
    )
)
