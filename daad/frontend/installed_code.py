"""Whose code a module or file is: of Python, NumPy and SciPy, of an installed package, or the user's own."""

from __future__ import annotations

import builtins
import os
import sys
from typing import Any

LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def is_library(module: str | None, file: str | None = None) -> bool:
    """Whether a module belongs to Python, NumPy or SciPy; its file tells it from a user's of the same name."""
    root = (module or "").partition(".")[0]
    if root in ("numpy", "scipy"):
        return True
    own = file is not None and not file.startswith(("<", LIBRARY))
    return root in sys.stdlib_module_names and root != "__main__" and not own


HEAP_TYPE = 1 << 9
"""The flag of classes that are made at run time, by `Py_TPFLAGS_HEAPTYPE`."""


def is_of_library(value: Any) -> bool:
    """Whether a class, or a function, belongs to Python, NumPy or SciPy. Of a class whose text was given to `exec` with
    globals that have no `__name__` Python says that it is of `builtins`."""
    if isinstance(value, type) and value.__module__ == "builtins" and value.__flags__ & HEAP_TYPE:
        return getattr(builtins, value.__name__, None) is value
    return is_library(value.__module__)


READ = (
    *("numpy._core", "numpy.lib", "numpy.ma", "numpy.matrixlib", "numpy.linalg", "numpy.fft", "numpy.polynomial"),
    *("scipy", "inspect"),
)


def is_read(module: str) -> bool:
    """Whether Python in a module of NumPy's or SciPy's is read as if it were the program's."""
    return any(f"{module}.".startswith(f"{name}.") for name in READ)


def is_installed(file: str) -> bool:
    """Whether a file belongs to an installed package."""
    return f"{os.sep}site-packages{os.sep}" in file
