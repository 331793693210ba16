"""What arrays tell about themselves, and conversions of their type."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, dtype_of, known_shape, static
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.python_numbers import pinned, weak_scalar
from daad.frontend.numpy.shapes.axes import matrix_transpose
from daad.frontend.numpy.shapes.reshape import as_in_memory, transposed
from daad.frontend.numpy.shapes.strided_views import strides
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.masked_shapes import counted, numpy_axes, total
from daad.frontend.staging.unread import Unread
from daad.frontend.staging.values import ArrayValue, View, cast, is_number, weak_type
from daad.ir.affine import Affine
from daad.ir.nodes import Expr

TYPES = (
    np.float64,
    np.float32,
    np.int64,
    np.int32,
    np.int16,
    np.int8,
    np.uint64,
    np.uint32,
    np.uint16,
    np.uint8,
    np.bool_,
)


def shape(stage: Stage, a: Any) -> Any:
    return tuple(counted(stage, extents) for extents in numpy_axes(stage, stage.array(a).shape))


def ndim(stage: Stage, a: Any) -> Any:
    return len(numpy_axes(stage, stage.array(a).shape))


def size(stage: Stage, a: Any, axis: Known = None) -> Any:
    value = stage.array(a)
    if axis is not None:
        axes = numpy_axes(stage, value.shape)
        return counted(stage, axes[axis_of(stage, axis, len(axes))])
    counts = is_masked(value.shape) or total(value.shape) is not None
    return counted(stage, value.shape) if counts else prod(known_shape(stage, value))


CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def dtype(stage: Stage, a: Any) -> Any:
    return stage.array(a).dtype


def itemsize(stage: Stage, a: Any) -> Any:
    return stage.array(a).dtype.itemsize


def nbytes(stage: Stage, a: Any) -> Any:
    return prod(known_shape(stage, stage.array(a))) * stage.array(a).dtype.itemsize


def transpose_attribute(stage: Stage, a: Any) -> Any:
    return transposed(stage, stage.array(a))


def astype_method(
    stage: Stage,
    a: Any,
    dtype: Known,
    order: Known = "K",
    casting: Known = "unsafe",
    copy: Known = True,
) -> Any:
    kind = dtype_of(stage, dtype)
    if casting not in CASTINGS:
        stage.refuse(f"The casting '{casting}' is not supported.", f"Use one of {', '.join(CASTINGS)}.")
    if not np.can_cast(stage.array(a).dtype, kind, casting):
        stage.refuse(f"The array cannot be cast to '{kind}' by this rule.", "Check 'casting'.")
    if not copy and order != "K":
        stage.refuse("Whether this makes a copy depends on the order in memory.", "Leave out 'order' or 'copy'.")
    return astype(stage, a, kind, copy=copy)


def view(stage: Stage, a: Any, dtype: Known = None, type: Known = None) -> Any:
    """The same memory by another name."""
    value = stage.array(a)
    kinds = [one for one in (dtype, type) if one is not None and one is not np.ndarray]
    if any(dtype_of(stage, kind) != value.dtype for kind in kinds):
        stage.refuse("A view of numbers as another type is not supported.", "Use 'astype', or the parts of numbers.")
    return stage.reindexed(value, value.shape, lambda point: point)


def array_wrap(stage: Stage, a: Any, array: Any) -> Any:
    """What is computed of an array that is of no class of its own."""
    stage.array(a)
    return array


def set_flags(stage: Stage, a: Any, write: Known = None) -> None:
    """Nothing is written into an array that may not be, unless NumPy raises an error."""
    stage.array(a)
    if write:
        stage.refuse("'setflags' cannot make an array writeable that is not.", "Copy the array.")


@dataclass(frozen=True)
class Flags:
    """What of an array's flags is known, by attributes and by NumPy's keys; what refuses to be looked at stands for
    those that an order in memory decides which is not known."""

    c_contiguous: Any
    f_contiguous: Any
    contiguous: Any
    fortran: Any
    fnc: Any
    forc: Any
    writeable: Any
    aligned: Any

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, KEYS.get(key, key.lower()))


ORDERS = ("c_contiguous", "f_contiguous", "contiguous", "fortran", "fnc", "forc")
KEYS = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "A": "aligned"}


def flags(stage: Stage, a: Any) -> Any:
    value = stage.array(a)
    orders: dict[str, Any]
    try:
        found = as_in_memory(stage, value).flags
        orders = {name: getattr(found, name) for name in ORDERS}
    except Unsupported as refusal:
        orders = dict.fromkeys(ORDERS, Unread(refusal))
    return Flags(**orders, writeable=not value.fixed, aligned=True)


@dataclass(frozen=True)
class Broadcast:
    """What of `np.broadcast` is known: the shape of what its operands make."""

    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    nd = ndim


def broadcast(stage: Stage, *args: Any) -> Broadcast:
    return Broadcast(tuple(stage.known(extent) for extent in stage.broadcast(*(stage.array(a).shape for a in args))))


@dataclass(frozen=True)
class Address:
    """Where the first element lies; that it is the same place, or another one, is all that is known of it."""

    place: Expr


def interface(stage: Stage, a: Any) -> dict[str, Any]:
    """`a.__array_interface__`, of which programs ask whether two arrays begin at the same place."""
    value = stage.array(a)
    place = value.element((Affine(0),) * value.ndim)
    return {"data": (Address(place), False), "typestr": value.dtype.str, "version": 3}


def astype(stage: Stage, a: Any, dtype: Known, /, *, copy: Known = True) -> Any:
    value, kind = stage.array(a), dtype_of(stage, dtype)
    if not copy and value.dtype == kind:
        return value
    return stage.lazy(value.shape, kind, lambda point: cast(value.element(point), kind))


def as_type(kind: type[np.generic]) -> Callable[..., Any]:
    """`np.float64(x)` and its like."""

    def call(stage: Stage, x: Any = 0, /) -> Any:
        value = stage.array(x)
        if value.boxed:  # an array without axes becomes a number
            return stage.lazy((), kind, lambda _: cast(value.element(()), np.dtype(kind)))
        return converted(stage, value, kind)

    return call


def item(stage: Stage, a: Any, *args: Any) -> Any:
    value = stage.array(a)
    where = static(stage, args[0] if len(args) == 1 and isinstance(args[0], tuple) else args, "index")
    sizes = known_shape(stage, value)
    if not where and prod(sizes) != 1:
        stage.refuse("Only an array of one element can be converted to a number.", "Index the element.")
    place = np.unravel_index(where[0] % prod(sizes), sizes) if len(where) == 1 else where or (0,) * value.ndim
    return number_at(stage, value, [int(k) % extent for k, extent in zip(place, sizes, strict=True)])


def number_at(stage: Stage, value: ArrayValue, place: Sequence[int]) -> Any:
    """One element as a Python number."""
    kind = np.dtype({"f": np.float64, "b": np.bool_}.get(value.dtype.kind, np.int64))
    return weak_scalar(stage, cast(value.element(tuple(map(Affine, place))), kind), kind)


def tolist(stage: Stage, a: Any) -> Any:
    value = stage.array(a)
    return _numbers_at(stage, value, (), known_shape(stage, value))


def _numbers_at(stage: Stage, value: ArrayValue, place: tuple[int, ...], sizes: Sequence[int]) -> Any:
    if not sizes:
        return number_at(stage, value, place)
    return [_numbers_at(stage, value, (*place, k), sizes[1:]) for k in range(sizes[0])]


def is_scalar(_: Stage, element: Any) -> Any:
    return is_number(element)


def iterable(_: Stage, y: Any) -> Any:
    return not isinstance(y, ArrayValue) or y.ndim > 0


def result_type(_: Stage, *arrays_and_dtypes: Any) -> Any:
    return np.result_type(*(weak_type(v) if isinstance(v, ArrayValue) else v for v in arrays_and_dtypes))


def diagonal_indices(stage: Stage, arr: Any) -> Any:
    return np.diag_indices_from(np.empty(known_shape(stage, stage.array(arr))))


def can_cast(_: Stage, from_: Any, to: Known, casting: Known = "safe") -> Any:
    return np.can_cast(from_.dtype if isinstance(from_, ArrayValue) else from_, to, casting)


def _indices_from(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.tril_indices_from(a)` and its like: only the shape counts."""

    def call(stage: Stage, arr: Any, k: Known = 0) -> Any:
        return function(np.empty(known_shape(stage, stage.array(arr))), k)

    return call


def real_object(stage: Stage, x: Any) -> Any:
    return not complex_object(stage, x)


def complex_object(stage: Stage, x: Any) -> Any:
    return stage.array(x).dtype.kind == "c"


def may_share_memory(stage: Stage, a: Any, b: Any, /) -> Any:
    """Whether they are of one array; which parts of it have elements in common is not asked."""
    one, other = (stage.array(value) for value in (a, b))
    if not isinstance(one, View) or not isinstance(other, View) or one.base != other.base:
        return False
    if not stage.is_whole(one) and not stage.is_whole(other):
        stage.refuse("Whether parts of one array share memory is not known here.", "Compare what the parts begin with.")
    return True


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{kind: as_type(kind) for kind in TYPES},
    **{f: _indices_from(f) for f in (np.tril_indices_from, np.triu_indices_from)},
    np.diag_indices_from: diagonal_indices,
    np.shape: shape,
    np.ndim: ndim,
    np.size: size,
    np.astype: astype,
    np.isscalar: is_scalar,
    np.iterable: iterable,
    np.result_type: result_type,
    np.can_cast: can_cast,
    np.broadcast: broadcast,
    np.isrealobj: real_object,
    np.iscomplexobj: complex_object,
    np.may_share_memory: may_share_memory,
    **{
        function: pinned(function)
        for function in (
            np.gcd,
            np.lcm,
            np.tril_indices,
            np.triu_indices,
            np.diag_indices,
            np.broadcast_shapes,
        )
    },
}
ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "T": transpose_attribute,
    "mT": matrix_transpose,
    "shape": shape,
    "ndim": ndim,
    "size": size,
    "dtype": dtype,
    "itemsize": itemsize,
    "nbytes": nbytes,
    "strides": strides,
    "flags": flags,
}
METHODS: dict[str, Callable[..., Any]] = {
    "__array_wrap__": array_wrap,
    "astype": astype_method,
    "item": item,
    "setflags": set_flags,
    "tolist": tolist,
    "view": view,
}
