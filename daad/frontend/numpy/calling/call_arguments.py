"""How the functions of the tables are called, and what their static arguments may be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import static_items
from daad.frontend.staging.masked_shapes import axes_of_count
from daad.frontend.staging.values import ArrayValue, Shape, affine_of
from daad.ir.affine import Affine
from daad.ir.pinning import Needs

Handler = Callable[[Stage, tuple[Any, ...], Mapping[str, Any]], Any]
Implementation = Callable[..., Any]
KINDS = "biuf"


def public_name(function: Any) -> str:
    """How a program writes the function: 'np.linalg.norm', 'math.exp', 'np.add.at', 'abs'."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{name}"
    if isinstance(function, np.ufunc):
        return f"np.{name}" if getattr(np, name, None) is function else f"scipy.special.{name}"
    module = (getattr(function, "__module__", None) or "").lstrip("_")
    root, *rest = (part for part in module.split(".") if not part.startswith("_"))
    if root == "numpy":
        root = "np"
    return name if root in ("", "builtins") else ".".join([root, *rest, name])


def is_in(functions: Collection[Any], function: Any) -> bool:
    """Whether a function is one of those; an object that is called like one may be unhashable."""
    try:
        return function in functions
    except TypeError:
        return False


def run(stage: Stage, function: Callable[..., Any], args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a function on static values now."""
    stage.rely((args, kwargs))
    try:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)
    except (Unsupported, Needs):
        raise
    except Exception as error:
        stage.refuse(
            f"'{public_name(function)}' fails here: {' '.join(str(error).split()).rstrip('.')}.",
            "Check its arguments.",
            error,
        )


def static(stage: Stage, value: Any, what: str = "argument") -> Any:
    """The value as ordinary Python data, an array as a tuple; int parameters are pinned, what only the run tells is
    refused."""
    if isinstance(value, ArrayValue) and value.ndim:
        value = tuple(static_items(stage, value))
    if isinstance(value, ArrayValue):
        form = affine_of(value)
        if form is None:
            number = stage.settled(value, f"The {what}")
            if number is not None:
                return number
            stage.refuse(f"The {what} depends on data.", "Pass it as a Python number, or write it into the program.")
        return stage.known(form)
    if isinstance(value, list | tuple):
        return type(value)(static(stage, item, what) for item in value)
    return value


def extents(stage: Stage, shape: Any) -> Shape:
    """A shape argument: one integer, or a sequence or array of integers, which may be int parameters."""
    if isinstance(shape, ArrayValue) and shape.ndim == 1:
        shape = static_items(stage, shape)
    items = shape if isinstance(shape, list | tuple | np.ndarray) else (shape,)
    return tuple(_extent(stage, item) for item in items)


def _extent(stage: Stage, item: Any) -> Affine:
    form = affine_of(item)
    if form is None:
        number = stage.settled(item, "The size of an array")
        if number is None:
            stage.refuse("The shape of an array depends on data.", "Compute it from shapes and integer arguments.")
        return Affine(number)
    return form


def _or_extent(stage: Stage, axes: Shape | None, item: Any) -> Shape:
    return axes or (_extent(stage, item),)


def sizes(stage: Stage, shape: Any) -> Shape:
    """The shape of a new array: extents that are not negative, and as many as a selection has elements."""
    items = shape if isinstance(shape, list | tuple) else (shape,)
    counts = [axes_of_count(stage, item) for item in items]
    parts = [extents(stage, shape)] if not any(counts) else map(partial(_or_extent, stage), counts, items)
    found = tuple(extent for part in parts for extent in part)
    if any(extent.is_const and extent.const < 0 for extent in found):
        stage.refuse("Negative dimensions are not allowed.", "Check how the shape is computed.")
    return found


def dtype_of(stage: Stage, dtype: Any) -> np.dtype[Any]:
    """A dtype argument that Programs can hold."""
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        stage.refuse(f"'{dtype}' is no dtype.", "Use float32, float64, integers or booleans.")
    if (
        wanted.kind not in KINDS
        or (wanted.itemsize == 2 and wanted.kind == "f")
        or wanted.itemsize > 8
        or not wanted.isnative
    ):
        stage.refuse(f"Arrays of dtype '{wanted}' are not supported.", "Use float32, float64, integers or booleans.")
    return wanted


def axis_of(stage: Stage, axis: Any, rank: int) -> int:
    """One axis, counted from the front."""
    number = static(stage, axis, "axis")
    if not isinstance(number, int | np.integer) or not -rank <= number < rank:
        stage.refuse(
            f"There is no axis {number} in an array of {rank} dimension{'s' * (rank != 1)}.", "Count axes from 0."
        )
    return int(number) % rank


def axes_of(stage: Stage, axis: Any, rank: int) -> tuple[int, ...]:
    """An axis argument of a reduction: None is all of them; sorted."""
    if axis is None:
        return tuple(range(rank))
    items = axis if isinstance(axis, list | tuple) else (axis,)
    axes = [axis_of(stage, item, rank) for item in items]
    if len(set(axes)) < len(axes):
        stage.refuse("An axis is named twice.", "Name each axis once.")
    return tuple(sorted(axes))


def known_shape(stage: Stage, value: ArrayValue) -> tuple[int, ...]:
    """The shape as numbers, which pins int parameters."""
    return tuple(stage.known(extent) for extent in value.shape)
