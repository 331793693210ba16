"""Arithmetic on intervals: the bounds of an operation's exact result, from those of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable

Number = int | float
Interval = tuple[Number, Number]
"""The smallest and the largest value, infinite where nothing bounds it."""

ANY: Interval = (-math.inf, math.inf)
LARGEST_POWER = 64


def is_open(bounds: Interval) -> bool:
    return math.inf in map(abs, bounds)


def total(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def difference(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def negative(a: Interval) -> Interval:
    return -a[1], -a[0]


def inverted(a: Interval) -> Interval:
    return -a[1] - 1, -a[0] - 1


def sign(a: Interval) -> Interval:
    return int(a[0] > 0) - (a[0] < 0), int(a[1] > 0) - (a[1] < 0)


def itself(a: Interval) -> Interval:
    return a


def either(condition: Interval, a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


def _times(a: Number, b: Number) -> Number:
    return 0 if a == 0 or b == 0 else a * b


def product(a: Interval, b: Interval) -> Interval:
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def ratio(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return ANY
    return product(a, (_inverse(b[1]), _inverse(b[0])))


def _inverse(x: Number) -> float:
    return 0.0 if abs(x) == math.inf else 1.0 / x


def floored_quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0:
        return ANY
    corners = [_floored(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _floored(x: Number, y: Number) -> Number:
    if abs(x) == math.inf:
        return x
    return -(x < 0) if y == math.inf else x // y


def remainder(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0:
        return ANY
    if a[0] >= 0 and a[1] < b[0]:
        return a
    if b[0] == b[1] and not is_open(a) and a[0] // b[0] == a[1] // b[0]:
        return a[0] % b[0], a[1] % b[0]
    return 0, b[1] - 1 if isinstance(b[1], int) else b[1]


def remainder_of_c(a: Interval, b: Interval) -> Interval:
    """With the sign of the dividend."""
    return ANY if b[0] <= 0 <= b[1] else (min(a[0], 0), max(a[1], 0))


def power(a: Interval, b: Interval) -> Interval:
    """Grows with both where the base is at least 1."""
    if not all(isinstance(end, int) for end in (*a, *b)) or a[0] < 1 or b[0] < 0 or b[1] > LARGEST_POWER:
        return ANY
    return a[0] ** b[0], a[1] ** b[1]


def bits_of_both(a: Interval, b: Interval) -> Interval:
    highs = [high for low, high in (a, b) if low >= 0]
    return (0, min(highs)) if highs else ANY


def bits_of_either(a: Interval, b: Interval) -> Interval:
    """Of numbers that are not negative: no bit beyond the highest."""
    if a[0] < 0 or b[0] < 0:
        return ANY
    most = max(a[1], b[1])
    return 0, (1 << most.bit_length()) - 1 if isinstance(most, int) else math.inf


def left_shift(a: Interval, b: Interval) -> Interval:
    return product(a, (1 << int(b[0]), 1 << int(b[1]))) if b[0] >= 0 and b[1] < LARGEST_POWER else ANY


def right_shift(a: Interval, b: Interval) -> Interval:
    return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else ANY


def absolute(a: Interval) -> Interval:
    most = max(abs(a[0]), abs(a[1]))
    return (0, most) if a[0] <= 0 <= a[1] else (min(abs(a[0]), abs(a[1])), most)


def stepped(step: Callable[[Number], int]) -> Callable[[Interval], Interval]:
    def rule(a: Interval) -> Interval:
        low, high = (end if abs(end) == math.inf else step(end) for end in a)
        return low, high

    return rule


def root(a: Interval) -> Interval:
    return (math.sqrt(a[0]), math.sqrt(a[1])) if a[0] >= 0 else ANY


def larger(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def smaller(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])
