"""`np.fft`: transforms of any length along any axes, of complex and of real numbers; shifts, frequencies."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, static
from daad.frontend.numpy.complex.complex_rules import minus, multiply, negative, plus, times, turned
from daad.frontend.numpy.complex.complex_ufuncs import stored
from daad.frontend.numpy.elementwise.scalar_expressions import const
from daad.frontend.numpy.elementwise.ufuncs import elementwise
from daad.frontend.numpy.fft_passes import transformed, twiddles
from daad.frontend.numpy.shapes.joining import place_of, window
from daad.frontend.numpy.shapes.rearranging import roll
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, ArrayValue, Complex, cast
from daad.ir.affine import Affine

FORWARD = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""The power of the length by which a transform is divided; an inverse one by the rest of it."""


def _scale(stage: Stage, size: int, norm: Any, sign: int) -> float:
    if norm not in FORWARD:
        stage.refuse(f"There is no norm '{norm}'.", "Use 'backward', 'ortho' or 'forward'.")
    power = FORWARD[norm] if sign < 0 else 1.0 - FORWARD[norm]
    return 1.0 if not power else 1.0 / size if power == 1.0 else 1.0 / sqrt(size)


def _fitted(stage: Stage, value: Any, axis: int, size: int) -> Any:
    """The axis cut to a length, or filled with zeros."""
    if isinstance(value, Complex):
        return Complex(*(_fitted(stage, part, axis, size) for part in value.parts))
    known = stage.known(value.shape[axis])
    if known >= size:
        return value if known == size else window(stage, value, axis, ZERO, Affine(size))
    longer = stage.allocate((*value.shape[:axis], Affine(size), *value.shape[axis + 1 :]), value.dtype)
    stage.store(longer, stage.scalar(0, value.dtype))
    stage.store(place_of(stage, longer, axis, ZERO, Affine(known)), value)
    return longer


def _number(stage: Stage, a: Any) -> ArrayValue | Complex:
    value = complex_numbers.staged(stage, a)
    if not value.ndim:
        stage.refuse("A number has no Fourier transform.", "Transform arrays.")
    if isinstance(value, Complex) or value.dtype.kind == "f":
        return value
    return stage.lazy(value.shape, np.float64, lambda point: cast(value.element(point), "float64"))


def _size(stage: Stage, n: Any, default: int) -> int:
    size = default if n is None else int(static(stage, n, "length"))
    if size < 1:
        stage.refuse(f"Invalid number of FFT data points ({size}) specified.", "Use a positive length.")
    return size


def _along(sign: int) -> Callable[..., Any]:
    """`fft`, `ifft`."""

    def call(stage: Stage, a: Any, n: Any = None, axis: Known = -1, norm: Known = None, out: Any = None) -> Any:
        value = _number(stage, a)
        place = axis_of(stage, axis, value.ndim)
        size = _size(stage, n, stage.known(value.shape[place]))
        fitted = _fitted(stage, value, place, size)
        found = transformed(stage, fitted, place, sign, _scale(stage, size, norm, sign))
        return found if out is None else stored(stage, found, out)

    return call


def _real(stage: Stage, value: Any) -> ArrayValue:
    number = _number(stage, value)
    if isinstance(number, Complex):
        stage.refuse("A transform of real numbers is given complex ones.", "Take the real part, or use 'fft'.")
    return number


def rfft(stage: Stage, a: Any, n: Any = None, axis: Known = -1, norm: Known = None, out: Any = None) -> Any:
    value = _real(stage, a)
    place = axis_of(stage, axis, value.ndim)
    size = _size(stage, n, stage.known(value.shape[place]))
    fitted = _fitted(stage, value, place, size)
    scale = _scale(stage, size, norm, -1)
    if size % 2:
        whole = transformed(stage, fitted, place, -1, scale)
        found = Complex(*(window(stage, part, place, ZERO, Affine(size // 2 + 1)) for part in whole.parts))
    else:
        found = _untangled(stage, stage.place(fitted), place, size, scale)
    return found if out is None else stored(stage, found, out)


def _untangled(stage: Stage, value: ArrayValue, axis: int, size: int, scale: float) -> Complex:
    """Of an even length: that of the pairs of neighbours as complex numbers, taken apart."""
    half = size // 2
    pairs = Complex(*(window(stage, value, axis, Affine(k), Affine(half), 2) for k in (0, 1)))
    done = transformed(stage, pairs, axis, -1)
    dtype = value.dtype
    shape = (*value.shape[:axis], Affine(half + 1), *value.shape[axis + 1 :])
    target = Complex(*(stage.allocate(shape, dtype) for _ in pairs.parts))
    turns = complex_numbers.constant(stage, twiddles(2, half, -1, dtype.name))
    factor, halved = const(scale, dtype), const(scale / 2, dtype)

    def ends(point: tuple[Affine, ...]) -> Any:
        real, imag = complex_numbers.element(done, (*point[:axis], ZERO, *point[axis + 1 :]))
        writes = []
        for index, number in ((ZERO, plus(real, imag)), (Affine(half), minus(real, imag))):
            at = (*point[:axis], index, *point[axis + 1 :])
            writes += [(target.real, at, "=", times(factor, number)), (target.imag, at, "=", const(0, dtype))]
        return writes

    def inner(point: tuple[Affine, ...]) -> Any:
        k = point[axis] + 1
        a = complex_numbers.element(done, (*point[:axis], k, *point[axis + 1 :]))
        b = complex_numbers.element(done, (*point[:axis], half - k, *point[axis + 1 :]))
        even = plus(a[0], b[0]), minus(a[1], b[1])
        odd = plus(a[1], b[1]), minus(b[0], a[0])
        shifted = multiply(complex_numbers.element(turns, (k, Affine(1))), odd)
        at = (*point[:axis], k, *point[axis + 1 :])
        return [
            (part, at, "=", times(halved, plus(x, y))) for part, x, y in zip(target.parts, even, shifted, strict=True)
        ]

    stage.nest((*value.shape[:axis], Affine(1), *value.shape[axis + 1 :]), ends)
    if half > 1:
        stage.nest((*value.shape[:axis], Affine(half - 1), *value.shape[axis + 1 :]), inner)
    return target


def irfft(stage: Stage, a: Any, n: Any = None, axis: Known = -1, norm: Known = None, out: Any = None) -> Any:
    value = complex_numbers.paired(stage, complex_numbers.held(stage, _number(stage, a)))
    place = axis_of(stage, axis, value.ndim)
    size = _size(stage, n, 2 * (stage.known(value.shape[place]) - 1))
    fitted = _fitted(stage, value, place, size // 2 + 1)
    scale = _scale(stage, size, norm, 1)
    found = (_mirrored if size % 2 else _tangled)(stage, fitted, place, size, scale)
    if out is None:
        return found
    return stored(stage, found, out)


def _mirrored(stage: Stage, value: Complex, axis: int, size: int, scale: float) -> ArrayValue:
    """Of an odd length: the real part of that of all frequencies."""
    shape = (*value.shape[:axis], Affine(size), *value.shape[axis + 1 :])
    whole = Complex(*(stage.allocate(shape, part.dtype) for part in value.parts))
    zero = const(0, value.real.dtype)
    half = size // 2

    def first(point: tuple[Affine, ...]) -> Any:
        real, _ = complex_numbers.element(value, point)
        return [(whole.real, point, "=", real), (whole.imag, point, "=", zero)]

    def rest(point: tuple[Affine, ...]) -> Any:
        k = point[axis] + 1
        real, imag = complex_numbers.element(value, (*point[:axis], k, *point[axis + 1 :]))
        own, other = ((*point[:axis], i, *point[axis + 1 :]) for i in (k, size - k))
        return [
            *((whole.real, at, "=", real) for at in (own, other)),
            (whole.imag, own, "=", imag),
            (whole.imag, other, "=", negative(imag)),
        ]

    stage.nest((*value.shape[:axis], Affine(1), *value.shape[axis + 1 :]), first)
    if half:
        stage.nest((*value.shape[:axis], Affine(half), *value.shape[axis + 1 :]), rest)
    real: ArrayValue = transformed(stage, whole, axis, 1, scale).real
    return real


def _tangled(stage: Stage, value: Complex, axis: int, size: int, scale: float) -> ArrayValue:
    """Of an even length: neighbours of the result are real and imaginary part of one of half the length."""
    half, dtype = size // 2, value.real.dtype
    shape = (*value.shape[:axis], Affine(half), *value.shape[axis + 1 :])
    pairs = Complex(*(stage.allocate(shape, dtype) for _ in value.parts))
    turns = complex_numbers.constant(stage, twiddles(2, half, 1, dtype.name))

    def first(point: tuple[Affine, ...]) -> Any:
        a, b = (value.real.element((*point[:axis], k, *point[axis + 1 :])) for k in (ZERO, Affine(half)))
        return [(pairs.real, point, "=", plus(a, b)), (pairs.imag, point, "=", minus(a, b))]

    def rest(point: tuple[Affine, ...]) -> Any:
        k = point[axis] + 1
        a = complex_numbers.element(value, (*point[:axis], k, *point[axis + 1 :]))
        b = complex_numbers.element(value, (*point[:axis], half - k, *point[axis + 1 :]))
        even = plus(a[0], b[0]), minus(a[1], b[1])
        odd = multiply(complex_numbers.element(turns, (k, Affine(1))), (minus(a[0], b[0]), plus(a[1], b[1])))
        at = (*point[:axis], k, *point[axis + 1 :])
        return [(part, at, "=", plus(x, y)) for part, x, y in zip(pairs.parts, even, turned(odd), strict=True)]

    stage.nest((*value.shape[:axis], Affine(1), *value.shape[axis + 1 :]), first)
    if half > 1:
        stage.nest((*value.shape[:axis], Affine(half - 1), *value.shape[axis + 1 :]), rest)
    done = transformed(stage, pairs, axis, 1, scale)
    result = stage.allocate((*value.shape[:axis], Affine(size), *value.shape[axis + 1 :]), dtype)

    def neighbours(point: tuple[Affine, ...]) -> Any:
        return [
            (result, (*point[:axis], point[axis] * 2 + k, *point[axis + 1 :]), "=", part.element(point))
            for k, part in enumerate(done.parts)
        ]

    stage.nest(shape, neighbours)
    return result


def _sizes(
    stage: Stage, value: ArrayValue | Complex, s: Any, axes: Any
) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """Lengths that are asked for, and axes."""
    wanted = None if s is None else tuple(int(n) for n in static(stage, s, "shape"))
    rank = value.ndim
    found = range(rank - len(wanted), rank) if axes is None and wanted is not None else axes
    places = tuple(range(rank)) if found is None else tuple(axis_of(stage, k, rank) for k in found)
    if wanted is not None and len(wanted) != len(places):
        stage.refuse("Shape and axes have different lengths.", "Give a length for each axis.")
    return wanted, places


def _over(along: Callable[..., Any], default: tuple[int, ...] | None) -> Callable[..., Any]:
    """`fft2`, `fftn` and their inverses: one axis after the other, the last one first."""

    def call(stage: Stage, a: Any, s: Any = None, axes: Known = default, norm: Known = None, out: Any = None) -> Any:
        value: Any = _number(stage, a)
        wanted, places = _sizes(stage, value, s, axes)
        for number in reversed(range(len(places))):
            n = None if wanted is None or wanted[number] == -1 else wanted[number]
            value = along(stage, value, n, places[number], norm)
        return value if out is None else stored(stage, value, out)

    return call


def _real_over(default: tuple[int, ...] | None) -> Callable[..., Any]:
    """`rfft2`, `rfftn`."""

    def call(stage: Stage, a: Any, s: Any = None, axes: Known = default, norm: Known = None, out: Any = None) -> Any:
        value: Any = _real(stage, a)
        wanted, places = _sizes(stage, value, s, axes)
        value = rfft(stage, value, None if wanted is None else wanted[-1], places[-1], norm)
        rest = None if wanted is None else wanted[:-1]
        return _over(_along(-1), None)(stage, value, rest, places[:-1], norm, out)

    return call


def _back_over(default: tuple[int, ...] | None) -> Callable[..., Any]:
    """`irfft2`, `irfftn`."""

    def call(stage: Stage, a: Any, s: Any = None, axes: Known = default, norm: Known = None, out: Any = None) -> Any:
        value: Any = _number(stage, a)
        wanted, places = _sizes(stage, value, s, axes)
        for number in range(len(places) - 1):
            value = _along(1)(stage, value, None if wanted is None else wanted[number], places[number], norm)
        return irfft(stage, value, None if wanted is None else wanted[-1], places[-1], norm, out)

    return call


def _shift(sign: int) -> Callable[..., Any]:
    """`fftshift`, `ifftshift`."""

    def call(stage: Stage, x: Any, axes: Known = None) -> Any:
        value = complex_numbers.staged(stage, x)
        numbers = range(value.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
        places = [axis_of(stage, k, value.ndim) for k in numbers]
        sizes = [stage.known(value.shape[k]) for k in places]
        shifts = [n // 2 if sign > 0 else -(n // 2) for n in sizes]
        if isinstance(value, Complex):
            return Complex(*(roll(stage, part, shifts, places) for part in value.parts))
        return roll(stage, value, shifts, places)

    return call


def _frequencies(function: Callable[..., Any]) -> Callable[..., Any]:
    """`fftfreq`, `rfftfreq`: those of spacing 1, divided."""

    def call(stage: Stage, n: Any, d: Any = 1.0) -> Any:
        size = int(static(stage, n, "length"))
        plain = stage.constant(function(size) * size)
        return elementwise(stage, np.divide, (plain, elementwise(stage, np.multiply, (stage.scalar(size), d))))

    return call


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.fft.fft: _along(-1),
    np.fft.ifft: _along(1),
    np.fft.rfft: rfft,
    np.fft.irfft: irfft,
    np.fft.fft2: _over(_along(-1), (-2, -1)),
    np.fft.ifft2: _over(_along(1), (-2, -1)),
    np.fft.fftn: _over(_along(-1), None),
    np.fft.ifftn: _over(_along(1), None),
    np.fft.rfft2: _real_over((-2, -1)),
    np.fft.rfftn: _real_over(None),
    np.fft.irfft2: _back_over((-2, -1)),
    np.fft.irfftn: _back_over(None),
    np.fft.fftshift: _shift(1),
    np.fft.ifftshift: _shift(-1),
    np.fft.fftfreq: _frequencies(np.fft.fftfreq),
    np.fft.rfftfreq: _frequencies(np.fft.rfftfreq),
}
