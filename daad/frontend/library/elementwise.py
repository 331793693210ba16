"""`np.vectorize` and `np.frompyfunc` as NumPy programs: a loop over all elements, which are Python numbers there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

Array = Any  # staged while the program is read


class Whole(NamedTuple):
    """What each call gets as it is: no array, or an excluded one."""

    value: Any


def vectorized(
    function: Callable[..., Any], kinds: Any, excluded: Collection[Any], /, *given: Any, **named: Any
) -> Array:
    """`function` of the elements, arrays even of numbers."""
    found = of_elements(function, kinds, excluded, *given, **named)
    if not isinstance(found, tuple):
        return np.asarray(found, None if kinds is None else kinds[0])
    return tuple([np.asarray(one, None if kinds is None else kinds[k]) for k, one in enumerate(found)])


def of_elements(
    function: Callable[..., Any], kinds: Any, excluded: Collection[Any], /, *given: Any, **named: Any
) -> Array:
    """`function` of the elements; `kinds` are the results' dtypes, None: those of the first ones."""
    columns = [Whole(a) if k in excluded else _argument(a) for k, a in enumerate(given)]
    keyed = {name: Whole(a) if name in excluded else _argument(a) for name, a in named.items()}
    whole = [column for column in (*columns, *keyed.values()) if isinstance(column, np.ndarray)]
    if not whole:
        return function(*given, **named)
    shape = np.broadcast_shapes(*[array.shape for array in whole])
    columns = [_column(column, shape) for column in columns]
    keyed = {name: _column(column, shape) for name, column in keyed.items()}
    first = function(*[_at(c, 0) for c in columns], **{name: _at(c, 0) for name, c in keyed.items()})
    several = isinstance(first, tuple)
    models = first if several else (first,)
    found = [
        np.empty(int(np.prod(shape)), np.asarray(model).dtype if kinds is None else kinds[k])
        for k, model in enumerate(models)
    ]
    for k in range(int(np.prod(shape))):
        result = function(*[_at(c, k) for c in columns], **{name: _at(c, k) for name, c in keyed.items()})
        values = result if several else (result,)
        for target, value in zip(found, values, strict=True):
            target[k] = value
    results = [target.reshape(shape)[()] for target in found]
    return tuple(results) if several else results[0]


def _argument(value: Any) -> Any:
    if not isinstance(value, (np.ndarray, list, tuple)):
        return Whole(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "U" and value.ndim == 0:
        return Whole(value.item())
    return np.asarray(value)


def _column(value: Any, shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(value, shape).ravel() if isinstance(value, np.ndarray) else value


def _at(column: Any, k: Any) -> Any:
    """An element as a Python number, or what is passed as it is."""
    if isinstance(column, Whole):
        return column.value
    kind = column.dtype.kind
    return float(column[k]) if kind == "f" else bool(column[k]) if kind == "b" else int(column[k])
