"""The functions that tasklets and symbolic expressions may call, as operations of a Program."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import dace
import numpy as np

from daad.frontend.sdfg.values.arithmetic import Value, apply, as_condition, cast, dtype_of, where
from daad.ir.affine import Affine
from daad.ir.nodes import Const

MODULES = ("dace.math.", "dace.", "math.", "np.", "numpy.", "cmath.", "sympy.")

# DaCe's or C's name of a function: NumPy's.
OPERATIONS = {
    "abs": "absolute", "fabs": "absolute", "absolute": "absolute", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
    "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt", "sin": "sin",
    "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "arcsin": "arcsin",
    "arccos": "arccos", "arctan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "arcsinh": "arcsinh", "arccosh": "arccosh", "arctanh": "arctanh",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "round": "rint", "erf": "erf", "erfc": "erfc",
    "lgamma": "lgamma", "tgamma": "gamma", "gamma": "gamma", "sign": "sign", "sgn": "sign", "sign_numpy_2": "sign",
    "negative": "negative", "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "signbit": "signbit",
    "not_": "logical_not", "logical_not": "logical_not", "NOT": "logical_not", "pow": "power", "power": "power",
    "ipow": "power", "fmod": "fmod", "CMod": "fmod", "c_mod": "fmod", "PyMod": "remainder", "py_mod": "remainder",
    "Mod": "remainder", "remainder": "remainder", "fmax": "fmax", "fmin": "fmin", "hypot": "hypot",
    "atan2": "arctan2", "arctan2": "arctan2", "logaddexp": "logaddexp", "logaddexp2": "logaddexp2",
    "copysign": "copysign", "heaviside": "heaviside", "int_floor": "floor_divide", "py_floor": "floor_divide",
    "floor_divide": "floor_divide", "left_shift": "left_shift", "right_shift": "right_shift",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "bitwise_invert": "invert", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
}  # fmt: skip

FOLDS = {"min": "minimum", "max": "maximum", "Min": "minimum", "Max": "maximum", "minimum": "minimum",
         "maximum": "maximum", "AND": "logical_and", "OR": "logical_or"}  # fmt: skip

CONSTANTS = {"pi": float(np.pi), "e": float(np.e), "inf": float("inf"), "nan": float("nan"), "INFINITY": float("inf"),
             "NAN": float("nan")}  # fmt: skip


def _reciprocal(x: Value) -> Value:
    return apply("divide", Const(1.0, "float64"), x)


def _ceiling_division(a: Value, b: Value) -> Value:
    return apply("negative", apply("floor_divide", apply("negative", a), b))


def _identity(x: Value) -> Value:
    return x


def _square(x: Value) -> Value:
    return apply("multiply", x, x)


SPECIAL: dict[str, Callable[..., Value]] = {
    "reciprocal": _reciprocal,
    "int_ceil": _ceiling_division,
    "IfExpr": where,
    "conj": _identity,
    "conjugate": _identity,
    "real": _identity,
    "square": _square,
    "deg2rad": lambda x: apply("multiply", x, Const(float(np.pi) / 180.0, "float64")),
    "rad2deg": lambda x: apply("multiply", x, Const(180.0 / float(np.pi), "float64")),
}

NUMBERS = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
CASTS = {name: name for name in NUMBERS} | {
    "float": "float64", "double": "float64", "int": "int64", "long": "int64", "bool": "bool", "bool_": "bool",
    "uint": "uint64",
}  # fmt: skip


def call(name: str, arguments: list[Value]) -> Value | None:
    """The call's value; None for an unknown function."""
    name = _without_module(name)
    if name in CASTS and len(arguments) == 1:
        return converted(arguments[0], CASTS[name])
    if name in FOLDS and len(arguments) > 1:
        return reduce(lambda a, b: apply(FOLDS[name], a, b), arguments)
    if name in SPECIAL:
        return SPECIAL[name](*arguments)
    return apply(OPERATIONS[name], *arguments) if name in OPERATIONS else None


def converted(value: Value, dtype: str) -> Value:
    """Python's and DaCe's conversions: an index stays an index."""
    if isinstance(value, Affine) and np.dtype(dtype).kind == "i":
        return value
    if dtype == "bool" and dtype_of(value) != "bool":
        return as_condition(value)
    return cast(value, dtype)


def _without_module(name: str) -> str:
    for module in MODULES:
        if name.startswith(module):
            return name[len(module) :]
    return name


def numpy_dtype(dtype: dace.typeclass) -> str:
    """DaCe's type by NumPy's name."""
    return str(np.dtype(dtype.as_numpy_dtype()))
