"""Complex arrays and numbers as pairs of real ones: made of other values, kept in memory, taken apart."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, Shape, View, cast, is_costly, own_axes
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Op

Pair = tuple[Expr, Expr]
MOST_OPERATIONS = 2
"""Values of more operations are computed once before they are read several times."""


def is_complex(value: Any) -> bool:
    """Whether the value is complex, staged or known; lists and tuples are looked into."""
    if isinstance(value, Complex | complex | np.complexfloating):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "c"
    if isinstance(value, dict | types.MappingProxyType):
        return any(map(is_complex, value.values()))
    return isinstance(value, list | tuple) and any(map(is_complex, value))


COMPLEX_NAMES = ("complex", "complex64", "complex128", "c8", "c16", "<c8", "<c16", "csingle", "cdouble")


def is_complex_type(value: Any) -> bool:
    """Whether the value names a complex dtype that is supported."""
    if isinstance(value, np.dtype | type):
        return value in (complex, np.complex64, np.complex128)
    return isinstance(value, str) and value in COMPLEX_NAMES


def part_type(dtype: Any) -> np.dtype[Any]:
    """The dtype of the real part of complex numbers."""
    return np.dtype(np.float32) if np.dtype(dtype) == np.complex64 else np.dtype(np.float64)


def staged(stage: Stage, value: Any) -> ArrayValue | Complex:
    """Anything that NumPy would take for an array; complex where its numbers are."""
    if isinstance(value, Complex):
        return value
    if not is_complex(value):
        return stage.array(value)
    if isinstance(value, list | tuple):
        return in_memory(stage, Complex(*(stage.array(both) for both in parts_in(stage, value))), "tmp")
    if isinstance(value, np.ndarray):
        return constant(stage, value)
    weak = not isinstance(value, np.generic)
    return Complex(
        *(stage.scalar(float(p) if weak else p, None if weak else p.dtype) for p in (value.real, value.imag))
    )


def constant(stage: Stage, values: np.ndarray) -> Complex:
    """The parts of a constant array are the same ones whenever it is read: what changes in it is seen."""
    if values.dtype not in (np.complex64, np.complex128):
        stage.refuse(f"Arrays of dtype '{values.dtype}' are not supported.", "Use complex64 or complex128.")
    _, real, imag = stage.parts.setdefault(id(values), (values, values.real, values.imag))
    return Complex(stage.constant(real), stage.constant(imag))


def parts_in(stage: Stage, value: Any) -> tuple[Any, Any]:
    """The value, a list of values, or the like, once with real and once with imaginary parts."""
    if isinstance(value, list | tuple):
        pairs = [parts_in(stage, item) for item in value]
        made = getattr(value, "_make", type(value))
        return made([a for a, _ in pairs]), made([b for _, b in pairs])
    if is_complex(value):
        return staged(stage, value).parts  # type: ignore[union-attr]
    return value, zero_of(stage, value)


def zero_of(stage: Stage, value: Any) -> Any:
    """The imaginary part of a real value."""
    if isinstance(value, bool | int | float):
        return 0.0
    if isinstance(value, np.ndarray | np.generic):
        return np.zeros(value.shape, np.result_type(value.dtype, np.float32))
    if not isinstance(value, ArrayValue):
        return value
    dtype = value.dtype if value.dtype.kind == "f" else np.dtype(np.float64)
    return stage.lazy(value.shape, dtype, lambda _: Const(0.0, dtype.name), value.weak)


def both(
    stage: Stage, shape: Sequence[Affine], dtype: Any, build: Callable[[tuple[Affine, ...]], Pair], weak: bool = False
) -> Complex:
    """The complex array whose element at each index is `build(index)`; nothing is emitted."""
    real, imag = build(own_axes(len(shape)))
    return Complex(stage.lazy(shape, dtype, lambda _: real, weak), stage.lazy(shape, dtype, lambda _: imag, weak))


def paired(stage: Stage, value: Any) -> Complex:
    """The value as a complex one."""
    value = staged(stage, value)
    if isinstance(value, Complex):
        return value
    dtype = value.dtype if value.dtype.kind == "f" else np.dtype(np.float64)
    return both(
        stage,
        value.shape,
        dtype,
        lambda point: (cast(value.element(point), dtype), Const(0.0, dtype.name)),
        value.weak,
    )


def element(value: Complex, index: Sequence[Affine]) -> Pair:
    """Both parts at one point."""
    real, imag = (part.element(index) for part in value.parts)
    return real, imag


def of_pairs(stage: Stage, pairs: View) -> Complex:
    """Both parts of an array whose last axis is that of pairs, as views."""
    shape = pairs.shape[:-1]
    real, imag = (stage.reindexed(pairs, shape, lambda point, k=k: (*point, Affine(k))) for k in (0, 1))  # type: ignore[misc]
    return Complex(real, imag)


def interleaved(stage: Stage, value: Complex, name: str) -> View:
    """A fresh array of pairs with the value's content."""
    pairs = stage.allocate((*value.shape, Affine(2)), value.real.dtype, name)
    stage.interleaved.add(pairs.base)

    def both_parts(point: tuple[Affine, ...]) -> Any:
        return [(pairs, (*point, Affine(k)), "=", part.element(point)) for k, part in enumerate(value.parts)]

    stage.nest(value.shape, both_parts)
    return pairs


def in_memory(stage: Stage, value: Complex, name: str = "tmp") -> Any:
    """The value in memory: what is there stays, anything else is computed into fresh arrays, both at once."""
    real, imag = value.parts
    if isinstance(real, View) and isinstance(imag, View):
        for view, label in zip((real, imag), ("real", "imag"), strict=True):
            stage.name(view, name if name == "tmp" else f"{name}_{label}")
        return Complex(stage.duplicate(real), stage.duplicate(imag))
    if value.weak and all(isinstance(part, Lazy) and isinstance(part.expr, Const) for part in value.parts):
        return complex(real.expr.value, imag.expr.value)
    return copied(stage, value, name)


def copied(stage: Stage, value: Complex, name: str = "tmp") -> Complex:
    """A copy in memory, of a number or an array."""
    names = (name, name) if name == "tmp" else (f"{name}_real", f"{name}_imag")
    if is_masked(value.shape):
        return Complex(*(stage.copy(part, label) for part, label in zip(value.parts, names, strict=True)))
    targets = [stage.allocate(value.shape, part.dtype, label) for part, label in zip(value.parts, names, strict=True)]
    for target, part in zip(targets, value.parts, strict=True):
        target.weak = part.weak
        stage.note_order(target, part)
        if part.boxed:
            stage.boxed(target)
    pairs = list(zip(targets, value.parts, strict=True))
    stage.nest(value.shape, lambda point: [(target, point, "=", part.element(point)) for target, part in pairs])
    return Complex(*targets)


def held(stage: Stage, value: ArrayValue | Complex) -> Any:
    """An operand that is read more than once: what takes long to compute is computed before."""
    parts = value.parts if isinstance(value, Complex) else (value,)
    if not any(isinstance(part, Lazy) and _is_long(part.expr) for part in parts):
        return value
    return copied(stage, value) if isinstance(value, Complex) else stage.copy(value)


def _is_long(expr: Expr) -> bool:
    return is_costly(expr) or _operations(expr) > MOST_OPERATIONS


def _operations(expr: Expr) -> int:
    return 1 + sum(map(_operations, expr.args)) if isinstance(expr, Op) else 0


def is_place(stage: Stage, value: Complex) -> bool:
    """Whether it is an array in memory that can be written."""
    return all(isinstance(part, View) for part in value.parts) and any(map(stage.is_array, value.parts))


def shape_of(values: Iterable[ArrayValue | Complex], stage: Stage) -> Shape:
    """The shape that values are broadcast to."""
    return stage.broadcast(*(value.shape for value in values))


def as_array(stage: Stage, value: Any) -> Any:
    """The number or array as one of NumPy's arrays, which it is even if there are no axes."""
    if isinstance(value, Complex):
        return Complex(*map(stage.as_array, value.parts))
    return stage.as_array(value)


def of_constant(stage: Stage, values: np.ndarray) -> Any:
    """A fresh array with the content of one that is known; without axes an array, too."""
    value = staged(stage, values)
    if isinstance(value, Complex):
        return Complex(*map(stage.boxed, copied(stage, value).parts))
    return stage.boxed(stage.copy(value))
