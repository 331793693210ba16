"""The C++ compiler that `pip install 'daad[compiler]'` brings: clang, in the wheel of Zig."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from functools import lru_cache
from pathlib import Path

MODE = "c++"
"""What the program is asked to be."""
# It checks for undefined behaviour unless told otherwise, and would build a library of C++, which generated code does
# not use, for a minute.
OWN = ("-fno-sanitize=undefined",)
LEAN = ("-nostdlib++",)
VECTOR_MATH = ("-fveclib=libmvec",)
"""Has it call glibc's functions of vectors."""


@lru_cache(maxsize=1)
def wheel() -> str | None:
    """The program of the wheel, if that is installed."""
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / "zig"
    return str(path) if os.access(path, os.X_OK) else None


@lru_cache(maxsize=1)
def vector_library() -> str | None:
    """The file of glibc's functions of vectors, which is there without a compiler, too; its linker's name is not."""
    try:
        ctypes.CDLL("libmvec.so.1")
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    return next((path for line in maps.splitlines() if "/libmvec" in (path := line.split(maxsplit=5)[-1])), None)
