"""The order of elements in memory, which decides in NumPy whether a reshaped array is a view or a copy.

daad keeps every array in C order. NumPy gives most results the order of their operands: `np.sin(a.T)` is the transpose
of an array in C order. What is not known to be in C order is marked (`unordered`), and a reshape of it is in doubt.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from daad.frontend.staging.facts import Facts
from daad.frontend.staging.values import ArrayValue, Lazy, Order, View, axis, is_one
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Const, Index, IndexValue, Op
from daad.ir.operations import OPERATIONS

MANY = 2**20
"""Stands for an extent that is no number."""

ARITHMETIC = ("add", "subtract", "multiply", "floor_divide", "remainder")


def order_of(value: ArrayValue, unordered: Collection[str], arrays: Mapping[str, Array]) -> Order:
    """What is known of a value's order."""
    if isinstance(value, Lazy):
        return value.order
    assert isinstance(value, View), "a value is a view or lazy"
    return Order.UNKNOWN if value.base in unordered else _order(memory_strides(value, arrays), value.shape)


def order_in(value: ArrayValue, shape: Sequence[Affine], index: Sequence[Index]) -> Order:
    """The order of an array with `index` into a contiguous one like `value` at each point of `shape`."""
    sizes = [extent.const if extent.is_const else MANY for extent in value.shape]
    return _order(_strides(index, sizes, shape), shape)


def _order(strides: Sequence[int], shape: Sequence[Affine]) -> Order:
    if _is_contiguous(strides, shape):
        return Order.CONTIGUOUS
    if not _descends(strides):
        return Order.UNKNOWN
    repeats = any(stride == 0 and not is_one(extent) for stride, extent in zip(strides, shape, strict=True))
    return Order.REPEATED if repeats else Order.SORTED


def memory_strides(view: View, arrays: Mapping[str, Array]) -> tuple[int, ...]:
    """Elements between neighbours along each axis of the view, if its base is in C order."""
    return _strides(view.index, arrays[view.base].shape, view.shape)


def numpys_strides(view: View, stage: Facts) -> tuple[int, ...]:
    """The same in NumPy: both parts of a complex array follow each other; of one alone, every second number counts."""
    strides = memory_strides(view, stage.arrays)
    if stage.joint and view.base in stage.interleaved:
        return tuple(stride // 2 for stride in strides)
    if not stage.joint and view.base in stage.halved:
        return tuple(stride * 2 for stride in strides)
    return strides


def is_contiguous(view: View, stage: Facts) -> bool:
    """Whether the elements follow each other in memory, if the base is in C order; yes where extents are no numbers."""
    return _is_contiguous(numpys_strides(view, stage), view.shape)


def _is_contiguous(strides: Sequence[int], shape: Sequence[Affine]) -> bool:
    if any(extent == Affine(0) for extent in shape):
        return True
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if not extent.is_const:
            return True
        if extent.const != 1 and stride != expected:
            return False
        expected *= extent.const
    return True


def _descends(strides: Sequence[int]) -> bool:
    """Whether each axis runs faster than those before it; repeated axes take any place."""
    sizes = [abs(stride) for stride in strides if stride]
    return all(a > b for a, b in pairwise(sizes))


def _strides(index: Sequence[Index], sizes: Sequence[int], shape: Sequence[Affine]) -> tuple[int, ...]:
    rank = len(shape)
    probes = [[0] * rank, *([int(k == j) for j in range(rank)] for k in range(rank))]
    start, *places = (_flat(index, sizes, {axis(k): v for k, v in enumerate(probe)}) for probe in probes)
    return tuple(place - start if not is_one(e) else 0 for place, e in zip(places, shape, strict=True))


def _flat(index: Sequence[Index], sizes: Sequence[int], point: Mapping[str, int]) -> int:
    flat = 0
    for position, size in zip(index, sizes, strict=True):
        flat = flat * size + evaluate(position, point)
    return flat


def evaluate(index: Index, point: Mapping[str, int]) -> int:
    """An index at a point; other names, and what is loaded from arrays, count as zero."""
    if isinstance(index, IndexValue):
        index = index.form
    if isinstance(index, Affine):
        return index.const + sum(c * point.get(name, 0) for name, c in index.terms)
    if isinstance(index, Const):
        return int(index.value)
    if not isinstance(index, Op) or index.name not in ARITHMETIC:
        return 0
    left, right = (evaluate(arg, point) for arg in index.args)
    return int(OPERATIONS[index.name].evaluate(left, right))
