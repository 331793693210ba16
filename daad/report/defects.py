"""What nobody foresaw: told as a defect of daad, with a file to attach that holds no data of the user's."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import platform
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy as np

import daad
from daad.errors import DaadError, InternalError, Location, Unsupported, is_programs, marked_place
from daad.ir.nodes import Branch, Loop, Nest, Program
from daad.ir.printer import program_text
from daad.runtime.package_versions import version
from daad.runtime.packages import HOME, package_of

LIBRARIES = (os.path.dirname(os.path.abspath(os.__file__)), os.path.dirname(os.path.dirname(np.__file__)), "<frozen")
PASSED = (DaadError, MemoryError)


@dataclass(frozen=True)
class Case:
    """What daad was asked when it failed."""

    name: str = ""
    function: Any = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    at: Location | None = None


def is_unforeseen(error: BaseException) -> bool:
    """Whether the exception is neither an answer of daad nor one of the user's own code."""
    return isinstance(error, Exception) and not isinstance(error, PASSED) and not is_of_user(error)


def is_of_user(error: BaseException) -> bool:
    """Whether the exception comes from the user's code, which reading a program may call, and a signal at any time."""
    if is_programs(error) or any(frame.f_code in _signal_handlers() for frame in _frames(error)):
        return True
    files = [os.path.abspath(frame.f_code.co_filename) for frame in _frames(error)]
    own = [number for number, file in enumerate(files) if file.startswith(HOME)]
    last = package_of(files[own[-1]]) if own else None
    if last is None or not last.calls_user:
        return False
    return any(not file.startswith(LIBRARIES) for file in files[own[-1] + 1 :])


def _signal_handlers() -> set[CodeType]:
    handlers = (getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals())
    return {code for code in handlers if code is not None}


def explained(error: Exception, case: Case) -> DaadError:
    """The error to raise from `error`; its report is written."""
    at = place_of(error) or case.at
    if isinstance(error, RecursionError):
        return Unsupported(
            "The program is nested too deeply.", at=at, hint="Split long expressions into several statements."
        )
    stage = stage_of(error)
    path = _written(report_text(error, case, stage, at))
    advice = f"Report it with the file '{path}', which holds no data." if path else "Report it with the traceback."
    reason = traceback.format_exception_only(error)[0].strip().rstrip(".")
    return InternalError(
        f"daad itself fails while {stage}, a defect of daad and not of the program: {reason}.",
        at=at,
        hint=advice,
        report=path,
    )


@contextlib.contextmanager
def guarded(case: Case) -> Iterator[None]:
    """What fails unforeseen in the block is an InternalError."""
    try:
        yield
    except Exception as error:
        if not is_unforeseen(error):
            raise
        raise explained(error, case) from error


def stage_of(error: BaseException) -> str:
    """What was being done, after the innermost part of daad that has a name for it."""
    for frame in reversed(_frames(error)):
        package = package_of(os.path.abspath(frame.f_code.co_filename))
        if package is not None and package.doing:
            return package.doing
    return "answering"


def place_of(error: BaseException) -> Location | None:
    """The user's line: as noted while reading, or of the innermost statement that a pass was working on."""
    marked = marked_place(error)
    if marked is not None:
        return marked
    found = (value.at for value in _locals(error) if isinstance(value, Nest | Loop | Branch) and value.at)
    return next(found, None)


def report_text(error: Exception, case: Case, stage: str, at: Location | None) -> str:
    """Everything that helps to find the defect, and nothing of what the arguments hold."""
    sections: dict[str, Callable[[], str]] = {
        "Stage": lambda: f"{stage}{f', at {at}' if at else ''}",
        "Versions": _versions,
        "Arguments": lambda: "\n".join(f"{name}: {described(value)}" for name, value in case.arguments.items()),
        "Function": lambda: f"{case.name}\n{source_text(case.function)}",
        "Program": lambda: _program(error),
        "Traceback": lambda: "".join(traceback.format_exception(error)),
    }
    return "\n\n".join(f"{title}\n{'-' * len(title)}\n{_tried(text)}" for title, text in sections.items()) + "\n"


def described(value: Any) -> str:
    """The type of an argument; dtype and shape of an array."""
    if isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value.dtype}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} of ({', '.join(map(described, value))})"
    if isinstance(value, Mapping):
        return f"{type(value).__name__} of ({', '.join(f'{k}: {described(v)}' for k, v in value.items())})"
    return type(value).__name__


def source_text(function: Any) -> str:
    """The function as it is written."""
    made = getattr(function, "__dict__", {}).get("__daad_source__")
    return ast.unparse(made.node) if made is not None else inspect.getsource(getattr(function, "f", function))


def _tried(text: Callable[[], str]) -> str:
    try:
        return text()
    except Exception as error:  # a report with a gap is better than none
        return f"not available ({type(error).__name__}: {error})"


def _versions() -> str:
    known = [f"{name} {version(name)}" for name in ("numpy", "dace")]
    return "\n".join([f"daad {daad.__version__}", f"Python {sys.version}", *known, platform.platform()])


def _program(error: BaseException) -> str:
    found = next((value for value in _locals(error) if isinstance(value, Program)), None)
    return program_text(found) if found is not None else "none yet"


def _locals(error: BaseException) -> Iterator[Any]:
    """Local variables where the exception passed, innermost frame first."""
    for frame in reversed(_frames(error)):
        if os.path.abspath(frame.f_code.co_filename).startswith(HOME):
            yield from frame.f_locals.values()


def _frames(error: BaseException) -> list[FrameType]:
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__)]


def _written(text: str) -> str | None:
    """The file with the report; None where none can be written."""
    try:
        handle, path = tempfile.mkstemp(prefix="daad-defect-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError:
        return None
    return path
