"""Jacobians of what has labels by what has labels: an array with the axes of the output and those of the argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.api.doors.array_types import TYPES, array_type, in_unit, is_quantity
from daad.runtime.lazy_import import later

pandas: Any = later("pandas")
xarray: Any = later("xarray")

FRAMES = (TYPES["pandas.Series"], TYPES["pandas.DataFrame"])
BEHIND = "_in"
"""What the dimensions of an argument end in where the output has some of the same name."""


def joint_block(outcome: Any, argument: Any, block: np.ndarray) -> Any:
    """The block of a Jacobian dressed as both; None where nothing has the labels of both.

    Units divide. Of DataArrays the dimensions come one behind the other. Of pandas it is a DataFrame with a row for
    each element of the output and a column for each of the argument.
    """
    rows = [row for row in (array_type(outcome), array_type(argument)) if row is not None]
    if any(map(is_quantity, (outcome, argument))):
        return _in_units(outcome, argument, block) if all(row is TYPES["pint.Quantity"] for row in rows) else None
    if np.ndim(outcome) == 0 and rows:
        return rows[-1].dressed(argument, block, None)
    if np.ndim(argument) == 0:
        return rows[0].as_output(outcome, block)
    if all(row is TYPES["xarray.DataArray"] for row in rows):
        return _data_array(outcome, argument, block)
    if all(row in FRAMES for row in rows):
        return pandas.DataFrame(block.reshape(np.size(outcome), -1), index=_index(outcome), columns=_index(argument))
    return None


def _in_units(outcome: Any, argument: Any, block: np.ndarray) -> Any:
    upper, lower = (in_unit(1.0, value) if is_quantity(value) else 1.0 for value in (outcome, argument))
    return in_unit(block, upper / lower)


def _index(value: Any) -> Any:
    """A label for each element, in C order."""
    if array_type(value) is None:
        axes: Sequence[Any] = [pandas.RangeIndex(length) for length in np.shape(value)]
    else:
        axes = value.axes
    return axes[0] if len(axes) == 1 else pandas.MultiIndex.from_product(axes)


def _data_array(outcome: Any, argument: Any, block: np.ndarray) -> Any:
    upper, lower = (
        value if array_type(value) is not None else xarray.DataArray(np.asarray(value), dims=_dims(value, name))
        for value, name in ((outcome, "out"), (argument, "in"))
    )
    lower = lower.rename({dim: f"{dim}{BEHIND}" for dim in lower.dims if dim in upper.dims})
    lower = lower.drop_vars([name for name in lower.coords if name in upper.coords or name in upper.dims])
    coordinates = {name: array.coords[name] for array in (upper, lower) for name in array.coords}
    return xarray.DataArray(block, coordinates, (*upper.dims, *lower.dims))


def _dims(value: Any, name: str) -> list[str]:
    return [f"{name}_{axis}" for axis in range(np.ndim(value))]
