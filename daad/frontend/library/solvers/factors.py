"""Orthogonal factors of `scipy.linalg`: `rq` by the other order of rows and columns, Schur's form by SciPy.

LAPACK's own routines of triangular factors, by the names of those of floats in double precision: their last result
tells at which element of the diagonal, counted from 1, a routine has failed, or 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.linear import cho_solve, cholesky_of_scipy, solve_triangular
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.solvers.structured import lu_factor, lu_solve
from daad.frontend.library.spectral.eigen import of_scipy

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]
CHANGES = "a routine of LAPACK that may change its arguments is not supported"


def rq(a: Array, mode: str = "full") -> Any:
    """What `qr` makes of the adjoint matrix from the last row and column on."""
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    a = np.asarray(a) * 1.0
    turned = np.conj(a[::-1, ::-1].T)
    if mode == "r":
        return np.conj(python_function("scipy.linalg", "qr")(turned, mode="r")[0][::-1, ::-1].T)
    q, r = python_function("scipy.linalg", "qr")(turned, mode=mode)
    return np.conj(r[::-1, ::-1].T), np.conj(q[::-1, ::-1].T)


def _form(a: Array) -> Array:
    """Schur's form above its vectors."""
    return np.stack(of_scipy("schur")(a))


def _form_bars(args: Any, found: Array, bar: Array) -> Bars:
    """Of `t = q.T @ a @ q`: what `q.T @ dq` is below the diagonal follows from the zeros of `dt` there, and from equal
    numbers on the diagonal of a block of two."""
    t, q = found
    n = len(t)
    below = [(i, j) for j in range(n) for i in range(n - 1, j, -1)]
    is_block = {(i, j) for i, j in below if i == j + 1 and t[i, j] != 0.0}
    system, right = np.zeros((len(below), len(below))), np.zeros((len(below), n, n))
    for column, (i, j) in enumerate(below):
        x = np.zeros((n, n))
        x[i, j], x[j, i] = 1.0, -1.0
        change = t @ x - x @ t
        system[:, column] = [_condition(change, place, is_block) for place in below]
    for row, place in enumerate(below):
        _condition_bars(right[row], place, is_block)
    t_bar, q_bar = bar[0].copy(), bar[1]
    for place in below:
        t_bar[place] = t_bar[place] if place in is_block else 0.0
    x_bar = t.T @ t_bar - t_bar @ t.T + q.T @ q_bar
    forces = (
        np.linalg.solve(system.T, np.array([x_bar[i, j] - x_bar[j, i] for i, j in below])) if below else np.zeros(0)
    )
    inner = t_bar - np.tensordot(forces, right, 1)
    return (q @ inner @ q.T,)


def _condition(change: Array, place: tuple[int, int], is_block: Any) -> float:
    i, j = place
    return float(change[i, i] - change[j, j] if place in is_block else change[i, j])


def _condition_bars(found: Array, place: tuple[int, int], is_block: Any) -> None:
    i, j = place
    if place in is_block:
        found[i, i], found[j, j] = 1.0, -1.0
    else:
        found[i, j] = 1.0


def schur(a: Array, output: str = "real", sort: Any = None) -> Any:
    """Of a real matrix: the signs of vectors are LAPACK's, and constant."""
    a = np.asarray(a) * 1.0
    if np.iscomplexobj(a) or output not in ("real", "r"):
        raise ValueError(
            "The phases of complex vectors are LAPACK's, and not known here: take eigenvalues, or the real form"
        )
    if sort is not None:
        raise ValueError("'schur' with 'sort' is not supported")
    found = opaque(_form, _form_bars, np.zeros((2, *a.shape)), a)
    return found[0], found[1]


def dpotrf(a: Array, lower: int = 0, clean: int = 1, overwrite_a: int = 0) -> tuple[Array, int]:
    """Where it fails, nothing is said of the factor, and nothing of it goes back to the matrix."""
    _keep(overwrite_a)
    a = _double(a)
    failed = _first(~(np.diagonal(cholesky_of_scipy(a, bool(lower))) > 0))
    factor = cholesky_of_scipy(np.where(failed == 0, a, np.eye(a.shape[0])), bool(lower))
    whole = factor if clean else factor + (np.triu(a, 1) if lower else np.tril(a, -1))
    return np.where(failed == 0, whole, np.nan), failed


def dpotrs(c: Array, b: Array, lower: int = 0, overwrite_b: int = 0) -> tuple[Array, int]:
    _keep(overwrite_b)
    return cho_solve((_double(c), bool(lower)), _double(b)), 0


def dpotri(c: Array, lower: int = 0, overwrite_c: int = 0) -> tuple[Array, int]:
    """One triangle of the inverse; the other one stays as it is."""
    _keep(overwrite_c)
    c = _double(c)
    inverse, own = cho_solve((c, bool(lower)), np.eye(c.shape[0])), np.tri(c.shape[0], dtype=bool)
    return np.where(own if lower else own.T, inverse, c), _first(np.diagonal(c) == 0)


def dtrtrs(
    a: Array, b: Array, lower: int = 0, trans: int = 0, unitdiag: int = 0, lda: int | None = None, overwrite_b: int = 0
) -> tuple[Array, int]:
    if lda is not None:
        raise ValueError("'lda' of 'dtrtrs' is not supported")
    _keep(overwrite_b)
    failed = 0 if unitdiag else _first(np.diagonal(a) == 0)
    return solve_triangular(_double(a), _double(b), trans, bool(lower), bool(unitdiag)), failed


def dgetrf(a: Array, overwrite_a: int = 0) -> tuple[Array, Array, int]:
    _keep(overwrite_a)
    factors, places = lu_factor(_double(a))
    return factors, places, _first(np.diagonal(factors) == 0)


def dgetrs(lu: Array, piv: Array, b: Array, trans: int = 0, overwrite_b: int = 0) -> tuple[Array, int]:
    _keep(overwrite_b)
    return lu_solve((_double(lu), piv), _double(b), trans), 0


def dgesv(a: Array, b: Array, overwrite_a: int = 0, overwrite_b: int = 0) -> tuple[Array, Array, Array, int]:
    _keep(overwrite_a or overwrite_b)
    factors, places, failed = dgetrf(a)
    return factors, places, lu_solve((factors, places), _double(b)), failed


def _first(fails: Array) -> Any:
    return np.where(np.any(fails), np.argmax(fails) + 1, 0)


def _double(a: Array) -> Array:
    return np.asarray(a) * np.float64(1.0)


def _keep(overwrite: int) -> None:
    if overwrite:
        raise ValueError(CHANGES)


FACTORS: dict[str, Callable[..., Any]] = {"rq": rq, "schur": schur}
LAPACK: dict[str, Callable[..., Any]] = {f.__name__: f for f in (dpotrf, dpotrs, dpotri, dtrtrs, dgetrf, dgetrs, dgesv)}
