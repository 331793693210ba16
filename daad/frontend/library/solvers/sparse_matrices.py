"""Matrices of `scipy.sparse`: the places of their elements, and the elements, which may be data.

A place may occur several times: its elements are added. What has to be looked at place by place is held as a whole.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from daad.runtime.package_versions import is_at_least

Array = Any  # staged while the program is read
SMALL = 6
"""Systems with so many unknowns, or fewer, are solved by elimination that is read, with derivatives of all orders."""
TYPED_FIRST = is_at_least("scipy", 1, 18)
"""Whether elements are converted before they are summed in a type, or (to SciPy 1.17) their sum."""


def _held(name: str) -> Any:
    def asked(self: Sparse) -> Any:
        if name not in self.known:
            raise ValueError(
                f"'{name}' is how SciPy holds a sparse matrix, which is not known of one with data: ask 'toarray'"
            )
        return self.known[name]

    return property(asked)


HELD = ("format", "data", "indices", "indptr", "nnz", "row", "col")
KEPT = {"csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col")}
"""What a matrix of SciPy's own has, and what of it are arrays that this one's places and elements are in."""


class Sparse:
    """A matrix of `shape`: `data` at `rows` and `cols`; or all of its elements, as `whole`.

    `product`: `*` means the product of matrices, as for SciPy's older classes. `original`: SciPy's own matrix that this
    one stands for, with what is `known` of it. `own`: no other matrix looks at the whole, which is written in place.
    """

    __array_ufunc__ = None
    ndim = 2
    format, data, indices, indptr, nnz, row, col = map(_held, HELD)

    def __init__(self, shape: Any, rows: Array, cols: Array, data: Array, whole: Array, product: bool) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        self.rows, self.cols, self.entries, self.whole, self.product = rows, cols, data, whole, product
        self.original: Any = None
        self.known: dict[str, Any] = {}
        self.own = False

    def shared(self) -> Array:
        """All elements, for a matrix that may look at the same ones."""
        self.own = False
        return self.whole

    @property
    def dtype(self) -> Any:
        return self.entries.dtype if self.whole is None else self.whole.dtype

    @property
    def T(self) -> Sparse:
        return self.transpose()

    def of(self, whole: Array) -> Sparse:
        """A matrix of the same kind with these elements."""
        return Sparse(whole.shape, None, None, None, whole, self.product)

    def placed(self, data: Array) -> Sparse:
        """A matrix with other elements at the same places."""
        return Sparse(self.shape, self.rows, self.cols, data, None, self.product)

    def toarray(self, order: Any = None, out: Any = None) -> Array:
        return _into(out, self._elements())

    def _elements(self) -> Array:
        if self.whole is not None:
            return self.whole.copy()
        found = np.zeros(self.shape, self.entries.dtype)
        np.add.at(found, (self.rows, self.cols), self.entries)
        return found

    def todense(self, order: Any = None, out: Any = None) -> Array:
        found = self.toarray(order, out)
        return np.asmatrix(found) if self.product else found

    def transpose(self, axes: Any = None, copy: bool = False) -> Sparse:
        if axes is not None and axes != (1, 0):
            raise ValueError("Sparse matrices are transposed without 'axes'")
        if self.whole is not None:
            return self.of(self.shared().T)
        return Sparse(self.shape[::-1], self.cols, self.rows, self.entries, None, self.product)

    def coordinates(self) -> tuple[Array, Array, Array]:
        """Places and elements."""
        if self.whole is None:
            return self.rows, self.cols, self.entries
        rows, cols = np.indices(self.shape)
        return rows.ravel(), cols.ravel(), self.shared().ravel()

    def copy(self) -> Sparse:
        if self.whole is not None:
            return self.of(self.whole.copy())
        return self.placed(self.entries.copy())

    def tocsr(self, copy: bool = False) -> Sparse:
        return self.copy()

    def tocsc(self, copy: bool = False) -> Sparse:
        return self.copy()

    def tocoo(self, copy: bool = False) -> Sparse:
        return self.copy()

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Sparse:
        return self.copy()

    def todia(self, copy: bool = False) -> Sparse:
        return self.copy()

    def tolil(self, copy: bool = False) -> Sparse:
        return self.of(self.toarray())

    def todok(self, copy: bool = False) -> Sparse:
        return self.of(self.toarray())

    def asformat(self, format: str | None, copy: bool = False) -> Sparse:
        return self.tolil() if format in ("lil", "dok") else self.copy()

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Sparse:
        if self.whole is not None:
            return self.of(self.whole.astype(dtype))
        return self.placed(self.entries.astype(dtype))

    def sum_duplicates(self) -> None:
        pass

    def eliminate_zeros(self) -> None:
        pass

    def sort_indices(self) -> None:
        pass

    def prune(self) -> None:
        pass

    def conj(self, copy: bool = True) -> Sparse:
        return self.placed(np.conj(self.entries)) if self.whole is None else self.of(np.conj(self.shared()))

    def conjugate(self, copy: bool = True) -> Sparse:
        return self.conj()

    def getH(self) -> Sparse:
        return self.conj().transpose()

    @property
    def H(self) -> Sparse:
        return self.getH()

    @property
    def real(self) -> Sparse:
        return self.placed(self.entries.real) if self.whole is None else self.of(self.shared().real)

    @property
    def imag(self) -> Sparse:
        return self.placed(self.entries.imag) if self.whole is None else self.of(self.shared().imag)

    def getformat(self) -> str:
        return "csr"

    def dot(self, other: Any) -> Any:
        return self @ other

    def matvec(self, x: Array) -> Any:
        """What SciPy's operators have, and what solvers make of a matrix."""
        return self @ x

    def rmatvec(self, x: Array) -> Any:
        return self.H @ x

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.of(self.toarray() @ other.toarray())
        other = np.asarray(other)
        if self.whole is not None:
            return self.whole @ other
        if other.shape[0] != self.shape[1]:
            raise ValueError("dimension mismatch")
        kind = np.result_type(self.entries.dtype, other.dtype)
        found = np.zeros((self.shape[0], *other.shape[1:]), kind)
        entries = self.entries if other.ndim == 1 else self.entries[:, np.newaxis]
        np.add.at(found, self.rows, entries * other[self.cols])
        return found

    def __rmatmul__(self, other: Any) -> Any:
        return (self.T @ np.asarray(other).T).T

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self @ other if self.product else self.multiply(other)
        if np.ndim(other) == 0:
            return self._scaled(other)
        return self @ other if self.product else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self._scaled(other)
        return other @ self if self.product else self.multiply(other)

    def _scaled(self, factor: Any) -> Sparse:
        return self.placed(self.entries * factor) if self.whole is None else self.of(self.whole * factor)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self.placed(self.entries / other) if self.whole is None else self.of(self.whole / other)
        return self.toarray() / np.asarray(other)

    def __neg__(self) -> Sparse:
        return self._scaled(-1.0)

    def __pos__(self) -> Sparse:
        return self

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int | float) and other == 0:
            return self
        if not isinstance(other, Sparse):
            return self.toarray() + np.asarray(other)
        if self.whole is None and other.whole is None:
            rows, cols = np.concatenate((self.rows, other.rows)), np.concatenate((self.cols, other.cols))
            data = np.concatenate((self.entries, other.entries))
            return Sparse(self.shape, rows, cols, data, None, self.product)
        return self.of(self.toarray() + other.toarray())

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return self + (-other if isinstance(other, Sparse) else -np.asarray(other))

    def __rsub__(self, other: Any) -> Any:
        return np.asarray(other) - self.toarray()

    def __pow__(self, exponent: int) -> Sparse:
        if self.product:
            return self.of(np.linalg.matrix_power(self.toarray(), exponent))
        return self.power(exponent)

    def __abs__(self) -> Sparse:
        return self.of(np.abs(self.toarray()))

    def power(self, n: Any, dtype: Any = None) -> Sparse:
        return self.of(_typed(self.toarray(), dtype) ** n)

    def multiply(self, other: Any) -> Any:
        """By another matrix, or by an array that is broadcast."""
        if isinstance(other, Sparse):
            return self.of(self.toarray() * other.toarray())
        other = np.asarray(other)
        if other.ndim == 0:
            return self._scaled(other)
        if self.whole is not None:
            return self.of(self.whole * other)
        return self.placed(self.entries * np.broadcast_to(other, self.shape)[self.rows, self.cols])

    def diagonal(self, k: int = 0) -> Array:
        return np.diagonal(self.toarray(), k).copy()

    def trace(self, offset: int = 0) -> Array:
        return np.trace(self.toarray(), offset)

    def setdiag(self, values: Any, k: int = 0) -> None:
        whole = self.toarray()
        rows = np.arange(max(0, -k), max(0, -k) + len(np.diagonal(whole, k)))
        whole[rows, rows + k] = values
        self._become(whole)

    def _become(self, whole: Array) -> None:
        self.rows = self.cols = self.entries = None
        self.whole, self.original, self.known, self.own = whole, None, {}, True

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
        if dtype is not None and TYPED_FIRST:
            found = self.of(self.toarray().astype(dtype)).sum(axis, None, out)
            return _typed(found, dtype if out is None else None)
        if axis is None:
            return np.sum(self.entries if self.whole is None else self.whole, dtype=dtype, out=out)
        found = _typed(np.sum(self.toarray(), axis=axis), dtype)
        return _into(out, np.asmatrix(found if axis in (0, -2) else found[:, np.newaxis]) if self.product else found)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
        found = self.sum(axis) / (self.shape[0] * self.shape[1] if axis is None else self.shape[axis])
        return _into(out, _typed(found, dtype))

    def __getitem__(self, key: Any) -> Any:
        found = self.toarray()[key]
        if np.ndim(found) == 2:
            return self.of(found)
        if np.ndim(found) == 1 and self.product:
            is_column = isinstance(key, tuple) and np.ndim(key[0]) + isinstance(key[0], slice) > 0
            return self.of(found[:, np.newaxis] if is_column else found[np.newaxis, :])
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.own:
            self._become(self.toarray())
        self.whole[key] = value.toarray() if isinstance(value, Sparse) else value

    def getrow(self, i: int) -> Sparse:
        return self.of(self.toarray()[i : i + 1])

    def getcol(self, j: int) -> Sparse:
        return self.of(self.toarray()[:, j : j + 1])

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> Sparse:
        return self.of(self.toarray().reshape(*shape, order=order))

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")


def _typed(found: Any, dtype: Any) -> Any:
    """What was found, in the type that is asked for if there is one."""
    return found if dtype is None else found.astype(dtype)


def _into(out: Any, found: Any) -> Any:
    """What was found, in the caller's own array if there is one."""
    if out is None:
        return found
    out[...] = found
    return out


def attributes_of(matrix: Any) -> dict[str, Any]:
    """Those of what stands for one of SciPy's own matrices."""
    known = {name: getattr(matrix, name) for name in ("format", "nnz", *KEPT.get(matrix.format, ()))}
    matrix = matrix if matrix.format in ("csr", "csc", "coo") else matrix.tocsr()
    found = matrix.tocoo(copy=False)
    product = isinstance(matrix, import_module("scipy.sparse").spmatrix)
    shape = tuple(map(int, found.shape))
    return {
        "shape": shape,
        "rows": found.row,
        "cols": found.col,
        "entries": matrix.data,
        "whole": None,
        "known": known,
        "own": False,
        "product": product,
    }


def samples_of(matrix: Sparse) -> list[Any]:
    """Matrices of SciPy's own, of all classes of which one may be what this one stands for."""
    kind = "matrix" if matrix.product else "array"
    formats = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    return [getattr(import_module("scipy.sparse"), f"{name}_{kind}")((1, 1)) for name in formats]


def is_scipys(value: Any) -> bool:
    """Whether it is a matrix of SciPy's own."""
    module = type(value).__module__
    return module.startswith("scipy.sparse.") and hasattr(value, "tocoo") and value.ndim == 2


def scipys(shape: Any, rows: Array, cols: Array, data: Array) -> Any:
    """A matrix of SciPy's own with these elements."""
    return import_module("scipy.sparse").csc_matrix((data, (rows.astype(int), cols.astype(int))), shape=shape)


def as_sparse(value: Any, product: bool = True) -> Sparse:
    if isinstance(value, Sparse):
        return value
    return Sparse(np.shape(value), None, None, None, np.asarray(value) * 1.0, product)
