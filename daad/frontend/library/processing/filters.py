"""Convolutions of `scipy.signal` as NumPy programs: sums of shifted arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read

BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
"""What NumPy calls SciPy's ways to go on beyond the border."""


def convolve2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Array:
    if _is_smaller(in1, in2, mode):
        in1, in2 = in2, in1
    return _overlapped(in1, np.flip(np.asarray(in2)), mode, boundary, fillvalue, 0)


def correlate2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Array:
    if _is_smaller(in1, in2, mode):
        return np.flip(correlate2d(in2, in1, mode, boundary, fillvalue))
    return _overlapped(in1, _conjugate(in2), mode, boundary, fillvalue, 1)


def convolve_of_signals(in1: Array, in2: Array, mode: str = "full") -> Array:
    if _are_exchanged(in1, in2, mode):
        in1, in2 = in2, in1
    return _overlapped(in1, np.flip(np.asarray(in2)), mode, "fill", 0, 0)


def fftconvolve(in1: Array, in2: Array, mode: str = "full", axes: Any = None) -> Array:
    """Along some axes by spectra; the other ones are broadcast."""
    in1, in2 = np.asarray(in1) * 1.0, np.asarray(in2) * 1.0
    chosen = range(in1.ndim) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    along = sorted(axis % in1.ndim for axis in chosen)
    if len(along) == in1.ndim:
        return convolve_of_signals(in1, in2, mode)
    whole = [in1.shape[axis] + in2.shape[axis] - 1 for axis in along]
    both: Array = np.fft.ifftn(np.fft.fftn(in1, whole, along) * np.fft.fftn(in2, whole, along), whole, along)
    found = both if np.iscomplexobj(in1) or np.iscomplexobj(in2) else both.real
    cut = [slice(None)] * in1.ndim
    for axis, size in zip(along, whole, strict=True):
        least = abs(in1.shape[axis] - in2.shape[axis]) + 1
        wanted = {"full": size, "same": in1.shape[axis], "valid": least}[mode]
        cut[axis] = slice((size - wanted) // 2, (size - wanted) // 2 + wanted)
    return found[tuple(cut)]


def correlate_of_signals(in1: Array, in2: Array, mode: str = "full") -> Array:
    if _are_exchanged(in1, in2, mode):
        return _conjugate(np.flip(correlate_of_signals(in2, in1, mode)))
    return _overlapped(in1, _conjugate(in2), mode, "fill", 0, 0)


def _conjugate(a: Array) -> Array:
    return np.conj(a) if np.iscomplexobj(a) else np.asarray(a)


def _is_smaller(in1: Array, in2: Array, mode: str) -> bool:
    """Whether the second array is the one that the first one moves over."""
    pairs = list(zip(np.shape(in1), np.shape(in2), strict=True))
    return mode == "valid" and any(a < b for a, b in pairs) and all(a <= b for a, b in pairs)


def _are_exchanged(in1: Array, in2: Array, mode: str) -> bool:
    """The same of signals; zeros surround the longer one: NaN times them would be everywhere."""
    return _is_smaller(in1, in2, mode) or (mode == "full" and np.size(in1) < np.size(in2))


def _padded(image: Array, widths: list[tuple[int, int]], mode: Any, cval: float) -> Array:
    if mode == "constant":
        return np.pad(image, widths, mode="constant", constant_values=cval)
    return np.pad(image, widths, mode=mode)


def _overlapped(in1: Array, weights: Array, mode: str, boundary: str, fillvalue: float, shift: int) -> Array:
    """Where `weights` overlap the first array at all, wholly, or as many places as it has elements."""
    image = np.asarray(in1)
    larger = [a >= b for a, b in zip(image.shape, weights.shape, strict=True)]
    if mode == "valid" and not all(larger):
        raise ValueError("The first array must be the larger one")
    widths = [_margins(n, (n - shift) // 2)[mode] for n in weights.shape]
    padded = _padded(image, widths, BOUNDARIES[boundary], fillvalue)
    shape = [n - k + 1 for n, k in zip(padded.shape, weights.shape, strict=True)]
    return _correlated(padded, weights, np.zeros(shape, np.result_type(padded, weights)))


def _margins(size: int, half: int) -> dict[str, tuple[int, int]]:
    return {"full": (size - 1, size - 1), "same": (half, size - 1 - half), "valid": (0, 0)}


def _correlated(padded: Array, weights: Array, like: Array) -> Array:
    """For each element of `like`, the sum of what `weights` lie upon, of a `padded` array."""
    if weights.ndim != padded.ndim:
        raise ValueError("Array and weights must have as many dimensions")
    result = np.zeros_like(like)
    if padded.ndim == 2:
        rows, columns = like.shape
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                result += weights[i, j] * padded[i : i + rows, j : j + columns]
        return result
    for place in itertools.product(*map(range, weights.shape)):
        result += weights[place] * padded[tuple(slice(i, i + n) for i, n in zip(place, like.shape, strict=True))]
    return result


def sepfir2d(input: Array, hrow: Array, hcol: Array) -> Array:
    """Two filters, one along rows and one along columns, of an image that is mirrored at its borders."""
    image, filters = np.asarray(input), (np.asarray(hcol), np.asarray(hrow))
    if any(len(one) % 2 == 0 for one in filters):
        raise ValueError("hrow and hcol must be odd length")
    if any(len(one) > count for one, count in zip(filters, image.shape, strict=True)):
        raise ValueError("'scipy.signal.sepfir2d' of images smaller than the filters is not supported")
    for axis, one in enumerate(filters):
        half = len(one) // 2
        widths = [(half, half) if k == axis else (0, 0) for k in range(2)]
        wide, count = np.pad(image, widths, mode="symmetric"), image.shape[axis]
        parts = [one[-1 - k] * (wide[k : k + count] if axis == 0 else wide[:, k : k + count]) for k in range(len(one))]
        image = sum(parts[1:], start=parts[0])
    return image


def symiirorder1_ic(signal: Array, z1: Array, precision: float) -> Array:
    """Where the recursion over the mirrored signal begins, by as many terms as the precision asks for."""
    signal = np.asarray(signal)
    count = signal.shape[-1]
    powers = np.asarray(z1) ** np.arange(count + 1)
    least = precision if 0.0 < precision < 1.0 else 1e-6 if signal.real.dtype == np.float32 else 1e-11
    if np.abs(powers[-1]) > least:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    counted = np.where(np.abs(powers[:-1]) > least, powers[1:], 0.0).astype(signal.dtype)
    return (signal[:, 0] + signal @ counted)[:, np.newaxis]


SPLINES: dict[str, Callable[..., Any]] = {"sepfir2d": sepfir2d, "symiirorder1_ic": symiirorder1_ic}
SIGNAL: dict[str, Callable[..., Any]] = {
    "convolve2d": convolve2d,
    "correlate2d": correlate2d,
    "convolve": convolve_of_signals,
    "fftconvolve": fftconvolve,
    "oaconvolve": fftconvolve,
    "correlate": correlate_of_signals,
}
