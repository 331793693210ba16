"""Which results NumPy has in C order: those of operands in C order, and of functions that promise it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, Order, View, is_one

CERTAIN: frozenset[Any] = frozenset(
    [*(np.ascontiguousarray, np.dot, np.outer, np.vdot, np.inner, np.tensordot, np.meshgrid), "copy", "flatten"]
)
"""Fresh results in C order whatever the operands are, unless 'order' says otherwise."""
OF_MATRICES = (np.matmul, ast.MatMult)
"""The same, for operands of at most two axes."""
TURNED = (np.asfortranarray,)
MOVED = (np.linspace, np.logspace, np.geomspace)
"""Functions that make an axis in front, and move it to where 'axis' says."""
SAME = (np.asarray, np.asanyarray, np.array)
"""Functions that give back an array as it is, unless they are to copy it."""
OF_SCIPY = ("scipy.linalg", "scipy.signal", "scipy.integrate", "scipy.interpolate", "scipy.spatial", "scipy.sparse")
"""Modules whose functions give arrays in Fortran's order, with axes moved or turned around, as their algorithms do."""
Callback = Callable[..., Any]


def tracked(rows: Mapping[Any, Callback]) -> dict[Any, Callback]:
    """The handlers, which mark what they make where its order is not known."""
    return {key: tracking(key, handler) for key, handler in rows.items()}


def of_subscripts(rows: Mapping[Any, Callable[[Stage, Any], Any]]) -> dict[Any, Callable[[Stage, Any], Any]]:
    """The same of what is written with brackets."""

    def subscript(known: Any, read: Callable[[Stage, Any], Any]) -> Callable[[Stage, Any], Any]:
        handle = tracking(known, lambda stage, args, _: read(stage, *args))
        return lambda stage, key: handle(stage, (key,), {})

    return {known: subscript(known, read) for known, read in rows.items()}


def tracking(key: Any, handler: Callback) -> Callback:
    """One of them."""

    def handle(stage: Stage, *rest: Any) -> Any:
        args, kwargs = rest[-2:]
        older, given = len(stage.arrays), list(arrays_in((args, kwargs)))
        result = handler(stage, *rest)
        newer = set(islice(reversed(stage.arrays), max(len(stage.arrays) - older, 0)))
        for value in _made(result, given, lambda base: base in newer):
            is_line = key not in SAME and _is_line(value)
            _mark(stage, value, is_line or _is_certain(stage, key, args, kwargs))
        return result

    return handle


def of_program(stage: Stage, function: Any, args: Any, kwargs: Mapping[str, Any], result: Any) -> Any:
    """What a program of daad's own gives for a function of NumPy or SciPy, marked where its order is not known."""
    given = list(arrays_in((args, kwargs)))
    bases = {value.base for value in given if isinstance(value, View)}
    module = getattr(function, "__module__", None) or "scipy.linalg"  # LAPACK's routines are of none
    is_chosen = not isinstance(function, str) and module.startswith(OF_SCIPY)
    if is_chosen or not _is_certain(stage, function, tuple(args), kwargs):
        for value in _made(result, given, lambda base: base not in bases):
            if is_chosen or not _is_line(value):
                _mark(stage, value, value.ndim == 0)
    return result


def _made(result: Any, given: Sequence[ArrayValue], is_new: Callable[[str], bool]) -> Iterator[ArrayValue]:
    """The arrays of a result that are none of the given ones, and lie in new ones."""
    for value in arrays_in(result):
        if is_new(value.base) if isinstance(value, View) else all(value is not one for one in given):
            yield value


def _is_certain(stage: Stage, key: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    orders = {value for value in (kwargs.get("order"), *args) if isinstance(value, str)} & set("ACFK")
    if orders or key in TURNED:
        return orders == {"C"}
    given = list(arrays_in((args, kwargs)))
    if key in MOVED and kwargs.get("axis", 0) != 0:
        return False
    if key in CERTAIN or (key in OF_MATRICES and all(value.ndim < 3 for value in given)):
        return True
    least = Order.REPEATED if _is_elementwise(key) else Order.SORTED
    if key in SAME and kwargs.get("copy", key is np.array) is not True:
        least = Order.CONTIGUOUS
    return all(stage.order(value) >= least for value in given)


def _is_elementwise(key: Any) -> bool:
    """Whether NumPy's iterator chooses the order of the result, which does not look at repeated axes."""
    return isinstance(key, np.ufunc) or (isinstance(key, type) and issubclass(key, ast.AST))


def _is_line(value: ArrayValue) -> bool:
    """At most one axis has more than one element."""
    return sum(not is_one(extent) for extent in value.shape) < 2


def _mark(stage: Stage, value: ArrayValue, is_certain: bool) -> None:
    if isinstance(value, View) and is_certain:
        stage.unordered.discard(value.base)
    elif isinstance(value, View) and max(value.ndim, len(stage.arrays[value.base].shape)) > 1:
        stage.unordered.add(value.base)
    elif isinstance(value, Lazy) and not is_certain:
        value.order = Order.UNKNOWN


def arrays_in(value: Any) -> Iterator[ArrayValue]:
    """The arrays of a value, containers looked into."""
    if isinstance(value, ArrayValue):
        yield value
    elif isinstance(value, Complex):
        yield from value.parts
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, Mapping):
        yield from arrays_in(tuple(value.values()))
