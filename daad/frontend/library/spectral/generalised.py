"""Eigenvalues of symmetric matrices and of pairs of them, with the options of `scipy.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, by_python, derivatives, held
from daad.frontend.library.linear import _square, cholesky_of_scipy, from_triangle, hermitian, solve_triangular
from daad.frontend.library.spectral.eigen import FEW, _of_each_pair, of_scipy
from daad.frontend.library.spectral.turns import beside, moved, slopes_of

Array = Any  # staged while the program is read

TWICE = "Eigenvectors of two large matrices have first derivatives only"


def eigh_of_scipy(
    a: Array,
    b: Array = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    subset_by_index: Any = None,
    driver: str | None = None,
) -> Any:
    if b is not None:
        if subset_by_index is not None:
            raise ValueError("'scipy.linalg.eigh' of two matrices with 'subset_by_index' is not supported")
        return _generalised(_square(a), _square(b), lower, eigvals_only, driver)

    def by_driver(a: Array) -> Any:
        w, v = of_scipy("eigh")(a, lower=lower, driver=None if subset_by_index is not None else driver)
        if subset_by_index is not None:
            some = of_scipy("eigh")(a, lower=lower, driver=driver, subset_by_index=subset_by_index)
            w[chosen], v[:, chosen] = some
        return w, v

    a = _square(a)
    first, last = (0, a.shape[-1] - 1) if subset_by_index is None else subset_by_index
    chosen = slice(int(first), int(last) + 1)
    is_own = eigvals_only or (driver in ("ev", "evd") and a.shape[-1] <= FEW)
    values, vectors = _of_each_pair(a, "L" if lower else "U", None if is_own else by_driver)
    if subset_by_index is not None:
        values, vectors = values[..., chosen], vectors[..., chosen]
    return values if eigvals_only else (values, vectors)


def _generalised(a: Array, b: Array, lower: bool, eigvals_only: bool, driver: str | None) -> Any:
    """`a @ v = b @ v * w`."""
    if np.iscomplexobj(a) != np.iscomplexobj(b):
        a, b = a + 0j, b + 0j
    is_complex = np.iscomplexobj(a)
    if is_complex and not eigvals_only:
        raise ValueError("Eigenvectors of two complex matrices are not supported")
    if not is_complex and (a.shape[-1] > FEW or driver == "gvx"):
        values, vectors = _pair_of_two(a, b, lower, driver)
    else:
        values, vectors = _whitened(a, b, lower)
    return values if eigvals_only else (values, vectors)


def _whitened(a: Array, b: Array, lower: bool) -> tuple[Array, Array]:
    """By the factor of Cholesky of `b`, as LAPACK does it."""
    factor = cholesky_of_scipy(hermitian(b, lower), lower=True)
    half = solve_triangular(factor, hermitian(a, lower), lower=True)
    whitened = np.conj(solve_triangular(factor, np.conj(half.T), lower=True).T)
    values, vectors = _of_each_pair(whitened, "L" if lower else "U")
    return values, solve_triangular(factor, vectors, trans="C", lower=True)


def _pair_of_two(a: Array, b: Array, lower: bool, driver: str | None) -> tuple[Array, Array]:
    """As Python finds them. With `v.T @ b @ v` the identity, `dw` is the diagonal of `v.T @ (da - db * w) @ v`; `dv` is
    `v` times the rest of it over the differences of eigenvalues, less half the change of the lengths."""
    if derivatives() > 1:
        raise ValueError(TWICE)
    a, b = from_triangle(a, lower), from_triangle(b, lower)
    one, other = held(a), held(b)
    w, v = by_python(lambda: of_scipy("eigh")(one, other, lower=lower, driver=driver), (one[0], one))
    lengths = v.T @ b @ v
    inner = v.T @ a @ v - lengths * w
    slopes = slopes_of(w)
    values, turn = moved(slopes, v, np.diagonal(inner), inner)
    change = v @ (turn - 0.5 * np.diag(np.diagonal(lengths)))
    return anchored(beside(slopes, values, turn), w), anchored(change, v)


def eigvalsh_of_scipy(
    a: Array, b: Array = None, *, lower: bool = True, subset_by_index: Any = None, driver: str | None = None
) -> Any:
    return eigh_of_scipy(a, b, lower=lower, eigvals_only=True, subset_by_index=subset_by_index, driver=driver)


SCIPY: dict[str, Callable[..., Any]] = {"eigh": eigh_of_scipy, "eigvalsh": eigvalsh_of_scipy}
