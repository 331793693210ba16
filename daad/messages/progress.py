"""What daad is doing and what came of it, on standard error: as `verbose` asks, and on a terminal as one line that is
there while something takes longer than a second."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TextIO

WAIT, EVERY = 1.0, 0.25
"""Seconds until the line appears, and between its changes."""
ERASE = "\r\x1b[K"

Tell = Callable[[str], None]


class Progress:
    """Of one question: the stages that are under way, innermost last, and what is told of them."""

    def __init__(self, verbose: int, stream: TextIO, is_live: bool) -> None:
        self.verbose = verbose
        self.stages: list[str] = []
        self._stream = stream
        self._begun = time.perf_counter()
        self._is_drawn = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._drawing = threading.Thread(target=self._draw, name="daad.progress", daemon=True) if is_live else None

    def begin(self) -> None:
        if self._drawing is not None:
            with suppress(RuntimeError):  # no thread can be started
                self._drawing.start()

    def end(self) -> None:
        """No line is left."""
        self._over.set()
        self._write("")

    def tell(self, level: int, text: str) -> None:
        """A line of its own, if `verbose` asks for that level."""
        if level <= self.verbose:
            self._write(f"daad: {text}\n")

    def _draw(self) -> None:
        wait = WAIT
        while not self._over.wait(wait):
            wait = EVERY
            line = f"daad: {next(reversed(self.stages), 'loading')}, {time.perf_counter() - self._begun:.0f} s"
            self._write(line[: shutil.get_terminal_size().columns - 1], is_drawn=True)

    def _write(self, text: str, is_drawn: bool = False) -> None:
        with self._lock, suppress(OSError, ValueError):  # a stream may be closed
            if is_drawn and self._over.is_set():
                return
            self._stream.write((ERASE if self._is_drawn else "") + text)
            self._stream.flush()
            self._is_drawn = is_drawn


_current: ContextVar[Progress | None] = ContextVar("daad.messages.progress", default=None)


_quiet: ContextVar[bool] = ContextVar("daad.messages.progress.quiet", default=False)


@contextmanager
def quiet(is_quiet: bool = True) -> Iterator[None]:
    """In the block no line appears while something takes long; what `verbose` asks for is told."""
    token = _quiet.set(is_quiet)
    try:
        yield
    finally:
        _quiet.reset(token)


@contextmanager
def shown(verbose: int) -> Iterator[None]:
    """What happens in the block is told, unless it is told already."""
    stream = sys.stderr
    is_live = _is_terminal(stream) and not _quiet.get()
    if _current.get() is not None or stream is None or not (verbose or is_live):
        yield
        return
    progress = Progress(verbose, stream, is_live)
    token = _current.set(progress)
    progress.begin()
    try:
        yield
    finally:
        _current.reset(token)
        progress.end()


@contextmanager
def stage(what: str) -> Iterator[Tell]:
    """Tells that the block begins, and what came of it: what the block says, or the exception that ends it."""
    progress = _current.get()
    if progress is None:
        yield _nothing
        return
    found: list[str] = []
    progress.tell(1, what)
    progress.stages.append(what)
    start = time.perf_counter()
    try:
        yield found.append
    except BaseException as error:
        found.append(type(error).__name__)
        raise
    finally:
        progress.stages.pop()
        progress.tell(1, f"  {', '.join([*found, f'{time.perf_counter() - start:.2f} s'])}")


def tell(text: str, level: int = 1) -> None:
    """One line, where no work is to be named."""
    progress = _current.get()
    if progress is not None:
        progress.tell(level, text)


def wants(level: int) -> bool:
    """Whether somebody asks for what is told at this level."""
    progress = _current.get()
    return progress is not None and progress.verbose >= level


def _nothing(text: str) -> None:
    pass


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False
