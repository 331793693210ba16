"""Functions that NumPy writes in Python and no table names: they are read in place, like those of other packages."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from daad.errors import Unsupported
from daad.frontend.installed_code import is_installed
from daad.frontend.numpy.calling.alternatives import DEFAULT, hint_for
from daad.frontend.numpy.calling.numpy_errors import FAILS_TOO, numpy_says
from daad.frontend.python.reading.reader import Reader
from daad.frontend.unsupported import CHECK

READ = ("numpy._core", "numpy.lib", "numpy.matrixlib", "numpy.linalg", "numpy.fft", "numpy.polynomial")
FILES = ("numpy.lib._npyio_impl", "numpy.lib._format_impl", "numpy.lib.format", "numpy.lib._datasource")


def written_by_numpy(function: Any) -> types.FunctionType | None:
    """The Python function behind a public one."""
    inner = getattr(function, "_implementation", function)
    module = getattr(inner, "__module__", None) or ""
    module = inner.__globals__["__name__"] if module == "numpy" and isinstance(inner, types.FunctionType) else module
    is_read = module not in FILES and any(f"{module}.".startswith(f"{name}.") for name in READ)
    return inner if is_read and isinstance(inner, types.FunctionType) else None


@contextmanager
def told(reader: Reader, function: Any, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Iterator[None]:
    """What of the function cannot be read is told in one sentence, where the user calls it."""
    at, caller = reader.stage.at, reader.scope.source.filename
    try:
        yield
    except Unsupported as error:
        if is_installed(caller):
            raise
        said = numpy_says(function, args, keywords)
        if said is not None:
            raise Unsupported(f"{FAILS_TOO}: {said}.", at=at, hint=CHECK) from error
        hint = hint_for(function)
        raise Unsupported(f"'{name}' is not supported{_reason(error, hint)}", at=at, hint=hint) from error


def _reason(error: Unsupported, hint: str) -> str:
    """Where there is no better hint; what is said to fail in NumPy's own code does not."""
    if hint != DEFAULT or error.message.startswith(FAILS_TOO):
        return "."
    return f" here: {error.message[:1].lower()}{error.message[1:]}"
