"""`math` on scalars, float and int arguments, run-time scalars made from array elements."""

from __future__ import annotations

import math
from math import exp, pi, sqrt

import numpy as np

from tests.corpus.case import normal, row, uniform


def trigonometric(x, y):
    return math.sin(x) * math.cos(y) + math.tan(x * y) - math.asin(x / 4) + math.acos(y / 4) * math.atan(x)


def hyperbolic(x, y):
    return math.sinh(x) - math.cosh(y) * math.tanh(x) + math.asinh(x * y) + math.acosh(2 + x) - math.atanh(y / 5)


def exponential(x, y):
    return (
        math.exp(-x) + math.expm1(y) * math.log(x) - math.log1p(y) + math.log2(x + y) * math.log10(y) + math.log(x, 3)
    )


def powers_and_roots(x, y):
    return math.sqrt(x * y) + math.pow(x, y) - math.hypot(x, y) + math.cbrt(x) + x**y


def two_operands(x, y):
    return math.atan2(x, y) * math.fabs(-x) + math.copysign(y, -1.0) * math.fmod(7.3 * x, y)


def error_function(x, y):
    return math.erf(x) - 2 * math.erfc(y * x)


def rounding(x, y):
    return math.floor(2.2 * x) * y + math.ceil(1.3 * y) * x + math.degrees(x) * math.radians(y) + int(x * 2.2) * y


def constants(x, y):
    return math.pi * x + math.e * y + math.tau * x * y


def names_imported_from_math(x, y):
    return exp(-x * y) * pi + sqrt(x)


def math_on_elements(a, n):
    total = 0.0
    for i in range(n):
        total += math.sin(a[i]) * math.exp(-(a[i] ** 2))
    return total


def float_arguments_times_array(a, scale, shift):
    return np.sum((a * scale + shift) ** 2)


def builtins_on_scalars(x, y):
    return abs(x - 3) + max(x, y) * min(x, 2.0) + pow(x, 2) + float(y)


def min_of_three(x, y):
    return min(x, y, 0.9) * max(x, y, 1.1, -y)


def scalar_if(x, y):
    if x > y:
        z = x * x * y
    elif x > 0:
        z = x - y**3
    else:
        z = y
    return z + x


def scalar_swap(x, y):
    x, y = y, x * y
    x, y = y - x, x
    return x * x * y


def augmented_scalars(x, y):
    s = x
    s += y
    s *= x
    s -= y / x
    s /= y
    s **= 2
    return s


def int_arguments(a, n, k):
    s = 0
    for i in range(n):
        s += a[i] ** k * (i + k) / n
    return s


def numpy_scalar_functions(x, y):
    return np.sin(x) * np.exp(y) + np.maximum(x, y) - np.sqrt(x * x + y * y) + np.float64(2.0) * x


def element_to_scalar(a):
    first = a[0]
    last = float(a[-1])
    middle = a[2].item()
    a[0] = 10.0
    return first * last + middle * a[0]


def scalar_into_elements(x, y):
    a = np.zeros(4)
    a[0] = x
    a[1] = x * y
    a[2:] = y
    return np.sum(a * a)


def array_without_axes(c, x):
    c += x[0] * x[1]
    same = c
    same *= x[2]
    for i in range(3):
        c += c * x[i]
    return c * same


def local_array_without_axes(x):
    total = np.zeros(())
    same = total
    for i in range(len(x)):
        total += x[i] ** 2
    total[()] = same * x[0]
    number = np.sum(x)
    before = number
    number += total
    return same * before + number


def has_shape(value):
    try:
        value.shape  # noqa: B018
    except AttributeError:
        return False
    return True


def attributes_by_type(x, y):
    total = x * y
    for k, value in enumerate((x, np.sin(y), np.asarray(x), float(y), [x])):
        total = total * (1.5 + k if has_shape(value) else 0.5)
    try:
        total = np.cos(x).dot(total)
    except AttributeError:
        total = total + x
    for number in (x * 0.0 + 2.0, np.floor(y), x, np.float64(3.0)):
        total = total * x if number.is_integer() else total + y
    try:
        return np.array([x]).is_integer()
    except AttributeError:
        return total


def numbers_beside_arrays(x, y):
    row, ten, two, single = np.broadcast_arrays(np.array([x, y, x * y]), 10.0, x, y * np.float32(2.0))
    same, other = np.broadcast_arrays(x, 0.3)
    total = np.sum(row) * np.sum(ten) * two.shape[0] + np.sum(two * single)
    return total if (ten > 1e25).all() or (same > 1e25).any() else total * other.ndim + np.size(ten) * same


def two_floats():
    return 1.31, 0.74


SCALAR = (trigonometric, hyperbolic, exponential, powers_and_roots, two_operands, error_function, rounding, constants)
SCALAR += (names_imported_from_math, builtins_on_scalars, min_of_three, scalar_if, scalar_swap, augmented_scalars)
SCALAR += (numpy_scalar_functions, scalar_into_elements, attributes_by_type)
SCALAR += (numbers_beside_arrays,)

CASES = (
    *(row(f, two_floats, "x, y") for f in SCALAR),
    row(trigonometric, lambda: (np.float64(0.8), np.float64(0.4)), "x, y", tag="numpy_scalars"),
    row(scalar_if, lambda: (0.4, 0.9), "x, y", tag="second_branch"),
    row(scalar_if, lambda: (-0.4, 0.9), "x, y", tag="third_branch"),
    row(math_on_elements, lambda: (normal(1, 6), 5), "a"),
    row(float_arguments_times_array, lambda: (normal(1, 6), 1.7, -0.4), "a, scale, shift"),
    row(int_arguments, lambda: (uniform(1, 6), 5, 3), "a"),
    row(element_to_scalar, lambda: (normal(1, 5),), "a"),
    row(array_without_axes, lambda: (np.array(0.7), normal(1, 4)), "c, x"),
    row(array_without_axes, lambda: (np.array(0.7), normal(1, 4)), "c, x", of="c", tag="argument"),
    row(local_array_without_axes, lambda: (normal(1, 4),), "x"),
)
