"""SciPy's own sparse matrices, and what stands for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from daad.frontend.library.solvers.sparse_matrices import Sparse

Array = Any  # staged while the program is read
KEPT = {"csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col")}
"""What a matrix of SciPy's own has, and what of it are arrays that this one's places and elements are in."""


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
        "form": known["format"],
        "mixed": False,
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
