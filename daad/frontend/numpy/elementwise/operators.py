"""Python's operators on staged values: elementwise functions, exact arithmetic on affine integers, lists."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.call_arguments import Handler, static
from daad.frontend.numpy.calling.numpy_errors import as_by_numpy
from daad.frontend.numpy.calling.result_order import tracked
from daad.frontend.numpy.elementwise.scalar_expressions import op
from daad.frontend.numpy.elementwise.ufuncs import elementwise, operand
from daad.frontend.numpy.tensor_products import matmul
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import run_by_python
from daad.frontend.staging.integer_bounds import LIMIT, is_not_negative
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.texts import has_text, text
from daad.frontend.staging.values import ArrayValue, affine_of, cast, is_number, is_staged, is_weak
from daad.ir.affine import Affine
from daad.ir.operations.python_operators import ALL_BINARY, BINARY, COMPARED, UNARY, Python

EXACT = (np.add, np.subtract, np.divide)
LARGE = "A whole number of more than 64 bits meets one that is not known before the run."
TRUTH = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def _as_by_numpy(python: Python, own: Handler) -> Handler:
    """The handler, failing in NumPy's words where NumPy fails, too."""

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        with as_by_numpy(stage, python, args):
            return own(stage, args, kwargs)

    return handle


def _binary(ufunc: np.ufunc, python: Python) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
        left, right = args
        if not _is_numeric(left, right) or _is_list_with_number(stage, python, left, right):
            return _plain(stage, python, left, right)
        forms = affine_of(left), affine_of(right)
        if forms[0] is not None and forms[1] is not None:
            _pin_products(stage, ufunc, forms[0], forms[1])
        left, right = (operand(stage, v) if isinstance(v, np.generic) else v for v in (left, right))
        weak = is_weak(left, right)
        _require_room(stage, left, right)
        if weak and ufunc not in TRUTH:
            left, right = _integer(stage, left), _integer(stage, right)
        if weak and ufunc is np.power and _may_be_negative(stage, right):
            left = stage.lazy((), np.float64, lambda _: cast(stage.array(left).element(()), "float64"), weak=True)
        return unwrapped(stage, elementwise(stage, ufunc, (left, right), weak=weak))

    return handle


def _require_room(stage: Stage, *values: Any) -> None:
    """What meets a whole number of Python's that a loop or data decide has to fit into as many bits."""
    are_large = any(isinstance(v, int) and not -LIMIT <= v < LIMIT for v in values)
    if are_large and any(isinstance(v, ArrayValue) and v.weak and v.dtype.kind in "ib" for v in values):
        if stage.loop_variables:
            raise stage.unroll(Affine.of(stage.loop_variables[-1]), LARGE)
        stage.refuse(LARGE, "Make it a float.")


def _is_numeric(*values: Any) -> bool:
    """Whether an operation is NumPy's: on staged or constant arrays, not on lists, strings and the like."""
    return any(isinstance(v, ArrayValue | np.ndarray) for v in values) and not any(isinstance(v, str) for v in values)


def _is_list_with_number(stage: Stage, python: Python, *values: Any) -> bool:
    """Whether the operation is Python's although a staged value takes part: `list * number`, `list + Python number`."""
    numbers = [v for v in values if isinstance(v, ArrayValue) and is_number(v)]
    if not numbers or not any(isinstance(v, list | tuple) for v in values):
        return False
    return numbers[0].weak or python is operator.mul


def _plain(stage: Stage, python: Python, *values: Any) -> Any:
    """Lists, strings, static numbers: Python itself, with int parameters as numbers."""
    if python is operator.mod and isinstance(values[0], str) and (is_staged(values[1]) or has_text(values[1])):
        return text(stage)
    stage.rely(values)
    try:
        with run_by_python(stage):
            return python(*(static(stage, v) if isinstance(v, ArrayValue) else v for v in values))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        is_own = not is_staged(values) and all(type(v).__module__ == "builtins" for v in values)
        raised = error if is_own else None
        message = f"This operation fails: {str(error).rstrip('.')}."
        stage.refuse(message, "Check the values and types of the operands.", raised)


def _pin_products(stage: Stage, ufunc: np.ufunc, a: Affine, b: Affine) -> None:
    """Int parameters become constants where the result would not be affine."""
    linear = ufunc in EXACT or (ufunc is np.multiply and (a.is_const or b.is_const))
    if not linear:
        stage.pin(a)
        stage.pin(b)


def _integer(stage: Stage, value: Any) -> Any:
    """A Python bool counts as an int in arithmetic."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, ArrayValue) or value.dtype.kind != "b":
        return value
    return stage.lazy((), np.int64, lambda _: cast(value.element(()), "int64"), weak=True)


def _may_be_negative(stage: Stage, exponent: Any) -> bool:
    """Of a whole number: Python's result is a float then. What data say of it is speculated on, if it can be."""
    if not isinstance(exponent, ArrayValue):
        return isinstance(exponent, int) and exponent < 0
    if exponent.dtype.kind != "i" or is_not_negative(stage, exponent.element(())):
        return False
    if affine_of(exponent) is not None or stage.loop_variables:
        return True
    is_negative = elementwise(stage, np.less, (exponent, 0), weak=True)
    return assumed(stage, is_negative, "Whether an exponent is negative") is not False


def unwrapped(stage: Stage, value: ArrayValue) -> Any:
    """An integer that is known after all is a Python int again."""
    form = affine_of(value)
    return value if form is None or not value.weak else stage.affine(form)


def _comparison(ufunc: np.ufunc, python: Python) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
        left, right = args
        is_staged_one = any(isinstance(arg, ArrayValue) for arg in args)
        if not is_staged_one or _is_list_with_number(stage, python, *args):
            return _plain(stage, python, *_comparable(stage, python, left, right))
        if not all(map(_is_comparable, args)):
            return _with_nothing_alike(stage, python)
        _require_room(stage, left, right)
        a, b = affine_of(left), affine_of(right)
        if a is not None and b is not None:
            known = compare(stage, ufunc, a, b)
            if known is not None:
                return known
        return elementwise(stage, ufunc, (left, right), weak=is_weak(left, right))

    return handle


def _with_nothing_alike(stage: Stage, python: Python) -> bool:
    """A number compared with a text, or with None."""
    if python in (operator.eq, operator.ne):
        return python is operator.ne
    error = TypeError("a number and a text, or None, have no order")
    return stage.refuse("A number is compared with a text, or with None.", "Ask for its type first.", error)


def _comparable(stage: Stage, python: Python, left: Any, right: Any) -> tuple[Any, Any]:
    """Lists and tuples with numbers for int parameters, where their items decide."""
    if type(left) is type(right) and _is_record(left) and (_holds_staged(left) or _holds_staged(right)):
        stage.refuse("Containers are compared whose items depend on data.", "Compare the items.")
    if not is_staged((left, right)) or type(left) is not type(right) or not isinstance(left, list | tuple):
        return left, right
    if python in (operator.eq, operator.ne) and len(left) != len(right):
        return left, right
    return static(stage, left, "item that is compared"), static(stage, right, "item that is compared")


def _is_record(value: Any) -> bool:
    """What Python compares by its items, besides lists and tuples."""
    return isinstance(value, Mapping | deque | set | frozenset) or dataclasses.is_dataclass(value)


def _holds_staged(value: Any) -> bool:
    return is_staged(vars(value) if dataclasses.is_dataclass(value) else value)


def _is_comparable(value: Any) -> bool:
    return value is not None and not isinstance(value, str)


def compare(stage: Stage, ufunc: np.ufunc, a: Affine, b: Affine) -> bool | None:
    """What is known of `a < b` and its like for all values of the loop variables; int parameters are pinned for it."""
    if ufunc in (np.equal, np.not_equal):
        return _equality(stage, a, b, ufunc is np.equal)
    if ufunc in (np.greater, np.greater_equal):
        a, b = b, a
    gap = b - a - (ufunc in (np.less, np.greater))
    if stage.provable(gap):
        return True
    if stage.provable(-gap - 1):
        return False
    _pin_if_static(stage, gap)
    return None


def _equality(stage: Stage, a: Affine, b: Affine, wanted: bool) -> bool | None:
    gap = a - b
    if gap.is_const:
        return (gap.const == 0) == wanted
    if stage.provable(gap - 1) or stage.provable(-gap - 1):
        return not wanted
    if stage.provable(gap) and stage.provable(-gap):
        return wanted
    _pin_if_static(stage, gap)
    return None


def _pin_if_static(stage: Stage, form: Affine) -> None:
    if all(name in stage.integers for name in form.names):
        stage.pin(form)


def _unary(ufunc: np.ufunc, python: Python) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
        (value,) = args
        if not isinstance(value, ArrayValue):
            return _plain(stage, python, value)
        if ufunc is np.logical_not:
            return _negation(stage, value)
        number = _integer(stage, value) if value.weak else value
        return unwrapped(stage, elementwise(stage, ufunc, (number,), weak=value.weak))

    return handle


def _negation(stage: Stage, value: ArrayValue) -> Any:
    form = affine_of(value)
    if form is not None:
        known = compare(stage, np.equal, form, Affine(0))
        if known is not None:
            return known
    if any(stage.known(extent) != 1 for extent in value.shape):
        stage.refuse("The truth value of an array with more than one element is ambiguous.", "Use 'np.logical_not'.")
    point = (Affine(0),) * value.ndim
    return stage.lazy((), bool, lambda _: op("logical_not", "bool", cast(value.element(point), "bool")), weak=True)


def _matmul(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
    return _plain(stage, operator.matmul, *args) if not _is_numeric(*args) else matmul(stage, *args)


OPERATORS: dict[type[ast.operator], Handler] = tracked(
    {
        **{kind: _as_by_numpy(row.python, _binary(row.ufunc, row.python)) for kind, row in BINARY.items()},
        ast.MatMult: _as_by_numpy(operator.matmul, _matmul),
    }
)
COMPARISONS: dict[type[ast.cmpop], Handler] = tracked(
    {kind: _as_by_numpy(row.python, _comparison(row.ufunc, row.python)) for kind, row in COMPARED.items()}
)
UNARY_OPERATORS: dict[type[ast.unaryop], Handler] = tracked(
    {kind: _as_by_numpy(row.python, _unary(row.ufunc, row.python)) for kind, row in UNARY.items()}
)

IMPLEMENTATIONS: dict[Python, Handler] = {row.python: OPERATORS[kind] for kind, row in ALL_BINARY.items()}
"""The operators as functions of the module `operator`."""
