"""What a script may change for the whole process, and the command needs as it was: stdout, the working directory."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

STDOUT, STDERR = 1, 2


@contextlib.contextmanager
def stdout_for_machines() -> Iterator[None]:
    """Whatever prints, processes of its own included, prints to stderr."""
    with contextlib.redirect_stdout(sys.stderr), contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a stream that is closed need not be kept clean
            kept = os.dup(STDOUT)
            stack.callback(os.close, kept)
            os.dup2(STDERR, STDOUT)
            stack.callback(os.dup2, kept, STDOUT)
        yield


def leave_stdout() -> None:
    """From now on whatever prints, prints to stderr."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no file, or closed
        if sys.stdout.fileno() == STDOUT:
            os.dup2(STDERR, STDOUT)
    sys.stdout = sys.stderr


@contextlib.contextmanager
def output_streams() -> Iterator[None]:
    """Ends with stdout and stderr as they were, even if they have been closed."""
    streams = {STDOUT: ("stdout", sys.stdout), STDERR: ("stderr", sys.stderr)}
    kept = {number: _duplicate(number) for number in streams}
    try:
        yield
    finally:
        for number, (name, stream) in streams.items():
            copy = kept[number]
            if copy is not None:
                os.dup2(copy, number)
                os.close(copy)
            closed = stream is not None and stream.closed
            setattr(sys, name, open(number, "w", closefd=False) if closed else stream)  # noqa: SIM115


def _duplicate(number: int) -> int | None:
    try:
        return os.dup(number)
    except OSError:
        return None


@contextlib.contextmanager
def working_directory() -> Iterator[None]:
    """Ends where it began, also if that folder has no name any more."""
    try:
        here = os.open(".", os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.fchdir(here)
        os.close(here)
