"""Contractions: `C[i, j] += A[i, k] * B[k, j]` after a fill with zero; later passes make library calls of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.numpy import newer_functions
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of
from daad.frontend.numpy.elementwise.scalar_expressions import product
from daad.frontend.numpy.elementwise.ufuncs import elementwise, into
from daad.frontend.numpy.shapes.reshape import merge_pairs, ravel, reshape_to
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ZERO, ArrayValue, View, cast, is_one
from daad.ir.affine import Affine
from daad.ir.nodes import Expr


@dataclass(frozen=True)
class Factor:
    """One operand of a contraction; `labels` names its axes: equal labels run together."""

    value: ArrayValue
    labels: tuple[Any, ...]

    def element(self, point: dict[Any, Affine]) -> Expr:
        pairs = zip(self.labels, self.value.shape, strict=True)
        return self.value.element(tuple(ZERO if is_one(extent) else point[label] for label, extent in pairs))


def contract(stage: Stage, factors: Sequence[Factor], output: Sequence[Any], dtype: Any) -> ArrayValue:
    """The sum over all labels that `output` lacks of the product of the factors; of truth values: whether one is."""
    if np.dtype(dtype).kind == "b":
        counts = contract(stage, factors, output, np.dtype(np.int64))
        return stage.lazy(counts.shape, dtype, lambda point: cast(counts.element(point), "bool"))
    sizes = _sizes(stage, factors)
    inner = [label for label in sizes if label not in output]
    shape = tuple(sizes[label] for label in output)

    def value(ready: Sequence[Factor], point: dict[Any, Affine]) -> Expr:
        first, *rest = (cast(factor.element(point), dtype) for factor in ready)
        for other in rest:
            first = product(first, other)
        return first

    if not inner:
        return stage.lazy(shape, dtype, lambda point: value(factors, dict(zip(output, point, strict=True))))
    loaded = [Factor(plain(stage, factor.value, dtype), factor.labels) for factor in factors]
    result = stage.allocate(shape, dtype)
    stage.store(result, stage.scalar(0, dtype))
    labels = [*output, *inner]

    def build(point: Sequence[Affine]) -> Any:
        return [(result, point[: len(shape)], "+=", value(loaded, dict(zip(labels, point, strict=True))))]

    stage.nest([sizes[label] for label in labels], build)
    return result


def plain(stage: Stage, value: ArrayValue, dtype: Any) -> View:
    """An operand that is read by simple loads of the contraction's type."""
    if value.dtype != np.dtype(dtype):
        return stage.place(stage.lazy(value.shape, dtype, lambda point: value.element(point)))
    if isinstance(value, View) and not all(isinstance(index, Affine) for index in value.index):
        return stage.copy(value)
    return stage.place(value)


def _sizes(stage: Stage, factors: Sequence[Factor]) -> dict[Any, Affine]:
    """The extent of each label, in order of appearance."""
    sizes: dict[Any, Affine] = {}
    for factor in factors:
        for label, extent in zip(factor.labels, factor.value.shape, strict=True):
            known = sizes.get(label, extent)
            if not (is_one(known) or is_one(extent) or stage.same_extent(known, extent)):
                _refuse(stage, factors)
            sizes[label] = extent if is_one(known) else known
    return sizes


def _refuse(stage: Stage, factors: Sequence[Factor]) -> None:
    for factor in factors:
        stage.refuse_mask(factor.value.shape)
    texts = [f"({', '.join(map(str, factor.value.shape))})" for factor in factors]
    stage.refuse(f"Arrays of shapes {' and '.join(texts)} cannot be multiplied.", "Check the shapes of the arguments.")


def product_type(stage: Stage, a: ArrayValue, b: ArrayValue) -> np.dtype[Any]:
    """The type of NumPy's products of matrices."""
    return dtype_of(stage, np.matmul.resolve_dtypes((a.dtype, b.dtype, None))[-1])


def _inner_labels(a: ArrayValue, b: ArrayValue) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Labels of the trailing matrices or vectors of a product: rows, columns and what is summed."""
    left = ("rows", "sum") if a.ndim > 1 else ("sum",)
    right = ("sum", "columns") if b.ndim > 1 else ("sum",)
    return left, right


def matmul(stage: Stage, a: Any, b: Any, /, out: Any = None, *, dtype: Known = None) -> Any:
    left, right = stage.array(a), stage.array(b)
    if not (left.ndim and right.ndim):
        stage.refuse("A matrix product with a scalar is not defined.", "Use '*'.")
    inner_left, inner_right = _inner_labels(left, right)
    batches = [range(-(value.ndim - 2), 0) if value.ndim > 2 else range(0) for value in (left, right)]
    longest = max(batches, key=len)
    factors = (Factor(left, (*batches[0], *inner_left)), Factor(right, (*batches[1], *inner_right)))
    output = (*longest, *(label for label in (*inner_left, *inner_right) if label != "sum"))
    kind = product_type(stage, left, right) if dtype is None else dtype_of(stage, dtype)
    return _stored(stage, _summed(stage, factors, output, kind), out)


def _summed(stage: Stage, factors: Sequence[Factor], output: Sequence[Any], dtype: Any) -> ArrayValue:
    a, b = factors
    if a.value.shape[a.labels.index("sum")] != b.value.shape[b.labels.index("sum")]:
        sizes = (a.value.shape[a.labels.index("sum")], b.value.shape[b.labels.index("sum")])
        if not stage.same_extent(*sizes):
            _refuse(stage, factors)
    return contract(stage, factors, output, dtype)


def _stored(stage: Stage, value: ArrayValue, out: Any) -> Any:
    return value if out is None else into(stage, value, out)


def dot(stage: Stage, a: Any, b: Any, out: Any = None) -> Any:
    left, right = stage.array(a), stage.array(b)
    if not (left.ndim and right.ndim):
        return _stored(stage, elementwise(stage, np.multiply, (left, right)), out)
    first = (*(("a", k) for k in range(left.ndim - 1)), "sum")
    place = max(right.ndim - 2, 0)
    second = tuple("sum" if k == place else ("b", k) for k in range(right.ndim))
    output = [label for label in (*first, *second) if label != "sum"]
    factors = (Factor(left, first), Factor(right, second))
    return _stored(stage, _summed(stage, factors, output, product_type(stage, left, right)), out)


def inner(stage: Stage, a: Any, b: Any, /) -> Any:
    left, right = stage.array(a), stage.array(b)
    if not (left.ndim and right.ndim):
        return elementwise(stage, np.multiply, (left, right))
    first = (*(("a", k) for k in range(left.ndim - 1)), "sum")
    second = (*(("b", k) for k in range(right.ndim - 1)), "sum")
    output = [label for label in (*first, *second) if label != "sum"]
    factors = (Factor(left, first), Factor(right, second))
    return _summed(stage, factors, output, product_type(stage, left, right))


def vdot(stage: Stage, a: Any, b: Any, /) -> Any:
    left, right = stage.array(a), stage.array(b)
    if left.shape != right.shape:
        left, right = ravel(stage, left), ravel(stage, right)
    labels = tuple(range(left.ndim))
    return contract(stage, (Factor(left, labels), Factor(right, labels)), (), product_type(stage, left, right))


def vecdot(
    stage: Stage,
    a: Any,
    b: Any,
    /,
    out: Any = None,
    *,
    axis: Known = -1,
    axes: Known = None,
    keepdims: Known = False,
) -> Any:
    """Scalar products of the vectors along an axis, which each of them and the result may have elsewhere."""
    first, second, last = _places_of_vectors(axis, axes, keepdims)
    left, right = _to_end(stage, stage.array(a), first), _to_end(stage, stage.array(b), second)
    factors = tuple(Factor(v, (*range(1 - v.ndim, 0), "sum")) for v in (left, right))
    output = range(1 - max(left.ndim, right.ndim), 0)
    found = _summed(stage, factors, output, product_type(stage, left, right))
    if keepdims:
        place = axis_of(stage, last, found.ndim + 1)
        shape = (*found.shape[:place], Affine(1), *found.shape[place:])
        found = stage.reindexed(found, shape, lambda point: (*point[:place], *point[place + 1 :]))
    return _stored(stage, found, out)


def _places_of_vectors(axis: Any, axes: Any, keepdims: bool) -> tuple[Any, Any, Any]:
    """Where the operands have their vectors, and the result its axis of one element, if it keeps that."""
    if axes is None:
        return axis, axis, axis
    first, second, *last = (place[0] if isinstance(place, list | tuple) and place else place for place in axes)
    return first, second, last[0] if keepdims and last else -1


def matvec(stage: Stage, a: Any, b: Any, /, out: Any = None) -> Any:
    left, right = stage.array(a), stage.array(b)
    factors = (
        Factor(left, (*range(2 - left.ndim, 0), "rows", "sum")),
        Factor(right, (*range(1 - right.ndim, 0), "sum")),
    )
    output = (*range(min(2 - left.ndim, 1 - right.ndim), 0), "rows")
    return _stored(stage, _summed(stage, factors, output, product_type(stage, left, right)), out)


def vecmat(stage: Stage, a: Any, b: Any, /, out: Any = None) -> Any:
    return matvec(stage, swapped(stage, stage.array(b)), a, out)


def swapped(stage: Stage, value: ArrayValue) -> ArrayValue:
    """The last two axes exchanged."""
    *rest, rows, columns = value.shape
    return stage.reindexed(value, (*rest, columns, rows), lambda p: (*p[:-2], p[-1], p[-2]))


def outer(stage: Stage, a: Any, b: Any, out: Any = None) -> Any:
    left, right = (_flat(stage, stage.array(v)) for v in (a, b))
    return _stored(stage, outer_of(stage, np.multiply, left, right), out)


def _flat(stage: Stage, value: ArrayValue) -> ArrayValue:
    return value if value.ndim == 1 else reshape_to(stage, value, (-1,))


def outer_of(stage: Stage, ufunc: np.ufunc, a: ArrayValue, b: ArrayValue) -> ArrayValue:
    """The ufunc of all pairs of elements."""
    return elementwise(stage, ufunc, (column_of(stage, a, b.ndim), b))


def column_of(stage: Stage, a: ArrayValue, count: int) -> ArrayValue:
    """With so many more axes, of one element each, behind its own."""
    return stage.reindexed(a, (*a.shape, *[Affine(1)] * count), lambda point: point[: a.ndim])


def tensordot(stage: Stage, a: Any, b: Any, axes: Known = 2) -> Any:
    left, right = stage.array(a), stage.array(b)
    first, second = _summed_axes(stage, axes, left.ndim, right.ndim)
    labels_a = tuple(("sum", first.index(k)) if k in first else ("a", k) for k in range(left.ndim))
    labels_b = tuple(("sum", second.index(k)) if k in second else ("b", k) for k in range(right.ndim))
    output = [label for label in (*labels_a, *labels_b) if label[0] != "sum"]
    factors = (Factor(left, labels_a), Factor(right, labels_b))
    return contract(stage, factors, output, product_type(stage, left, right))


def _summed_axes(stage: Stage, axes: Any, rank_a: int, rank_b: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        return list(range(rank_a - axes, rank_a)), list(range(axes))
    first, second = (list(item) if isinstance(item, list | tuple) else [item] for item in axes)
    return [axis_of(stage, k, rank_a) for k in first], [axis_of(stage, k, rank_b) for k in second]


def kron(stage: Stage, a: Any, b: Any) -> Any:
    left, right = stage.array(a), stage.array(b)
    rank = max(left.ndim, right.ndim)
    left, right = (_padded(stage, value, rank) for value in (left, right))
    pairs = tuple(extent for k in range(rank) for extent in (left.shape[k], right.shape[k]))
    spread = stage.reindexed(left, pairs, lambda point: point[::2])
    inner_part = stage.reindexed(right, pairs, lambda point: point[1::2])
    return merge_pairs(stage, elementwise(stage, np.multiply, (spread, inner_part)))


def _padded(stage: Stage, value: ArrayValue, rank: int) -> ArrayValue:
    missing = rank - value.ndim
    return stage.reindexed(value, ((Affine(1),) * missing + value.shape), lambda point: point[missing:])


def _to_end(stage: Stage, value: ArrayValue, axis: Any) -> ArrayValue:
    """An axis moved to the end."""
    place = axis_of(stage, axis, value.ndim)
    shape = (*value.shape[:place], *value.shape[place + 1 :], value.shape[place])
    return stage.reindexed(value, shape, lambda p: (*p[:place], p[-1], *p[place:-1]))


def linalg_cross(stage: Stage, a: Any, b: Any, /, *, axis: Known = -1) -> Any:
    return cross(stage, a, b, axis=axis)


def cross(
    stage: Stage,
    a: Any,
    b: Any,
    axisa: Known = -1,
    axisb: Known = -1,
    axisc: Known = -1,
    axis: Known = None,
) -> Any:
    ends = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    left, right = (_to_end(stage, stage.place(value), end) for value, end in zip((a, b), ends, strict=False))
    if [stage.known(value.shape[-1]) for value in (left, right)] != [3, 3]:
        stage.refuse("'np.cross' needs vectors of three components.", "Write the product out.")
    outer_shape = stage.broadcast(left.shape[:-1], right.shape[:-1])
    result = stage.allocate((*outer_shape, Affine(3)), np.result_type(left.dtype, right.dtype))
    for number in range(3):
        i, j = (number + 1) % 3, (number + 2) % 3
        pairs = [(_component(stage, left, k), _component(stage, right, n)) for k, n in ((i, j), (j, i))]
        first, second = (elementwise(stage, np.multiply, pair) for pair in pairs)
        target = _component(stage, result, number)
        assert isinstance(target, View), "part of a local array is a view"
        stage.store(target, elementwise(stage, np.subtract, (first, second)))
    place = axis_of(stage, ends[2], result.ndim)
    turned = (*outer_shape[:place], Affine(3), *outer_shape[place:])
    return stage.reindexed(result, turned, lambda p: (*p[:place], *p[place + 1 :], p[place]))


def _component(stage: Stage, value: ArrayValue, number: int) -> ArrayValue:
    return stage.reindexed(value, value.shape[:-1], lambda point: (*point, Affine(number)))


def multi_dot(stage: Stage, arrays: Sequence[Any], *, out: Any = None) -> Any:
    if not isinstance(arrays, list | tuple):
        stage.refuse("'np.linalg.multi_dot' needs a list of arrays.", "Multiply with '@'.")
    result = arrays[0]
    for other in arrays[1:]:
        result = dot(stage, result, other)
    return _stored(stage, result, out)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.matmul: matmul,
    np.dot: dot,
    np.inner: inner,
    np.vdot: vdot,
    np.vecdot: vecdot,
    np.linalg.vecdot: vecdot,
    newer_functions.matvec: matvec,
    newer_functions.vecmat: vecmat,
    np.linalg.matmul: matmul,
    np.outer: outer,
    np.linalg.outer: outer,
    np.tensordot: tensordot,
    np.linalg.tensordot: tensordot,
    np.kron: kron,
    np.cross: cross,
    np.linalg.cross: linalg_cross,
    np.linalg.multi_dot: multi_dot,
}
METHODS: dict[str, Callable[..., Any]] = {"dot": dot}
