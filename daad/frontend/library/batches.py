"""SciPy's functions of matrices over stacks of them: a program for one matrix, applied to each."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = Any  # staged while the program is read
Core = int | str
"""Of how many dimensions an argument is; "1|2" is a vector or a matrix, and the latter where it may be."""

NATIVE: Mapping[str, Mapping[str, Core]] = {
    **{name: {"a": 2} for name in ("lu", "cholesky", "cho_factor", "pinv", "qr", "svd", "svdvals")},
    "sqrtm": {"A": 2},
    **{name: {"a": 2, "b": 2} for name in ("eig", "eigvals")},
    **{name: {"a": 2, "b": "1|2"} for name in ("solve", "lstsq")},
}
"""Those that go over stacks by themselves, and say so in their documentation only: most of them from SciPy 1.18 on."""


def cores_of(function: Any) -> Mapping[str, Core]:
    """The arguments that may be stacks, with the dimensions of one of them; none of what takes no stacks."""
    if not (getattr(function, "__module__", None) or "").startswith("scipy.linalg"):
        return {}
    if not hasattr(function, "__wrapped__"):
        return NATIVE.get(function.__name__, {})
    around = inspect.getclosurevars(function).nonlocals
    return dict(zip(around.get("names", ()), around.get("ndims", ()), strict=True))


def extra_dimensions(value: Any, core: Core) -> int:
    """How many of the dimensions number the matrices of a stack."""
    if value is None:
        return 0
    dimensions = _dimensions(value)
    own = core if isinstance(core, int) else min(max(dimensions, 1), 2)
    return max(0, dimensions - own)


def _dimensions(value: Any) -> int:
    """Also of a list of arrays of which some are lists."""
    return 1 + _dimensions(value[0]) if isinstance(value, list | tuple) and value else np.ndim(value)


def over_stack(
    program: Callable[..., Any], arrays: Mapping[str, Array], extra: Mapping[str, int], others: Mapping[str, Any]
) -> Any:
    """What the program gives of each matrix; several results are stacks of their own."""
    arrays = {name: None if value is None else np.asarray(value) for name, value in arrays.items()}
    shapes = [value.shape[: extra[name]] for name, value in arrays.items() if value is not None]
    shape = np.broadcast_shapes(*shapes)
    stacks = {name: _stack(value, extra[name], shape) for name, value in arrays.items()}
    first = program(**_item(stacks, 0), **others)
    if not isinstance(first, tuple):
        found = np.empty((math.prod(shape), *np.shape(first)), np.asarray(first).dtype)
        for k in range(math.prod(shape)):
            found[k] = program(**_item(stacks, k), **others)
        return found.reshape((*shape, *np.shape(first)))
    parts = [np.asarray(part) for part in first]
    several = [np.empty((math.prod(shape), *part.shape), part.dtype) for part in parts]
    for k in range(math.prod(shape)):
        for stack, part in zip(several, program(**_item(stacks, k), **others), strict=True):
            stack[k] = part
    return tuple(stack.reshape((*shape, *part.shape)) for stack, part in zip(several, parts, strict=True))


def _stack(value: Array, extra: int, shape: tuple[int, ...]) -> Array:
    if value is None:
        return None
    return np.broadcast_to(value, (*shape, *value.shape[extra:])).reshape((-1, *value.shape[extra:]))


def _item(stacks: Mapping[str, Array], k: int) -> dict[str, Array]:
    return {name: None if stack is None else stack[k] for name, stack in stacks.items()}
