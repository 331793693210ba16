"""The functions that tasklets and symbolic expressions may call, as operations of a Program."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import dace
import numpy as np

from daad.frontend.sdfg.values.arithmetic import Value, apply, as_condition, cast, dtype_of, where
from daad.ir.affine import Affine
from daad.ir.nodes import Const
from daad.ir.operations import OPERATIONS as TABLE
from daad.ir.operations.operation import Family

MODULES = ("dace.math.", "dace.", "math.", "np.", "numpy.", "cmath.", "sympy.")

# An operation's own name, C's, or one that DaCe has for it.
OPERATIONS = {
    **{row.name: row.name for row in TABLE.values() if row.family not in (Family.FORM, Family.PYTHON)},
    **{row.of_c: row.name for row in TABLE.values() if row.of_c},
    "abs": "absolute", "round": "rint", "sgn": "sign", "sign_numpy_2": "sign", "not_": "logical_not",
    "NOT": "logical_not", "ipow": "power", "CMod": "fmod", "c_mod": "fmod", "PyMod": "remainder", "py_mod": "remainder",
    "Mod": "remainder", "int_floor": "floor_divide", "py_floor": "floor_divide", "bitwise_invert": "invert",
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
