"""Calls of functions with a rule of the user's, by its kind: what its formula is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import OPERANDS, CustomRule, Elementwise, Implicit, Linear, Ruled
from daad.frontend.python.calls import ruled_calls as own
from daad.frontend.python.calls.opaque_calls import CallOfPython
from daad.frontend.python.calls.rule_structures import has_active, is_active, mapped
from daad.frontend.python.calls.ruled_calls import Call, Caller
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.values import ArrayValue, View, broadcast_index, cast, is_staged
from daad.ir.affine import Affine
from daad.ir.constructors import add, const, instantiate, multiply
from daad.ir.nodes import Const, Expr, Op


def called(
    reader: Reader, node: ast.Call, function: Ruled, args: list[Any], keywords: dict[str, Any], call: Call
) -> Any:
    """What the function gives, with its rule for the next derivative if one is asked for."""
    caller = Caller(reader, node, function, call, reader.stage.ruled + 1)
    caller.note()
    bound = caller.bind(args, keywords)
    if isinstance(function, CustomRule) and function.opaque and not is_staged(bound):
        return function.function(*bound)
    if not is_staged(bound) or caller.level > reader.stage.derivatives:
        return _plain(caller, function, bound)
    if complex_numbers.is_complex(bound) and not isinstance(function, CustomRule):
        caller.refuse("has a rule, and is given complex numbers", "Give it their real and imaginary parts.")
    return READINGS[type(function)](caller, function, bound)


def _plain(caller: Caller, function: Ruled, args: list[Any]) -> Any:
    """The function without its rule."""
    if isinstance(function, CustomRule) and function.opaque:
        return caller.read(CallOfPython(function.name, function.function), *args)
    is_wide = isinstance(function, Elementwise) and any(map(np.ndim, args))
    return caller.read(
        function.of_arrays if is_wide and isinstance(function, Elementwise) else function.function, *args
    )


def _value(caller: Caller, args: list[Any]) -> Any:
    """What the function gives, with its rule for the derivative after the next one."""
    with caller.inside():
        return caller.read(caller.function, *args)


def _array(caller: Caller, found: Any) -> View:
    """A result that must be one array of floats."""
    value = caller.stage.array(found) if isinstance(found, ArrayValue | float | np.ndarray) else found
    if not is_active(value):
        caller.refuse("has a rule, and returns something else than one array of floats", "Return one array.")
    return own.placed(caller, value)


def _elementwise(caller: Caller, function: Elementwise, args: list[Any]) -> Any:
    """The sum of slopes times tangents, at each element."""
    if len(function.slopes) != len(args):
        counts = f"has {len(args)} operands and {len(function.slopes)} derivatives"
        caller.refuse(counts, "Give one text per operand, None for one that carries no derivative.")
    operands = [caller.stage.place(arg) if is_active(arg) else arg for arg in args]
    value = _array(caller, _value(caller, operands))
    kind = value.dtype.name
    level, zero = Const(caller.level, kind), const(0, kind)

    def at(operand: Any, point: tuple[Affine, ...]) -> Expr:
        array = caller.stage.array(operand)
        return cast(array.element(broadcast_index(array, point)), kind)

    def passive(expr: Expr) -> Expr:
        return Op("ruled", (zero, expr, level), kind)

    def build(point: tuple[Affine, ...]) -> Expr:
        result = value.element(point)
        names = {n: passive(at(operand, point)) for n, operand in zip(OPERANDS, operands, strict=False)}
        total: Expr = zero
        for operand, slope in zip(operands, function.slopes, strict=True):
            if slope is not None and is_active(operand):
                tangent = Op("ruled", (at(operand, point), zero, level), kind)
                weight = instantiate(slope, {**names, "r": passive(result)}, kind)
                total = add(total, multiply(weight, tangent, kind), kind)
        return Op("ruled", (total, result, level), kind)

    return caller.stage.copy(caller.stage.lazy(value.shape, value.dtype, build), function.name)


def _linear(caller: Caller, function: Linear, args: list[Any]) -> Any:
    """In the first argument by the transpose, in the others as the program is."""
    args = [mapped(arg, lambda leaf: own.placed(caller, leaf)) for arg in args]
    first, *others = args
    with own.untouched(caller, args):
        value = _array(caller, _value(caller, args))
    result = own.output(caller, value, None)

    def backward(residuals: Any, bar: Any) -> Any:
        return [caller.read(function.transpose, bar, *residuals), *(None for _ in others)]

    own.reverse(caller, backward, args, others, result, False)
    if not has_active(others):
        return result
    with caller.inside():
        rest = caller.read(function.function, caller.passive(first, "held"), *others)
    whole = caller.stage.array(rest)
    kind = value.dtype.name
    total = caller.stage.lazy(
        value.shape, value.dtype, lambda point: add(result.element(point), cast(whole.element(point), kind), kind)
    )
    return own.output(caller, value, total)


def _implicit(caller: Caller, function: Implicit, args: list[Any]) -> Any:
    args = [mapped(arg, lambda leaf: own.placed(caller, leaf)) for arg in args]
    with own.untouched(caller, args):
        value = _value(caller, args)
    return implicit_result(caller, value, lambda point: caller.read(function.residual, point, *args))


def implicit_result(caller: Caller, found: Any, residual_at: Callable[[Any], Any]) -> Any:
    """A step of Newton's method from the solution: its derivative is that of the implicit function."""
    stage = caller.stage
    value = _array(caller, found)
    shape = [stage.known(extent) for extent in value.shape]
    size = prod(shape)

    def residual(point: Any) -> View:
        found = _array(caller, residual_at(caller.read(np.reshape, point, tuple(shape))))
        count = prod(stage.known(extent) for extent in found.shape)
        if count != size:
            caller.refuse(f"has a residual of {count} elements for a result of {size}", "Give one for each.")
        return stage.copy(caller.read(np.reshape, found, (size,)), "residual")

    with caller.inside():
        solved = caller.passive(value, "solution")
    point = stage.copy(caller.read(np.reshape, solved, (size,)), "point")
    matrix = stage.allocate((Affine(size), Affine(size)), value.dtype, "slopes")
    own.never_taken(caller, "is_linearised", lambda: slopes(caller, matrix, residual(point), point))
    step = caller.read(np.linalg.solve, matrix, residual(point))
    formula = caller.read(np.negative, caller.read(np.reshape, step, tuple(shape)))
    return own.output(caller, value, formula)


def slopes(caller: Caller, matrix: View, value: View, point: View) -> None:
    """The statement by which a branch says which matrix of derivatives it makes."""
    kind = matrix.dtype.name

    def build(place: tuple[Affine, ...]) -> list[Any]:
        row, column = place
        slope = Op("slope", (value.element((row,)), point.element((column,))), kind)
        return [(matrix, place, "=", slope)]

    caller.stage.nest(matrix.shape, build)


READINGS: dict[type, Callable[[Caller, Any, list[Any]], Any]] = {
    CustomRule: own.custom,
    Elementwise: _elementwise,
    Linear: _linear,
    Implicit: _implicit,
}
