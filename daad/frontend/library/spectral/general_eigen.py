"""Eigenvalues and eigenvectors of square matrices: Python finds them, and `inv(v) @ a @ v` has their derivatives.

Eigenvectors keep the length one, and a real largest element, as LAPACK gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, derivatives, held
from daad.frontend.library.linear import _square, solve
from daad.frontend.library.spectral.eigen import of_scipy

Array = Any  # staged while the program is read

TWICE = "Eigenvectors of matrices that are not symmetric have first derivatives only"


class EigResult(NamedTuple):
    """As NumPy's."""

    eigenvalues: Array
    eigenvectors: Array


def eig(a: Array) -> Any:
    """Real where the eigenvalues of a real matrix are."""
    w, v, is_real = _pair(_square(a), np.linalg.eig)
    return EigResult(w.real, v.real) if is_real else EigResult(w, v)


def eigvals(a: Array) -> Array:
    w, _, is_real = _pair(_square(a), np.linalg.eig)
    return w.real if is_real else w


def eig_of_scipy(a: Array, b: Any = None, left: bool = False, right: bool = True) -> Any:
    _require_plain(b)
    if left:
        raise ValueError(
            "'scipy.linalg.eig' of left eigenvectors is not supported: those of the transpose are right ones"
        )
    w, v, is_real = _pair(_square(a), of_scipy("eig"))
    if not right:
        return w
    return (w, v.real) if is_real else (w, v)


def eigvals_of_scipy(a: Array, b: Any = None) -> Array:
    _require_plain(b)
    return _pair(_square(a), of_scipy("eig"))[0]


def _require_plain(b: Any) -> None:
    if b is not None:
        raise ValueError("Eigenvalues with a second matrix 'b' are not supported: ask for those of 'solve(b, a)'")


def _pair(a: Array, method: Callable[[Array], Any]) -> tuple[Array, Array, Array]:
    """And whether those of a real matrix are real."""
    if derivatives() > 1:
        raise ValueError(TWICE)
    is_complex = np.iscomplexobj(a)
    real, imag = held(a.real), held(a.imag) if is_complex else 0.0

    def found() -> Any:
        w, v = method(real + 1j * imag if is_complex else real)
        return w.real.copy(), w.imag.copy(), v.real.copy(), v.imag.copy()

    w_real, w_imag, v_real, v_imag = by_python(found, (real[..., 0, :], real[..., 0, :], real, real))
    w, v = w_real + 1j * w_imag, v_real + 1j * v_imag
    inner = solve(v, a @ v)
    change = v @ (inner * _slopes(w))
    change = change - v * np.sum((np.conj(v) * change).real, axis=-2, keepdims=True)
    largest = np.argmax(np.abs(v), axis=-2)[..., np.newaxis, :]
    turned = np.take_along_axis(change, largest, -2) / np.take_along_axis(v, largest, -2)
    is_real = not is_complex and np.all(w_imag == 0.0)
    return _anchored(np.diagonal(inner, axis1=-2, axis2=-1), w), _anchored(change - 1j * turned.imag * v, v), is_real


def _slopes(w: Array) -> Array:
    """One over the differences of eigenvalues, zero on the diagonal; without bound where they are equal."""
    gaps = w[..., np.newaxis, :] - w[..., np.newaxis]
    close = np.eye(w.shape[-1], dtype=bool)
    return np.where(close, 0.0, 1.0 / np.where(close, 1.0, gaps))


def _anchored(formula: Array, value: Array) -> Array:
    return anchored(formula.real, value.real) + 1j * anchored(formula.imag, value.imag)


LINALG: dict[str, Callable[..., Any]] = {"eig": eig, "eigvals": eigvals}
SCIPY: dict[str, Callable[..., Any]] = {"eig": eig_of_scipy, "eigvals": eigvals_of_scipy}
