"""Exceptions that NumPy raises for some data and not for others: the extremes of nothing, whole numbers to negative
powers. What is compiled has a number there; a check tells after the call."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy import FUNCTIONS
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.numpy.elementwise.ufuncs import elementwise
from daad.frontend.numpy.reductions import element_count
from daad.frontend.python.attributes import ArrayMethod
from daad.frontend.python.control.checks import CHECK, Check, note
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.boolean_masks import masked_shapes
from daad.frontend.staging.integer_bounds import interval_of
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, is_weak, own_axes
from daad.ir.nodes import Expr

Condition = Callable[[Reader, Sequence[Any], Mapping[str, Any]], Any]
EXTREMES = (builtins.max, builtins.min, np.max, np.min, np.ptp, np.nanmax, np.nanmin)
METHODS = {"max": np.max, "min": np.min}


def watch_arrays(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Of a call that has been read."""
    if isinstance(function, ArrayMethod):
        if function.name not in METHODS:
            return
        function, args = METHODS[function.name], (function.array, *args)
    if not args or not isinstance(args[0], ArrayValue) or not is_in(ROWS, function):
        return
    message, condition = ROWS[function]
    _note(reader, message, condition(reader, args, keywords))


def watch_power(reader: Reader, exponent: Any, result: Any) -> None:
    """Of whole numbers of NumPy's."""
    if not isinstance(result, ArrayValue) or result.dtype.kind not in "iu" or is_weak(result):
        return
    stage = reader.stage
    numbers = stage.array(exponent)
    least, _ = interval_of(stage, numbers.element(own_axes(numbers.ndim)))
    if numbers.dtype.kind == "i" and least < 0:
        below = elementwise(stage, np.less, (numbers, 0))
        _note(reader, POWERS, FUNCTIONS[np.any](stage, (below,), {}))


def _note(reader: Reader, message: str, value: Any) -> None:
    """`value`: whether it fails."""
    fails = truth(reader.stage, value)
    if isinstance(fails, Expr):
        note(reader, Check(message, CHECK, reader.stage.at), fails)


def _is_empty(reader: Reader, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    axis = keywords.get("axis", args[1] if len(args) > 1 else None)
    if "initial" in keywords or "default" in keywords or not any(masked_shapes(args[:1])):
        return False
    count = element_count(reader.stage, args[0], axis)
    return elementwise(reader.stage, np.equal, (count, 0)) if isinstance(count, ArrayValue) else count == 0


def _is_all_nan(reader: Reader, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    if args[0].dtype.kind != "f":
        return False
    lines = FUNCTIONS[np.all](reader.stage, (elementwise(reader.stage, np.isnan, args[:1]), *args[1:2]), keywords)
    return FUNCTIONS[np.any](reader.stage, (lines,), {})


POWERS = "Integers to negative integer powers are not allowed."
ROWS: dict[Any, tuple[str, Condition]] = {
    **dict.fromkeys(EXTREMES, ("The largest or the smallest of no elements.", _is_empty)),
    **dict.fromkeys((np.nanargmax, np.nanargmin), ("All-NaN slice encountered.", _is_all_nan)),
}
