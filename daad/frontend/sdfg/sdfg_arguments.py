"""Concrete arguments against an SDFG's containers: values of its symbols, pinned integers, arrays of the Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np
from dace import data

from daad.errors import BadArgument
from daad.frontend.sdfg.values.arithmetic import Value, literal
from daad.frontend.sdfg.values.called_functions import numpy_dtype
from daad.frontend.sdfg.values.code import Meaning
from daad.frontend.sdfg.values.symbolic_values import symbolic_value
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float


@dataclass(frozen=True)
class Parameter:
    """One parameter of the user's program: `array` of the Program, or the static `value` it was specialised for."""

    name: str
    array: str | None = None
    value: Any = None


def require_no_structures(bound: Mapping[str, Any]) -> None:
    """DaCe's arguments are arrays and numbers."""
    for name, value in bound.items():
        if isinstance(value, list | tuple | set | Mapping):
            kind = type(value).__name__
            raise BadArgument(f"'{name}' is a {kind}, expected an array or a number.", hint="Pass it as an array.")


def symbol_values(sdfg: dace.SDFG, bound: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, int]:
    """Values of the symbols in the shapes, solved from the arguments' shapes, or given by keyword."""
    free = sdfg.free_symbols
    known = {n: int(v) for n, v in sdfg.constants.items() if n not in sdfg.arrays and np.ndim(v) == 0}
    known |= {name: int(value) for name, value in given.items() if value is not None and name in free}
    known |= {n: int(v) for n, v in bound.items() if n in free and isinstance(v, int | np.integer)}
    pending = [pair for name, value in bound.items() if name in sdfg.arrays for pair in _sizes(sdfg, name, value)]
    for _ in range(len(pending) + 1):
        for name, expression, size in pending:
            _solve(name, expression, size, known)
    for name, expression, size in pending:
        _check_size(name, expression, size, known)
    missing = sorted(name for name in free if name in sdfg.symbols and name not in known)
    if missing:
        raise BadArgument(f"The value of the symbol '{missing[0]}' does not follow from the arguments.", hint=GIVE_HINT)
    return known


DECLARED = "Pass what the program declares."
GIVE_HINT = "Pass it by keyword."
Size = tuple[str, Any, int]


def _sizes(sdfg: dace.SDFG, name: str, value: Any) -> list[Size]:
    descriptor = sdfg.arrays[name]
    shape = np.shape(value)
    if isinstance(descriptor, data.Scalar):
        if shape not in ((), (1,)):
            raise BadArgument(f"'{name}' has shape {shape}, expected a scalar.", hint=DECLARED)
        return []
    if len(shape) != len(descriptor.shape):
        if int(np.prod(shape)) == 1 and tuple(descriptor.shape) == (1,):
            return []
        raise BadArgument(f"'{name}' has {len(shape)} dimensions, expected {len(descriptor.shape)}.", hint=DECLARED)
    return [(name, expression, size) for expression, size in zip(descriptor.shape, shape, strict=True)]


def _form(expression: Any, known: Mapping[str, int]) -> Value:
    free = {str(s) for s in getattr(expression, "free_symbols", ())}
    values: dict[str, Value] = {n: Affine(known[n]) if n in known else Affine.of(n) for n in free}
    return symbolic_value(expression, Meaning(values))


def _solve(name: str, expression: Any, size: int, known: dict[str, int]) -> None:
    """One unknown symbol in an affine size follows from the size."""
    form = _form(expression, known)
    if isinstance(form, Affine) and len(form.terms) == 1:
        (symbol, factor), rest = form.terms[0], size - form.const
        if rest % factor == 0:
            known[symbol] = rest // factor


def _check_size(name: str, expression: Any, size: int, known: Mapping[str, int]) -> None:
    expected = literal(_form(expression, known))
    if expected is not None and expected != size:
        wanted = f"{int(expected)} ('{expression}')"
        raise BadArgument(f"'{name}' has a dimension of size {size}, expected {wanted}.", hint=DECLARED)


def pinned_scalars(sdfg: dace.SDFG, bound: Mapping[str, Any]) -> dict[str, int]:
    """Integer and bool scalars among the arguments."""
    pinned: dict[str, int] = {}
    for name, value in bound.items():
        descriptor = sdfg.arrays.get(name)
        if not isinstance(descriptor, data.Scalar) or is_float(numpy_dtype(descriptor.dtype)):
            continue
        number = np.asarray(value).item()
        if not isinstance(number, int | float) or number != int(number):
            raise BadArgument(f"'{name}' is {number!r}, expected an integer.", hint=DECLARED)
        pinned[name] = int(number)
    return pinned


def check_dtype(sdfg: dace.SDFG, name: str, value: Any) -> None:
    """An array must have the dtype it is declared with; a number is converted."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return
    expected = numpy_dtype(sdfg.arrays[name].dtype)
    if str(value.dtype) != expected:
        raise BadArgument(f"'{name}' has dtype {value.dtype}, expected {expected}.", hint=DECLARED)
