"""Rotations of `scipy.spatial.transform`: for what it does in C, SciPy has the same in Python, which is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.anchored import python_function
from daad.frontend.library.spectral.singular import polar

Array = Any  # staged while the program is read
READ = (
    *("apply", "approx_equal", "as_matrix", "as_mrp", "as_rotvec"),
    *("compose_quat", "from_davenport", "from_euler", "from_mrp", "from_rotvec", "inv", "magnitude", "mean"),
    *("pow", "reduce", "setitem"),
)
RIGID = (
    *("apply", "as_dual_quat", "as_exp_coords", "compose_transforms", "from_dual_quat", "from_exp_coords"),
    *("from_matrix", "from_rotation", "from_translation", "inv", "mean", "normalize_dual_quaternion", "pow"),
    "setitem",
)


def in_python(name: str, of: str = "rotation") -> Callable[..., Any]:
    return python_function(f"scipy.spatial.transform._{of}_xp", name)


def _read(name: str, of: str = "rotation") -> Callable[..., Any]:
    def program(*args: Any, **keywords: Any) -> Any:
        return in_python(name, of)(*args, **keywords)

    return program


def from_quat(quat: Array, normalize: bool = True, copy: bool = True, scalar_first: bool = False) -> Array:
    return in_python("from_quat")(quat, normalize, copy, scalar_first=scalar_first)


def as_quat(quat: Array, canonical: bool = False, scalar_first: bool = False) -> Array:
    return in_python("as_quat")(quat, canonical, scalar_first=scalar_first)


def as_euler(quat: Array, seq: str, degrees: bool = False, suppress_warnings: bool = False) -> Array:
    return in_python("as_euler")(quat, seq, degrees, suppress_warnings=suppress_warnings)


def as_davenport(quat: Array, axes: Array, order: str, degrees: bool = False, suppress_warnings: bool = False) -> Array:
    return in_python("as_davenport")(quat, axes, order, degrees, suppress_warnings=suppress_warnings)


def from_matrix(matrix: Array, assume_valid: bool = False) -> Array:
    """Of the nearest rotations, also where the matrices are rotations: nearby ones are not."""
    if assume_valid:
        return in_python("_from_matrix_orthogonal")(matrix)
    if np.any(np.linalg.det(matrix) <= 0.0):
        raise ValueError("Non-positive determinant (left-handed or null coordinate frame) in rotation matrix")
    each = matrix.reshape((-1, 3, 3)).copy()
    for k in range(len(each)):
        each[k] = polar(each[k])[0]
    return in_python("_from_matrix_orthogonal")(each.reshape(matrix.shape))


def align_vectors(*args: Any, **keywords: Any) -> Any:
    """The root of the squares is a number."""
    quat, distance, *sensitivity = in_python("align_vectors")(*args, **keywords)
    return (quat, distance[()], *sensitivity)


ROTATIONS: dict[str, Callable[..., Any]] = {
    **{name: _read(name) for name in READ},
    **{program.__name__: program for program in (align_vectors, from_quat, as_quat)},
    **{program.__name__: program for program in (as_euler, as_davenport, from_matrix)},
}
RIGID_TRANSFORMS: dict[str, Callable[..., Any]] = {name: _read(name, "rigid_transform") for name in RIGID}
