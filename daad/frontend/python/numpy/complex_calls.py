"""The tables' functions on complex numbers: which apply to both parts, which are sums of products of parts, and others.

What has no line here is refused where an argument, or a dtype that is asked for, is complex.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np

from daad.frontend.python import complexes
from daad.frontend.python.numpy.arguments import Handler, public_name
from daad.frontend.python.numpy.complex_rules import REAL_RULES, RULES
from daad.frontend.python.numpy.complex_ufuncs import angle, chosen, elementwise, operator_call, stored, ufunc_call
from daad.frontend.python.numpy.operators import BINARY, COMPARED, UNARY
from daad.frontend.python.numpy.verdict import FAILURES, in_numpys_terms
from daad.frontend.python.stage import Stage
from daad.frontend.python.values import Complex, View, is_staged

Rule = Callable[[Stage, Handler, tuple[Any, ...], Mapping[str, Any]], Any]


def with_complex(rows: Mapping[Any, Handler]) -> dict[Any, Handler]:
    """The handlers, which go by the rules of this module where something complex takes part.

    What is all known is left to the handlers, but for functions that make arrays and operators on arrays.
    """
    return {key: _either(key, handler) for key, handler in rows.items()}


def _is_numpys(key: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operator or method is one of constant arrays."""
    is_function = callable(key) and not isinstance(key, type)
    return not is_function and any(isinstance(arg, np.ndarray) for arg in args)


def _either(key: Any, handler: Handler) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        asked = complexes.is_complex_type(kwargs.get("dtype")) or any(map(complexes.is_complex_type, args))
        given = complexes.is_complex(args) or complexes.is_complex(kwargs)
        known = not is_staged((args, kwargs)) and key not in MAKING and not _is_numpys(key, args)
        if known or not (asked or given):
            return handler(stage, args, kwargs)
        return applied(stage, key, handler, args, kwargs)

    return handle


def applied(stage: Stage, key: Any, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What the function of the tables gives of complex arguments."""
    try:
        rule = RULES_BY_KEY.get(key)
        if rule is None:
            stage.refuse(f"'{_shown(key)}' of complex numbers is not supported.", "Use their real and imaginary parts.")
        return rule(stage, handler, args, kwargs)
    except FAILURES as error:
        raise in_numpys_terms(stage, error, _python(key), args, kwargs) from error.__cause__


def _python(key: Any) -> Callable[..., Any]:
    """What stands for a key of the tables in Python: a function, an operator, a method."""
    if isinstance(key, str):
        return lambda array, *args, **kwargs: getattr(array, key)(*args, **kwargs)
    found: Callable[..., Any] = dict(_OPERATORS).get(key, key)
    return found


def _shown(key: Any) -> str:
    return f".{key}" if isinstance(key, str) else SIGNS.get(key) or public_name(key)


SIGNS: dict[Any, str] = {ast.FloorDiv: "//", ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
SIGNS |= {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Invert: "~"}


NUMBERS = frozenset(("a", "x", "m", "v", "y", "arr", "ary", "arrays", "array", "tup", "object", "prototype", "values"))
NUMBERS |= {"initial", "prepend", "append", "constant_values", "fill_value", "default", "start", "out"}
"""Arguments of these names may be complex."""


def partwise(*positions: int) -> Rule:
    """The function of real parts, and of imaginary parts; at these positions, and by the names above, stand numbers,
    whose imaginary part is zero where they are real."""

    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        split = [_split(stage, arg, k in positions) for k, arg in enumerate(args)]
        named = {key: _split(stage, value, key in NUMBERS) for key, value in kwargs.items()}
        with _jointly(stage):
            found = [
                handler(stage, tuple(pair[k] for pair in split), {key: pair[k] for key, pair in named.items()})
                for k in (0, 1)
            ]
        return _together(*found)

    return rule


@contextmanager
def _jointly(stage: Stage) -> Iterator[None]:
    """Where parts are dealt with, elements of complex arrays follow each other in memory."""
    before, stage.joint = stage.joint, True
    try:
        yield
    finally:
        stage.joint = before


def _split(stage: Stage, value: Any, is_number: bool) -> tuple[Any, Any]:
    if complexes.is_complex_type(value):
        return (complexes.part_type(value),) * 2
    if is_number:
        return complexes.parts_in(stage, value)
    if complexes.is_complex(value):
        stage.refuse("An argument of this function is complex.", "Use real and imaginary parts.")
    return value, value


def _together(real: Any, imag: Any) -> Any:
    """One structure of complex values from two of real ones."""
    if isinstance(real, list | tuple):
        items = [_together(a, b) for a, b in zip(real, imag, strict=True)]
        return type(real)(*items) if hasattr(real, "_fields") else type(real)(items)
    return None if real is None else Complex(real, imag)


def _shape(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What only depends on the shape."""
    value = complexes.staged(stage, args[0])
    return handler(stage, (value.real if isinstance(value, Complex) else value, *args[1:]), kwargs)


def _of_modulus(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return handler(stage, (elementwise(stage, np.absolute, args[:1]), *args[1:]), kwargs)


def _of_truth(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return handler(stage, (elementwise(stage, np.not_equal, (args[0], 0)), *args[1:]), kwargs)


def multilinear(*, conjugated: int | None = None, first: int = 0, count: int | None = None) -> Rule:
    """A sum of products, one factor from each operand: of all choices of parts, with the sign of their powers of i.

    The operands are the `count` arguments from the `first` one on; that of number `conjugated` counts as its conjugate.
    """

    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        options = dict(kwargs)
        out = options.pop("out", None)
        last = len(args) if count is None else first + count
        if count is not None and len(args) == last + 1 and out is None and isinstance(args[last], Complex):
            out = args[last]
            args = args[:last]
        operands = [complexes.held(stage, complexes.staged(stage, arg)) for arg in args[first:last]]
        totals: list[Any] = [None, None]
        for choice in product(*((0, 1) if isinstance(value, Complex) else (0,) for value in operands)):
            factors = [v.parts[k] if isinstance(v, Complex) else v for v, k in zip(operands, choice, strict=True)]
            turns = (sum(choice) + 2 * (conjugated is not None and choice[conjugated])) % 4
            term = handler(stage, (*args[:first], *factors, *args[last:]), options)
            totals[turns % 2] = _added(stage, totals[turns % 2], term, turns >= 2)
        result = Complex(*(stage.array(total) for total in totals))
        return result if out is None else stored(stage, result, out)

    return rule


def _added(stage: Stage, total: Any, term: Any, is_negative: bool) -> Any:
    from daad.frontend.python.numpy.ufuncs import elementwise as real

    if total is None:
        return real(stage, np.negative, (term,)) if is_negative else term
    return real(stage, np.subtract if is_negative else np.add, (total, term))


def _converted(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`astype`."""
    wanted = args[1] if len(args) > 1 else kwargs["dtype"]
    if not complexes.is_complex_type(wanted):
        if np.dtype(wanted).kind == "b":
            return elementwise(stage, np.not_equal, (args[0], 0))
        stage.refuse(f"Complex numbers are converted to '{np.dtype(wanted)}'.", "Take their real parts first.")
    return partwise(0)(stage, handler, args, kwargs)


def number(kind: Any) -> Handler:
    """`complex(a, b)`, `np.complex128(z)` and their like."""

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if not is_staged((args, kwargs)):
            return kind(*args, **kwargs)
        first, second = (*args, *kwargs.values(), 0.0)[:2]
        turned = elementwise(stage, np.multiply, (second, 1j))
        value = elementwise(stage, np.add, (first, turned), weak=True)
        dtype, weak = complexes.part_type(kind), kind is builtins.complex
        return Complex(*(stage.lazy(value.shape, dtype, part.element, weak) for part in value.parts))

    return handle


def _of_cmath(ufunc: np.ufunc) -> Handler:
    """A function of Python's numbers, complex for real ones, too."""

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        return elementwise(stage, ufunc, [complexes.paired(stage, arg) for arg in args], weak=True)

    return handle


def _where(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    if len(args) != 3:
        stage.refuse("'np.where' of complex numbers takes three arguments.", "Compare the numbers with zero.")
    return chosen(stage, *args)


def _variance(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """That of the real parts and that of the imaginary ones together."""
    from daad.frontend.python.numpy.ufuncs import elementwise as real

    if kwargs.get("out") is not None or len(args) > 2:
        stage.refuse("The variance of complex numbers is not supported with these arguments.", "Store the result.")
    value = complexes.paired(stage, args[0])
    return real(stage, np.add, [handler(stage, (part, *args[1:]), kwargs) for part in value.parts])


def _filled_with_one(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Real numbers in a complex array."""
    split = [_split(stage, arg, isinstance(arg, Complex))[0] for arg in args]
    real = handler(stage, tuple(split), {key: _split(stage, value, False)[0] for key, value in kwargs.items()})
    return Complex(real, stage.copy(complexes.zero_of(stage, real)))


def _elementwise(ufunc: np.ufunc) -> Rule:
    call = ufunc_call(ufunc)
    return lambda stage, handler, args, kwargs: call(stage, args, kwargs)


def _operator(ufunc: np.ufunc) -> Rule:
    call = operator_call(ufunc)
    return lambda stage, handler, args, kwargs: call(stage, args, kwargs)


def _always(answer: bool) -> Rule:
    return lambda stage, handler, args, kwargs: answer


def _dtype(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return complexes.staged(stage, args[0]).dtype


def _twice(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return 2 * _shape(stage, handler, args, kwargs)


def _part(number: int) -> Rule:
    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        part = complexes.paired(stage, args[0]).parts[number]
        stage.halved |= {part.base} - stage.interleaved if isinstance(part, View) else set()
        return part

    return rule


def _result_type(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return np.result_type(*(_type_of(arg) for arg in args))


def _type_of(value: Any) -> Any:
    if not is_staged(value):
        return value
    return value.dtype.type(0).item() if value.weak else value.dtype


_MOVING: tuple[Any, ...] = (
    *(np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.ravel, np.reshape),
    *(np.roll, np.tile, np.repeat, np.take, np.take_along_axis, np.flip, np.fliplr, np.flipud, np.rot90),
    *(np.diagonal, np.diag, np.diagflat, np.tril, np.triu, np.trace, np.broadcast_to, np.atleast_1d, np.atleast_2d),
    *(np.mean, np.cumsum, np.pad, np.concatenate, np.stack, np.hstack, np.vstack, np.dstack),
    *(np.column_stack, np.block, np.split, np.array_split, np.hsplit, np.vsplit, np.copy, np.array, np.asarray),
    *(np.asanyarray, np.ascontiguousarray, np.add.accumulate, np.matrix_transpose, np.trapezoid),
    *(np.zeros_like, np.empty_like, np.delete, np.resize, np.unstack, np.append),
    *(np.average, np.gradient, np.compress, np.atleast_3d, np.dsplit, np.round, np.around),
)
_MOVING_METHODS = (
    *("transpose", "swapaxes", "squeeze", "ravel", "flatten", "reshape", "repeat", "take", "diagonal", "trace"),
    *("mean", "cumsum", "copy", "T", "mT", "compress", "round", "item", "tolist"),
)
_SYMBOLS: tuple[Any, ...] = (*BINARY.items(), *UNARY.items(), *COMPARED.items())
_KNOWN = {*RULES, *REAL_RULES}
_OPERATORS: tuple[Any, ...] = ((ast.MatMult, operator.matmul), *((kind, python) for kind, (_, python) in _SYMBOLS))
_SHAPES: tuple[Any, ...] = (np.shape, np.ndim, np.size, np.isscalar, np.iterable)
_MODULI: tuple[Any, ...] = (np.linalg.norm, np.linalg.vector_norm)
_TRUTHS: tuple[Any, ...] = (np.any, np.all, np.count_nonzero, np.nonzero, np.flatnonzero, np.argwhere, ast.Not)

RULES_BY_KEY: dict[Any, Rule] = {
    **{ufunc: _elementwise(ufunc) for ufunc in (*RULES, *REAL_RULES)},
    **{kind: _operator(ufunc) for kind, (ufunc, _) in _SYMBOLS if ufunc in _KNOWN},
    **{python: _operator(ufunc) for ufunc, python in BINARY.values() if ufunc in _KNOWN},
    **dict.fromkeys(_MOVING, partwise(0)),
    **dict.fromkeys(_MOVING_METHODS, partwise(0)),
    **dict.fromkeys(_SHAPES, _shape),
    **dict.fromkeys(("shape", "ndim", "size"), _shape),
    **dict.fromkeys(_MODULI, _of_modulus),
    **dict.fromkeys((*_TRUTHS, "any", "all", "nonzero"), _of_truth),
    **dict.fromkeys((np.matmul, np.dot, np.inner, np.outer, np.matvec, np.linalg.matmul), multilinear(count=2)),
    **dict.fromkeys((np.tensordot, np.kron, np.convolve, np.cross, np.linalg.outer), multilinear(count=2)),
    **dict.fromkeys((np.vdot, np.vecdot, np.vecmat, np.linalg.vecdot), multilinear(count=2, conjugated=0)),
    ast.MatMult: multilinear(count=2),
    operator.matmul: multilinear(count=2),
    "dot": multilinear(count=2),
    np.correlate: multilinear(count=2, conjugated=1),
    np.einsum: multilinear(first=1),
    np.zeros: partwise(),
    np.empty: partwise(),
    np.full: partwise(1),
    np.full_like: partwise(0, 1),
    np.linspace: partwise(0, 1),
    np.select: partwise(1, 2),
    np.sum: partwise(0, 5),
    "sum": partwise(0, 5),
    np.add.reduce: partwise(0, 5),
    np.diff: partwise(0, 3, 4),
    np.copyto: partwise(0, 1),
    np.fill_diagonal: partwise(0, 1),
    np.put: partwise(0, 2),
    np.place: partwise(0, 2),
    np.putmask: partwise(0, 2),
    np.insert: partwise(0, 2),
    np.append: partwise(0, 1),
    np.add.at: partwise(0, 2),
    np.subtract.at: partwise(0, 2),
    "fill": partwise(0, 1),
    "put": partwise(0, 2),
    np.where: _where,
    np.var: _variance,
    "var": _variance,
    "astype": _converted,
    np.astype: _converted,
    **dict.fromkeys((np.ones, np.ones_like, np.eye, np.identity, np.arange, np.tri), _filled_with_one),
    "dtype": _dtype,
    "itemsize": _twice,
    "nbytes": _twice,
    "real": _part(0),
    "imag": _part(1),
    np.real: _part(0),
    np.imag: _part(1),
    "conj": _operator(np.conjugate),
    "conjugate": _operator(np.conjugate),
    builtins.abs: _operator(np.absolute),
    builtins.sum: partwise(0, 1),
    builtins.pow: _operator(np.power),
    np.iscomplexobj: _always(True),
    np.isrealobj: _always(False),
    np.result_type: _result_type,
}

_MAKING: tuple[Any, ...] = (
    *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.zeros, np.ones, np.empty, np.full, np.eye),
    *(np.identity, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.linspace, np.copy),
)
MAKING = frozenset(_MAKING)
"""Functions that make arrays, which the program may write, even of what is all known."""

_OWN: dict[Any, Handler] = {
    builtins.complex: number(builtins.complex),
    np.complex128: number(np.complex128),
    np.complex64: number(np.complex64),
    np.angle: angle,
    cmath.phase: angle,
    **{getattr(cmath, name): _of_cmath(getattr(np, name)) for name in ("exp", "log", "sqrt", "sin", "cos", "tan")},
    **{getattr(cmath, name): _of_cmath(getattr(np, name)) for name in ("sinh", "cosh", "tanh", "log10")},
}


def _runs_if_known(function: Any, handler: Handler) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if not is_staged((args, kwargs)):
            from daad.frontend.python.numpy.arguments import run

            return run(stage, function, args, kwargs)
        return handler(stage, args, kwargs)

    return handle


FUNCTIONS: dict[Any, Handler] = {function: _runs_if_known(function, handler) for function, handler in _OWN.items()}
"""Functions that are about complex numbers alone."""
