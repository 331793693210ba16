"""Dates and durations of NumPy's (`datetime64`, `timedelta64`), which are computed with while the program is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.ir.operations.python_operators import ALL_BINARY, COMPARED, UNARY

KINDS = "mM"
OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    kind: row.python for table in (ALL_BINARY, COMPARED, UNARY) for kind, row in table.items()
}


def concern(*values: Any) -> bool:
    """Whether one of the values is an array of dates, or the dtype of one."""
    return any(_is_dated(value) for value in values)


def _is_dated(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in KINDS
    if isinstance(value, str):
        return value.startswith(("datetime64", "timedelta64"))
    if isinstance(value, np.dtype | type):
        return value in (np.datetime64, np.timedelta64) or getattr(value, "kind", "") in tuple(KINDS)
    return type(value) in (list, tuple) and any(isinstance(item, np.datetime64 | np.timedelta64) for item in value)
