"""What stands for a value where its type is asked for: Python and NumPy are asked about an object of that type."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.library.object_arrays import Objects
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.staging.values import ArrayValue, Complex, is_number


def sample(value: Any) -> Any:
    """A Python object of the type that the value has when NumPy runs the program."""
    if isinstance(value, Growing | Indexed):
        return []
    if isinstance(value, Objects):
        return np.empty((0,) * value.ndim, object)
    if not isinstance(value, ArrayValue | Complex):
        return value
    if value.ndim:
        return np.empty((0,) * value.ndim, value.dtype)
    return _zero(value.dtype, value.weak, not is_number(value))


def samples(value: Any) -> list[Any]:
    """One for each type that data may choose."""
    if isinstance(value, ArrayValue) and value.mixed:
        return [_zero(np.dtype(kind.dtype), kind.weak, kind.boxed) for kind in value.mixed]
    return [sample(value)]


def _zero(dtype: np.dtype[Any], weak: bool, boxed: bool) -> Any:
    return np.zeros((), dtype) if boxed else dtype.type(0).item() if weak else dtype.type(0)


def agreed(reader: Reader, answers: set[Any]) -> Any:
    """What is so whatever type data have chosen."""
    if len(answers) > 1:
        reader.stage.refuse(
            "The type of a value depends on data, and is asked for.", "Convert it with 'float' or 'np.asarray' first."
        )
    return next(iter(answers))
