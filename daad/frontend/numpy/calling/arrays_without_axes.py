"""Which functions give an array where there are no axes; all others, and operators, give a number then, as NumPy's do.

An array without axes is changed in place, is seen by all who hold it, and is of another type than a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from daad.frontend import structures
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.numpy.calling.result_order import arrays_in
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, View, is_number, is_python_number, is_weak

ALWAYS: frozenset[Any] = frozenset(
    [
        *(np.array, np.asarray, np.asanyarray, np.require, np.copy, np.full, np.zeros, np.ones),
        *(np.empty, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.where, np.select, np.piecewise),
        *(np.vectorize, np.apply_along_axis, np.broadcast_to, np.broadcast_arrays, np.expand_dims, np.resize),
        *(np.block, np.roll, np.tile, np.pad, np.isin, np.cov, np.i0, np.tensordot, np.linalg.tensordot),
        *(np.real_if_close, np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view),
        *(np.fft.fftn, np.fft.ifftn, "__array__"),
    ]
)
AS_OPERAND: frozenset[Any] = frozenset(
    [
        *(np.real, np.imag, np.diff, np.astype, np.reshape, np.squeeze, np.transpose, np.permute_dims, np.moveaxis),
        *("reshape", "squeeze", "transpose", "T", "mT", "real", "imag", "conj", "conjugate", "copy", "view", "astype"),
    ]
)
"""An array of an array, and a number of a number."""
CONVERTING: frozenset[Any] = frozenset([np.reshape, np.squeeze, np.transpose, np.permute_dims, np.moveaxis])
"""Those that take a Python number for an array."""
Callback = Callable[..., Any]


def with_arrays(rows: Mapping[Any, Callback]) -> dict[Any, Callback]:
    """The handlers, those of arrays as such."""
    own = ALWAYS | AS_OPERAND
    return {key: _made(key, handler) if key in own else handler for key, handler in rows.items()}


def _made(key: Any, handler: Callback) -> Callback:
    def handle(stage: Stage, *rest: Any) -> Any:
        result = handler(stage, *rest)
        if all(value.shape for value in arrays_in(result)):
            return result
        args, kwargs = rest[-2:]
        operand = next(iter((*args, *kwargs.values())), None)
        is_of_number = is_number(operand) or is_python_number(operand) or isinstance(operand, np.generic)
        if key in AS_OPERAND and is_of_number and not (key in CONVERTING and is_weak(operand)):
            return result
        numbers = {id(value) for value in arrays_in((args, kwargs)) if not value.boxed}
        return _boxed(stage, result, None if key in CONVERTING and is_of_number else numbers)

    return handle


def as_numbers(stage: Stage, function: Any, given: Any, result: Any) -> Any:
    """What a program of daad's own gives for a function: a number where there are no axes, unless the function is one
    of these, or has written into what it was given."""
    bases = {value.base for value in arrays_in(given) if isinstance(value, View)}
    if is_in(ALWAYS, function) or (isinstance(result, View) and result.base in bases):
        return result
    if isinstance(result, ArrayValue):
        return stage.number(result) if result.boxed else result
    if isinstance(result, Complex):
        return Complex(*(as_numbers(stage, function, given, part) for part in result.parts))
    if isinstance(result, tuple):
        return structures.sequence(result, [as_numbers(stage, function, given, item) for item in result])
    return result


def _boxed(stage: Stage, result: Any, numbers: set[int] | None) -> Any:
    """The result's arrays as such, others than the numbers that the function got; all are new ones for None."""
    if isinstance(result, ArrayValue):
        return stage.as_array(result, fresh=numbers is None or id(result) in numbers)
    if isinstance(result, Complex):
        return Complex(*(_boxed(stage, part, numbers) for part in result.parts))
    if type(result) in (list, tuple):
        return structures.sequence(result, [_boxed(stage, item, numbers) for item in result])
    return result
