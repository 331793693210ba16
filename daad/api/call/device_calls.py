"""Calls with arrays that lie on a GPU: arguments in any structure taken over, results given back as such arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend import structures
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.gpu.foreign_arrays import given_back, is_on_gpu, taken


def taken_over(name: str, value: Any) -> Any:
    """The structure with all arrays on a GPU as daad's own, in the same memory; itself where there are none."""
    found = structures.parts(value)
    if found is None:
        return taken(name, value) if is_on_gpu(value) else value
    items = {step: taken_over(name + step, item) for step, item in found}
    is_same = all(items[step] is item for step, item in found)
    return value if is_same else structures.rebuilt(value, lambda step, _: items[step])


def on_host(value: Any) -> Any:
    """The structure with copies of NumPy's in the place of arrays on a GPU; itself where there are none."""
    found = structures.parts(value)
    if found is None:
        return taken("value", value).numpy() if is_on_gpu(value) else value
    items = {step: on_host(item) for step, item in found}
    is_same = all(items[step] is item for step, item in found)
    return value if is_same else structures.rebuilt(value, lambda step, _: items[step])


def first_on_gpu(leaves: Sequence[Any]) -> DeviceArray | None:
    """The array that says what results are to be."""
    return next((leaf for leaf in leaves if isinstance(leaf, DeviceArray)), None)


def through_host(call: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A call that computes with values itself: its arguments are copied to NumPy's arrays, and its results back."""
    given = taken_over("argument", [args, dict(kwargs)])
    like = first_on_gpu([*_leaves(given)])
    if like is None:
        return call(*args, **kwargs)
    args, kwargs = on_host(given)
    return returned(call(*args, **kwargs), like)


class Follows:
    """A result that gives further ones, which are as its `like` is."""

    like: DeviceArray | None = None


def returned(found: Any, like: DeviceArray | None, is_all: bool = True) -> Any:
    """The structure of results with arrays as the caller's are: like the one on the GPU, or (None) NumPy's.

    `is_all`: arrays of NumPy's are results, too. Objects of the caller's classes are changed: those that hold results
    are new ones.
    """

    def change(value: Any) -> Any:
        if isinstance(value, Follows):
            value.like = like
            return value
        if isinstance(value, DeviceArray):
            return value.numpy()[()] if like is None else given_back(value, like.origin)
        if like is not None and is_all and isinstance(value, np.ndarray | np.generic):
            return given_back(DeviceArray.of(value, like.card), like.origin)
        return value

    return _mapped(found, change)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if structures.parts(value) is not None:
        return structures.rebuilt(value, lambda _, item: _mapped(item, change))
    if isinstance(value, Follows) or structures.inner(value) is None:
        return change(value)
    for name, item in list(structures.attributes_of(value)):
        made = _mapped(item, change) if _holds_results(item) else item
        if made is not item:
            object.__setattr__(value, name, made)
    return value


def _holds_results(value: Any) -> bool:
    return any(isinstance(leaf, DeviceArray) for leaf in _leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    found = structures.parts(value)
    if found is None:
        yield value
    for _, item in found or ():
        yield from _leaves(item)
