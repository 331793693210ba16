"""Orthogonal factors of `scipy.linalg`: `rq` by the other order of rows and columns, Schur's form by SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.spectral.eigen import of_scipy

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]


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


FACTORS: dict[str, Callable[..., Any]] = {"rq": rq, "schur": schur}
