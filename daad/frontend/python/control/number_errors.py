"""Exceptions that numbers of the run raise in Python (a division by zero, the root of a negative number), where a `try`
of the program waits for them.

The program is read as if there were none, and a check tells after a call whether there was one. The call is then
another path through the program: in that line it is decided, as the data of each call say, whether the handler runs.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from daad.frontend.numpy import FUNCTIONS
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.numpy.elementwise.python_numbers import ROUNDINGS
from daad.frontend.python.control.array_errors import watch_arrays, watch_power
from daad.frontend.python.control.checks import Check, catches, is_caught_alike, note
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.integer_bounds import LIMIT, interval_of
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, Complex, affine_of, cast, is_weak
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Op
from daad.ir.operations.python_operators import ALL_BINARY
from daad.ir.walk import loads

Kind = type[Exception]


class Again(NamedTuple):
    """What has been called, which Python may do again."""

    function: Any
    args: Sequence[Any]
    keywords: Mapping[str, Any] = {}


OPERATORS: dict[Any, type[ast.operator]] = {
    **{row.python: op for op, row in ALL_BINARY.items()},
    **{row.in_place: op for op, row in ALL_BINARY.items()},
    pow: ast.Pow,
    np.power: ast.Pow,
}
"""Operators as functions."""
HINT = "Ask with 'if' whether it can happen: a 'try' goes by what is known before the run."
FINITE: tuple[tuple[str, Kind], ...] = (
    ("math", ValueError),
    ("math", OverflowError),
    ("numpy.linalg", np.linalg.LinAlgError),
    ("scipy.linalg", np.linalg.LinAlgError),
)
"""Functions of these modules raise the exception where there is no finite result."""
OF_POWERS = OverflowError, ZeroDivisionError
OF_ROUNDING = ValueError, OverflowError
AMBIGUOUS = (math.pow, math.gamma, math.lgamma)
"""An infinite result of these stands for one exception or the other."""
GROWING: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.LShift: "multiply",
    ast.Pow: "power",
}
UNLIMITED = "A whole number passes 64 bits here, which Python's may, and those of the compiled program cannot."
NOT_FINITE = "A result is not finite, an exception which a 'try' of the program could catch."
OUTSIDE = "An index may be outside, an exception which a 'try' of the program could catch."
ZERO_DIVISOR = "A division by zero, which a 'try' of the program could catch."


def watch_operation(reader: Reader, op: type[ast.operator], left: Any, right: Any, result: Any) -> None:
    """Python's numbers raise an exception where NumPy's are infinite or NaN, or 0 for whole numbers."""
    again = Again(ALL_BINARY[op].python, (left, right))
    if isinstance(result, Complex) and not result.shape and is_weak(result):
        if op in (ast.Div, ast.Pow) and catches(reader, *OF_POWERS):
            for part in (result.real, result.imag):
                _watch_finite(reader, part, again, OF_POWERS if op is ast.Pow else ())
        return
    if op is ast.Pow:
        watch_power(reader, right, result)
    if not isinstance(result, ArrayValue) or result.shape or not is_weak(result):
        return
    if op in (ast.Div, ast.FloorDiv, ast.Mod):
        divisor = reader.stage.array(right).element(())
        zero = Op("equal", (divisor, Const(np.dtype(divisor.dtype).type(0).item(), divisor.dtype)), "bool")
        if catches(reader, ZeroDivisionError):
            _watch(reader, zero, ZERO_DIVISOR, again)
        elif result.dtype.kind in "iu" and not _is_never_zero(reader, divisor):
            note(reader, Check("An integer is divided by zero.", "Check the arguments.", reader.stage.at), zero)
    elif op is ast.Pow and catches(reader, *OF_POWERS):
        base = reader.stage.array(left).element(())
        _watch_finite(reader, result, again, base=cast(base, result.dtype.name))
    elif result.dtype.kind == "i" and op in GROWING:
        _watch_size(reader, op, left, right, result)


def _watch_size(reader: Reader, op: type[ast.operator], left: Any, right: Any, result: ArrayValue) -> None:
    """Whole numbers of Python's have no limit. Products of sizes and counters are taken for small, and so are sums of
    what a loop does not change."""
    stage = reader.stage
    low, high = interval_of(stage, result.element(()))
    if low >= -LIMIT and high < LIMIT:
        return
    if stage.loop_variables and stage.at in stage.speculation.assumptions.caught:
        raise stage.unroll(Affine.of(stage.loop_variables[-1]), UNLIMITED)
    sides = [stage.array(value).element(()) for value in (left, right)]
    change = [any(loads(side)) for side in sides]
    if (op in (ast.Add, ast.Sub) and not (all(change) and reader.courses)) or (op is ast.Mult and not any(change)):
        return
    one, other = (cast(side, "float64") for side in sides)
    if op is ast.LShift:
        other = Op("power", (Const(2.0, "float64"), other), "float64")
    exact = Op(GROWING[op], (one, other), "float64")
    fits = Op("less", (Op("absolute", (exact,), "float64"), Const(float(LIMIT), "float64")), "bool")
    check = Check(UNLIMITED, "Make it a float: 1.0 in place of 1.", stage.at, is_caught=bool(stage.loop_variables))
    note(reader, check, Op("logical_not", (fits,), "bool"))


def _is_never_zero(reader: Reader, divisor: Expr) -> bool:
    low, high = interval_of(reader.stage, divisor)
    return (low is not None and low > 0) or (high is not None and high < 0)


def watch_call(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> None:
    """Functions that raise an exception where there is no finite result, or for other data than these."""
    watch_arrays(reader, function, args, keywords)
    if function is divmod and isinstance(result, tuple):
        watch_operation(reader, ast.FloorDiv, args[0], args[1], result[0])
    if len(args) == 2 and is_in(OPERATORS, function):
        watch_operation(reader, OPERATORS[function], args[0], args[1], result)
    if not reader.attempts:
        return
    module, again = getattr(function, "__module__", None) or "", Again(function, args, keywords)
    if function in (int, round, *ROUNDINGS) and args and catches(reader, *OF_ROUNDING):
        _watch_finite(reader, args[0], again)
        return
    kinds = [kind for name, kind in FINITE if module.startswith(name)]
    if catches(reader, *kinds):
        for value in result if isinstance(result, tuple) else (result,):
            _watch_finite(reader, value, again, kinds if is_in(AMBIGUOUS, function) else ())


def watch_index(reader: Reader, array: ArrayValue | Complex, key: Sequence[Any]) -> None:
    """Where a handler waits for an index outside, it is known or decided of each one where it is."""
    if not catches(reader, IndexError):
        return
    stage = reader.stage
    for axis, (part, extent) in enumerate(zip(key, array.shape, strict=False)):
        form = affine_of(part)
        if part is None or part is Ellipsis:
            return
        if form is not None and not (stage.provable(form + extent) and stage.provable(extent - 1 - form)):
            stage.known(form)
        if form is None and isinstance(part, ArrayValue) and not part.shape and part.dtype.kind in "iu":
            size = stage.known(extent)
            found = assumed(stage, _outside(stage, part, size), "Whether an index is outside")
            if found is None:
                stage.refuse(OUTSIDE, HINT)
            if found:
                text = f"index {_now(reader, part)} is out of bounds for axis {axis} with size {size}"
                stage.refuse(OUTSIDE, HINT, IndexError(text))


def _outside(stage: Stage, index: ArrayValue, size: int) -> ArrayValue:
    number, low, high = cast(index.element(()), "int64"), Const(-size, "int64"), Const(size, "int64")
    below, above = Op("less", (number, low), "bool"), Op("greater_equal", (number, high), "bool")
    return stage.lazy((), bool, lambda _: Op("logical_or", (below, above), "bool"))


def _watch_finite(
    reader: Reader, value: Any, again: Again, kinds: Sequence[Kind] = (), base: Expr | None = None
) -> None:
    if not _is_float(value):
        return
    finite = truth(reader.stage, _over(reader, np.all, np.isfinite, value))
    if not isinstance(finite, Expr):
        return
    fails: Expr = Op("logical_not", (finite,), "bool")
    if not value.shape:
        fails = _way(value.element(()), fails, base)
    _watch(reader, fails, NOT_FINITE, again, kinds)


def _way(number: Expr, fails: Expr, base: Expr | None) -> Expr:
    """How a number fails to be finite, for Python has one exception or another: 0 where it is.

    Of powers it tells whether the `base` was zero, of others their sign."""
    zero = Const(np.dtype(number.dtype).type(0).item(), number.dtype)
    below, above = (Op(name, (number, zero), "bool") for name in ("less", "greater"))
    is_first = above if base is None else Op("equal", (base, zero), "bool")
    infinite = Op("where", (is_first, Const(2, "int64"), Const(3, "int64")), "int64")
    is_nan = Op("logical_not", (Op("logical_or", (below, above), "bool"),), "bool")
    ways = Op("where", (is_nan, Const(1, "int64"), infinite), "int64")
    return Op("where", (fails, ways, Const(0, "int64")), "int64")


def _over(reader: Reader, over: Any, ask: Any, value: ArrayValue) -> Any:
    return FUNCTIONS[over](reader.stage, (FUNCTIONS[ask](reader.stage, (value,), {}),), {})


def _is_float(value: Any) -> bool:
    return isinstance(value, ArrayValue) and value.dtype.kind == "f"


def _watch(reader: Reader, way: Expr, message: str, again: Again, kinds: Sequence[Kind] = ()) -> None:
    """Where the `way` is not 0, doing it `again` in Python may raise an exception; of which of the `kinds`, the way
    does not tell."""
    stage = reader.stage
    is_sure = len(kinds) < 2 or is_caught_alike(reader, kinds)
    if is_sure and stage.at in stage.speculation.assumptions.caught:
        whole = _with_operands(reader, cast(way, "int64"), again)
        if assumed(stage, stage.lazy((), np.dtype(np.int64), lambda _: whole), "Whether an exception is raised"):
            _do_again(reader, again, message)
        return
    fails = way if way.dtype == "bool" else Op("not_equal", (way, Const(0, way.dtype)), "bool")
    note(reader, Check(message, HINT, stage.at, is_caught=is_sure), fails)


def _with_operands(reader: Reader, way: Expr, again: Again) -> Expr:
    """The way, and whether there is a NaN or an infinite number among the operands, with which often nothing is
    raised."""
    none, fails = Const(0, "int64"), Op("not_equal", (way, Const(0, "int64")), "bool")
    parts = [part for one in again.args for part in (one.parts if isinstance(one, Complex) else (one,))]
    for value in parts:
        for ask, weight in ((np.isnan, 4), (np.isinf, 8)) if _is_float(value) else ():
            holds = truth(reader.stage, _over(reader, np.any, ask, value))
            if isinstance(holds, Expr):
                more = Op("where", (Op("logical_and", (fails, holds), "bool"), Const(weight, "int64"), none), "int64")
                way = Op("bitwise_or", (way, more), "int64")
    return way


def _do_again(reader: Reader, again: Again, message: str) -> None:
    """Raises what Python raises for the values of this call, if it does."""
    args = [_now(reader, value) for value in again.args]
    keywords = {name: _now(reader, value) for name, value in again.keywords.items()}
    try:
        found = again.function(*args, **keywords)
    except (ArithmeticError, ValueError) as error:
        error.__traceback__ = None
        reader.stage.refuse(message, HINT, error)
    if isinstance(found, complex) and not any(isinstance(value, complex) for value in args):
        reader.stage.refuse("A power of a negative number is complex in Python.", HINT)


def _now(reader: Reader, value: Any) -> Any:
    """A number or an array, as it is in this call."""
    if isinstance(value, Complex):
        real, imaginary = _now(reader, value.real), _now(reader, value.imag)
        return real + 1j * imaginary if value.shape else complex(real, imaginary)
    if not isinstance(value, ArrayValue):
        return value
    stage = reader.stage
    found = stage.speculation.array(stage, stage.copy(value, "now"))
    return found if value.shape else found.item()
