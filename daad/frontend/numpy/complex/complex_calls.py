"""The tables' functions on complex numbers: which apply to both parts, which are sums of products of parts, and others.

What has no line here is refused where an argument, or a dtype that is asked for, is complex.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from daad.frontend import directives
from daad.frontend.library.anchored import of_one_memory
from daad.frontend.library.spectral.singular import plain_norm
from daad.frontend.numpy import newer_functions
from daad.frontend.numpy.calling.binding import Binding, canonical, method_of
from daad.frontend.numpy.calling.call_arguments import Handler, public_name
from daad.frontend.numpy.calling.handlers import staged
from daad.frontend.numpy.calling.numpy_errors import FAILURES, in_numpys_terms
from daad.frontend.numpy.calling.result_order import tracking
from daad.frontend.numpy.complex import complex_products, complex_scans, scimath
from daad.frontend.numpy.complex.complex_lifting import (
    Rule,
    array_of,
    broadcast_arrays,
    by_operator,
    can_cast,
    complex_object,
    contraction,
    converted,
    dtype,
    filled,
    like,
    multilinear,
    number,
    of_cmath,
    of_modulus,
    of_pairs,
    of_shape,
    of_truth,
    part,
    partwise,
    real_object,
    result_type,
    strided,
    strides,
    twice,
    view,
    where,
)
from daad.frontend.numpy.complex.complex_rules import REAL_RULES, RULES
from daad.frontend.numpy.complex.complex_ufuncs import angle, ufunc_call
from daad.frontend.numpy.scans import COMPILED_INTERP
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import is_staged
from daad.ir.operations.python_operators import BINARY, COMPARED, MATMUL, UNARY


def with_complex(rows: Mapping[Any, Handler]) -> dict[Any, Handler]:
    """The handlers, which go by the rules of this module where something complex takes part.

    What is all known is left to the handlers, but for functions that make arrays and operators on arrays.
    """
    return {key: _either(key, handler) for key, handler in rows.items()}


def _is_numpys(key: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operator or method is one of constant arrays."""
    is_function = callable(key) and not isinstance(key, type)
    return not is_function and any(isinstance(arg, np.ndarray) for arg in args)


def _is_of_lists(key: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operator is one of Python's lists and tuples, joined or repeated, whatever they hold."""
    is_operator = isinstance(key, type) and issubclass(key, ast.operator)
    return is_operator and all(isinstance(arg, list | tuple | int) for arg in args)


def _either(key: Any, handler: Handler) -> Handler:
    of_complex = tracking(key, lambda stage, args, kwargs: applied(stage, key, handler, args, kwargs))

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        args, kwargs = _with_dtypes(key, args, kwargs)
        asked = complex_numbers.is_complex_type(kwargs.get("dtype")) or any(map(complex_numbers.is_complex_type, args))
        given = complex_numbers.is_complex(args) or complex_numbers.is_complex(kwargs)
        known = not is_staged((args, kwargs)) and key not in MAKING and not _is_numpys(key, args)
        if known or _is_of_lists(key, args) or not (asked or given):
            return handler(stage, args, kwargs)
        return of_complex(stage, args, kwargs)

    return handle


def _with_dtypes(
    key: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Letters that stand for complex dtypes, such as 'D', as those."""
    if kwargs.get("dtype") in LETTERS:
        kwargs = {**kwargs, "dtype": np.dtype(kwargs["dtype"])}
    if key in TYPED and len(args) == 2 and isinstance(args[1], str) and args[1] in LETTERS:
        args = (args[0], np.dtype(args[1]))
    return args, kwargs


LETTERS = ("D", "F")
TYPED = ("astype", np.astype, np.array, np.asarray, np.asanyarray, np.zeros, np.ones, np.empty)
"""Functions whose second argument is a dtype."""


def applied(stage: Stage, key: Any, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What the function of the tables gives of complex arguments."""
    try:
        rule = RULES_BY_KEY.get(key)
        if rule is None and key not in EXPLICIT:
            stage.refuse(f"'{_shown(key)}' of complex numbers is not supported.", "Use their real and imaginary parts.")
        if rule is None:
            given = _binding(key).given(stage, args, kwargs)
            return EXPLICIT[key](stage, *given.args, **given.kwargs)
        return rule(stage, handler, *(canonical(key, args, kwargs) if _has_signature(key) else (args, kwargs)))
    except FAILURES as error:
        raise in_numpys_terms(stage, error, _python(key), args, kwargs) from error.__cause__


def _has_signature(key: Any) -> bool:
    return isinstance(key, str) or (callable(key) and not isinstance(key, type))


@cache
def _binding(key: Any) -> Binding:
    return Binding(_shown(key), key, EXPLICIT[key])


def _python(key: Any) -> Callable[..., Any]:
    """What stands for a key of the tables in Python: a function, an operator, a method."""
    if isinstance(key, str):
        return method_of(key)
    found: Callable[..., Any] = dict(_OPERATORS).get(key, key)
    return found


def _shown(key: Any) -> str:
    return f".{key}" if isinstance(key, str) else SIGNS.get(key) or public_name(key)


SIGNS: dict[Any, str] = {ast.FloorDiv: "//", ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
SIGNS |= {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Invert: "~"}


_MOVING: tuple[Any, ...] = (
    *(np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.ravel, np.reshape),
    *(np.roll, np.tile, np.repeat, np.take, np.take_along_axis, np.flip, np.fliplr, np.flipud, np.rot90),
    *(np.diagonal, np.diag, np.diagflat, np.tril, np.triu, np.trace, np.broadcast_to, np.atleast_1d, np.atleast_2d),
    *(np.mean, np.cumsum, np.pad, np.concatenate, np.stack, np.hstack, np.vstack, np.dstack),
    *(np.column_stack, np.block, np.split, np.array_split, np.hsplit, np.vsplit, np.copy),
    *(np.add.accumulate, np.matrix_transpose, np.trapezoid),
    *(np.delete, np.resize, newer_functions.unstack, np.append),
    *(np.gradient, np.compress, np.atleast_3d, np.dsplit, np.round, np.around),
)
_MOVING_METHODS = (
    *("transpose", "swapaxes", "squeeze", "ravel", "flatten", "reshape", "repeat", "take", "diagonal", "trace"),
    *("mean", "cumsum", "copy", "T", "mT", "compress", "round", "item", "tolist"),
)
_SYMBOLS: tuple[Any, ...] = (*BINARY.items(), *UNARY.items(), *COMPARED.items())
_KNOWN = {*RULES, *REAL_RULES}
_OPERATORS: tuple[Any, ...] = tuple((kind, row.python) for kind, row in ((ast.MatMult, MATMUL), *_SYMBOLS))
_SHAPES: tuple[Any, ...] = (np.shape, np.ndim, np.size, np.isscalar, np.iterable)
_MODULI: tuple[Any, ...] = (plain_norm, np.linalg.vector_norm)
_TRUTHS: tuple[Any, ...] = (np.any, np.all, np.count_nonzero, np.nonzero, np.flatnonzero, np.argwhere, ast.Not)


def _by_itself(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A handler that knows complex numbers."""
    return handler(stage, args, kwargs)


RULES_BY_KEY: dict[Any, Rule] = {
    **{kind: by_operator(row.ufunc) for kind, row in _SYMBOLS if row.ufunc in _KNOWN},
    **{row.python: by_operator(row.ufunc) for row in BINARY.values() if row.ufunc in _KNOWN},
    **{ufunc.outer: of_pairs(ufunc) for ufunc in _KNOWN if ufunc.nin == 2},
    **dict.fromkeys(_MOVING, partwise(0)),
    **dict.fromkeys(_MOVING_METHODS, partwise(0)),
    **dict.fromkeys(_SHAPES, of_shape),
    **dict.fromkeys(("shape", "ndim", "size", "flags"), of_shape),
    "view": view,
    "__array_wrap__": lambda stage, handler, args, kwargs: args[1],
    **dict.fromkeys(_MODULI, of_modulus),
    **dict.fromkeys((*_TRUTHS, "any", "all", "nonzero"), of_truth),
    **dict.fromkeys(
        (np.matmul, np.dot, np.inner, np.outer, newer_functions.matvec, np.linalg.matmul), multilinear(count=2)
    ),
    **dict.fromkeys((np.tensordot, np.kron, np.convolve, np.cross, np.linalg.outer), multilinear(count=2)),
    **dict.fromkeys((np.vdot, np.vecdot, newer_functions.vecmat, np.linalg.vecdot), multilinear(count=2, conjugated=0)),
    ast.MatMult: multilinear(count=2),
    operator.matmul: multilinear(count=2),
    "dot": multilinear(count=2),
    np.correlate: multilinear(count=2, conjugated=1),
    np.einsum: contraction,
    np.zeros: partwise(),
    np.empty: partwise(),
    np.full: partwise(1),
    **dict.fromkeys((np.array, np.asarray, np.asanyarray, np.ascontiguousarray), array_of),
    "__array__": array_of,
    **dict.fromkeys((np.zeros_like, np.empty_like), like(0)),
    np.full_like: like(0, 1),
    np.linspace: partwise(0, 1),
    np.select: partwise(1, 2),
    np.sum: partwise(0, 5),
    "sum": partwise(0, 5),
    np.add.reduce: partwise(0, 5),
    np.diff: partwise(0, 3, 4),
    np.copyto: partwise(0, 1),
    np.fill_diagonal: partwise(0, 1),
    np.put: partwise(0, 2),
    **dict.fromkeys((np.interp, *COMPILED_INTERP), partwise(2, 3, 4)),
    np.place: partwise(0, 2),
    np.putmask: partwise(0, 2),
    np.insert: partwise(0, 2),
    np.append: partwise(0, 1),
    np.add.at: partwise(0, 2),
    np.subtract.at: partwise(0, 2),
    "fill": partwise(0, 1),
    "put": partwise(0, 2),
    **dict.fromkeys((np.ones, np.ones_like, np.eye, np.identity, np.arange, np.tri), filled),
    "dtype": dtype,
    "itemsize": twice,
    "nbytes": twice,
    "strides": strides,
    "real": part(0),
    "imag": part(1),
    np.real: part(0),
    np.imag: part(1),
    "conj": by_operator(np.conjugate),
    "conjugate": by_operator(np.conjugate),
    builtins.abs: by_operator(np.absolute),
    builtins.sum: partwise(0, 1),
    builtins.pow: by_operator(np.power),
    **dict.fromkeys((directives.checkpoint, directives.recompute), partwise(0)),
    **dict.fromkeys((directives.stop_gradient, of_one_memory), _by_itself),
}
EXPLICIT: dict[Any, Callable[..., Any]] = {
    np.broadcast_arrays: broadcast_arrays,
    np.where: where,
    np.lib.stride_tricks.as_strided: strided,
    **dict.fromkeys((np.prod, "prod"), complex_products.product),
    np.multiply.reduce: complex_products.reduced,
    **dict.fromkeys((np.var, "var"), complex_products.variance),
    **dict.fromkeys((np.std, "std"), complex_products.deviation),
    np.polyval: complex_products.polynomial,
    np.isclose: complex_products.is_close,
    np.allclose: complex_products.all_close,
    **complex_scans.EXPLICIT,
    np.can_cast: can_cast,
    "astype": converted,
    np.astype: converted,
    np.iscomplexobj: complex_object,
    np.isrealobj: real_object,
    np.result_type: result_type,
    **{ufunc: ufunc_call(ufunc) for ufunc in (*RULES, *REAL_RULES)},
}
"""Those with parameters of their own."""

_MAKING: tuple[Any, ...] = (
    *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.zeros, np.ones, np.empty, np.full, np.eye),
    *(np.identity, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.linspace, np.copy, np.tri, np.arange),
)
MAKING = frozenset(_MAKING)
"""Functions that make arrays, which the program may write, even of what is all known."""

OWN: dict[Any, Callable[..., Any]] = {
    builtins.complex: number(builtins.complex),
    np.complex128: number(np.complex128),
    np.complex64: number(np.complex64),
    np.angle: angle,
    cmath.phase: angle,
    **{getattr(cmath, name): of_cmath(getattr(np, name)) for name in ("exp", "log", "sqrt", "sin", "cos", "tan")},
    **{getattr(cmath, name): of_cmath(getattr(np, name)) for name in ("sinh", "cosh", "tanh", "log10")},
    **{
        getattr(cmath, name): of_cmath(getattr(np, name))
        for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")
    },
    **scimath.OWN,
}


FUNCTIONS: dict[Any, Handler] = staged(OWN)
"""Functions that are about complex numbers alone."""
