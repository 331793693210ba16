"""Fresh arrays: filled, copied, from lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import dtype_of, sizes
from daad.frontend.numpy.calling.numpy_errors import FAILS_TOO, sentence
from daad.frontend.numpy.shapes.reshape import transposed, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.memory_order import is_contiguous
from daad.frontend.staging.values import ArrayValue, Shape, View, cast, is_number, is_staged
from daad.frontend.unsupported import CHECK
from daad.ir.affine import Affine


def filled(stage: Stage, shape: Shape, dtype: Any, value: Any) -> View:
    """A local array that holds one value, or a broadcast one."""
    result = stage.boxed(stage.allocate(shape, dtype))
    stage.store(result, value if isinstance(value, ArrayValue) else stage.scalar(value, dtype))
    return result


def zeros(stage: Stage, shape: Any, dtype: Known = None) -> Any:
    return filled(stage, sizes(stage, shape), dtype_of(stage, dtype), 0)


def ones(stage: Stage, shape: Any, dtype: Known = None) -> Any:
    return filled(stage, sizes(stage, shape), dtype_of(stage, dtype), 1)


def empty(stage: Stage, shape: Any, dtype: Known = None) -> Any:
    return stage.boxed(stage.allocate(sizes(stage, shape), dtype_of(stage, dtype)))


def full(stage: Stage, shape: Any, fill_value: Any, dtype: Known = None) -> Any:
    value = stage.array(fill_value)
    return filled(stage, sizes(stage, shape), value.dtype if dtype is None else dtype_of(stage, dtype), value)


SEEN_INTO = ("__len__", "__array__", "__array_interface__", "__array_struct__", "__buffer__")
"""What a type has whose values NumPy takes apart, or takes for arrays."""


def _like(value: float | None) -> Callable[..., Any]:
    def call(stage: Stage, a: Any, /, dtype: Known = None, shape: Any = None) -> Any:
        model = _model(stage, a, dtype)
        kind = model.dtype if dtype is None else dtype_of(stage, dtype)
        wanted = model.shape if shape is None else sizes(stage, shape)
        return stage.boxed(stage.allocate(wanted, kind)) if value is None else filled(stage, wanted, kind, value)

    return call


def _model(stage: Stage, a: Any, dtype: Any) -> ArrayValue:
    """What an array shall be like; of objects, as NumPy stacks lists of them, only the shape counts where the dtype is
    given."""
    counts = _objects_in(a) if dtype is not None else None
    return stage.array(a) if counts is None else stage.constant(np.zeros(counts))


def _objects_in(items: Any) -> tuple[int, ...] | None:
    """The shape of the array that NumPy makes of nested lists of objects that it does not see into."""
    if not isinstance(items, list | tuple):
        is_one = not (is_staged(items) or is_number(items) or any(hasattr(type(items), name) for name in SEEN_INTO))
        return () if is_one else None
    shapes = {_objects_in(item) for item in items}
    within = shapes.pop() if len(shapes) == 1 else None
    return None if within is None else (len(items), *within)


def full_like(
    stage: Stage,
    a: Any,
    fill_value: Any,
    dtype: Known = None,
    shape: Any = None,
) -> Any:
    model = _model(stage, a, dtype)
    kind = model.dtype if dtype is None else dtype_of(stage, dtype)
    return filled(stage, model.shape if shape is None else sizes(stage, shape), kind, stage.array(fill_value))


def array(
    stage: Stage,
    object: Any,
    dtype: Known = None,
    *,
    copy: Known = True,
    order: Known = "K",
    ndmin: Known = 0,
) -> Any:
    """A copy; integers and booleans that are written in the program stay static, so that they can steer it."""
    if not is_staged(object) and not _is_read_when_run(object):
        stage.rely(object)
        values = _by_numpy(stage, object, dtype=dtype, ndmin=ndmin, copy=copy)
        is_object = not isinstance(object, list | tuple) and np.may_share_memory(values, object)
        return values if is_object else static_array(stage, values)
    value = _converted(stage, object, dtype)
    made = not isinstance(object, np.ndarray) and value is not object
    result = (
        _in_memory(stage, value, order)
        if copy is False or copy is None or (made and isinstance(value, View))
        else _strong_copy(stage, value)
    )
    missing = max(ndmin - result.ndim, 0)
    return stage.reindexed(result, (Affine(1),) * missing + result.shape, lambda p: p[missing:]) if missing else result


def _by_numpy(stage: Stage, object: Any, **options: Any) -> np.ndarray[Any, Any]:
    try:
        return np.array(object, **options)
    except (TypeError, ValueError, OverflowError) as error:
        stage.refuse(f"{FAILS_TOO}: {sentence(error)}.", CHECK, error)


def _is_read_when_run(object: Any) -> bool:
    """Whether this is an array of floats, which is better read when the program runs."""
    return isinstance(object, np.ndarray) and object.dtype.kind == "f"


def static_array(stage: Stage, values: np.ndarray[Any, Any]) -> Any:
    """An array that is made of these values while the program is read."""
    if values.dtype.kind in "OU":  # objects and texts have no place in a Program, and may be asked about
        return values
    return known(stage, values, values) if values.dtype.kind in "ib" else _own(stage, values)


def _own(stage: Stage, values: np.ndarray[Any, Any]) -> ArrayValue:
    return stage.boxed(stage.table(values))


def known(stage: Stage, values: np.ndarray[Any, Any], root: np.ndarray[Any, Any]) -> Any:
    """An array that is made while the program is read, a view of `root`; one of the program's own if that is written
    later."""
    if stage.at in stage.written_at:
        return _own(stage, values)
    stage.known_arrays[id(root)] = root, stage.at
    return values


def _converted(stage: Stage, value: Any, dtype: Any) -> ArrayValue:
    """The value as an array of a dtype; as it is where nothing has to be done."""
    whole = stage.array(value)
    return whole if dtype is None else converted(stage, whole, dtype_of(stage, dtype))


def converted(stage: Stage, value: ArrayValue, dtype: Any) -> ArrayValue:
    """The elements in another type, not yet written anywhere."""
    kind = np.dtype(dtype)
    if value.dtype == kind and not value.weak:
        return value
    return stage.lazy(value.shape, kind, lambda point: cast(value.element(point), kind))


def _strong_copy(stage: Stage, value: ArrayValue) -> View:
    result = stage.boxed(stage.copy(value))
    result.weak = False
    return result


def asarray(stage: Stage, a: Any, dtype: Known = None, order: Known = None, *, copy: Known = None) -> Any:
    if not is_staged(a) and not isinstance(a, np.ndarray):
        stage.rely(a)
        return static_array(stage, _by_numpy(stage, a, dtype=dtype))
    value = _converted(stage, a, dtype)
    return _strong_copy(stage, value) if copy else _in_memory(stage, value, order)


def _in_memory(stage: Stage, value: ArrayValue, order: Any) -> ArrayValue:
    """The value itself if it is contiguous in this order, else a copy; both are one array where that is not known."""
    if not isinstance(value, View) or order in (None, "K"):
        return value
    if value.base in stage.unordered or order == "A":
        result = _strong_copy(stage, value)
        stage.links |= {(result.base, value.base)}
        return result
    turned = transposed(stage, value) if order == "F" else value
    assert isinstance(turned, View), "the transpose of a place is a place"
    return value if is_contiguous(turned, stage) else _strong_copy(stage, value)


def ascontiguousarray(stage: Stage, a: Any, dtype: Known = None) -> Any:
    """An array of at least one dimension."""
    return asarray(stage, _with_axis(stage, a), dtype, "C")


def asfortranarray(stage: Stage, a: Any, dtype: Known = None) -> Any:
    """An array of at least one dimension."""
    return asarray(stage, _with_axis(stage, a), dtype, "F")


def _with_axis(stage: Stage, a: Any) -> Any:
    return a if np.ndim(a) else with_axes(stage, stage.array(a), (0,))


def require(stage: Stage, a: Any, dtype: Known = None, requirements: Known = None) -> Any:
    wanted = [requirements] if isinstance(requirements, str) else requirements or []
    letters = {str(name)[0].upper() for name in wanted}
    if letters - set("ACFW"):
        stage.refuse("'np.require' with these requirements is not supported.", "Use 'np.copy'.")
    return asarray(stage, a, dtype, "C" if "C" in letters else "F" if "F" in letters else None)


def copy(stage: Stage, a: Any) -> Any:
    return _strong_copy(stage, stage.array(a))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.zeros: zeros,
    np.ones: ones,
    np.empty: empty,
    np.full: full,
    np.zeros_like: _like(0),
    np.ones_like: _like(1),
    np.empty_like: _like(None),
    np.full_like: full_like,
    np.array: array,
    np.asarray: asarray,
    np.asanyarray: asarray,
    np.ascontiguousarray: ascontiguousarray,
    np.asfortranarray: asfortranarray,
    np.require: require,
    np.copy: copy,
    np.ndarray: empty,
}


def copy_method(stage: Stage, a: Any) -> Any:
    """The copy of a number is a number."""
    return stage.copy(a) if is_number(a) else copy(stage, a)


def array_method(stage: Stage, a: Any, dtype: Known = None, *, copy: Known = None) -> Any:
    return asarray(stage, a, dtype, copy=copy)


METHODS: dict[str, Callable[..., Any]] = {"copy": copy_method, "__array__": array_method}
