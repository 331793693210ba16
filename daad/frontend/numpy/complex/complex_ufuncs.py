"""Elementwise functions of complex operands, and where their results go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import Handler
from daad.frontend.numpy.complex.complex_rules import LINEAR, REAL_RULES, RULES
from daad.frontend.numpy.elementwise.ufuncs import at, repeated_into, select
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.complex_numbers import Pair
from daad.frontend.staging.values import ArrayValue, Complex, cast, is_number, is_weak
from daad.ir.nodes import Const
from daad.ir.operations.updates import Sign

Operand = ArrayValue | Complex


def elementwise(stage: Stage, ufunc: np.ufunc, operands: Sequence[Any], dtype: Any = None, weak: bool = False) -> Any:
    """The ufunc of broadcast operands, one of them complex at least, or the result; not yet written anywhere."""
    values = [complex_numbers.staged(stage, value) for value in operands]
    if ufunc not in RULES and ufunc not in REAL_RULES:
        stage.refuse(
            f"'np.{ufunc.__name__}' of complex numbers is not supported.", "Use their real and imaginary parts."
        )
    kind = complex_numbers.part_type(_computed_in(stage, ufunc, values, dtype))
    if ufunc not in LINEAR:
        values = [complex_numbers.held(stage, value) for value in values]
    shape = complex_numbers.shape_of(values, stage)

    def pairs(point: Sequence[Any]) -> list[Pair]:
        return [pair_at(value, point, kind) for value in values]

    if ufunc in REAL_RULES:
        rule = REAL_RULES[ufunc]
        result = ufunc.resolve_dtypes((*(_kind(value) for value in values), None))[-1]
        return stage.lazy(shape, result, lambda point: rule(pairs(point), kind.name), weak)
    return complex_numbers.both(stage, shape, kind, lambda point: RULES[ufunc](pairs(point), kind.name), weak)


def pair_at(value: Operand, point: Sequence[Any], kind: np.dtype[Any]) -> Pair:
    """Both parts of an operand at a point of the shape that it is broadcast to."""
    if isinstance(value, Complex):
        return cast(at(value.real, point), kind), cast(at(value.imag, point), kind)
    return cast(at(value, point), kind), Const(0.0, kind.name)


def _computed_in(stage: Stage, ufunc: np.ufunc, values: Sequence[Operand], dtype: Any) -> np.dtype[Any]:
    """The complex dtype that NumPy converts the operands to."""
    kinds = (*map(_kind, values), None)
    try:
        if dtype is not None:
            return ufunc.resolve_dtypes(kinds, signature=(*(None,) * ufunc.nin, np.dtype(dtype)))[-1]
        return ufunc.resolve_dtypes(kinds)[0]
    except TypeError as error:
        raise stage.refuse(
            f"'np.{ufunc.__name__}' does not take these types: {str(error).rstrip('.')}.", "Convert an operand."
        ) from None


def _kind(value: Operand) -> Any:
    """The operand's dtype, or Python's type for a Python number."""
    if not value.weak or value.dtype.kind == "b":
        return value.dtype
    return {"f": float, "c": complex}.get(value.dtype.kind, int)


def ufunc_call(ufunc: np.ufunc) -> Callable[..., Any]:
    """`np.exp(z, out=…, where=…, dtype=…)`."""

    def applied(stage: Stage, operands: tuple[Any, ...], out: Any, where: Any, dtype: Any) -> Any:
        value = elementwise(stage, ufunc, operands, dtype)
        if out is None and where is not True:
            stage.refuse(f"'np.{ufunc.__name__}' with 'where' leaves elements undefined.", "Give 'out' too.")
        return value if out is None else stored(stage, value, out, where)

    def unary(stage: Stage, x: Any, /, out: Any = None, *, where: Any = True, dtype: Known = None) -> Any:
        return applied(stage, (x,), out, where, dtype)

    def binary(stage: Stage, x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Known = None) -> Any:
        return applied(stage, (x1, x2), out, where, dtype)

    return unary if ufunc.nin == 1 else binary


def operator_call(ufunc: np.ufunc) -> Handler:
    """An operator, of Python's numbers or NumPy's."""

    def handle(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
        values = [complex_numbers.staged(stage, value) for value in args]
        if any(isinstance(arg, list | tuple) for arg in args) and any(map(is_weak, values)):
            error = TypeError("unsupported operand type(s) for an operator of complex numbers and a list")
            stage.refuse("Python's complex numbers know nothing of lists.", "Make an array of the list.", error)
        return elementwise(stage, ufunc, values, weak=is_weak(*values) or _is_by_python(*values))

    return handle


def _is_by_python(first: Operand, *others: Operand) -> bool:
    """Whether Python computes with a complex number of its own on the left: NumPy's doubles are floats of Python's."""
    doubles = (is_number(one) and not isinstance(one, Complex) and one.dtype == np.float64 for one in others)
    return isinstance(first, Complex) and is_weak(first) and all(doubles)


def stored(stage: Stage, value: Any, out: Any, mask: Any = True) -> Any:
    """Stores a result where `out` says; gives `out`."""
    place = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(place, Complex):
        if isinstance(value, Complex):
            stage.refuse(
                "A complex result cannot be written into a real array.", "Make 'out' complex, or take a real part."
            )
        return repeated_into(stage, value, place, mask)
    if not complex_numbers.is_place(stage, place):
        stage.refuse("The argument 'out' is no array that can be written.", "Pass an array of the program.")
    write(stage, place, value if mask is True else chosen(stage, mask, value, place))
    return place


def chosen(stage: Stage, condition: Any, then: Any, orelse: Any) -> Complex:
    """`np.where` of complex numbers."""
    sides = [complex_numbers.staged(stage, side) for side in (then, orelse)]
    kind = complex_numbers.part_type(np.result_type(*(_sample(side) for side in sides), np.complex64))
    pairs = zip(*(complex_numbers.paired(stage, side).parts for side in sides), strict=True)
    return Complex(*(select(stage, condition, a, b, kind) for a, b in pairs))


def _sample(value: Operand) -> Any:
    return value.dtype.type(0).item() if value.weak else value.dtype


def write(stage: Stage, place: Complex, value: Any, op: Sign = "=") -> None:
    """`place op= value`, all of it: both parts of the value are read before one is written."""
    value = complex_numbers.paired(stage, value)
    real, imag = value.parts
    stage.store(place.real, real, op)
    stage.store(place.imag, imag, op)


def angle(stage: Stage, z: Any, deg: Known = False) -> Any:
    """`np.angle`, of real numbers too."""
    value = complex_numbers.staged(stage, z)
    parts = complex_numbers.held(stage, value).parts if isinstance(value, Complex) else (value, 0)
    from daad.frontend.numpy.elementwise.ufuncs import elementwise as real_elementwise

    found = real_elementwise(stage, np.arctan2, parts[::-1])
    return real_elementwise(stage, np.rad2deg, (found,)) if deg else found


Elementwise = Callable[..., Any]
