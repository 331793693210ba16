"""Arrays, numbers, texts and plain containers take no attributes: what Python says where one is assigned."""

from __future__ import annotations

from types import NoneType
from typing import Any, NoReturn

import numpy as np

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.type_samples import samples
from daad.frontend.staging.values import ArrayValue, Complex

STAGED = ArrayValue | Complex | Growing | Indexed
PLAIN = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, NoneType, np.ndarray)
WRITTEN = ("dtype", "shape", "strides", "data")
"""What of arrays may be assigned, depending on the value."""

KEEP = "Keep what belongs to it in a variable of its own."


def is_one(value: Any) -> bool:
    return isinstance(value, STAGED | np.generic) or type(value) in PLAIN


def refuse(reader: Reader, value: Any, name: str) -> NoReturn:
    """As Python does where an attribute is assigned or deleted."""
    if isinstance(value, np.ndarray):
        value = np.empty((0,) * value.ndim, value.dtype)
    raised = None
    for one in () if name in WRITTEN else samples(value):
        try:
            setattr(one, name, None)
        except (AttributeError, TypeError, ValueError) as error:
            raised = error
    kind = type(samples(value)[0]).__name__
    reader.stage.refuse(f"'{name}' of an object of type '{kind}' is assigned or deleted.", KEEP, raised)
