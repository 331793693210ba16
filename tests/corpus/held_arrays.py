"""Arrays that calls of libraries give back and somebody else holds: an object, or who passed them."""

from __future__ import annotations

import numpy as np
from scipy._lib._array_api import array_namespace
from scipy.interpolate import BSpline, CubicSpline, LinearNDInterpolator, RegularGridInterpolator

from tests.corpus.case import row

SPLINE = CubicSpline([0.0, 1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 5.0])
POLYNOMIAL = np.poly1d([1.0, 2.0, 3.0])
TABLE = np.array([1.0, 2.0, 3.0])
asarray = array_namespace(TABLE).asarray


class Holder:
    def __init__(self):
        self.c = TABLE.copy()


HOLDER = Holder()


def coefficients_of_a_spline(p, q):
    SPLINE.c[3, 0] = p
    found = SPLINE(q) + SPLINE.c[3, 0] * q
    SPLINE.c[3, 0] = 1.0
    return found


def coefficients_by_another_name(p, q):
    c = SPLINE.c
    c[2, 0] *= p
    found = SPLINE(q)
    c[2, 0] /= p
    return found


def coefficients_of_a_polynomial(p, q):
    POLYNOMIAL.coeffs[1] = p
    found = POLYNOMIAL(q)
    POLYNOMIAL.coeffs[1] = 2.0
    return found


def what_was_passed(p, q):
    z = asarray(TABLE)
    z[1] = p
    found = TABLE[1] * q + z[1]
    z[1] = 2.0
    return found


def what_was_passed_of_an_object(p, q):
    z = asarray(HOLDER.c)
    z[0] = p
    found = HOLDER.c[0] * q
    z[0] = 1.0
    return found


def what_is_only_read(p, q):
    z = asarray(TABLE)
    return z[1] * p + np.sum(z) * q


CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.3, 0.6]])


def written_when_interpolators_have_it(p, q):
    """These keep what they are given."""
    values, lines = CORNERS[:, 0] ** 2 + p, np.array([1.0, 2.0, 4.0]) * p
    plane, grid = LinearNDInterpolator(CORNERS, values), RegularGridInterpolator(([0.0, 1.0, 2.0],), lines)
    values[:] = q**2 + CORNERS[:, 1] * p
    part = lines[1:]
    part *= q
    return plane(0.2, 0.3) * grid([q])[0]


def written_in_a_loop_when_a_spline_has_it(p, q):
    coefficients, total = np.array([1.0, 2.0, 3.0, 1.0]) * p, 0.0
    spline = BSpline(np.array([0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0]), coefficients, 2)
    for _ in range(3):
        coefficients[1] += q
        total += spline(q)
    return total


PROGRAMS = (coefficients_of_a_spline, coefficients_by_another_name, coefficients_of_a_polynomial, what_was_passed)
PROGRAMS += (what_was_passed_of_an_object, what_is_only_read)
PROGRAMS += (written_when_interpolators_have_it, written_in_a_loop_when_a_spline_has_it)

CASES = tuple(row(function, lambda: (1.3, 0.7), "p, q") for function in PROGRAMS)
