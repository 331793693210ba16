"""`np.emath`: functions of real numbers that are complex where an element lies outside of the real domain.

Data decide that, for the array as a whole: a decision of the program, which a guard checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.complex.complex_ufuncs import elementwise as complex_elementwise
from daad.frontend.numpy.elementwise.ufuncs import elementwise
from daad.frontend.numpy.reductions import reduce_any
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.values import Complex

WHAT = "Whether a result is complex"


def _below_zero(stage: Stage, x: Any) -> Any:
    return elementwise(stage, np.less, (x, 0))


def _beyond_one(stage: Stage, x: Any) -> Any:
    return elementwise(stage, np.greater, (elementwise(stage, np.absolute, (x,)), 1))


def _applied(stage: Stage, ufunc: np.ufunc, is_outside: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """The ufunc, of complex numbers if an element of the first operand is outside of what it takes."""
    values = [complex_numbers.staged(stage, operand) for operand in operands]
    if not any(isinstance(value, Complex) for value in values) and not _is_any(stage, is_outside(stage, values[0])):
        return elementwise(stage, ufunc, [_floating(stage, value) for value in values])
    return complex_elementwise(stage, ufunc, [complex_numbers.paired(stage, values[0]), *values[1:]])


def _floating(stage: Stage, value: Any) -> Any:
    return value if value.dtype.kind == "f" else elementwise(stage, np.multiply, (value, 1.0))


def _is_any(stage: Stage, condition: Any) -> bool:
    found = assumed(stage, reduce_any(stage, condition), WHAT)
    if found is None:
        stage.refuse(f"{WHAT} depends on data.", "Convert the argument to complex numbers first.")
    return bool(found)


def _of_one(ufunc: np.ufunc, is_outside: Callable[..., Any]) -> Callable[..., Any]:
    def call(stage: Stage, x: Any) -> Any:
        return _applied(stage, ufunc, is_outside, (x,))

    return call


def power(stage: Stage, x: Any, p: Any) -> Any:
    return _applied(stage, np.power, _below_zero, (x, p))


def logarithm(stage: Stage, n: Any, x: Any) -> Any:
    """`np.emath.logn`."""
    parts = [_applied(stage, np.log, _below_zero, (value,)) for value in (x, n)]
    divide = complex_elementwise if any(isinstance(part, Complex) for part in parts) else elementwise
    return divide(stage, np.divide, parts)


OWN: dict[Any, Callable[..., Any]] = {
    **{getattr(np.emath, f.__name__): _of_one(f, _below_zero) for f in (np.sqrt, np.log, np.log2, np.log10)},
    **{getattr(np.emath, f.__name__): _of_one(f, _beyond_one) for f in (np.arcsin, np.arccos, np.arctanh)},
    np.emath.power: power,
    np.emath.logn: logarithm,
}
