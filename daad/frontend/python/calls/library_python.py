"""What NumPy and SciPy write in Python and no table names is read in place, like the code of other packages, where it
is given what the run decides; else Python runs it."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend import library
from daad.frontend.installed_code import is_installed, is_library, is_read
from daad.frontend.numpy.calling.alternatives import DEFAULT, hint_for
from daad.frontend.numpy.calling.binding import method_of
from daad.frontend.numpy.calling.numpy_errors import FAILS_TOO, FAILURES, numpy_says, refused_by_numpy
from daad.frontend.python.reading.reader import Reader, Restart
from daad.frontend.python.reading.scope import Closure, OnlyShown
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, axis, is_staged, own_axes
from daad.frontend.unsupported import CHECK
from daad.ir.walk import loads, variables

NUMPYS = ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks", method_of.__module__)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(np.sum))
FILES = ("numpy.lib._npyio_impl", "numpy.lib._format_impl", "numpy.lib.format", "numpy.lib._datasource")


def concerns_data(reader: Reader, *values: Any) -> bool:
    """Whether what the run decides, or a function of the program, is among the values or within their attributes."""
    seen = set[int]()
    waiting = list[Any](values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Closure | OnlyShown) or is_staged(value) or _is_opened(reader, value):
            return True
        if id(value) not in seen:
            seen.add(id(value))
            waiting += _within(reader, value)
    return False


def _within(reader: Reader, value: Any) -> list[Any]:
    if isinstance(value, dict | types.MappingProxyType):
        return list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.MethodType):
        return [value.__self__]
    return list(vars(value).values()) if id(value) in reader.objects and hasattr(value, "__dict__") else []


def _is_opened(reader: Reader, value: Any) -> bool:
    """Whether the reading keeps an object's attributes where Python, which has slots for them, does not find them."""
    return id(value) in reader.objects and any(vars(base).get("__slots__") for base in type(value).__mro__[:-1])


def is_run(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a class or a function of a library's is none of the program's affair: all is known."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    return is_library(getattr(function, "__module__", None), file) and not concerns_data(reader, args, keywords)


def with_known_numbers(stage: Stage, value: Any, with_tables: bool = False) -> Any:
    """The value with numbers and arrays that only constants decide as they are; `with_tables`: also what is in tables,
    of which others may keep what they are given then."""
    if isinstance(value, dict):
        return {key: with_known_numbers(stage, item, with_tables) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(with_known_numbers(stage, item, with_tables) for item in value)
    if not isinstance(value, ArrayValue) or value.boxed or value.mixed or not all(e.is_const for e in value.shape):
        return value
    expr = value.element(own_axes(value.ndim))
    used, names = {load.array for load in loads(expr)}, variables(expr)
    is_known = used <= stage.constants.keys() or (with_tables and stage.contents.knows(used, stage.constants))
    if not is_known or not names <= {axis(k) for k in range(value.ndim)}:
        return value
    found = stage.content(expr, value.shape)
    if found is None or value.ndim:
        return value if found is None else _kept(stage, value, found)
    return found.item() if value.weak else found[()]


def _kept(stage: Stage, value: ArrayValue, found: np.ndarray) -> np.ndarray:
    """What is in an array, of which somebody keeps it: the array may not be written any more."""
    if isinstance(value, View):
        stage.contents.kept |= {value.base}
    return found


def written_by_numpy(function: Any) -> types.FunctionType | None:
    """The Python function behind a public one."""
    inner = getattr(function, "_implementation", function)
    module = getattr(inner, "__module__", None) or ""
    module = inner.__globals__["__name__"] if module == "numpy" and isinstance(inner, types.FunctionType) else module
    is_open = module not in FILES and is_read(module)
    return inner if is_open and isinstance(inner, types.FunctionType) else None


def or_read(
    reader: Reader, key: tuple[int, int], options: Sequence[Any], row: Callable[[], Any], read: Callable[[], Any]
) -> Any:
    """What a row of the tables gives; where it refuses the arguments, what NumPy's own Python does. If the row has put
    something into the Program before, all is read again without it; what cannot be read either, the row has refused."""
    stage, refusal = reader.stage, reader.instead.get(key)
    if key not in reader.instead or refusal is None:
        held, moment, at = reader.entered(), stage.moment, stage.at
        try:
            return row()
        except Unsupported as error:
            fails = error.raised is not None or error.message.startswith(FAILS_TOO)
            if fails or key in reader.instead or any(one in options for one in OPEN):
                raise
            refusal = error
        reader.leave(held)
        stage.at = at
        if stage.moment != moment:
            reader.instead[key] = refusal
            raise Restart
    try:
        return read()
    except FAILURES:
        was_refused = key in reader.instead
        reader.instead[key] = None
        if was_refused:
            raise Restart from None  # it may be another call, or another time, that has been refused
        raise refusal from None


OPEN = ("overwrite_input", "empty", "copy")
"""Options, by name or as they are, with which NumPy leaves open what is in arrays, or which of them share memory."""


@contextmanager
def told(reader: Reader, function: Any, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Iterator[None]:
    """What of the function cannot be read is told in one sentence, where the user calls it."""
    at, caller = reader.stage.at, reader.scope.source.filename
    try:
        yield
    except Unsupported as error:
        if is_installed(caller):
            raise
        of_scipy = (function.__module__ or "").startswith("scipy")
        said = None if of_scipy else numpy_says(function, args, keywords)
        if said is not None:
            raise Unsupported(f"{FAILS_TOO}: {said}.", at=at, hint=CHECK) from error
        hint = DEFAULT if of_scipy and not UNTOLD.fullmatch(error.message) else hint_for(function)
        raise type(error)(f"'{name}' is not supported{_reason(error, hint)}", at=at, hint=hint) from error


def as_numpy_allows(
    reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]
) -> AbstractContextManager[None]:
    """For what the user's own code calls: the block is refused where NumPy refuses such arguments."""
    file = reader.scope.source.filename
    is_function = isinstance(function, FUNCTIONS) and getattr(function, "__module__", None) in NUMPYS
    of_numpy = is_function or isinstance(getattr(function, "__self__", None), np.ufunc)
    if not of_numpy or is_installed(file) or library.is_own(file) or not is_staged((args, keywords)):
        return nullcontext()
    return refused_by_numpy(reader.stage, function, args, keywords)


UNTOLD = re.compile(
    r"'[\w.]+' is (not supported|given a function of the program, which it cannot call)\."
    r"|This (call|subscript) fails: .*"
)
"""What is said of a function that is no Python, or of a library's own code: nothing that helps who calls it."""


def _reason(error: Unsupported, hint: str) -> str:
    """Where there is no better hint; what is said to fail in NumPy's own code does not."""
    if hint != DEFAULT or error.message.startswith(FAILS_TOO):
        return "."
    return f" here: {error.message[:1].lower()}{error.message[1:]}"
