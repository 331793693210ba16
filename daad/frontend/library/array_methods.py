"""Methods of arrays that Python looks for (`a.__rmul__(b)`, `a.__getitem__(k)`), and those of numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.ir.operations.python_operators import ALL_BINARY


def getitem(array: Any, key: Any) -> Any:
    return array[key]


def setitem(array: Any, key: Any, value: Any) -> None:
    array[key] = value


def is_integer(number: Any) -> Any:
    return bool(np.isfinite(number) and np.floor(number) == number)


def contains(array: Any, value: Any) -> Any:
    return value in array


def reflected(operator: Callable[[Any, Any], Any], array: Any, other: Any) -> Any:
    return operator(other, array)


def in_place(operator: Callable[[Any, Any], Any], array: Any, other: Any) -> Any:
    array[...] = operator(array, other)
    return array


METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__contains__": contains,
    "is_integer": is_integer,
    "__len__": len,
    "__iter__": iter,
    **{f"__r{row.method}__": partial(reflected, row.python) for row in ALL_BINARY.values()},
    **{f"__i{row.method}__": partial(in_place, row.python) for row in ALL_BINARY.values()},
}
