"""How the functions of the tables are called, and what their static arguments may be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.python.numpy.verdict import FAILURES, in_numpys_terms
from daad.frontend.python.stage import Stage
from daad.frontend.python.values import ArrayValue, Shape, affine_of, is_staged
from daad.program.affine import Affine
from daad.program.pinning import NeedsConstant, NeedsPlaces

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
        return f"np.{name}"
    module = (getattr(function, "__module__", None) or "").lstrip("_")
    root, _, rest = module.partition(".")
    if root == "numpy":
        return ".".join(["np", *(part for part in rest.split(".") if part and not part.startswith("_")), name])
    return name if module in ("", "builtins") else f"{module}.{name}"


def staged(rows: Mapping[Callable[..., Any], Implementation]) -> dict[Callable[..., Any], Handler]:
    """Handlers of functions that simply run when all their arguments are static."""
    return {function: _handler(implementation, function, True) for function, implementation in rows.items()}


def always(rows: Mapping[Callable[..., Any], Implementation]) -> dict[Callable[..., Any], Handler]:
    """Handlers of functions that add to the Program whatever their arguments are: they make or write arrays."""
    return {function: _handler(implementation, function, False) for function, implementation in rows.items()}


def methods(rows: Mapping[str, Implementation]) -> dict[str, Handler]:
    """Handlers of methods and attributes of arrays; the array is the first argument."""
    return {name: _handler(implementation, name, False) for name, implementation in rows.items()}


def _handler(implementation: Implementation, function: Callable[..., Any] | str, runs: bool) -> Handler:
    name = f".{function}" if isinstance(function, str) else public_name(function)
    own = _method(function) if isinstance(function, str) else function

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if runs and not isinstance(function, str) and not is_staged((args, kwargs)):
            return run(stage, function, args, kwargs)
        try:
            original = None if isinstance(function, str) else _signature(function)
            if original is not None:
                _bound(stage, original, name, args, kwargs)
            bound = _bound(stage, _own_signature(implementation), name, (stage, *args), kwargs)
            return implementation(*bound.args, **bound.kwargs)
        except FAILURES as error:
            raise in_numpys_terms(stage, error, own, args, kwargs) from error.__cause__

    return handle


def _method(name: str) -> Callable[..., Any]:
    """The method or attribute of an array as a function."""

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(np.asarray(array), name)
        return found(*args, **kwargs) if callable(found) else found

    return call


# Asked where a function is called, not where the tables are made: for all of them it would take longer than all else.
_own_signature = cache(inspect.signature)


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """What the function itself takes, where Python knows."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _bound(
    stage: Stage, signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        stage.refuse(f"'{name}' is not supported with these arguments: {error}.", "Leave out what is not listed there.")


def run(stage: Stage, function: Callable[..., Any], args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a function on static values now."""
    stage.rely((args, kwargs))
    try:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)
    except (Unsupported, NeedsConstant, NeedsPlaces):
        raise
    except Exception as error:
        stage.refuse(
            f"'{public_name(function)}' fails here: {' '.join(str(error).split()).rstrip('.')}.", "Check its arguments."
        )


def static(stage: Stage, value: Any, what: str = "argument") -> Any:
    """The value as ordinary Python data; int parameters are pinned, what only the run tells is refused."""
    if isinstance(value, ArrayValue):
        form = affine_of(value)
        if form is None:
            number = stage.decided(value, f"The {what} changes from iteration to iteration.")
            if number is not None:
                return number
            stage.refuse(f"The {what} depends on data.", "Pass it as a Python number, or write it into the program.")
        return stage.known(form)
    if isinstance(value, list | tuple):
        return type(value)(static(stage, item, what) for item in value)
    return value


def extents(stage: Stage, shape: Any) -> Shape:
    """A shape argument: one integer or a sequence of integers, which may be int parameters."""
    items = shape if isinstance(shape, list | tuple | np.ndarray) else (shape,)
    return tuple(_extent(stage, item) for item in items)


def _extent(stage: Stage, item: Any) -> Affine:
    form = affine_of(item)
    if form is None:
        number = stage.decided(item, "The shape of an array changes from iteration to iteration.")
        if number is None:
            stage.refuse("The shape of an array depends on data.", "Compute it from shapes and integer arguments.")
        return Affine(number)
    return form


def sizes(stage: Stage, shape: Any) -> Shape:
    """The shape of a new array: extents that are not negative."""
    found = extents(stage, shape)
    if any(extent.is_const and extent.const < 0 for extent in found):
        stage.refuse("Negative dimensions are not allowed.", "Check how the shape is computed.")
    return found


def dtype_of(stage: Stage, dtype: Any) -> np.dtype[Any]:
    """A dtype argument that Programs can hold."""
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        stage.refuse(f"'{dtype}' is no dtype.", "Use float32, float64, integers or booleans.")
    if wanted.kind not in KINDS or (wanted.itemsize == 2 and wanted.kind == "f") or wanted.itemsize > 8:
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
