"""`scipy.fft`: Fourier transforms by NumPy's, cosine and sine transforms by Fourier transforms of as many numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def _of_line(function: Callable[..., Any]) -> Callable[..., Any]:
    def transform(
        x: Array,
        n: Any = None,
        axis: Any = -1,
        norm: Any = None,
    ) -> Array:
        return function(x, n, axis, norm)

    return transform


def _of_axes(function: Callable[..., Any], default: Any) -> Callable[..., Any]:
    def transform(
        x: Array,
        s: Any = None,
        axes: Any = default,
        norm: Any = None,
    ) -> Array:
        return function(x, s, axes, norm)

    return transform


def _old_line(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `scipy.fftpack` names the parameters."""

    def transform(x: Array, n: Any = None, axis: Any = -1) -> Array:
        return function(x, n, axis)

    return transform


def _old_axes(function: Callable[..., Any], default: Any) -> Callable[..., Any]:
    def transform(x: Array, shape: Any = None, axes: Any = default) -> Array:
        return function(x, shape, axes)

    return transform


def fftfreq(n: Any, d: Any = 1.0) -> Array:
    return np.fft.fftfreq(n, d)


def rfftfreq(n: Any, d: Any = 1.0) -> Array:
    return np.fft.rfftfreq(n, d)


def fftshift(x: Array, axes: Any = None) -> Array:
    return np.fft.fftshift(x, axes)


def ifftshift(x: Array, axes: Any = None) -> Array:
    return np.fft.ifftshift(x, axes)


def _cosine_1(x: Array) -> Array:
    """Of an even sequence."""
    return np.fft.rfft(np.concatenate((x, x[..., -2:0:-1]), axis=-1)).real


def _cosine_2(x: Array) -> Array:
    """Even elements forward, odd ones back (Makhoul 1980)."""
    n = x.shape[-1]
    line = np.concatenate((x[..., ::2], x[..., 1::2][..., ::-1]), axis=-1)
    return 2.0 * np.real(np.fft.fft(line) * np.exp(-0.5j * np.pi * np.arange(n) / n))


def _cosine_3(x: Array) -> Array:
    """The transpose of the second one, but for the first element."""
    n = x.shape[-1]
    mirrored = np.concatenate((0.0 * x[..., :1], x[..., :0:-1]), axis=-1)
    line = n * np.real(np.fft.ifft(np.exp(0.5j * np.pi * np.arange(n) / n) * (x - 1j * mirrored)))
    result = np.zeros_like(line)
    result[..., ::2] = line[..., : (n + 1) // 2]
    result[..., 1::2] = line[..., : (n + 1) // 2 - 1 : -1]
    return result


def _signs(n: int) -> Array:
    return 1.0 - 2.0 * (np.arange(n) % 2)


def _sine_1(x: Array) -> Array:
    """Of an odd sequence."""
    n, zero = x.shape[-1], 0.0 * x[..., :1]
    whole = np.fft.rfft(np.concatenate((zero, x, zero, -x[..., ::-1]), axis=-1))
    return -np.imag(whole)[..., 1 : n + 1]


def _sine_2(x: Array) -> Array:
    return _cosine_2(x * _signs(x.shape[-1]))[..., ::-1]


def _sine_3(x: Array) -> Array:
    return _cosine_3(x[..., ::-1]) * _signs(x.shape[-1])


KINDS = {"cosine": (_cosine_1, _cosine_2, _cosine_3), "sine": (_sine_1, _sine_2, _sine_3)}
INVERSE = (1, 3, 2)
"""The type of the inverse of each type."""


def _transformed(kinds: str, x: Array, kind: int, n: Any, axis: Any, norm: Any, is_inverse: bool) -> Array:
    if kind not in (1, 2, 3):
        raise ValueError("Cosine and sine transforms of this type are not supported")
    if norm == "ortho" and kind == 1:
        raise ValueError("Orthogonal transforms of type 1 are not supported")
    kind = INVERSE[kind - 1] if is_inverse else kind
    line = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    if n is not None and n > line.shape[-1]:
        line = np.concatenate((line, np.zeros((*line.shape[:-1], n - line.shape[-1]), line.dtype)), axis=-1)
    line = line if n is None else line[..., :n]
    size = line.shape[-1]
    whole = 2 * (size + (0 if kind > 1 else -1 if kinds == "cosine" else 1))
    if norm == "ortho":
        found = _orthogonal(kinds, line, kind)
    else:
        is_divided = (norm == "forward") != is_inverse
        found = KINDS[kinds][kind - 1](line) / whole if is_divided else KINDS[kinds][kind - 1](line)
    return np.moveaxis(found.astype(line.dtype), -1, axis)


def _orthogonal(kinds: str, x: Array, kind: int) -> Array:
    """One element, the first of cosines and the last of sines, has another weight."""
    n = x.shape[-1]
    weights = np.full(n, np.sqrt(0.5 / n))
    weights[0 if kinds == "cosine" else n - 1] = np.sqrt(0.25 / n)
    if kind == 2:
        return KINDS[kinds][1](x) * weights
    doubled = np.full(n, np.sqrt(0.5 / n))
    doubled[0 if kinds == "cosine" else n - 1] = np.sqrt(1.0 / n)
    return KINDS[kinds][2](x * doubled)


def _real(kinds: str, is_inverse: bool) -> Callable[..., Any]:
    def transform(
        x: Array,
        type: Any = 2,
        n: Any = None,
        axis: Any = -1,
        norm: Any = None,
    ) -> Array:
        return _transformed(kinds, x, type, n, axis, norm, is_inverse)

    return transform


def _real_over(kinds: str, is_inverse: bool) -> Callable[..., Any]:
    def transform(
        x: Array,
        type: Any = 2,
        axes: Any = None,
        norm: Any = None,
    ) -> Array:
        places = range(np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
        for axis in places:
            x = _transformed(kinds, x, type, None, axis, norm, is_inverse)
        return x

    return transform


_LINES = ("fft", "ifft", "rfft", "irfft")
_PLANES = ("fft2", "ifft2", "rfft2", "irfft2")
_SPACES = ("fftn", "ifftn", "rfftn", "irfftn")
COMPLEX = (*_LINES, *_PLANES, *_SPACES, "fftshift", "ifftshift")
"""Those of complex numbers."""
FFTPACK: dict[str, Callable[..., Any]] = {
    **{name: _old_line(getattr(np.fft, name)) for name in ("fft", "ifft")},
    **{name: _old_axes(getattr(np.fft, name), (-2, -1)) for name in ("fft2", "ifft2")},
    **{name: _old_axes(getattr(np.fft, name), None) for name in ("fftn", "ifftn")},
    "dct": _real("cosine", False),
    "dst": _real("sine", False),
}
SCIPY: dict[str, Callable[..., Any]] = {
    **{name: _of_line(getattr(np.fft, name)) for name in _LINES},
    **{name: _of_axes(getattr(np.fft, name), (-2, -1)) for name in _PLANES},
    **{name: _of_axes(getattr(np.fft, name), None) for name in _SPACES},
    **{f.__name__: f for f in (fftfreq, rfftfreq, fftshift, ifftshift)},
    "dct": _real("cosine", False),
    "idct": _real("cosine", True),
    "dst": _real("sine", False),
    "idst": _real("sine", True),
    "dctn": _real_over("cosine", False),
    "idctn": _real_over("cosine", True),
    "dstn": _real_over("sine", False),
    "idstn": _real_over("sine", True),
}
