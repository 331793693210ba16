"""NumPy's elementwise functions: one row each, the scalar operation that a ufunc is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import dtype_of
from daad.frontend.numpy.calling.numpy_errors import FAILS_TOO
from daad.frontend.numpy.elementwise.scalar_expressions import const, less, op, power, product, where
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, View, broadcast_index, cast
from daad.ir.dtypes import is_float, name_of
from daad.ir.nodes import Const, Expr
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family, Operation

Rule = Callable[[Sequence[Expr], str], Expr]


def named(name: str) -> Rule:
    """The operation of that name, in the type of the result."""
    return lambda args, dtype: op(name, dtype, *args)


def _on_floats(name: str) -> Rule:
    """The operation on floats, nothing on integers."""
    return lambda args, dtype: op(name, dtype, *args) if is_float(dtype) else args[0]


def _logical(name: str, boolean: str) -> Rule:
    """`boolean` is the same operation on truth values."""
    return lambda args, dtype: op(boolean if dtype == "bool" else name, dtype, *args)


def _truth(name: str) -> Rule:
    return lambda args, dtype: op(name, dtype, *(cast(arg, "bool") for arg in args))


def _scaled(factor: float) -> Rule:
    return lambda args, dtype: product(args[0], const(factor, dtype))


def _never_on_integers(name: str) -> Rule:
    """A question about floats that has one answer for integers."""
    answer = const(name == "isfinite", "bool")
    return lambda args, dtype: op(name, dtype, *args) if is_float(args[0].dtype) else answer


def _reciprocal(args: Sequence[Expr], dtype: str) -> Expr:
    """Of integers cut, not rounded down."""
    found = op("divide" if is_float(dtype) else "floor_divide", dtype, const(1, dtype), args[0])
    return where(less(args[0], const(-1, dtype)), const(0, dtype), found) if dtype.startswith("int") else found


def _signbit(args: Sequence[Expr], dtype: str) -> Expr:
    return op("signbit", dtype, *args) if is_float(args[0].dtype) else less(args[0], const(0, args[0].dtype))


def _usual(row: Operation) -> Rule:
    """What the ufunc of an operation's name is made of, unless it has a line below."""
    if row.family is Family.ROUNDING:
        return _on_floats(row.name)
    if row.family is Family.LOGIC:
        return _truth(row.name)
    if row.family is Family.PREDICATE:
        return _never_on_integers(row.name)
    return _logical(row.name, row.on_bools) if row.on_bools else named(row.name)


RULES: dict[np.ufunc, Rule] = {
    **{ufunc: _usual(row) for row in OPERATIONS.values() if isinstance(ufunc := getattr(np, row.name, None), np.ufunc)},
    np.absolute: lambda args, dtype: args[0] if dtype == "bool" else op("absolute", dtype, *args),
    np.fabs: named("absolute"),
    np.signbit: _signbit,
    np.power: lambda args, dtype: power(args[0], args[1], dtype),
    np.float_power: lambda args, dtype: power(args[0], args[1], dtype),
    np.square: lambda args, dtype: power(args[0], const(2, dtype), dtype),
    np.reciprocal: _reciprocal,
    np.positive: lambda args, _: args[0],
    np.conjugate: lambda args, _: args[0],
    np.deg2rad: _scaled(math.pi / 180),
    np.radians: _scaled(math.pi / 180),
    np.rad2deg: _scaled(180 / math.pi),
    np.degrees: _scaled(180 / math.pi),
}


ORDERED = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
"""Ufuncs that take Python integers of any size."""


def loop_types(
    stage: Stage, ufunc: np.ufunc, operands: Sequence[ArrayValue], dtype: Any = None, casting: Any = "same_kind"
) -> list[np.dtype[Any]]:
    """The types that NumPy converts the operands to, and that of the result."""
    all_weak = all(operand.weak for operand in operands)  # of Python ints alone NumPy would compare as objects
    kinds = [operand.dtype if all_weak else weak_kind(operand) for operand in operands]
    wanted = None if dtype is None else dtype_of(stage, dtype)
    operands_and_result = (*kinds, *(None,) * ufunc.nout)
    try:
        if wanted is None:
            types = ufunc.resolve_dtypes(operands_and_result)
        else:
            signature = (*(None,) * ufunc.nin, wanted)
            types = ufunc.resolve_dtypes(operands_and_result, signature=signature, casting=casting)
    except TypeError as error:
        stage.refuse(
            f"'np.{ufunc.__name__}' does not take these types: {str(error).rstrip('.')}.", "Convert an operand."
        )
    found = [dtype_of(stage, kind) for kind in types]
    beyond = [number for number in map(_beyond, operands, found) if number is not None]
    if beyond and (ufunc not in ORDERED or any(abs(number) > np.iinfo(np.int64).max for number in beyond)):
        raised = OverflowError(f"Python integer {beyond[0]} out of bounds for {found[0]}")
        stage.refuse(f"{FAILS_TOO}: {raised}.", "Convert an operand.", raised)
    return [*(np.dtype(np.int64),) * ufunc.nin, found[-1]] if beyond else found


def _beyond(operand: ArrayValue, kind: np.dtype[Any]) -> int | None:
    """A Python integer that the type does not hold."""
    if kind.kind not in "iu" or not (isinstance(operand, Lazy) and operand.weak and isinstance(operand.expr, Const)):
        return None
    number = int(operand.expr.value)
    return None if np.iinfo(kind).min <= number <= np.iinfo(kind).max else number


def weak_kind(operand: ArrayValue | Complex) -> Any:
    """NumPy's stand-in for a Python number; a bool is as strong as any."""
    if not operand.weak or operand.dtype.kind == "b":
        return operand.dtype
    return {"f": float, "c": complex}.get(operand.dtype.kind, int)


def elementwise(
    stage: Stage,
    ufunc: np.ufunc,
    operands: Sequence[Any],
    dtype: Any = None,
    weak: bool = False,
    casting: Any = "same_kind",
) -> Lazy:
    """The ufunc of broadcast operands, not yet written anywhere."""
    arrays = [operand(stage, value) for value in operands]
    *inner, result = loop_types(stage, ufunc, arrays, dtype, casting)
    _check_exponent(stage, ufunc, operands, result)
    rule = RULES[ufunc]
    shape = stage.broadcast(*(a.shape for a in arrays))
    arrays = [stage.spread(a, shape) for a in arrays]

    def build(point: Sequence[Any]) -> Expr:
        pairs = zip(arrays, inner, strict=True)
        return rule([cast(at(a, point), kind) for a, kind in pairs], name_of(result))

    return stage.lazy(shape, result, build, weak)


def operand(stage: Stage, value: Any) -> ArrayValue:
    """A value as NumPy sees it: `np.float64(2)` is a Python float too, but is not weak."""
    return stage.scalar(value, dtype_of(stage, value.dtype)) if isinstance(value, np.generic) else stage.array(value)


def _check_exponent(stage: Stage, ufunc: np.ufunc, operands: Sequence[Any], result: np.dtype[Any]) -> None:
    static = isinstance(operands[-1], int | np.integer)
    if ufunc is np.power and result.kind == "i" and static and operands[-1] < 0:
        stage.refuse("Integers to negative integer powers are not allowed.", "Make the base a float.")


def at(value: ArrayValue, point: Sequence[Any]) -> Expr:
    """The element of an operand at a point of the shape that it is broadcast to."""
    return value.element(broadcast_index(value, point))


def ufunc_call(ufunc: np.ufunc) -> Callable[..., Any]:
    """`np.exp(x, out=…, where=…, dtype=…, casting=…)`."""

    def applied(stage: Stage, operands: tuple[Any, ...], out: Any, where: Any, casting: Any, dtype: Any) -> Any:
        value = elementwise(stage, ufunc, operands, dtype, casting=casting)
        if out is None and where is not True:
            stage.refuse(f"'np.{ufunc.__name__}' with 'where' leaves elements undefined.", "Give 'out' too.")
        return value if out is None else repeated_into(stage, value, out, where, casting)

    def unary(
        stage: Stage,
        x: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: Known = "same_kind",
        dtype: Known = None,
    ) -> Any:
        return applied(stage, (x,), out, where, casting, dtype)

    def binary(
        stage: Stage,
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: Known = "same_kind",
        dtype: Known = None,
    ) -> Any:
        return applied(stage, (x1, x2), out, where, casting, dtype)

    return unary if ufunc.nin == 1 else binary


def into(stage: Stage, value: ArrayValue, out: Any, casting: Any = "same_kind") -> Any:
    """Stores a result in `out`, which has its shape; gives `out`."""
    place = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    shape = place.shape if isinstance(place, View) else value.shape
    if len(shape) != value.ndim or not all(map(stage.same_extent, shape, value.shape)):
        stage.refuse("The argument 'out' has another shape than the result.", "Pass an array of the result's shape.")
    return repeated_into(stage, value, place, True, casting)


def repeated_into(stage: Stage, value: ArrayValue, out: Any, mask: Any = True, casting: Any = "same_kind") -> Any:
    """The same of an elementwise function, which repeats its operands to the shape of `out`, under a mask."""
    place = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(place, View):
        stage.refuse("The argument 'out' is no array that can be written.", "Pass an array of the program.")
    target = place
    if not np.can_cast(value.dtype, target.dtype, casting):
        stage.refuse(
            f"A result of dtype '{value.dtype}' cannot be written into an array of dtype '{target.dtype}'.",
            "Make 'out' of the result's dtype.",
        )
    stage.store(target, value if mask is True else select(stage, mask, value, target, target.dtype))
    return place


def select(stage: Stage, condition: Any, then: Any, orelse: Any, dtype: Any) -> Lazy:
    """`np.where` with a given dtype; each side is evaluated on its own points only."""
    parts = [stage.array(part) for part in (condition, then, orelse)]

    def build(point: Sequence[Any]) -> Expr:
        mask, *sides = (at(part, point) for part in parts)
        return where(cast(mask, "bool"), *(cast(side, dtype) for side in sides))

    return stage.lazy(stage.broadcast(*(p.shape for p in parts)), dtype, build)


IMPLEMENTATIONS: Mapping[Callable[..., Any], Callable[..., Any]] = {ufunc: ufunc_call(ufunc) for ufunc in RULES}
