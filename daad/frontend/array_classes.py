"""Which arrays a program may hold: subclasses of NumPy's and other libraries' own give operators other meanings."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from daad.frontend.installed_code import is_of_library

PLAIN = (np.ndarray, np.memmap)
"""Types of arrays whose operators are NumPy's own; masked arrays skip elements, matrices multiply as matrices."""

NUMPYS = (np.matrix, np.ma.MaskedArray, np.ma.core.MaskedConstant)


def is_read_class(cls: Any) -> bool:
    """Whether it is a class of arrays whose code is read: the program's own, and NumPy's matrices and masked arrays."""
    if not isinstance(cls, type) or not issubclass(cls, np.ndarray):
        return False
    return cls in NUMPYS or not is_of_library(cls)


_PLAIN: WeakValueDictionary[int, np.ndarray] = WeakValueDictionary()


def plain_array(value: np.ndarray) -> np.ndarray:
    """The elements of an array of a class of its own as a plain array: the same one whenever it is asked for."""
    base = _PLAIN.get(id(value))
    if base is None or base.ctypes.data != value.ctypes.data or base.shape != value.shape:
        base = _PLAIN[id(value)] = value.view(np.ndarray)
    return base


def is_foreign_array(value: Any) -> bool:
    """Whether the value is an array of a subclass that may compute otherwise than NumPy's own, or another library's."""
    if isinstance(value, np.ndarray):
        return type(value) not in PLAIN
    if isinstance(value, np.generic | type):
        return False
    return hasattr(value, "shape") and (hasattr(value, "__array__") or _is_scipys(value))


def _is_scipys(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "scipy" and hasattr(value, "dtype")


def library_type(value: Any) -> str:
    """The type of a value as its library's users know it, such as `pandas.Series`."""
    return f"{type(value).__module__.partition('.')[0]}.{type(value).__qualname__}"


def foreign_sentence(what: str, value: Any) -> tuple[str, str]:
    """What is wrong with such an array, and what to do."""
    name = library_type(value)
    if not isinstance(value, np.ndarray):
        maker = "'np.asarray'" if hasattr(value, "__array__") else "its 'toarray'"
        return f"{what} is a '{name}', which is no array of NumPy's.", f"Pass a plain array, such as {maker} makes."
    wrong = f"{what} is a '{name}', a subclass of NumPy's array whose operators may mean something else."
    return wrong, "Pass a plain array, such as 'np.asarray' makes."


def number_type(value: Any) -> np.dtype[Any]:
    """NumPy's dtype of a number; an integer of more than 64 bits counts as a float, as beside arrays of floats."""
    dtype = np.asarray(value).dtype
    return np.dtype(np.float64) if dtype.kind == "O" else dtype
