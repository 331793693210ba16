"""Products and variances of complex numbers, powers of matrices, polynomials, and whether numbers are close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy import reductions
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axes_of
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.numpy.complex.complex_ufuncs import elementwise, pair_at, stored, write
from daad.frontend.numpy.elementwise.ufuncs import elementwise as real
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.indexing import item
from daad.frontend.staging.values import ZERO, Complex
from daad.ir.affine import Affine


def reduced(
    stage: Stage, array: Any, axis: Known = 0, dtype: Known = None, out: Any = None, keepdims: Known = False
) -> Any:
    """`np.multiply.reduce`."""
    return product(stage, array, axis, dtype, out, keepdims)


def product(
    stage: Stage, a: Any, axis: Known = None, dtype: Known = None, out: Any = None, keepdims: Known = False
) -> Any:
    """One factor after the other, in a loop."""
    whole = value = in_type(stage, a, dtype)
    axes = axes_of(stage, axis, value.ndim)
    for place in reversed(axes):
        value = _product_along(stage, value, place)
    value = Complex(*(reductions.keep_axes(stage, part, whole.real, axes, keepdims) for part in value.parts))
    return value if out is None else stored(stage, value, out)


def in_type(stage: Stage, a: Any, dtype: Any) -> Complex:
    """A copy, in the complex dtype that is asked for."""
    value = complex_numbers.copied(stage, complex_numbers.paired(stage, a))
    if dtype is None:
        return value
    if not complex_numbers.is_complex_type(dtype):
        stage.refuse("Complex numbers are converted to real ones.", "Take their real parts first.")
    kind = complex_numbers.part_type(dtype)
    return complex_numbers.both(stage, value.shape, kind, lambda point: pair_at(value, point, kind))


def _as_complex(stage: Stage, value: Any, dtype: Any) -> Any:
    return value if dtype is None else in_type(stage, value, dtype)


def _product_along(stage: Stage, value: Complex, axis: int) -> Complex:
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    found = Complex(*(stage.allocate(shape, part.dtype) for part in value.parts))
    for part, number in zip(found.parts, (1.0, 0.0), strict=True):
        stage.store(part, stage.scalar(number, part.dtype))

    def of_slice(place: Affine) -> Callable[[Sequence[Affine]], Any]:
        return lambda point: (*point[:axis], place, *point[axis:])

    with stage.loop("k", ZERO, value.shape[axis]) as variable:
        factor = Complex(*(stage.reindexed(part, shape, of_slice(variable)) for part in value.parts))
        write(stage, found, elementwise(stage, np.multiply, (found, factor)))
    return found


def variance(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    ddof: Known = 0,
    keepdims: Known = False,
    *,
    where: Any = True,
    correction: Known = MISSING,
) -> Any:
    """That of the real parts and that of the imaginary ones together; of a complex dtype where that is asked for."""
    options = {"ddof": ddof, "keepdims": keepdims, "where": where, "correction": correction}
    parts = (complex_numbers.paired(stage, a) if dtype is None else in_type(stage, a, dtype)).parts
    found = real(stage, np.add, [reductions.reduce_var(stage, part, axis, **options) for part in parts])
    return _as_complex(stage, found, dtype)


def deviation(
    stage: Stage,
    a: Any,
    axis: Known = None,
    dtype: Known = None,
    ddof: Known = 0,
    keepdims: Known = False,
    *,
    where: Any = True,
    correction: Known = MISSING,
) -> Any:
    """The root of the variance."""
    value = complex_numbers.held(stage, complex_numbers.paired(stage, a) if dtype is None else in_type(stage, a, dtype))
    options = {"ddof": ddof, "keepdims": keepdims, "where": where, "correction": correction}
    whole = stage.place(variance(stage, value, axis, **options))
    found = reductions.root_of(stage, whole, reductions.element_count(stage, value.real, axis, keepdims, where))
    return _as_complex(stage, found, dtype)


def polynomial(stage: Stage, p: Any, x: Any) -> Any:
    """`np.polyval`, by Horner's rule."""
    coefficients, x = complex_numbers.staged(stage, p), complex_numbers.staged(stage, x)
    numbers = [item(stage, coefficients, (k,)) for k in range(stage.known(coefficients.shape[0]))]
    x = complex_numbers.held(stage, x)
    result: Any = elementwise(stage, np.multiply, (complex_numbers.paired(stage, x), 0.0))
    for number in numbers:
        result = elementwise(stage, np.add, (elementwise(stage, np.multiply, (result, x)), number))
    return result


def is_close(stage: Stage, a: Any, b: Any, rtol: Known = 1e-5, atol: Known = 1e-8) -> Any:
    """By moduli."""
    gap = elementwise(stage, np.absolute, (elementwise(stage, np.subtract, (a, b)),))
    size = elementwise(stage, np.absolute, (complex_numbers.paired(stage, b),))
    relative = real(stage, np.multiply, (rtol, size))
    bound = real(stage, np.add, (atol, relative))
    near = real(stage, np.logical_and, (real(stage, np.less_equal, (gap, bound)), real(stage, np.isfinite, (size,))))
    return real(stage, np.logical_or, (near, elementwise(stage, np.equal, (a, b))))


def all_close(stage: Stage, a: Any, b: Any, rtol: Known = 1e-5, atol: Known = 1e-8) -> Any:
    return reductions.python_truth(stage, reductions.reduce_all(stage, is_close(stage, a, b, rtol, atol)))
