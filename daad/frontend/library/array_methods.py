"""Methods of arrays by which Python finds operators and subscripts (`a.__rmul__(b)`, `a.__getitem__(k)`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def getitem(array: Any, key: Any) -> Any:
    return array[key]


def setitem(array: Any, key: Any, value: Any) -> None:
    array[key] = value


def contains(array: Any, value: Any) -> Any:
    return value in array


def reflected_add(array: Any, other: Any) -> Any:
    return other + array


def reflected_sub(array: Any, other: Any) -> Any:
    return other - array


def reflected_mul(array: Any, other: Any) -> Any:
    return other * array


def reflected_truediv(array: Any, other: Any) -> Any:
    return other / array


def reflected_floordiv(array: Any, other: Any) -> Any:
    return other // array


def reflected_mod(array: Any, other: Any) -> Any:
    return other % array


def reflected_pow(array: Any, other: Any) -> Any:
    return other**array


def reflected_matmul(array: Any, other: Any) -> Any:
    return other @ array


METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__contains__": contains,
    "__len__": len,
    "__iter__": iter,
    "__radd__": reflected_add,
    "__rsub__": reflected_sub,
    "__rmul__": reflected_mul,
    "__rtruediv__": reflected_truediv,
    "__rfloordiv__": reflected_floordiv,
    "__rmod__": reflected_mod,
    "__rpow__": reflected_pow,
    "__rmatmul__": reflected_matmul,
}
