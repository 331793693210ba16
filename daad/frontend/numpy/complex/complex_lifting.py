"""How functions of real numbers serve for complex ones: of both parts, as sums of products of parts, of moduli."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from itertools import product
from typing import Any

import numpy as np

from daad.frontend import structures
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import Handler
from daad.frontend.numpy.complex.complex_rules import ORDERS
from daad.frontend.numpy.complex.complex_ufuncs import chosen, elementwise, operator_call, stored, ufunc_call
from daad.frontend.numpy.einsum import as_text
from daad.frontend.numpy.elementwise.ufuncs import elementwise as real_elementwise
from daad.frontend.numpy.shapes.reshape import broadcast
from daad.frontend.numpy.shapes.strided_views import as_strided
from daad.frontend.numpy.tensor_products import column_of, matmul
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import Complex, Lazy, Order, View, cast, is_staged, is_weak

Rule = Callable[[Stage, Handler, tuple[Any, ...], Mapping[str, Any]], Any]

NUMBERS = frozenset(("a", "x", "m", "v", "y", "arr", "ary", "arrays", "array", "tup", "object", "prototype", "values"))
NUMBERS |= {"initial", "prepend", "append", "constant_values", "fill_value", "default", "start", "out"}
"""Arguments of these names may be complex."""


def partwise(*positions: int) -> Rule:
    """The function of real parts, and of imaginary parts; at these positions, and by the names above, stand numbers,
    whose imaginary part is zero where they are real."""

    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if asks_for_real(args, kwargs):
            stage.refuse("Complex numbers are converted to real ones.", "Take their real parts first.")
        split = [_split(stage, arg, k in positions) for k, arg in enumerate(args)]
        named = {key: _split(stage, value, key in NUMBERS) for key, value in kwargs.items()}
        with jointly(stage):
            found = [
                handler(stage, tuple(pair[k] for pair in split), {key: pair[k] for key, pair in named.items()})
                for k in (0, 1)
            ]
        return _together(*found)

    return rule


def asks_for_real(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a dtype is given that is not complex."""
    types = [arg for arg in (*args, kwargs.get("dtype")) if isinstance(arg, type | np.dtype)]
    named = [kwargs["dtype"]] if isinstance(kwargs.get("dtype"), str) else []
    return any(not complex_numbers.is_complex_type(kind) for kind in (*types, *named))


def array_of(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`np.array` and its like, whose second argument is a dtype."""
    if len(args) > 2:
        stage.refuse("This function takes no third argument here.", "Name it.")
    if args and isinstance(args[0], complex):
        args = (np.asarray(args[0]), *args[1:])
    return partwise(0)(stage, handler, args[:1], {**kwargs, "dtype": args[1]} if len(args) > 1 else kwargs)


def like(*positions: int) -> Rule:
    """`np.zeros_like` and its like, which may be asked for real numbers."""

    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if asks_for_real(args, kwargs) and not complex_numbers.is_complex((args[1:], kwargs)):
            return handler(stage, (complex_numbers.paired(stage, args[0]).real, *args[1:]), kwargs)
        return partwise(*positions)(stage, handler, args, kwargs)

    return rule


@contextmanager
def jointly(stage: Stage) -> Iterator[None]:
    """Where parts are dealt with, elements of complex arrays follow each other in memory."""
    before, stage.joint = stage.joint, True
    try:
        yield
    finally:
        stage.joint = before


def _split(stage: Stage, value: Any, is_number: bool) -> tuple[Any, Any]:
    if complex_numbers.is_complex_type(value):
        return (complex_numbers.part_type(value),) * 2
    if is_number:
        return complex_numbers.parts_in(stage, value)
    if complex_numbers.is_complex(value):
        stage.refuse("An argument of this function is complex.", "Use real and imaginary parts.")
    return value, value


def _together(real: Any, imag: Any) -> Any:
    """One structure of complex values from two of real ones."""
    if isinstance(real, list | tuple):
        return structures.sequence(real, [_together(a, b) for a, b in zip(real, imag, strict=True)])
    return None if real is None else Complex(real, imag)


def of_shape(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What only depends on the shape."""
    value = complex_numbers.staged(stage, args[0])
    return handler(stage, (value.real if isinstance(value, Complex) else value, *args[1:]), kwargs)


def of_modulus(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return handler(stage, (elementwise(stage, np.absolute, args[:1]), *args[1:]), kwargs)


def of_truth(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return handler(stage, (elementwise(stage, np.not_equal, (args[0], 0)), *args[1:]), kwargs)


def multilinear(*, conjugated: int | None = None, first: int = 0, count: int | None = None) -> Rule:
    """A sum of products, one factor from each operand: of all choices of parts, with the sign of their powers of i.

    The operands are the `count` arguments from the `first` one on; that of number `conjugated` counts as its conjugate.
    """

    def rule(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if asks_for_real(args, kwargs):
            stage.refuse("Complex numbers are converted to real ones.", "Take their real parts first.")
        options = dict(kwargs)
        out = options.pop("out", None)
        last = len(args) if count is None else first + count
        if count is not None and len(args) == last + 1 and out is None and isinstance(args[last], Complex):
            out = args[last]
            args = args[:last]
        operands = [complex_numbers.held(stage, complex_numbers.staged(stage, arg)) for arg in args[first:last]]
        totals: list[Any] = [None, None]
        for choice in product(*((0, 1) if isinstance(value, Complex) else (0,) for value in operands)):
            factors = [v.parts[k] if isinstance(v, Complex) else v for v, k in zip(operands, choice, strict=True)]
            turns = (sum(choice) + 2 * (conjugated is not None and choice[conjugated])) % 4
            term = handler(stage, (*args[:first], *factors, *args[last:]), options)
            totals[turns % 2] = _added(stage, totals[turns % 2], term, turns >= 2)
        result = Complex(*(stage.array(total) for total in totals))
        return result if out is None else stored(stage, result, out)

    return rule


def matrix_product(stage: Stage, a: Any, b: Any) -> Any:
    return multilinear(count=2)(stage, _real_product, (a, b), {})


def _real_product(stage: Stage, args: tuple[Any, ...], _: Mapping[str, Any]) -> Any:
    return matmul(stage, *args)


def _added(stage: Stage, total: Any, term: Any, is_negative: bool) -> Any:
    if total is None:
        return real_elementwise(stage, np.negative, (term,)) if is_negative else term
    result = real_elementwise(stage, np.subtract if is_negative else np.add, (total, term))
    if isinstance(result, Lazy):
        result.order = min(stage.order(total), stage.order(term))
    return result


def converted(stage: Stage, a: Any, dtype: Known, copy: Known = True) -> Any:
    """`astype`."""
    value = complex_numbers.paired(stage, a)
    if not copy and value.dtype == np.dtype(dtype):
        return value
    if complex_numbers.is_complex_type(dtype):
        kind = complex_numbers.part_type(dtype)
        return Complex(*(stage.lazy(p.shape, kind, lambda i, p=p: cast(p.element(i), kind)) for p in value.parts))  # type: ignore[misc]
    if np.dtype(dtype).kind != "b":
        stage.refuse(f"Complex numbers are converted to '{np.dtype(dtype)}'.", "Take their real parts first.")
    return elementwise(stage, np.not_equal, (a, 0))


def number(kind: Any) -> Callable[..., Any]:
    """`complex(a, b)`, `np.complex128(z)` and their like."""

    def call(stage: Stage, real: Any = 0, imag: Any = 0) -> Any:
        turned = elementwise(stage, np.multiply, (imag, 1j))
        value = elementwise(stage, np.add, (real, turned), weak=True)
        dtype, weak = complex_numbers.part_type(kind), kind is builtins.complex
        return Complex(*(stage.lazy(value.shape, dtype, part.element, weak) for part in value.parts))

    return call


def of_cmath(ufunc: np.ufunc) -> Callable[..., Any]:
    """A function of Python's numbers, complex for real ones, too."""

    def call(stage: Stage, z: Any, /) -> Any:
        return elementwise(stage, ufunc, (complex_numbers.paired(stage, z),), weak=True)

    return call


def where(stage: Stage, condition: Any, x: Any, y: Any) -> Any:
    return chosen(stage, condition, x, y)


def broadcast_arrays(stage: Stage, *args: Any) -> Any:
    """`np.broadcast_arrays`, of which some are complex."""
    values = [complex_numbers.staged(stage, value) for value in args]
    shape = stage.broadcast(*(value.shape for value in values))
    return tuple(
        Complex(*(broadcast(stage, part, shape) for part in value.parts))
        if isinstance(value, Complex)
        else broadcast(stage, value, shape)
        for value in values
    )


def filled(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Real numbers in a complex array."""
    if any(isinstance(arg, Complex | complex) for arg in (*args, *kwargs.values())):
        stage.refuse("A range between complex numbers is not supported.", "Take their real parts first.")
    split = [_split(stage, arg, False)[0] for arg in args]
    if asks_for_real(args, kwargs):
        return handler(stage, tuple(split), kwargs)
    real = handler(stage, tuple(split), {key: _split(stage, value, False)[0] for key, value in kwargs.items()})
    return Complex(real, stage.copy(complex_numbers.zero_of(stage, real)))


def contraction(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """`np.einsum`, with its subscripts as a text."""
    named = args if args and isinstance(args[0], str) else as_text(stage, args)
    return multilinear(first=1)(stage, handler, named, kwargs)


def by_operator(ufunc: np.ufunc) -> Rule:
    """Python's complex numbers have no order, NumPy's have one."""
    call = operator_call(ufunc)

    def rule(stage: Stage, _: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if ufunc in ORDERS and is_weak(*(complex_numbers.staged(stage, value) for value in args)):
            stage.refuse("Python's complex numbers have no order.", "Compare their real parts, or their moduli.")
        return call(stage, args, kwargs)

    return rule


def of_pairs(ufunc: np.ufunc) -> Rule:
    """`ufunc.outer`: of all pairs of elements."""
    call = ufunc_call(ufunc)

    def rule(stage: Stage, _: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        a, b = (complex_numbers.staged(stage, value) for value in args)
        parts = [column_of(stage, part, b.ndim) for part in (a.parts if isinstance(a, Complex) else (a,))]
        return call(stage, Complex(*parts) if isinstance(a, Complex) else parts[0], b, **kwargs)

    return rule


def complex_object(stage: Stage, x: Any) -> bool:
    return isinstance(complex_numbers.staged(stage, x), Complex)


def real_object(stage: Stage, x: Any) -> bool:
    return not complex_object(stage, x)


def dtype(stage: Stage, _: Handler, args: tuple[Any, ...], __: Mapping[str, Any]) -> Any:
    return complex_numbers.staged(stage, args[0]).dtype


def twice(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return 2 * of_shape(stage, handler, args, kwargs)


def strides(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Both parts lie alike in arrays of their own, of half the size."""
    real, imag = (handler(stage, (part,), {}) for part in complex_numbers.paired(stage, args[0]).parts)
    if real != imag:
        stage.refuse("Where the elements of this array lie in memory is not known.", "Make it with 'np.array' first.")
    return tuple(2 * stride for stride in real)


def strided(stage: Stage, x: Any, shape: Any = None, strides: Known = None, *, writeable: Known = True) -> Any:
    """`as_strided` of both parts."""
    if strides is not None and any(stride % 2 for stride in strides):
        stage.refuse("A stride is no multiple of the size of an element.", "Use 'sliding_window_view'.")
    steps = None if strides is None else tuple(stride // 2 for stride in strides)
    parts = complex_numbers.paired(stage, x).parts
    return Complex(*(as_strided(stage, part, shape, steps, writeable=writeable) for part in parts))


def view(stage: Stage, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The same memory by another name."""
    value = complex_numbers.paired(stage, args[0])
    if any(kind not in (None, np.ndarray, value.dtype) for kind in (*args[1:], *kwargs.values())):
        stage.refuse("A view of complex numbers as others is not supported.", "Use their real and imaginary parts.")
    return Complex(*(handler(stage, (part,), {}) for part in value.parts))


def part(number: int) -> Rule:
    def rule(stage: Stage, _: Handler, args: tuple[Any, ...], __: Mapping[str, Any]) -> Any:
        part = complex_numbers.paired(stage, args[0]).parts[number]
        if isinstance(part, Lazy):
            part = copy(part)
            part.order = min(part.order, Order.SORTED)
        stage.halved |= {part.base} - stage.interleaved if isinstance(part, View) else set()
        return part

    return rule


def can_cast(stage: Stage, from_: Any, to: Known, casting: Known = "safe") -> Any:
    return np.can_cast(result_type(stage, from_), to, casting)


def result_type(_: Stage, *arrays_and_dtypes: Any) -> Any:
    return np.result_type(*(_type_of(value) for value in arrays_and_dtypes))


def _type_of(value: Any) -> Any:
    if not is_staged(value):
        return value
    return value.dtype.type(0).item() if value.weak else value.dtype
