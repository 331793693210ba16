"""In which precision SciPy computes: LAPACK takes numbers of few bits in single, some functions all in double."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend import structures
from daad.frontend.numpy.creation import converted
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
    return values


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
