"""Matrices of `scipy.sparse`: the places of their elements, and the elements, which may be data.

A place may occur several times: its elements are added. What has to be looked at place by place is held as a whole.
"""

from __future__ import annotations

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
TURNED: dict[Any, str] = {"csr": "csc", "csc": "csr"}
"""The form of a transposed matrix, where it is another one."""
FRESH = ("lil", "dok", "dia")
"""Forms of which transposed matrices, and those in other forms, have elements of their own."""
SUMMED: dict[Any, str] = {"csr": "csr", "csc": "csc", "coo": "csr", "lil": "csr"}
"""The form of sums and products."""


class Sparse:
    """A matrix of `shape`: `data` at `rows` and `cols`; or all of its elements, as `whole`.

    `product`: `*` means the product of matrices, as for SciPy's older classes. `original`: SciPy's own matrix that this
    one stands for, with what is `known` of it. `own`: no other matrix looks at the whole, which is written in place.
    `form`: SciPy's name for how it holds the matrix; None where that is not known. `mixed`: another matrix may have the
    same elements, which are not written.
    """

    __array_ufunc__ = None
    ndim = 2
    format, data, indices, indptr, nnz, row, col = map(_held, HELD)

    def __init__(
        self, shape: Any, rows: Array, cols: Array, data: Array, whole: Array, product: bool, form: Any = None
    ) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        self.rows, self.cols, self.entries, self.whole, self.product = rows, cols, data, whole, product
        self.original: Any = None
        self.known: dict[str, Any] = {}
        self.own = False
        self.form, self.mixed = form, False

    def shares_with(self, other: Sparse) -> Sparse:
        """This matrix, which may have the other one's elements."""
        self.mixed = other.mixed = True
        return self

    def _written(self) -> None:
        if self.mixed:
            raise ValueError("A sparse matrix is written that may share its elements with another one: 'copy' it")

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

    def of(self, whole: Array, form: Any = None) -> Sparse:
        """A matrix of the same kind with these elements."""
        return Sparse(whole.shape, None, None, None, whole, self.product, form)

    def placed(self, data: Array) -> Sparse:
        """A matrix with other elements at the same places."""
        return Sparse(self.shape, self.rows, self.cols, data, None, self.product, self.form)

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
        turned = TURNED.get(self.form, self.form)
        if self.whole is not None:
            found = self.of(self.shared().T, turned)
        else:
            found = Sparse(self.shape[::-1], self.cols, self.rows, self.entries, None, self.product, turned)
        return found.copy() if copy else found if self.form in FRESH else found.shares_with(self)

    def coordinates(self) -> tuple[Array, Array, Array]:
        """Places and elements."""
        if self.whole is None:
            return self.rows, self.cols, self.entries
        rows, cols = np.indices(self.shape)
        return rows.ravel(), cols.ravel(), self.shared().ravel()

    def copy(self) -> Sparse:
        if self.whole is not None:
            return self.of(self.whole.copy(), self.form)
        return self.placed(self.entries.copy())

    def _as(self, form: str, copy: bool) -> Sparse:
        """In another form, with its own elements; in the same, the matrix itself."""
        if self.form == form:
            return self.copy() if copy else self
        made = self.of(self.toarray()) if form in ("lil", "dok") else self.copy()
        made.form = form
        shares = form not in FRESH and (self.form is None or (form in ("coo", "bsr") and self.form not in FRESH))
        return made.shares_with(self) if shares and not copy else made

    def tocsr(self, copy: bool = False) -> Sparse:
        return self._as("csr", copy)

    def tocsc(self, copy: bool = False) -> Sparse:
        return self._as("csc", copy)

    def tocoo(self, copy: bool = False) -> Sparse:
        return self._as("coo", copy)

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Sparse:
        return self._as("bsr", copy)

    def todia(self, copy: bool = False) -> Sparse:
        return self._as("dia", copy)

    def tolil(self, copy: bool = False) -> Sparse:
        return self._as("lil", copy)

    def todok(self, copy: bool = False) -> Sparse:
        return self._as("dok", copy)

    def asformat(self, format: str | None, copy: bool = False) -> Sparse:
        if format is None:
            return self.copy() if copy else self
        return self._as(format, copy)

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Sparse:
        if not copy and self.dtype == np.dtype(dtype):
            return self
        if self.whole is not None:
            return self.of(self.whole.astype(dtype), self.form)
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
        if not copy and self.dtype.kind != "c":
            return self
        elements = np.conj(self.entries if self.whole is None else self.shared())
        return self.placed(elements) if self.whole is None else self.of(elements, self.form)

    def conjugate(self, copy: bool = True) -> Sparse:
        return self.conj(copy)

    def getH(self) -> Sparse:
        found = self.conj().transpose()
        found.mixed = False
        return found

    @property
    def H(self) -> Sparse:
        return self.getH()

    @property
    def real(self) -> Sparse:
        found = self.placed(self.entries.real) if self.whole is None else self.of(self.shared().real, self.form)
        return found if self.form in ("lil", "dok") else found.shares_with(self)

    @property
    def imag(self) -> Sparse:
        found = self.placed(self.entries.imag) if self.whole is None else self.of(self.shared().imag, self.form)
        return found if self.form in ("lil", "dok") else found.shares_with(self)

    def getformat(self) -> Any:
        return self.format

    def dot(self, other: Any) -> Any:
        return self @ other

    def matvec(self, x: Array) -> Any:
        """What SciPy's operators have, and what solvers make of a matrix."""
        return self @ x

    def rmatvec(self, x: Array) -> Any:
        return self.H @ x

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.of(self.toarray() @ other.toarray(), SUMMED.get(self.form))
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
        return self.placed(self.entries * factor) if self.whole is None else self.of(self.whole * factor, self.form)

    def __imul__(self, other: Any) -> Any:
        """By a number, in place."""
        if isinstance(other, Sparse) or np.ndim(other) != 0:
            return self * other
        self._written()
        if self.whole is None:
            self.original, self.known = None, {}
            self.entries *= other
        else:
            whole = self.toarray()
            whole *= other
            self._become(whole)
        return self

    def __itruediv__(self, other: Any) -> Any:
        if isinstance(other, Sparse) or np.ndim(other) != 0:
            return self / other
        self *= 1.0 / other
        return self

    def __iadd__(self, other: Any) -> Any:
        return self._replaced(self + other)

    def __isub__(self, other: Any) -> Any:
        return self._replaced(self - other)

    def _replaced(self, found: Any) -> Any:
        """What is found, in place where SciPy holds the matrix as lists."""
        if self.form != "lil":
            return found
        self[:, :] = found
        return self

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self._divided(other)
        return self.toarray() / np.asarray(other)

    def _divided(self, other: Any) -> Sparse:
        """In double precision, unless SciPy holds the matrix by rows of lists or by keys."""
        if self.form in ("lil", "dok"):
            return self.of(self.whole / other, self.form)
        wide = self.astype(np.float64, copy=False) if np.can_cast(self.dtype, np.float64) else self
        return wide._scaled(1.0 / other)

    def __neg__(self) -> Sparse:
        return self.placed(-self.entries) if self.whole is None else self.of(-self.whole, self.form)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int | float) and other == 0:
            return self.copy()
        if not isinstance(other, Sparse):
            return self.toarray() + np.asarray(other)
        if self.whole is None and other.whole is None:
            rows, cols = np.concatenate((self.rows, other.rows)), np.concatenate((self.cols, other.cols))
            data = np.concatenate((self.entries, other.entries))
            return Sparse(self.shape, rows, cols, data, None, self.product, self._summed(other))
        return self.of(self.toarray() + other.toarray(), self._summed(other))

    def _summed(self, other: Sparse) -> Any:
        """The form of the sum."""
        if self.form != "dia":
            return SUMMED.get(self.form)
        return "dia" if other.form == "dia" else SUMMED.get(other.form)

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
        return self.of(np.abs(self.toarray()), SUMMED.get(self.form))

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
        self._written()
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
            return self.of(found, self.form)
        if np.ndim(found) == 1 and self.product:
            is_column = isinstance(key, tuple) and np.ndim(key[0]) + isinstance(key[0], slice) > 0
            return self.of(found[:, np.newaxis] if is_column else found[np.newaxis, :])
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        self._written()
        if not self.own:
            self._become(self.toarray())
        value = value.toarray() if isinstance(value, Sparse) else value
        if np.ndim(value) == 2 and isinstance(key, tuple):
            key = tuple(
                slice(k % n, k % n + 1) if np.ndim(k) == 0 and isinstance(k, int) else k
                for k, n in zip(key, self.shape, strict=True)
            )
        self.whole[key] = value

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


def as_sparse(value: Any, product: bool = True) -> Sparse:
    if isinstance(value, Sparse):
        return value
    return Sparse(np.shape(value), None, None, None, np.asarray(value), product, "coo")
