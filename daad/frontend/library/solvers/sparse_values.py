"""Some eigenvalues and singular values of sparse matrices: SciPy searches for them, their vectors have the derivative.

A derivative of vectors takes all others, too, of a dense matrix; only symmetric ones have it here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.library.anchored import fixed, python_function
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.solvers.sparse_matrices import as_sparse
from daad.frontend.library.solvers.sparse_originals import scipys

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]
_of_scipy = partial(python_function, "scipy.sparse.linalg")
DENSE = 1500
"""Rows of the largest matrix of which all eigenvectors are looked for."""
STEPS = 4
"""Of inverse iteration for a left eigenvector."""


def _pattern(A: Any) -> tuple[Any, Array, Array, Array]:
    a = as_sparse(A)
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    rows, cols, data = a.coordinates()
    if np.iscomplexobj(data):
        raise ValueError("Eigenvalues of sparse matrices of complex numbers are not supported: take a dense one")
    return a.shape, rows, cols, data * 1.0


def _plainly(name: str, M: Any, ways: dict[str, Any]) -> dict[str, Any]:
    """How SciPy is asked for values of a matrix alone."""
    if M is not None or ways.get("Minv") is not None or ways.get("OPinv") is not None:
        raise ValueError(f"'{name}' with 'M', 'Minv' or 'OPinv' is not supported")
    return ways


def _symmetric(ways: Any, shape: Any, rows: Array, cols: Array, data: Array) -> Array:
    """The values above their vectors."""
    w, v = _of_scipy("eigsh")(scipys(shape, rows, cols, data), **ways)
    return np.concatenate((w[np.newaxis], v))


def _symmetric_bars(args: Any, found: Array, bar: Array) -> Bars:
    _, shape, rows, cols, data = args
    i, j = rows.astype(int), cols.astype(int)
    w, v, w_bar, v_bar = found[0], found[1:], bar[0], bar[1:]
    shares = np.sum(v[i] * v[j] * w_bar, axis=1)
    if np.any(v_bar):
        if shape[0] > DENSE:
            raise Unsupported(
                f"Eigenvectors of matrices of more than {DENSE} rows have no derivative.", hint="Take eigenvalues."
            )
        values, vectors = np.linalg.eigh(scipys(shape, rows, cols, data).toarray())
        inner, gaps = vectors.T @ v_bar, w - values[:, np.newaxis]
        own = np.abs(vectors.T @ v) > 0.5
        turned = vectors @ np.where(own, 0.0, inner / np.where(own, 1.0, gaps))
        shares = shares + 0.5 * np.sum(turned[i] * v[j] + v[i] * turned[j], axis=1)
    return None, None, None, None, shares


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: Any = None,
    which: str = "LM",
    return_eigenvectors: bool = True,
    **rest: Any,
) -> Any:
    ways = _plainly("eigsh", M, {"k": k, "sigma": sigma, "which": which, **rest})
    shape, rows, cols, data = _pattern(A)
    found = opaque(_symmetric, _symmetric_bars, np.zeros((shape[0] + 1, k)), ways, shape, rows, cols, data)
    return (found[0], found[1:]) if return_eigenvectors else found[0]


def _general(ways: Any, shape: Any, rows: Array, cols: Array, data: Array) -> Array:
    """Real and imaginary parts of the values, above those of their vectors."""
    w, v = _of_scipy("eigs")(scipys(shape, rows, cols, data), **ways)
    both = np.concatenate((w[np.newaxis], v))
    return np.stack((both.real, both.imag))


def _general_bars(args: Any, found: Array, bar: Array) -> Bars:
    """By left eigenvectors, which inverse iteration finds."""
    _, shape, rows, cols, data = args
    i, j = rows.astype(int), cols.astype(int)
    w, v = found[0, 0] + 1j * found[1, 0], found[0, 1:] + 1j * found[1, 1:]
    matrix = scipys(shape, rows, cols, data).astype(complex)
    shares = np.zeros(len(data))
    for k in range(len(w)):
        left = _left(matrix, w[k])
        slope = np.conj(left[i]) * v[j, k] / (np.conj(left) @ v[:, k])
        shares += bar[0, 0, k] * slope.real + bar[1, 0, k] * slope.imag
    return None, None, None, None, shares


def _left(matrix: Any, w: Any) -> Array:
    n = matrix.shape[0]
    near = w + 1e-10 * (abs(w) + 1e-3)
    shifted = matrix.conj().T - np.conj(near) * python_function("scipy.sparse", "identity")(n)
    factors = _of_scipy("splu")(shifted.tocsc())
    left = np.cos(np.arange(n)) + 1j * np.sin(1.0 + np.arange(n))
    for _ in range(STEPS):
        left = factors.solve(left)
        left = left / np.linalg.norm(left)
    return left


def eigs(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: Any = None,
    which: str = "LM",
    return_eigenvectors: bool = True,
    **rest: Any,
) -> Any:
    """Vectors have no derivative."""
    ways = _plainly("eigs", M, {"k": k, "sigma": sigma, "which": which, **rest})
    shape, rows, cols, data = _pattern(A)
    found = opaque(_general, _general_bars, np.zeros((2, shape[0] + 1, k)), ways, shape, rows, cols, data)
    w = found[0, 0] + 1j * found[1, 0]
    if not return_eigenvectors:
        return w
    vectors = fixed(found[:, 1:])
    return w, vectors[0] + 1j * vectors[1]


def _singular(ways: Any, shape: Any, rows: Array, cols: Array, data: Array) -> Array:
    """Left vectors above the values above right vectors."""
    u, s, vt = _of_scipy("svds")(scipys(shape, rows, cols, data), **ways)
    return np.concatenate((u, s[np.newaxis], vt.T))


def _singular_bars(args: Any, found: Array, bar: Array) -> Bars:
    _, shape, rows, cols, _ = args
    u, v = found[: shape[0]], found[shape[0] + 1 :]
    return None, None, None, None, np.sum(u[rows.astype(int)] * v[cols.astype(int)] * bar[shape[0]], axis=1)


def svds(A: Any, k: int = 6, return_singular_vectors: Any = True, **rest: Any) -> Any:
    """Vectors have no derivative."""
    a = as_sparse(A)
    rows, cols, data = a.coordinates()
    if np.iscomplexobj(data):
        raise ValueError("Singular values of sparse matrices of complex numbers are not supported: take a dense one")
    if return_singular_vectors not in (True, False):
        raise ValueError("'svds' is supported with both vectors, or without")
    m, n = a.shape
    found = opaque(
        _singular, _singular_bars, np.zeros((m + n + 1, k)), {"k": k, **rest}, a.shape, rows, cols, data * 1.0
    )
    if not return_singular_vectors:
        return found[m]
    return fixed(found[:m]), found[m], fixed(found[m + 1 :]).T


VALUES: dict[str, Callable[..., Any]] = {"eigsh": eigsh, "eigs": eigs, "svds": svds}
