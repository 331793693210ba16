"""From what went wrong to what is printed on stderr and the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import click

import daad
from daad.errors import (
    BadArgument,
    CompileError,
    DaadError,
    DeviceError,
    InternalError,
    MemoryLimitTooSmall,
    NotDifferentiable,
    Unsupported,
)

CHECK_FAILED = 1
WRONG_USAGE = 2
COMPILER_FAILED = 5
NO_DEVICE = 6
INTERRUPTED, READER_GONE = 130, 141  # as shells count what ends by SIGINT and SIGPIPE

EXIT_CODES: dict[type[DaadError], int] = {
    BadArgument: WRONG_USAGE,
    Unsupported: 3,
    NotDifferentiable: 3,
    MemoryLimitTooSmall: 4,
    CompileError: COMPILER_FAILED,
    DeviceError: NO_DEVICE,
    InternalError: COMPILER_FAILED,
}


class ScriptFailed(Exception):
    """The user's script raised: `text` is its own traceback."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """End the process with the documented code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _shown(warnings.showwarning)
            yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at the end
        sys.exit(READER_GONE)
    except DaadError as error:
        print(error.render(), file=sys.stderr)
        sys.exit(EXIT_CODES.get(type(error), COMPILER_FAILED))
    except ScriptFailed as failure:
        print(failure.text, end="", file=sys.stderr)
        sys.exit(WRONG_USAGE)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(_unforeseen(error))


def _shown(otherwise: Callable[..., None]) -> Callable[..., None]:
    """What shows a warning: of daad's own call as a line, of lines of the script as Python does."""

    def show(message: Warning | str, category: type[Warning], filename: str, *place: Any) -> None:
        if filename.startswith(_OUTSIDE):
            print(f"Warning: {message}", file=sys.stderr)
        else:
            otherwise(message, category, filename, *place)

    return show


# What calls a command: its lines tell a user nothing.
_OUTSIDE = (os.path.dirname(click.__file__) + os.sep, os.path.dirname(daad.__file__) + os.sep)


def _unforeseen(error: Exception) -> int:
    """Prints what neither daad nor the script foresaw; its exit code."""
    from daad.report.defects import Case, explained, is_of_user  # NumPy is loaded by now wherever anything can fail
    from daad.report.tracebacks import leave_out_daad

    if is_of_user(error):
        leave_out_daad(error)
        traceback.print_exception(error)
        return WRONG_USAGE
    if isinstance(error, MemoryError):
        print("There is not enough memory.", file=sys.stderr)
        return EXIT_CODES[MemoryLimitTooSmall]
    known = explained(error, Case())
    print(known.render(), file=sys.stderr)
    return EXIT_CODES[type(known)]
