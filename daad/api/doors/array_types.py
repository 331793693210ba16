"""The types of arrays of other libraries that gradients take and give; none of the libraries is imported for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from daad.errors import Unsupported
from daad.frontend.python.reading.guards import fingerprint


@dataclass(frozen=True)
class ArrayType:
    """How a program gets the values of such an argument, and how their gradient is dressed as it."""

    values: Callable[[Any], Any]
    """The numbers, of NumPy or plain."""
    labels: Callable[[Any], Hashable]
    """What the meaning of operators depends on beside the values: index, dimensions, unit."""
    dressed: Callable[[Any, Any, Any], Any]
    """By the argument, its gradient, and what the program gives for arguments as they come."""
    as_output: Callable[[Any, Any], Any] = lambda like, found: found
    """By what the program gives for arguments as they come, and what compiled code gives."""
    skips_nan: bool = False
    """Whether sums leave out what is NaN, as NumPy's do not."""


def array_type(value: Any) -> ArrayType | None:
    """The row of a value's type; None for all that programs get as it is."""
    cls = type(value)
    if cls in COMMON:
        return None
    if cls not in _ROWS:
        _ROWS[cls] = _row(cls)
    return _ROWS[cls]


COMMON = frozenset((np.ndarray, float, int, bool, str, type(None)))
_ROWS: WeakKeyDictionary[type, ArrayType | None] = WeakKeyDictionary()


def _row(cls: type) -> ArrayType | None:
    names = (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in cls.__mro__)
    found = next((TYPES[name] for name in names if name in TYPES), None)
    if found is not None or issubclass(cls, np.ndarray | np.generic) or hasattr(cls, "__mul__"):
        return found
    return next((row for name, row in INTERFACES.items() if hasattr(cls, name)), None)


def _content(labels: Any) -> Hashable:
    """Of an index or a coordinate."""
    array = np.asarray(labels)
    if array.dtype.kind == "O":
        return tuple(array.tolist())
    numbers = array.view(np.int64) if array.dtype.kind in "mM" else array  # dates have no buffer
    return array.dtype.str, array.shape, fingerprint(numbers)


def _coordinates(array: Any) -> Hashable:
    return tuple(array.dims), tuple([(name, _content(array.coords[name])) for name in array.coords])


def _in_base_units(quantity: Any) -> Any:
    """The numbers; raises an error of pint's for units with an offset, which have no products."""
    return (1.0 * quantity).to_base_units().magnitude


def is_quantity(value: Any) -> bool:
    """Whether it is a number or an array with a unit."""
    return array_type(value) is TYPES["pint.Quantity"]


def is_number(value: Any) -> bool:
    """Whether it is a float, a complex number, or a plain array of these."""
    return isinstance(value, np.ndarray | np.generic | float) and np.asarray(value).dtype.kind in "fc"


def in_unit(number: Any, outcome: Any) -> Any:
    """A number in base units as one in the outcome's unit, if that has one."""
    return (number * outcome.to_base_units().units).to(outcome.units) if is_quantity(outcome) else number


def _with_unit(like: Any, gradient: Any, outcome: Any) -> Any:
    """A gradient in base units as one of the outcome's unit over the argument's."""
    base = like.to_base_units().units
    if not is_quantity(outcome):
        return (gradient / base).to(1 / like.units)
    return (gradient * outcome.to_base_units().units / base).to(outcome.units / like.units)


def _series(like: Any, found: Any) -> Any:
    return type(like)(found, index=like.index, name=like.name)


def _frame(like: Any, found: Any) -> Any:
    return type(like)(found, index=like.index, columns=like.columns)


def _data_array(like: Any, found: Any) -> Any:
    return like.copy(data=found)


def _without_unit(dressed: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """How gradients are dressed as what carries no unit."""

    def gradient_like(like: Any, gradient: Any, outcome: Any) -> Any:
        if is_quantity(outcome):
            hint = "Take the values out before the program."
            raise Unsupported(f"A '{type(like).__name__}' cannot carry the gradient of a quantity.", hint=hint)
        return dressed(like, gradient)

    return gradient_like


TYPES = {
    "pandas.Series": ArrayType(
        values=lambda series: series.to_numpy(),
        labels=lambda series: _content(series.index),
        dressed=_without_unit(_series),
        as_output=_series,
        skips_nan=True,
    ),
    "pandas.DataFrame": ArrayType(
        values=lambda frame: frame.to_numpy(),
        labels=lambda frame: (_content(frame.index), _content(frame.columns)),
        dressed=_without_unit(_frame),
        as_output=_frame,
        skips_nan=True,
    ),
    "xarray.DataArray": ArrayType(
        values=lambda array: array.to_numpy(),
        labels=_coordinates,
        dressed=_without_unit(_data_array),
        as_output=_data_array,
        skips_nan=True,
    ),
    "pint.Quantity": ArrayType(
        values=_in_base_units,
        labels=lambda quantity: str(quantity.units),
        dressed=_with_unit,
        as_output=lambda like, found: in_unit(found, like),
    ),
}
"""By the library and the class."""

INTERFACES = {
    "__array_interface__": ArrayType(
        np.asarray, lambda _: None, lambda _, gradient, outcome: in_unit(gradient, outcome)
    ),
    "__dlpack__": ArrayType(np.from_dlpack, lambda _: None, lambda _, gradient, outcome: in_unit(gradient, outcome)),
}
"""By the protocol: of objects without operators, which only lend their numbers."""
