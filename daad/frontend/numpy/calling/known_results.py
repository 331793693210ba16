"""Arrays that NumPy makes of constants while the program is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from daad.frontend.numpy.creation import known
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue

PLAIN = (int, float, str, slice, type, np.generic, np.dtype, type(None), np.ndarray, ArrayValue)
"""What has no array of its own that NumPy would give, but for arrays."""


def changeable(stage: Stage, function: Any, given: tuple[Any, ...], found: Any) -> Any:
    """The result, arrays of the program's own in it where it is written later, unless they are those that are given."""
    parts = found if type(found) in (tuple, list) else (found,)
    if not any(_is_array(part) for part in parts) or not _is_numpys(function):
        return found
    before = list(_leaves((getattr(function, "__self__", None), *given)))
    if not all(isinstance(leaf, PLAIN) for leaf in before):
        return found
    roots = {id(_root(leaf)) for leaf in before}
    made = [known(stage, p, _root(p)) if _is_array(p) and id(_root(p)) not in roots else p for p in parts]
    if parts is not found:
        return made[0]
    return tuple(made) if type(found) is tuple else made


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.ndim > 0 and value.dtype.kind in "biuf"


def _is_numpys(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    is_method = isinstance(getattr(function, "__self__", None), np.ndarray)
    return isinstance(function, np.ufunc) or is_method or module.partition(".")[0] == "numpy"


def _root(value: Any) -> Any:
    """The array that has the memory of a view."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    else:
        yield value
