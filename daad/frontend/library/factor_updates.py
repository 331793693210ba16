"""SciPy's factorisations that LAPACK finds with choices of its own: Python computes them, the equations that they solve
say how they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, held, python_function

Array = Any  # staged while the program is read


def qr_multiply(a: Array, c: Array, mode: str = "right", pivoting: bool = False, conjugate: bool = False) -> Any:
    if mode not in ("left", "right"):
        raise ValueError("Mode argument should be one of ['left', 'right']")
    if pivoting:
        raise ValueError("'scipy.linalg.qr_multiply' with 'pivoting' is not supported")
    q, r = np.linalg.qr(np.asarray(a))
    q, c = np.conj(q) if conjugate else q, np.asarray(c)
    return q @ c if mode == "left" else c @ q, r


def ldl(A: Array, lower: bool = True, hermitian: bool = True) -> Any:
    """By the pivots that LAPACK takes: blocks of one or two rows."""
    a = np.asarray(A) * 1.0
    if np.iscomplexobj(a):
        kind = "Hermitian" if hermitian else "symmetric"
        raise ValueError(f"'scipy.linalg.ldl' of complex {kind} matrices is not supported")
    a = np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    known, n = held(a), len(a)
    like = np.zeros(a.shape, a.dtype), np.zeros(a.shape, a.dtype), np.zeros(n, np.int64)
    factor, d, order = by_python(lambda: python_function("scipy.linalg", "ldl")(known, lower), like)
    inverse = np.linalg.inv(factor)
    inner = inverse @ a @ inverse.T
    blocks = (d != 0.0) | np.eye(n, dtype=bool)
    places = np.arange(n)
    is_beyond = (places[:, np.newaxis] > places) if lower else (places[:, np.newaxis] < places)
    change = factor @ (np.where(is_beyond & ~blocks, inner, 0.0) @ np.linalg.inv(d))
    return anchored(change, factor), anchored(np.where(blocks, inner, 0.0), d), order


def matrix_balance(A: Array, permute: bool = True, scale: bool = True, separate: bool = False) -> Any:
    """The scales are powers of two, which have no derivative, as the order has none."""
    a = np.asarray(A) * 1.0
    if np.iscomplexobj(a):
        raise ValueError("'scipy.linalg.matrix_balance' of complex matrices is not supported")
    known, n = held(a), len(a)

    def found() -> Any:
        return python_function("scipy.linalg", "matrix_balance")(known, permute, scale, separate=True)[1]

    scaling, order = by_python(found, (np.zeros(n, a.dtype), np.zeros(n, np.int64)))
    b = a[order][:, order] * scaling / scaling[:, np.newaxis]
    if separate:
        return b, (scaling, order)
    places = np.arange(n)
    return b, np.where(places[:, np.newaxis] == order, scaling, 0.0)


SCIPY: dict[str, Callable[..., Any]] = {program.__name__: program for program in (qr_multiply, ldl, matrix_balance)}
