"""In which precision SciPy computes: LAPACK takes numbers of few bits in single, some functions all in double."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.frontend import structures
from daad.frontend.library.special import SCIPY
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import loop_types
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex

SINGLE = {
    *("inv", "cholesky", "cho_factor", "cho_solve", "solve_triangular", "qr", "pinv", "lstsq", "eigh", "eigvalsh"),
    *("eig", "eigvals", "svd", "svdvals", "polar", "orthogonal_procrustes", "lu", "lu_factor", "solveh_banded"),
    *("cholesky_banded", "cho_solve_banded", "eigvals_banded", "eig_banded", "rq", "qr_multiply", "ldl"),
}
"""Functions of `scipy.linalg` that take truth values and integers of up to 16 bits for numbers of 32."""
DOUBLE = {
    *("cdist", "pdist", "directed_hausdorff", "siegelslopes", "theilslopes", "linkage"),
    *("lmbda", "lqmn", "lpmn", "lqn", "lpn", "pbdv_seq", "pbvv_seq", "riccati_jn", "riccati_yn"),
}
"""Functions of SciPy that take numbers of 32 bits for those of 64."""


def in_own_precision(stage: Stage, function: Any, values: Any) -> Any:
    """The arguments as the function takes them."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if module.startswith("scipy.linalg") and name in SINGLE:
        return _converted(stage, values, "b1 i1 u1 i2 u2", np.dtype(np.float32))
    if module.startswith("scipy.") and name in DOUBLE:
        return _converted(stage, values, "f4", np.dtype(np.float64))
    if isinstance(function, np.ufunc) and name in SCIPY:
        args, keywords = values
        return _in_types_of_loop(stage, function, args), keywords
    return values


def _in_types_of_loop(stage: Stage, ufunc: np.ufunc, args: Sequence[Any]) -> list[Any]:
    """Operands of a function that is a program here, in the types in which SciPy computes it of real numbers."""
    given = [complex_numbers.staged(stage, value) for value in args[: ufunc.nin]]
    operands = [value for value in given if isinstance(value, ArrayValue)]
    if len(operands) < ufunc.nin:
        return list(args)
    together = zip(operands, loop_types(stage, ufunc, operands), args, strict=False)
    taken = [converted(stage, value, kind) if value.dtype != kind else arg for value, kind, arg in together]
    return [*taken, *args[ufunc.nin :]]


def _converted(stage: Stage, value: Any, kinds: str, wanted: np.dtype[Any]) -> Any:
    if isinstance(value, Complex):
        return Complex(*(_converted(stage, part, kinds, wanted) for part in value.parts))
    if isinstance(value, dict):
        return {key: _converted(stage, item, kinds, wanted) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return structures.sequence(value, [_converted(stage, item, kinds, wanted) for item in value])
    if not isinstance(value, ArrayValue | np.ndarray | np.generic) or value.dtype.str[1:] not in kinds.split():
        return value
    return converted(stage, value, wanted) if isinstance(value, ArrayValue) else value.astype(wanted)
