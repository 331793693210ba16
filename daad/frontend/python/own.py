"""Functions that NumPy writes in Python and no table names: they are read in place, like those of other packages."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from daad.errors import Unsupported
from daad.frontend.python.numpy.hints import DEFAULT, hint_for
from daad.frontend.python.numpy.verdict import FAILS_TOO
from daad.frontend.python.reader import Reader
from daad.frontend.python.source import is_installed

READ = ("numpy._core", "numpy.lib", "numpy.linalg", "numpy.fft", "numpy.polynomial")
FILES = ("numpy.lib._npyio_impl", "numpy.lib._format_impl", "numpy.lib.format", "numpy.lib._datasource")
COMPLEX = ("numpy.lib._scimath_impl",)
"""Where data decide whether a result is complex."""


def written_by_numpy(function: Any) -> types.FunctionType | None:
    """The Python function behind a public one."""
    inner = getattr(function, "_implementation", function)
    module = getattr(inner, "__module__", None) or ""
    is_read = module not in (*FILES, *COMPLEX) and any(f"{module}.".startswith(f"{name}.") for name in READ)
    return inner if is_read and isinstance(inner, types.FunctionType) else None


@contextmanager
def told(reader: Reader, function: Any, name: str) -> Iterator[None]:
    """What of the function cannot be read is told in one sentence, where the user calls it."""
    at, caller = reader.stage.at, reader.scope.source.filename
    try:
        yield
    except Unsupported as error:
        if is_installed(caller) or error.message.startswith(FAILS_TOO):
            raise
        hint = hint_for(function)
        reason = "." if hint != DEFAULT else f" here: {error.message[:1].lower()}{error.message[1:]}"
        raise Unsupported(f"'{name}' is not supported{reason}", at=at, hint=hint) from error
