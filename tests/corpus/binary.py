"""Every NumPy ufunc of two operands, clip, where, comparisons, and broadcasting between the operands."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def add(a, b, w):
    return np.sum(w * np.add(a, b) * a)


def subtract(a, b, w):
    return np.sum(w * np.subtract(a, b) * b)


def multiply(a, b, w):
    return np.sum(w * np.multiply(a, b))


def divide(a, b, w):
    return np.sum(w * np.divide(a, b) + np.true_divide(b, a))


def power(a, b, w):
    return np.sum(w * np.power(a, b))


def power_operator(a, b, w):
    return np.sum(w * a**b + 2.0**b)


def float_power(a, b, w):
    return np.sum(w * np.float_power(a, b))


def maximum(a, b, w):
    return np.sum(w * np.maximum(a, b) ** 2)


def minimum(a, b, w):
    return np.sum(w * np.minimum(a, b) ** 2)


def fmax_fmin(a, b, w):
    return np.sum(w * np.fmax(a, b) ** 2 + np.fmin(a, b) ** 3)


def maximum_with_constant(a, b, w):
    return np.sum(w * np.maximum(a, 0.9) + np.minimum(b, 1.1) * a)


def clip(a, b, w):
    return np.sum(w * np.clip(a, 0.8, 1.2) * b)


def clip_method(a, b, w):
    return np.sum(w * a.clip(0.8, 1.2) * b)


def clip_with_arrays(a, b, w):
    return np.sum(np.clip(w, -0.4 * a, 0.6 * b))


def clip_one_sided(a, b, w):
    return np.sum(np.clip(a, 0.9, None) * w + np.clip(b, None, 1.05))


def where(a, b, w):
    return np.sum(np.where(a > b, a * w, b * b))


def where_scalar_branch(a, b, w):
    return np.sum(np.where(w > 0, a, 0.0) + np.where(w < 0.3, 1.0, b * a))


def where_guards_a_singularity(a, b, w):
    safe = np.where(w > 0, w, 1.0)
    return np.sum(np.where(w > 0, np.log(safe) * a, b))


def where_nested(a, b, w):
    return np.sum(np.where(w > 0.5, a, np.where(w < -0.5, b, a * b)))


def hypot(a, b, w):
    return np.sum(w * np.hypot(a, b))


def arctan2(a, b, w):
    return np.sum(w * np.arctan2(a, -b))


def logaddexp(a, b, w):
    return np.sum(w * np.logaddexp(a, 2.0 * b))


def logaddexp2(a, b, w):
    return np.sum(w * np.logaddexp2(a, 2.0 * b))


def copysign(a, b, w):
    return np.sum(np.copysign(a, w) * b)


def remainder(a, b, w):
    return np.sum(w * ((7.3 * a) % b))


def mod_function(a, b, w):
    return np.sum(w * np.mod(7.3 * a, b) + np.remainder(5.1 * b, a))


def fmod(a, b, w):
    return np.sum(w * np.fmod(-7.3 * a, b))


def floor_divide(a, b, w):
    return np.sum(w * a * ((7.3 * a) // b) + np.floor_divide(9.1 * b, a) * b)


def heaviside(a, b, w):
    return np.sum(np.heaviside(w, 0.5) * a * b)


def heaviside_at_zero(a, b, w):
    return np.sum(np.heaviside(np.floor(2 * w), a) * b)


def comparisons(a, b, w):
    more = (a > b) * w + (a <= b) * a
    same = (a == b) * a + (a != b) * b
    return np.sum(more + same + np.less(a, b) * a + np.greater_equal(a, b) * b)


def logic_of_masks(a, b, w):
    mask = (a > 0.8) & (b < 1.2) | ~(w > 0)
    return np.sum(np.where(mask, a * b, w * w) + np.where(np.logical_xor(a > 1, b > 1), a, b))


def reflected_operators(a, b, w):
    return np.sum((2 - a) * (3.0 / b) + (1 + w) + 2 * a - 4 / a + 2**b)


def scalar_operands(a, b, w):
    return np.sum(a * 3 + 2.5 - b / 4) * np.sum(w) + a[0] * b[1]


def same_operand_twice(a, b, w):
    return np.sum(a * a + b / b * w + np.maximum(a, a) * a - a**a)


def broadcast_row_and_column(a, b, w):
    return np.sum(a * b[:, np.newaxis] + np.sin(a) / w)


def broadcast_outer(a, b, w):
    table = a[:, None] * b[None, :] - np.exp(a[:, None] - b)
    return np.sum(table * table) + np.sum(w)


def broadcast_length_one(a, b, w):
    return np.sum(a * b * w + (a - b) ** 2)


def broadcast_three_dimensions(a, b, w):
    return np.sum(a * b + np.cos(b) * w)


def operands():
    return uniform(11, 7), uniform(12, 7), normal(13, 7)


SAME_SHAPE = (add, subtract, multiply, divide, power, power_operator, float_power, maximum, minimum, fmax_fmin)
SAME_SHAPE += (maximum_with_constant, clip, clip_method, clip_with_arrays, clip_one_sided, where, where_scalar_branch)
SAME_SHAPE += (where_guards_a_singularity, where_nested, hypot, arctan2, logaddexp, logaddexp2, copysign, remainder)
SAME_SHAPE += (mod_function, fmod, floor_divide, heaviside, heaviside_at_zero, comparisons, logic_of_masks)
SAME_SHAPE += (reflected_operators, scalar_operands, same_operand_twice)

CASES = (
    *(row(f, operands, "a, b, w") for f in SAME_SHAPE),
    row(broadcast_row_and_column, lambda: (normal(1, 4, 5), normal(2, 4), uniform(3, 5)), "a, b, w"),
    row(broadcast_outer, lambda: (normal(1, 4), normal(2, 5), normal(3, 2)), "a, b, w"),
    row(broadcast_length_one, lambda: (normal(1, 4, 1), normal(2, 1, 5), normal(3, 1)), "a, b, w"),
    row(broadcast_three_dimensions, lambda: (normal(1, 2, 3, 4), normal(2, 3, 1), normal(3, 4)), "a, b, w"),
    row(maximum, lambda: (spread(1, 6), spread(2, 6), normal(3, 6)), "a, b", tag="signed"),
)
