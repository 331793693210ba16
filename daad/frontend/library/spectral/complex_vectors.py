"""Singular vectors of complex matrices: Python finds them, and `u^H @ da @ v` has their derivatives.

Reflections leave the first row alone that they meet first, so that LAPACK's right vectors (for more columns than rows,
the left ones) begin with real numbers; that they stay real says how the vectors turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, held
from daad.frontend.library.spectral.null_vectors import rest_of
from daad.frontend.library.spectral.turns import (
    STEEP,
    beside,
    moved,
    of_any_phase,
    phases,
    slopes_of,
    slopes_of_sums,
    turned,
)

Array = Any  # staged while the program is read


def complex_vectors(a: Array, is_full: bool, method: Callable[..., Any]) -> tuple[Array, Array, Array]:
    m, n = a.shape
    few, real, imag = min(m, n), held(a.real), held(a.imag)
    left = np.zeros((m, m if is_full else few), real.dtype)
    right = np.zeros((n if is_full else few, n), real.dtype)

    def found() -> Any:
        u, s, vh = method(real + 1j * imag, full_matrices=is_full)
        return s, u.real.copy(), u.imag.copy(), vh.real.copy(), vh.imag.copy()

    s, u_real, u_imag, v_real, v_imag = by_python(found, (np.zeros(few, real.dtype), left, left, right, right))
    u_full, v_full = u_real + 1j * u_imag, (v_real - 1j * v_imag).T
    u, v = u_full[:, :few], v_full[:, :few]
    inner = _adjoint(u) @ a @ v
    inverse = 1.0 / s
    slopes = slopes_of(s)
    values, both = moved(slopes, u, np.diagonal(inner).real, 0.5 * (inner + _adjoint(inner)))
    apart = turned(slopes_of_sums(s), 0.5 * (inner - _adjoint(inner)))
    u_change, v_change = u @ (both + apart), v @ (both - apart)
    u_change = u_change + (a @ v - u @ inner) * inverse
    v_change = v_change + (_adjoint(a) @ u - v @ _adjoint(inner)) * inverse
    between = np.diagonal(inner).imag * inverse
    if m >= n:
        phase, is_loose = phases(v_change[0], v[0].real)
        u_turn, v_turn = between - phase, -phase
    else:
        phase, is_loose = phases(u_change[0], u[0].real)
        u_turn, v_turn = -phase, -phase - between
    moved_by = u_change + 1j * u_turn * u, v_change + 1j * v_turn * v
    parts = [part for one in (*moved_by, u, v) for part in (one.real, one.imag)]
    u_re, u_im, v_re, v_im = of_any_phase(is_loose, *parts)
    u, v = _anchored(u_re + 1j * u_im, u), _anchored(v_re + 1j * v_im, v)
    if is_full:
        u, v = _with_rest(u, u_full, a), _with_rest(v, v_full, _adjoint(a))
    return u, anchored(beside(slopes, values, both.real), s), _adjoint(v)


def _with_rest(vectors: Array, full: Array, a: Array) -> Array:
    """All vectors, those of the null space as LAPACK's reflections make them."""
    few, size = vectors.shape[1], len(full)
    if few == size:
        return vectors
    found, rest = rest_of(a), full[:, few:]
    is_other = np.max(np.abs(rest - held(found.real) - 1j * held(found.imag))) > math.sqrt(np.finfo(a.dtype).eps)
    steep = np.where(is_other, STEEP[a.real.dtype.char], 0.0) * np.sum(a.real + a.imag)
    return np.concatenate((vectors, _anchored(found + steep, rest)), axis=1)


def _adjoint(a: Array) -> Array:
    return np.conj(a).T


def _anchored(formula: Array, value: Array) -> Array:
    return anchored(formula.real, value.real) + 1j * anchored(formula.imag, value.imag)
