"""Which arrays a program may hold: subclasses of `ndarray` give operators other meanings."""

from __future__ import annotations

from typing import Any

import numpy as np

PLAIN = (np.ndarray, np.memmap)
"""Types of arrays whose operators are NumPy's own; masked arrays skip elements, matrices multiply as matrices."""


def is_foreign_array(value: Any) -> bool:
    """Whether the value is an array of a subclass that may compute otherwise than NumPy's own arrays."""
    return isinstance(value, np.ndarray) and type(value) not in PLAIN


def foreign_sentence(what: str, value: Any) -> tuple[str, str]:
    """What is wrong with such an array, and what to do."""
    name = f"{type(value).__module__.partition('.')[0]}.{type(value).__qualname__}"
    wrong = f"{what} is a '{name}', a subclass of NumPy's array whose operators may mean something else."
    return wrong, "Pass a plain array, such as 'np.asarray' makes."
