"""Discrete Fourier transforms along one axis: passes over the array, each a nest of small transforms (Stockham's).

After a pass of radix r the array holds r times as many transforms of a length smaller by r; it ends in natural order.
Lengths with a large prime factor become convolutions (Bluestein's). All passes are linear: nothing of them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, pi, prod
from typing import Any

import numpy as np

from daad.frontend.numpy.complex.complex_rules import minus, multiply, negative, plus, times
from daad.frontend.numpy.elementwise.scalar_expressions import const
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.complex_numbers import Pair
from daad.frontend.staging.values import ArrayValue, Complex
from daad.ir.affine import Affine

LARGEST_RADIX = 13
"""Larger prime factors go by convolutions."""
FEWEST_TOGETHER = 8
"""As many transforms at once fill vectors; a longer line is taken as a matrix, columns first, to have them."""


@dataclass(frozen=True)
class Pass:
    """`length` is that of the transforms before it, `stride` how many of them lie interleaved; `before` is the radix of
    the pass before it, 1 of the first one."""

    radix: int
    length: int
    stride: int
    before: int

    @property
    def rest(self) -> int:
        return self.length // self.radix


def transformed(stage: Stage, value: ArrayValue | Complex, axis: int, sign: int, scale: float = 1.0) -> Complex:
    """`scale * sum_j value[j] exp(sign * 2i pi j k / n)` along an axis."""
    source = complex_numbers.paired(stage, complex_numbers.held(stage, value))
    size = stage.known(source.shape[axis])
    factors = radices(size)
    if factors and factors[-1] > LARGEST_RADIX:
        return _convolved(stage, source, axis, sign, scale)
    together = prod(stage.known(extent) for extent in source.shape[axis + 1 :])
    columns = _columns(factors) if together < FEWEST_TOGETHER else 1
    if columns == 1:
        return _line(stage, source, axis, sign, factors, scale)
    return _matrix(stage, source, axis, sign, (size // columns, columns), scale)


@lru_cache(maxsize=1024)
def radices(size: int) -> tuple[int, ...]:
    """Factors of a length, fours before all others, rising."""
    found = []
    for radix in (4, 2, 3, *range(5, isqrt(size) + 1, 2)):
        while size % radix == 0:
            found.append(radix)
            size //= radix
    return tuple(sorted([*found, *([size] if size > 1 else [])], key=lambda radix: (radix != 4, radix)))


def _columns(factors: Sequence[int]) -> int:
    """The number of columns that a line is taken as: a product of its last factors near the root of its length; 1 if
    it is short."""
    size, columns = prod(factors), 1
    if size < FEWEST_TOGETHER * FEWEST_TOGETHER:
        return 1
    for radix in sorted(factors):
        if columns * radix <= isqrt(size):
            columns *= radix
    return columns


def _line(
    stage: Stage, source: Complex, axis: int, sign: int, factors: Sequence[int], scale: float, rows: int = 0
) -> Complex:
    """All passes of one line; where `rows` is not 0 the next axis is that of the rows which the result goes on in."""
    length, stride, before = prod(factors), 1, 1
    if not factors:
        return _scaled(stage, source, scale)
    for number, radix in enumerate(factors):
        is_last = number + 1 == len(factors)
        step = Pass(radix, length, stride, before)
        source = _passed(stage, source, axis, sign, step, scale if is_last else 1.0, rows if is_last else 0)
        length, stride, before = step.rest, stride * radix, radix
    return source


def _scaled(stage: Stage, source: Complex, scale: float) -> Complex:
    factor = const(scale, source.real.dtype)

    def scaled(point: tuple[Affine, ...]) -> Pair:
        real, imag = complex_numbers.element(source, point)
        return times(factor, real), times(factor, imag)

    return complex_numbers.copied(stage, complex_numbers.both(stage, source.shape, source.real.dtype, scaled))


def _passed(stage: Stage, source: Complex, axis: int, sign: int, step: Pass, scale: float, rows: int) -> Complex:
    """Between passes a line has three axes: the place in a transform, the number in a small one, which transform."""
    radix, rest, stride, dtype = step.radix, step.rest, step.stride, source.real.dtype
    inner = source.shape[axis + (1 if step.before == 1 else 3) :]
    outer, earlier = source.shape[:axis], stride // step.before
    goal = (*outer, Affine(rest), Affine(radix), Affine(stride), *inner)
    if rest == 1:
        goal = (
            (*outer, Affine(radix * stride), *inner)
            if not rows
            else (*outer, Affine(radix * stride * rows), *inner[1:])
        )
    target = Complex(*(stage.allocate(goal, dtype) for _ in source.parts))
    turns = None if rest == 1 else complex_numbers.constant(stage, twiddles(radix, rest, sign, dtype.name))

    def build(point: tuple[Affine, ...]) -> Any:
        own, (place, number, which), behind = point[:axis], point[axis : axis + 3], point[axis + 3 :]
        places = [place + j * rest for j in range(radix)]
        sources = [(*own, p, *behind) if step.before == 1 else (*own, p, number, which, *behind) for p in places]
        writes = []
        for k, found in enumerate(butterfly([complex_numbers.element(source, index) for index in sources], sign)):
            turned = (
                found
                if turns is None or k == 0
                else multiply(complex_numbers.element(turns, (place, Affine(k))), found)
            )
            offset = number * earlier + which
            if rest > 1:
                at = (*own, place, Affine(k), offset, *behind)
            elif not rows:
                at = (*own, offset + k * stride, *behind)
            else:
                at = (*own, (offset + k * stride) * rows + behind[0], *behind[1:])
            for part, value in zip(target.parts, turned, strict=True):
                writes.append((part, at, "=", times(const(scale, dtype), value)))
        return writes

    stage.nest((*outer, Affine(rest), Affine(step.before), Affine(earlier), *inner), build)
    return target


@lru_cache(maxsize=256)
def twiddles(radix: int, rest: int, sign: int, dtype: str) -> np.ndarray:
    """`exp(sign * 2i pi p k / (radix * rest))` for p below `rest` and k below `radix`."""
    angles = np.outer(np.arange(rest), np.arange(radix)) % (radix * rest) * (sign * 2 * pi / (radix * rest))
    return np.exp(1j * angles).astype(np.result_type(dtype, np.complex64))


def butterfly(given: Sequence[Pair], sign: int) -> list[Pair]:
    """The transform of a few numbers."""
    if len(given) == 2:
        a, b = given
        return [_sum(a, b), _difference(a, b)]
    if len(given) == 4:
        even, odd = _sum(given[0], given[2]), _sum(given[1], given[3])
        a, b = _difference(given[0], given[2]), _difference(given[1], given[3])
        turned = (negative(b[1]), b[0]) if sign > 0 else (b[1], negative(b[0]))
        return [_sum(even, odd), _sum(a, turned), _difference(even, odd), _difference(a, turned)]
    return [_direct(given, k, sign) for k in range(len(given))]


def _sum(a: Pair, b: Pair) -> Pair:
    return plus(a[0], b[0]), plus(a[1], b[1])


def _difference(a: Pair, b: Pair) -> Pair:
    return minus(a[0], b[0]), minus(a[1], b[1])


def _direct(given: Sequence[Pair], k: int, sign: int) -> Pair:
    """One number of a transform, by its definition."""
    total, dtype = given[0], given[0][0].dtype
    for j, number in enumerate(given[1:], start=1):
        angle = sign * 2 * pi * (j * k % len(given)) / len(given)
        total = _sum(total, multiply((const(np.cos(angle), dtype), const(np.sin(angle), dtype)), number))
    return total


def _matrix(stage: Stage, source: Complex, axis: int, sign: int, sizes: tuple[int, int], scale: float) -> Complex:
    """A line as a matrix: its columns, a turn of each element, its rows."""
    rows, columns = sizes
    shape = (*source.shape[:axis], Affine(rows), Affine(columns), *source.shape[axis + 1 :])

    def of_line(point: Sequence[Affine]) -> list[Affine]:
        return [*point[:axis], point[axis] * columns + point[axis + 1], *point[axis + 2 :]]

    matrix = Complex(*(stage.reindexed(part, shape, of_line) for part in source.parts))
    done = _line(stage, matrix, axis, sign, radices(rows), 1.0)
    turns = complex_numbers.constant(stage, twiddles(columns, rows, sign, source.real.dtype.name))

    def turned(point: tuple[Affine, ...]) -> Pair:
        column, row = point[axis : axis + 2]
        at = (*point[:axis], row, column, *point[axis + 2 :])
        return multiply(complex_numbers.element(turns, (row, column)), complex_numbers.element(done, at))

    flipped = (*source.shape[:axis], Affine(columns), Affine(rows), *source.shape[axis + 1 :])
    across = complex_numbers.copied(stage, complex_numbers.both(stage, flipped, source.real.dtype, turned))
    return _line(stage, across, axis, sign, radices(columns), scale, rows)


def _convolved(stage: Stage, source: Complex, axis: int, sign: int, scale: float) -> Complex:
    """By a convolution with a chirp, of a length that is a power of two."""
    size, dtype = stage.known(source.shape[axis]), source.real.dtype
    longer = 1 << (2 * size - 2).bit_length()
    chirp, spectrum = (complex_numbers.constant(stage, table) for table in _chirp(size, longer, sign, dtype.name))

    def longer_shape(extent: int) -> tuple[Affine, ...]:
        return (*source.shape[:axis], Affine(extent), *source.shape[axis + 1 :])

    padded = Complex(*(stage.allocate(longer_shape(longer), dtype) for _ in source.parts))

    def filled(point: tuple[Affine, ...]) -> Any:
        found = multiply(complex_numbers.element(chirp, (point[axis],)), complex_numbers.element(source, point))
        return [(part, point, "=", value) for part, value in zip(padded.parts, found, strict=True)]

    for part in padded.parts:
        stage.store(part, stage.scalar(0.0, dtype))
    stage.nest(source.shape, filled)
    done = transformed(stage, padded, axis, -1)
    product = complex_numbers.both(
        stage,
        longer_shape(longer),
        dtype,
        lambda point: multiply(complex_numbers.element(spectrum, (point[axis],)), complex_numbers.element(done, point)),
    )
    back = transformed(stage, product, axis, 1, scale / longer)

    def result(point: tuple[Affine, ...]) -> Pair:
        return multiply(complex_numbers.element(chirp, (point[axis],)), complex_numbers.element(back, point))

    return complex_numbers.copied(stage, complex_numbers.both(stage, source.shape, dtype, result))


@lru_cache(maxsize=64)
def _chirp(size: int, longer: int, sign: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """`exp(sign * 1j pi k * k / size)`, and the spectrum of its conjugate, periodic in `longer`."""
    k = np.arange(size)
    chirp = np.exp(sign * 1j * pi * (k * k % (2 * size)) / size)
    around = np.zeros(longer, complex)
    around[:size] = chirp.conj()
    around[longer - size + 1 :] = chirp[:0:-1].conj()
    kind = np.result_type(dtype, np.complex64)
    return chirp.astype(kind), np.fft.fft(around).astype(kind)
