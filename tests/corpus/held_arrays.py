"""Arrays that calls of libraries give back and somebody else holds: an object, or who passed them."""

from __future__ import annotations

import numpy as np
from scipy._lib._array_api import array_namespace
from scipy.interpolate import CubicSpline

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


PROGRAMS = (coefficients_of_a_spline, coefficients_by_another_name, coefficients_of_a_polynomial, what_was_passed)
PROGRAMS += (what_was_passed_of_an_object, what_is_only_read)

CASES = tuple(row(function, lambda: (1.3, 0.7), "p, q") for function in PROGRAMS)
