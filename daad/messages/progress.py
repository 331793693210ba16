"""What daad is doing and what came of it, on standard error: as `verbose` asks, and on a terminal or in a notebook as
one line that is there while something takes longer than a second."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from typing import TextIO

from daad.messages.notebook_line import Notebook, notebook_of_this_process

NAME = "daad.progress"
WAIT, EVERY = 1.0, 0.25
"""Seconds until the line appears, and between its changes."""
ERASE = "\r\x1b[K"

Tell = Callable[[str], None]
Count = tuple[int, int | None]
"""The one that is being done, and of how many."""


@dataclass
class Underway:
    """A stage, and how far it is: counts by what is counted."""

    what: str
    counts: dict[str, Count] = field(default_factory=dict)

    def counts_at(self, what: str, number: int, total: int | None) -> None:
        """What is counted is at this number."""
        self.counts[what] = number, total

    def __str__(self) -> str:
        counts = sorted([*self.counts.items()], key=lambda count: count[1][1] is None)  # what has an end comes first
        told = (f"{what} {n}" + (f" of {total}" if total else "") for what, (n, total) in counts)
        return ", ".join((self.what, *told))

    @property
    def share(self) -> Count | None:
        """The count that has an end."""
        return next((count for count in [*self.counts.values()] if count[1]), None)


LOADING = Underway("loading")


class Progress:
    """Of one question: the stages that are under way, innermost last, and what is told of them."""

    def __init__(self, verbose: int, stream: TextIO, is_live: bool, notebook: Notebook | None = None) -> None:
        self.verbose = verbose
        self.stages: list[Underway] = []
        self._stream, self._notebook = stream, notebook
        self._begun = time.perf_counter()
        self._is_drawn = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        drawn = copy_context().run  # a notebook finds the cell by it
        is_drawn = is_live or notebook is not None
        self._drawing = threading.Thread(target=drawn, args=(self._draw,), name=NAME, daemon=True) if is_drawn else None

    def begin(self) -> None:
        if self._drawing is not None:
            with suppress(RuntimeError):  # no thread can be started
                self._drawing.start()

    def end(self) -> None:
        """No line is left."""
        self._over.set()
        self._write("")
        if self._notebook is not None:
            with self._lock:
                self._notebook.clear()

    def tell(self, level: int, text: str) -> None:
        """A line of its own, if `verbose` asks for that level."""
        if level <= self.verbose:
            self._write(f"daad: {text}\n")

    def _draw(self) -> None:
        wait = WAIT
        while not self._over.wait(wait):
            wait = EVERY
            stage = next(reversed(self.stages), LOADING)
            line = f"daad: {stage}, {time.perf_counter() - self._begun:.0f} s"
            if self._notebook is None:
                self._write(line[: shutil.get_terminal_size().columns - 1], is_drawn=True)
                continue
            with self._lock:
                if not self._over.is_set():
                    self._notebook.show(line, stage.share)

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
    is_quiet = _quiet.get()
    is_live = _is_terminal(stream) and not is_quiet
    notebook = None if is_quiet or is_live or _current.get() is not None else notebook_of_this_process()
    if _current.get() is not None or stream is None or not (verbose or is_live or notebook):
        yield
        return
    progress = Progress(verbose, stream, is_live, notebook)
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
    progress.stages.append(Underway(what))
    start = time.perf_counter()
    try:
        yield found.append
    except BaseException as error:
        found.append(type(error).__name__)
        raise
    finally:
        progress.stages.pop()
        progress.tell(1, f"  {', '.join([*found, f'{time.perf_counter() - start:.2f} s'])}")


def counted(what: str, number: int, total: int | None = None) -> None:
    """The innermost stage is at this one of what it does several times: shown in the line, told to nobody else."""
    progress = _current.get()
    if progress is not None and progress.stages:
        progress.stages[-1].counts_at(what, number, total)


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
