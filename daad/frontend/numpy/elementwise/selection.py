"""Choices between elements, rounding, and the elementwise functions that NumPy composes of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import extents, static
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.scalar_expressions import const, op, product, where
from daad.frontend.numpy.elementwise.ufuncs import at, elementwise, into, loop_types, repeated_into, select
from daad.frontend.numpy.reductions import python_truth, reduce_all, reduce_any
from daad.frontend.numpy.shapes.reshape import ravel, transposed, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.indexing import item
from daad.frontend.staging.masked_shapes import places_of
from daad.frontend.staging.speculation import list_places
from daad.frontend.staging.values import ArrayValue, View, affine_of, is_staged, promote
from daad.ir.nodes import Expr

LDEXP_STEPS = 3


def choose_where(stage: Stage, condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return nonzero(stage, condition)
    sides = stage.array(x), stage.array(y)
    return select(stage, condition, *sides, promote(*sides))


def nonzero(stage: Stage, a: Any) -> tuple[Any, ...]:
    """Arrays of places; those that are known, or whose length is taken to be that of the call, may steer the program,
    others stand for the points of a mask."""
    mask = truths(stage, a)
    found: tuple[Any, ...] | None = stage.positions(mask)
    if found is None and stage.at in stage.speculation.counted:
        found = list_places(stage, mask)
    if found is None:
        return places_of(stage, mask)
    return found


def flatnonzero(stage: Stage, a: Any) -> Any:
    return nonzero(stage, ravel(stage, a))[0]


def argwhere(stage: Stage, a: Any) -> Any:
    if not np.ndim(a):
        stage.refuse("'np.argwhere' of a single number is not supported.", "Compare the number with zero.")
    places = nonzero(stage, a)
    if not is_staged(places):
        return np.transpose(places)
    for place in places:
        stage.refuse_mask(place.shape)
    return transposed(stage, stage.array(list(places)))


def extract(stage: Stage, condition: Any, arr: Any) -> Any:
    """The elements where the condition holds, in a row."""
    return item(stage, ravel(stage, arr), (ravel(stage, truths(stage, condition)),))


def truths(stage: Stage, values: Any) -> ArrayValue:
    """Whether each element is other than zero."""
    return stage.array(elementwise(stage, np.not_equal, (stage.array(values), 0)))


def clip(
    stage: Stage, a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    return clip_method(stage, a, min if a_min is None else a_min, max if a_max is None else a_max, out)


def clip_method(stage: Stage, a: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
    value, low, high = a, min, max
    if low is None and high is None:
        value = elementwise(stage, np.positive, (value,))
    if low is not None:
        value = elementwise(stage, np.maximum, (value, low))
    if high is not None:
        value = elementwise(stage, np.minimum, (value, high))
    result = stage.array(value)
    return result if out is None else into(stage, result, out)


def select_list(stage: Stage, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices = [stage.array(choice) for choice in choicelist]
    kind = promote(*choices, stage.array(default))
    result = stage.array(default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = select(stage, condition, choice, result, kind)
    return result


def nan_to_num(
    stage: Stage, x: Any, copy: Known = True, nan: Known = 0.0, posinf: Known = None, neginf: Known = None
) -> Any:
    value = stage.array(x)
    if value.dtype.kind != "f":
        return stage.copy(value) if copy else value if value.shape else stage.number(value)
    found = _finite(stage, value, nan, posinf, neginf)
    if copy or not isinstance(value, View):
        return found
    stage.store(value, found)
    return value if value.shape else stage.number(value)


def _finite(stage: Stage, value: ArrayValue, nan: Any, posinf: Any, neginf: Any) -> ArrayValue:
    limits = np.finfo(value.dtype)
    low, high = (limits.min if neginf is None else neginf), (limits.max if posinf is None else posinf)
    kind = value.dtype

    def build(point: Sequence[Any]) -> Expr:
        element = value.element(point)
        infinite = [op("equal", "bool", element, const(sign * math.inf, kind)) for sign in (1, -1)]
        finite = where(infinite[0], const(high, kind), where(infinite[1], const(low, kind), element))
        return where(op("isnan", "bool", element), const(nan, kind), finite)

    return stage.lazy(value.shape, kind, build)


def rounded(stage: Stage, a: Any, decimals: Known = 0, out: Any = None) -> Any:
    value = stage.array(a)
    if value.dtype.kind == "f":
        result = _rounded(stage, value, decimals)
    elif value.dtype.kind == "b":
        stage.refuse("'np.round' of truth values gives numbers of half precision.", "Use 'astype' first.")
    elif decimals < 0:
        result = converted(stage, _rounded(stage, converted(stage, value, np.float64), decimals), value.dtype)
    else:
        result = converted(stage, value, value.dtype) if value.weak else stage.copy(value)
    return result if out is None else into(stage, result, out)


def _rounded(stage: Stage, value: ArrayValue, digits: int) -> ArrayValue:
    kind = value.dtype
    scale = const(10.0 ** abs(digits), kind)
    forth, back = ("multiply", "divide") if digits >= 0 else ("divide", "multiply")

    def build(point: Sequence[Any]) -> Expr:
        element = value.element(point)
        if not digits:
            return op("rint", kind, element)
        return op(back, kind, op("rint", kind, op(forth, kind, element, scale)), scale)

    return stage.lazy(value.shape, kind, build)


def fix(stage: Stage, x: Any, out: Any = None) -> Any:
    result = elementwise(stage, np.trunc, (x,))
    return result if out is None else into(stage, result, out)


def sinc(stage: Stage, x: Any) -> Any:
    value = converted(stage, stage.array(x), promote(stage.array(x), 1.0))
    kind = value.dtype

    def build(point: Sequence[Any]) -> Expr:
        element = value.element(point)
        near = op("less", "bool", op("absolute", kind, element), const(0.125, kind))
        angle = product(const(math.pi, kind), element)
        return where(near, _sinc_near_zero(angle, kind), op("divide", kind, op("sin", kind, angle), angle))

    return stage.lazy(value.shape, kind, build)


def _sinc_near_zero(angle: Expr, kind: np.dtype[Any]) -> Expr:
    """The series of sin(t) / t up to t**12: in the derivative of the quotient large terms cancel."""
    square = product(angle, angle)
    value: Expr = const(1, kind)
    for divisor in (156, 110, 72, 42, 20, 6):
        step = op("divide", kind, product(square, value), const(divisor, kind))
        value = op("subtract", kind, const(1, kind), step)
    return value


def divmod_ufunc(stage: Stage, x: Any, y: Any, /) -> Any:
    return elementwise(stage, np.floor_divide, (x, y)), elementwise(stage, np.remainder, (x, y))


def modf(stage: Stage, x: Any, /) -> Any:
    kind, *_ = loop_types(stage, np.modf, (stage.array(x),))
    value = converted(stage, stage.array(x), kind)
    whole = elementwise(stage, np.trunc, (value,))
    negated = elementwise(stage, np.negative, (elementwise(stage, np.subtract, (whole, value)),))
    signbit = elementwise(stage, np.signbit, (value,))
    rest = select(stage, signbit, negated, elementwise(stage, np.subtract, (value, whole)), kind)
    nothing = elementwise(stage, np.copysign, (stage.scalar(0.0, kind), value))
    return select(stage, elementwise(stage, np.isinf, (value,)), nothing, rest, kind), whole


def _infinity(sign: int) -> Callable[..., Any]:
    def call(stage: Stage, x: Any, out: Any = None) -> Any:
        value = elementwise(stage, np.equal, (x, sign * math.inf))
        return value if out is None else into(stage, value, out)

    return call


def isclose(stage: Stage, a: Any, b: Any, rtol: Known = 1e-5, atol: Known = 1e-8, equal_nan: Known = False) -> Any:
    left, right = stage.array(a), stage.array(b)
    if np.ndim(rtol) or np.ndim(atol):
        stage.refuse("Tolerances that are arrays are not supported.", "Compare the difference with them.")
    kind = promote(left, right, 1.0)

    def build(point: Sequence[Any]) -> Expr:
        x, y = (at(converted(stage, value, kind), point) for value in (left, right))
        width = op("absolute", kind, op("subtract", kind, x, y))
        slack = op("add", kind, const(atol, kind), product(const(rtol, kind), op("absolute", kind, y)))
        near = op("logical_and", "bool", op("less_equal", "bool", width, slack), op("isfinite", "bool", y))
        same = op("logical_or", "bool", near, op("equal", "bool", x, y))
        return op("logical_or", "bool", same, _both_nan(x, y)) if equal_nan else same

    return stage.lazy(stage.broadcast(left.shape, right.shape), np.bool_, build)


def _both_nan(x: Expr, y: Expr) -> Expr:
    return op("logical_and", "bool", op("isnan", "bool", x), op("isnan", "bool", y))


def allclose(stage: Stage, a: Any, b: Any, rtol: Known = 1e-5, atol: Known = 1e-8, equal_nan: Known = False) -> Any:
    return python_truth(stage, reduce_all(stage, isclose(stage, a, b, rtol, atol, equal_nan)))


def array_equal(stage: Stage, a1: Any, a2: Any, equal_nan: Known = False) -> Any:
    left, right = stage.array(a1), stage.array(a2)
    if left.ndim != right.ndim or not all(map(stage.same_extent, left.shape, right.shape)):
        return False
    same = elementwise(stage, np.equal, (left, right))
    if equal_nan and left.dtype.kind == right.dtype.kind == "f":
        unknown = [elementwise(stage, np.isnan, (value,)) for value in (left, right)]
        same = elementwise(stage, np.logical_or, (same, elementwise(stage, np.logical_and, unknown)))
    return python_truth(stage, reduce_all(stage, same))


def isin(stage: Stage, element: Any, test_elements: Any, *, invert: Known = False) -> Any:
    value, tests = stage.array(element), ravel(stage, test_elements)
    pairs = with_axes(stage, value, (value.ndim,))
    found = reduce_any(stage, elementwise(stage, np.equal, (pairs, tests)), -1)
    return elementwise(stage, np.logical_not, (found,)) if invert else found


def ldexp(stage: Stage, x1: Any, x2: Any, /, out: Any = None) -> Any:
    value = _by_power_of_two(stage, x1, x2)
    return value if out is None else repeated_into(stage, value, out)


def _by_power_of_two(stage: Stage, x1: Any, x2: Any) -> Any:
    """In steps of powers that a float can hold; only the last one that does anything rounds."""
    exponent = stage.array(x2)
    kind = np.ldexp.resolve_dtypes((stage.array(x1).dtype, exponent.dtype, None))[-1]
    value, limits = converted(stage, stage.array(x1), kind), np.finfo(kind)
    low, high = limits.minexp + limits.nmant + 1, limits.maxexp - 1
    known = x2 if isinstance(x2, int | np.integer) else None
    if known is not None and low <= known <= high:
        return elementwise(stage, np.multiply, (value, stage.scalar(2.0**known, kind)))
    rest: ArrayValue = converted(stage, exponent, np.float64)  # whose powers of two are exact
    for _ in range(LDEXP_STEPS):
        step = elementwise(stage, np.minimum, (elementwise(stage, np.maximum, (rest, low)), high))
        factor = converted(stage, elementwise(stage, np.exp2, (step,)), kind)
        value = elementwise(stage, np.multiply, (value, factor))
        rest = elementwise(stage, np.subtract, (rest, step))
    return value


def unravel_index(stage: Stage, indices: Any, shape: Any, order: Known = "C") -> Any:
    if not is_staged(indices) or affine_of(indices) is not None:
        return np.unravel_index(static(stage, indices), static(stage, shape), order)
    if order != "C":
        stage.refuse("'np.unravel_index' in another order than 'C' is not supported.", "Swap the axes.")
    value, found = converted(stage, stage.array(indices), np.dtype(np.int64)), []
    sizes = [stage.known(extent) for extent in extents(stage, shape)]
    for number, size in enumerate(sizes):
        place = elementwise(stage, np.floor_divide, (value, math.prod(sizes[number + 1 :])))
        found.append(elementwise(stage, np.remainder, (place, size)) if number else place)
    return tuple(found)


def ravel_multi_index(stage: Stage, multi_index: Any, dims: Any, mode: Known = "raise", order: Known = "C") -> Any:
    if isinstance(multi_index, ArrayValue):
        stage.refuse("'np.ravel_multi_index' takes a tuple of indices here.", "Unpack the array.")
    parts = list(multi_index)
    if not any(is_staged(part) and affine_of(part) is None for part in parts):
        return np.ravel_multi_index(static(stage, tuple(parts)), static(stage, dims), mode, order)
    if order != "C" or mode != "raise":
        stage.refuse("'np.ravel_multi_index' takes no other mode or order.", "Compute the index.")
    place: Any = 0
    for part, extent in zip(parts, extents(stage, dims), strict=True):
        place = elementwise(stage, np.multiply, (place, stage.known(extent)))
        place = elementwise(stage, np.add, (place, converted(stage, stage.array(part), np.dtype(np.int64))))
    return place


def real_part(stage: Stage, val: Any) -> Any:
    return stage.array(val)


def imaginary_part(stage: Stage, val: Any) -> Any:
    value = stage.array(val)
    return stage.lazy(value.shape, value.dtype, lambda _: const(0, value.dtype), value.weak)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.where: choose_where,
    np.clip: clip,
    np.extract: extract,
    np.nonzero: nonzero,
    np.flatnonzero: flatnonzero,
    np.argwhere: argwhere,
    np.select: select_list,
    np.nan_to_num: nan_to_num,
    np.round: rounded,
    np.around: rounded,
    np.fix: fix,
    np.sinc: sinc,
    np.divmod: divmod_ufunc,
    np.modf: modf,
    np.isposinf: _infinity(1),
    np.isneginf: _infinity(-1),
    np.isclose: isclose,
    np.allclose: allclose,
    np.array_equal: array_equal,
    np.isin: isin,
    np.unravel_index: unravel_index,
    np.ravel_multi_index: ravel_multi_index,
    np.ldexp: ldexp,
    np.real: real_part,
    np.imag: imaginary_part,
}
METHODS: dict[str, Callable[..., Any]] = {
    "clip": clip_method,
    "nonzero": nonzero,
    "round": rounded,
    "conj": real_part,
    "conjugate": real_part,
}
ATTRIBUTES: dict[str, Callable[..., Any]] = {"real": real_part, "imag": imaginary_part}
