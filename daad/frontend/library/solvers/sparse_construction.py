"""How matrices of `scipy.sparse` are made."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import of_one_memory
from daad.frontend.library.solvers.sparse_matrices import Sparse, as_sparse

Array = Any  # staged while the program is read


def _whatever(*_: Any) -> None:
    """Takes note of how SciPy is to hold a matrix, on which nothing depends here."""


def _compressed(form: str, product: bool) -> Callable[..., Sparse]:
    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Sparse:
        if isinstance(arg1, tuple) and len(arg1) == 3:
            data, (indices, starts) = _taken(arg1[0], dtype, copy), (np.asarray(part) for part in arg1[1:])
            outer = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            rows, cols = (outer, indices) if form == "csr" else (indices, outer)
            if shape is None:
                raise ValueError("A matrix of compressed rows or columns without its shape is not supported")
            return Sparse(shape, rows, cols, data, None, product, form)
        return _of_any(arg1, shape, dtype, product, form, copy)

    return make


def _of_diagonals(product: bool) -> Callable[..., Sparse]:
    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Sparse:
        if isinstance(arg1, tuple) and shape is not None:
            data, offsets = np.atleast_2d(_taken(arg1[0], dtype, copy)), [int(k) for k in np.atleast_1d(arg1[1])]
            return _from_rows(data, offsets, shape, product)
        return _of_any(arg1, shape, dtype, product, "dia", copy)

    return make


def _of_blocks(product: bool) -> Callable[..., Sparse]:
    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None) -> Sparse:
        _whatever(blocksize)
        if not isinstance(arg1, tuple) or len(arg1) != 3:
            return _of_any(arg1, shape, dtype, product, "bsr", copy)
        data, (indices, starts) = _taken(arg1[0], dtype, copy), (np.asarray(part) for part in arg1[1:])
        high, wide = data.shape[1:]
        outer = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        rows = (outer * high)[:, np.newaxis, np.newaxis] + np.arange(high)[:, np.newaxis] + np.zeros(wide, int)
        cols = (indices * wide)[:, np.newaxis, np.newaxis] + np.zeros((high, 1), int) + np.arange(wide)
        if shape is None:
            raise ValueError("A matrix of blocks without its shape is not supported")
        return Sparse(shape, rows.ravel(), cols.ravel(), data.ravel(), None, product, "bsr")

    return make


def _coordinate(product: bool) -> Callable[..., Sparse]:
    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Sparse:
        return _of_any(arg1, shape, dtype, product, "coo", copy)

    return make


def _changing(form: str, product: bool) -> Callable[..., Sparse]:
    """Matrices that are made to be filled: they are held as a whole."""

    def make(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Sparse:
        found = _of_any(arg1, shape, dtype, product, form, copy)
        whole = found.of(found.toarray(), form)
        whole.mixed = found.mixed
        return whole

    return make


def _taken(data: Any, dtype: Any, copy: bool) -> Array:
    """The array itself, unless a copy or another type is asked for: who writes it writes the matrix."""
    found = np.asarray(data, dtype=dtype)
    return found.copy() if copy else found


def _of_any(arg1: Any, shape: Any, dtype: Any, product: bool, form: str, copy: bool) -> Sparse:
    if isinstance(arg1, Sparse):
        found = arg1.copy() if dtype is None else arg1.astype(dtype)
        made = Sparse(found.shape, found.rows, found.cols, found.entries, found.whole, product, form)
        if not copy and arg1.form in (None, form):
            made.shares_with(arg1)
        return made
    if isinstance(arg1, tuple) and len(arg1) == 2 and isinstance(arg1[1], tuple | list):
        data, (rows, cols) = arg1
        rows, cols = _integers(rows), _integers(cols)
        if shape is None:
            shape = (int(np.max(rows)) + 1, int(np.max(cols)) + 1)
        found = _taken(data, dtype, copy or form != "coo").ravel()
        return Sparse(shape, rows.ravel(), cols.ravel(), found, None, product, form)
    if isinstance(arg1, tuple) and len(arg1) == 2:
        empty = np.zeros(0, int)
        return Sparse(arg1, empty, empty, np.zeros(0, float if dtype is None else dtype), None, product, form)
    whole = np.atleast_2d(_taken(arg1, dtype, True))
    return Sparse(whole.shape, None, None, None, whole, product, form)


def _integers(places: Any) -> Array:
    """Rows or columns; SciPy cuts the fractions of numbers that are no integers."""
    found = np.asarray(places)
    return found.astype(int) if found.dtype.kind == "f" else found


def of_each(function: Any, matrix: Sparse) -> Sparse:
    """What a function of numbers gives of each element, and 0 of 0."""
    return matrix.of(function(matrix.toarray()))


ELEMENTWISE = frozenset((np.sqrt, np.sin, np.tan, np.arcsin, np.arctan, np.sinh, np.tanh, np.arcsinh, np.arctanh))
ELEMENTWISE |= {np.expm1, np.log1p, np.sign, np.floor, np.ceil, np.rint, np.trunc, np.deg2rad, np.rad2deg}
"""What SciPy has as methods of its matrices, by which NumPy finds them."""
BY_METHOD: dict[Any, Any] = {np.conjugate: Sparse.conj, np.absolute: Sparse.__abs__}


SAME_NAMED: tuple[tuple[Any, Any], ...] = (
    (np.transpose, Sparse.transpose),
    (np.sum, Sparse.sum),
    (np.mean, Sparse.mean),
)
"""Functions that ask a matrix for a method of their name and pass on what they are given; in the order of SciPy's."""


def by_method(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """The program for NumPy's function of matrices; None where NumPy finds none, or the first argument is not one."""
    if not args or not isinstance(args[0], Sparse):
        return None
    if function is np.dot and len(args) == 2 and isinstance(args[1], Sparse) and not keywords:
        return Sparse.__mul__
    for name, program in SAME_NAMED:
        if function is name:
            return program
    if not isinstance(function, np.ufunc) or keywords or len(args) != 1:
        return None
    return functools.partial(of_each, function) if function in ELEMENTWISE else BY_METHOD.get(function)


def _formed(found: Sparse, format: Any, dtype: Any = None, plain: str = "other") -> Sparse:
    """A new matrix in the form and of the type that are asked for; `plain` if no form is."""
    found = found if dtype is None else found.astype(dtype)
    found = found.tolil() if format in ("lil", "dok") else found
    found.form = plain if format is None else format
    return found


def _diagonals(offsets: Any, diagonals: Any, shape: Any, product: bool, first: Callable[[int], int]) -> Sparse:
    """Diagonals that begin with the element `first` says, as far as there are elements."""
    rows, cols, data = [], [], []
    for k, diagonal in zip(offsets, diagonals, strict=True):
        start = first(k)
        part = diagonal[start : start + _length(shape, k)]
        own = np.arange(len(part))
        rows.append(own - min(k, 0))
        cols.append(own + max(k, 0))
        data.append(part)
    return Sparse(shape, np.concatenate(rows), np.concatenate(cols), np.concatenate(data), None, product, "dia")


def _from_rows(data: Array, offsets: Any, shape: Any, product: bool) -> Sparse:
    """Diagonals with element `j` in column `j`: SciPy keeps the array of them."""
    found = _diagonals(offsets, [data[k] for k in range(len(offsets))], shape, product, lambda k: max(k, 0))
    found.entries = of_one_memory(found.entries, data)
    return found


def _length(shape: Any, k: int) -> int:
    """Of a diagonal."""
    return max(min(shape[0] + min(k, 0), shape[1] - max(k, 0)), 0)


def _diags(product: bool) -> Callable[..., Sparse]:
    def make(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Sparse:
        if np.ndim(offsets) == 0:
            is_one = len(diagonals) == 0 or np.ndim(diagonals[0]) == 0
            diagonals, offsets = [diagonals if is_one else diagonals[0]], [offsets]
        if shape is None:
            size = len(diagonals[0]) + abs(int(offsets[0]))
            shape = (size, size)
        floats = []
        for diagonal, k in zip(diagonals, offsets, strict=True):
            count, one = _length(shape, int(k)), np.atleast_1d(np.asarray(diagonal) * 1.0)
            if len(one) not in (1, count):
                raise ValueError(f"Diagonal length (at offset {k}) does not agree with array size")
            floats.append(np.broadcast_to(one, (count,)))
        found = _diagonals([int(k) for k in offsets], floats, shape, product, lambda k: 0)
        return _formed(found, format, dtype, "dia")

    return make


def spdiags(data: Array, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Sparse:
    """Element `j` of a diagonal lies in column `j`."""
    data = np.atleast_2d(np.asarray(data))
    offsets = [int(k) for k in np.atleast_1d(diags)]
    shape = (data.shape[1], data.shape[1]) if m is None else m if n is None else (m, n)
    return _formed(_from_rows(data, offsets, shape, True), format, None, "dia")


def kron(A: Any, B: Any, format: Any = None) -> Sparse:
    a, b = as_sparse(A), as_sparse(B)
    (rows, cols, data), (inner_rows, inner_cols, inner) = a.coordinates(), b.coordinates()
    shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
    rows = (rows[:, np.newaxis] * b.shape[0] + inner_rows).ravel()
    cols = (cols[:, np.newaxis] * b.shape[1] + inner_cols).ravel()
    return _formed(Sparse(shape, rows, cols, (data[:, np.newaxis] * inner).ravel(), None, a.product), format)


def _identity(n: int, product: bool) -> Sparse:
    return Sparse((n, n), np.arange(n), np.arange(n), np.ones(n), None, product)


def kronsum(A: Any, B: Any, format: Any = None) -> Sparse:
    a, b = as_sparse(A), as_sparse(B)
    return _formed(kron(_identity(b.shape[0], a.product), a) + kron(b, _identity(a.shape[0], a.product)), format)


def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Sparse:
    grid: list[list[Any]] = [[None if one is None else as_sparse(one) for one in row] for row in blocks]
    heights = [next(one.shape[0] for one in row if one is not None) for row in grid]
    widths = [next(row[j].shape[1] for row in grid if row[j] is not None) for j in range(len(grid[0]))]
    rows, cols, data = [], [], []
    product = True
    for i, row in enumerate(grid):
        for j, one in enumerate(row):
            if one is not None:
                own = one.coordinates()
                rows.append(own[0] + sum(heights[:i]))
                cols.append(own[1] + sum(widths[:j]))
                data.append(own[2])
                product = product and one.product
    shape = (sum(heights), sum(widths))
    found = Sparse(shape, np.concatenate(rows), np.concatenate(cols), np.concatenate(data), None, product)
    return _formed(found, format, dtype, _stacked(grid))


def _stacked(grid: list[list[Any]]) -> Any:
    """The form of blocks together: of rows on rows, and of columns beside columns, their own."""
    forms = {one.form for row in grid for one in row if one is not None}
    if (len(grid[0]) == 1 and forms == {"csr"}) or (len(grid) == 1 and forms == {"csc"}):
        return grid[0][0].form
    return None if None in forms else "coo"


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Sparse:
    return bmat([list(blocks)], format, dtype)


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Sparse:
    return bmat([[one] for one in blocks], format, dtype)


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Sparse:
    many = [one if isinstance(one, Sparse) else np.atleast_2d(one) for one in mats]
    found = bmat([[one if j == i else None for j in range(len(many))] for i, one in enumerate(many)], None, dtype)
    return _formed(found, format, None, "coo")


def tril(A: Any, k: int = 0, format: Any = None) -> Sparse:
    a = as_sparse(A)
    return _formed(a.of(np.tril(a.toarray(), k)), format, None, "coo")


def triu(A: Any, k: int = 0, format: Any = None) -> Sparse:
    a = as_sparse(A)
    return _formed(a.of(np.triu(a.toarray(), k)), format, None, "coo")


CONSTRUCTION: dict[str, Callable[..., Any]] = {
    **{f"csr_{kind}": _compressed("csr", kind == "matrix") for kind in ("matrix", "array")},
    **{f"csc_{kind}": _compressed("csc", kind == "matrix") for kind in ("matrix", "array")},
    **{f"coo_{kind}": _coordinate(kind == "matrix") for kind in ("matrix", "array")},
    **{f"{name}_{kind}": _changing(name, kind == "matrix") for name in ("lil", "dok") for kind in ("matrix", "array")},
    **{f"dia_{kind}": _of_diagonals(kind == "matrix") for kind in ("matrix", "array")},
    **{f"bsr_{kind}": _of_blocks(kind == "matrix") for kind in ("matrix", "array")},
    "diags": _diags(True),
    "diags_array": _diags(False),
    "spdiags": spdiags,
    "kron": kron,
    "kronsum": kronsum,
    "bmat": bmat,
    "block_array": bmat,
    "hstack": hstack,
    "vstack": vstack,
    "block_diag": block_diag,
    "tril": tril,
    "triu": triu,
}
