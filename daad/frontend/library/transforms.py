"""`scipy.fft`: Fourier transforms by NumPy's, cosine and sine transforms by Fourier transforms of as many numbers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
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


def _quarter_turned(x: Array) -> Array:
    """The sums of both transforms of type 4, whose angles lie between those of the first ones."""
    n = x.shape[-1]
    turned = np.fft.fft(x * np.exp(-0.5j * np.pi * np.arange(n) / n), 2 * n)[..., :n]
    return 2.0 * turned * np.exp(-0.25j * np.pi * (2 * np.arange(n) + 1) / n)


def _cosine_4(x: Array) -> Array:
    return np.real(_quarter_turned(x))


def _sine_4(x: Array) -> Array:
    return -np.imag(_quarter_turned(x))


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


KINDS = {
    "cosine": (_cosine_1, _cosine_2, _cosine_3, _cosine_4),
    "sine": (_sine_1, _sine_2, _sine_3, _sine_4),
}
INVERSE = (1, 3, 2, 4)
"""The type of the inverse of each type."""


def _transformed(
    kinds: str, x: Array, kind: int, n: Any, axis: Any, norm: Any, orthogonalize: Any, is_inverse: bool
) -> Array:
    kind = INVERSE[kind - 1] if is_inverse else kind
    line = np.moveaxis(np.asarray(x) * 1.0, axis, -1)
    if n is not None and n > line.shape[-1]:
        line = np.concatenate((line, np.zeros((*line.shape[:-1], n - line.shape[-1]), line.dtype)), axis=-1)
    line = line if n is None else line[..., :n]
    is_orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    whole = 2 * (line.shape[-1] + (0 if kind > 1 else -1 if kinds == "cosine" else 1))
    found = line * _edges(kinds, kind, line.shape[-1], 2.0) if is_orthogonal and kind in (1, 3) else line
    found = KINDS[kinds][kind - 1](found)
    found = found * _edges(kinds, kind, line.shape[-1], 0.5) if is_orthogonal and kind in (1, 2) else found
    if norm == "ortho":
        found = found * np.sqrt(1.0 / whole)
    elif (norm == "forward") != is_inverse:
        found = found / whole
    return np.moveaxis(found.astype(line.dtype), -1, axis)


def _edges(kinds: str, kind: int, size: int, square: float) -> Array:
    """The weights of an orthogonal transform: those of the first of cosines and of the last of sines differ."""
    weights = np.ones(size)
    if kinds == "cosine":
        weights[0] = np.sqrt(square)
    elif kind > 1:
        weights[-1] = np.sqrt(square)
    if kinds == "cosine" and kind == 1:
        weights[-1] = np.sqrt(square)
    return weights


def _real(kinds: str, is_inverse: bool) -> Callable[..., Any]:
    def transform(
        x: Array,
        type: Any = 2,
        n: Any = None,
        axis: Any = -1,
        norm: Any = None,
        *,
        orthogonalize: Any = None,
    ) -> Array:
        return _transformed(kinds, x, type, n, axis, norm, orthogonalize, is_inverse)

    return transform


def _old_real(kinds: str, is_inverse: bool) -> Callable[..., Any]:
    """Inverses are not divided by the length."""

    def transform(x: Array, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
        kind = INVERSE[type - 1] if is_inverse else type
        return _transformed(kinds, x, kind, n, axis, norm, None, False)

    return transform


def _real_over(kinds: str, is_inverse: bool) -> Callable[..., Any]:
    def transform(
        x: Array,
        type: Any = 2,
        s: Any = None,
        axes: Any = None,
        norm: Any = None,
        *,
        orthogonalize: Any = None,
    ) -> Array:
        sizes = s if s is None or isinstance(s, tuple | list) else [s]
        first = 0 if sizes is None else np.ndim(x) - len(sizes)
        places = range(first, np.ndim(x)) if axes is None else [axes] if isinstance(axes, int) else axes
        for k, axis in enumerate(places):
            size = None if sizes is None or sizes[k] == -1 else sizes[k]
            x = _transformed(kinds, x, type, size, axis, norm, orthogonalize, is_inverse)
        return x

    return transform


SWAPPED: dict[Any, Any] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfftn(x: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    return np.fft.irfftn(np.conj(x), s, axes, SWAPPED[norm])


def ihfftn(x: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    return np.conj(np.fft.rfftn(x, s, axes, SWAPPED[norm]))


def hfft2(x: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    return hfftn(x, s, axes, norm)


def ihfft2(x: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    return ihfftn(x, s, axes, norm)


def fht(a: Array, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Array:
    return import_module("scipy.fft._fftlog_backend").fht(a, dln, mu, offset, bias)


def ifht(A: Array, dln: Any, mu: Any, offset: Any = 0.0, bias: Any = 0.0) -> Array:
    return import_module("scipy.fft._fftlog_backend").ifht(A, dln, mu, offset, bias)


_LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_PLANES = ("fft2", "ifft2", "rfft2", "irfft2")
_SPACES = ("fftn", "ifftn", "rfftn", "irfftn")
COMPLEX = (*_LINES, *_PLANES, *_SPACES, "fftshift", "ifftshift", "hfft2", "hfftn")
"""Those of complex numbers."""
FFTPACK: dict[str, Callable[..., Any]] = {
    **{name: _old_line(getattr(np.fft, name)) for name in ("fft", "ifft")},
    **{name: _old_axes(getattr(np.fft, name), (-2, -1)) for name in ("fft2", "ifft2")},
    **{name: _old_axes(getattr(np.fft, name), None) for name in ("fftn", "ifftn")},
    "dct": _old_real("cosine", False),
    "dst": _old_real("sine", False),
    "idct": _old_real("cosine", True),
    "idst": _old_real("sine", True),
}
SCIPY: dict[str, Callable[..., Any]] = {
    **{name: _of_line(getattr(np.fft, name)) for name in _LINES},
    **{name: _of_axes(getattr(np.fft, name), (-2, -1)) for name in _PLANES},
    **{name: _of_axes(getattr(np.fft, name), None) for name in _SPACES},
    **{f.__name__: f for f in (fftfreq, rfftfreq, fftshift, ifftshift, hfft2, ihfft2, hfftn, ihfftn, fht, ifht)},
    "dct": _real("cosine", False),
    "idct": _real("cosine", True),
    "dst": _real("sine", False),
    "idst": _real("sine", True),
    "dctn": _real_over("cosine", False),
    "idctn": _real_over("cosine", True),
    "dstn": _real_over("sine", False),
    "idstn": _real_over("sine", True),
}
