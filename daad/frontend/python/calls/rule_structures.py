"""What goes into functions with a rule and comes out of them: structures with staged values for leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from daad.frontend import structures
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex
from daad.ir.dtypes import is_float


class Pair(NamedTuple):
    """A complex number or array among arguments, outputs and their adjoints."""

    real: Any
    imag: Any


def apart(stage: Stage, value: Any) -> Any:
    """A structure in which a pair stands for what is complex."""
    if isinstance(value, dict | list | tuple):
        return _rebuilt(value, lambda item: apart(stage, item))
    return Pair(*complex_numbers.paired(stage, value).parts) if isinstance(value, Complex) else value


def whole(value: Any, made: Callable[[Any, Any], Any] = Complex) -> Any:
    """A structure with complex values, which are `made` of them, in the places of pairs."""
    if isinstance(value, Pair):
        return None if value.real is None else made(*value)
    return _rebuilt(value, lambda item: whole(item, made)) if isinstance(value, dict | list | tuple) else value


def _rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """A container of the same type with other items."""
    if isinstance(value, dict):
        return {key: change(item) for key, item in value.items()}
    return structures.sequence(value, [change(item) for item in value])


def is_active(value: Any) -> bool:
    """Whether it is an array or a number that can carry a derivative."""
    return isinstance(value, ArrayValue) and is_float(value.dtype.name)


def has_active(values: Any) -> bool:
    """Whether something in a structure can carry a derivative."""
    found: list[Any] = []
    mapped(values, found.append)
    return bool(found)


def mapped(value: Any, active: Callable[[Any], Any], other: Callable[[Any], Any] = lambda leaf: leaf) -> Any:
    """A structure like another one, with what functions make of its leaves."""
    if isinstance(value, dict | list | tuple):
        return _rebuilt(value, lambda item: mapped(item, active, other))
    return active(value) if is_active(value) else other(value)


def zipped(value: Any, beside: Any, make: Callable[[Any, Any], Any]) -> Any:
    """A structure like the first one, made of its leaves and of those beside them; None stands for no leaves."""
    if isinstance(value, Pair) and not isinstance(beside, Pair):
        beside = Pair(beside, None)
    if isinstance(value, dict):
        return {key: zipped(item, beside and beside[key], make) for key, item in value.items()}
    if isinstance(value, list | tuple):
        others = [None] * len(value) if beside is None else beside
        items = [zipped(item, other, make) for item, other in zip(value, others, strict=True)]
        return structures.sequence(value, items)
    return make(value, beside)
