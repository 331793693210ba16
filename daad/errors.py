"""What daad raises: each error says where it is in the user's program, what is wrong and what to do."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Location:
    """A span of one source line: `line` counts from 1, columns are UTF-8 bytes from 0 as in `ast`.

    `end_column <= column` means up to the end of the line.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0

    @staticmethod
    def of(node: ast.AST, file: str) -> Location:
        """The first line of an `ast` node that has a position."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        same_line = getattr(node, "end_lineno", line) == line
        return Location(file, line, column, getattr(node, "end_col_offset", 0) if same_line else 0)

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"


class DaadError(Exception):
    """The base of all errors that daad raises on purpose; a traceback shows `daad.<class>: <str(error)>`."""

    def __init__(self, message: str, at: Location | None = None, hint: str | None = None) -> None:
        super().__init__(message, at, hint)
        self.message = message
        self.at = at
        self.hint = hint

    def __init_subclass__(cls) -> None:
        cls.__module__ = "daad"

    def __str__(self) -> str:
        place = f"{self.at}: " if self.at else ""
        hint = [f"  {self.hint}"] if self.hint else []
        return "\n".join([place + self.message, *source_excerpt(self.at), *hint])

    def _repr_html_(self) -> str:
        """For notebooks, where the error is shown as a value."""
        return f'<pre style="overflow-x:auto">{escape(self.render())}</pre>'

    def render(self) -> str:
        """The whole text as a traceback ends with it, class name first."""
        return f"daad.{type(self).__qualname__}: {self}"


DaadError.__module__ = "daad"


class Unsupported(DaadError):
    """A construct of the program that daad does not differentiate (yet); `raised` is an exception of its own,
    `behind` are the statements behind which it stands, `data_may_decide`: whether taking what data decide for known
    might help."""

    def __init__(
        self,
        message: str,
        at: Location | None = None,
        hint: str | None = None,
        raised: BaseException | None = None,
    ) -> None:
        super().__init__(message, at, hint)
        self.raised = raised
        self.behind: tuple[Any, ...] = ()
        self.data_may_decide = True


class NotDifferentiable(DaadError):
    """The question has no derivative for an answer: an int argument, a non-scalar result without a seed."""


class BadArgument(DaadError):
    """A call of daad, or of a gradient, with arguments that do not fit."""


class MemoryLimitTooSmall(DaadError):
    """No plan keeps to the memory limit; `minimum` is the smallest limit in bytes that one keeps to."""

    def __init__(self, message: str, at: Location | None = None, hint: str | None = None, minimum: int = 0) -> None:
        super().__init__(message, at, hint)
        self.args = (message, at, hint, minimum)
        self.minimum = minimum


class CompileError(DaadError):
    """The C++ compiler is missing or failed; `log` is the file with all that it said, where there is one."""

    def __init__(
        self, message: str, at: Location | None = None, hint: str | None = None, log: str | None = None
    ) -> None:
        super().__init__(message, at, hint)
        self.args = (message, at, hint, log)
        self.log = log


class DeviceError(DaadError):
    """There is no GPU that can be used, its driver is too old, or its memory too small."""


class InternalError(DaadError):
    """A defect of daad, not of the program; `report` is the file to attach, None where it could not be written."""

    def __init__(
        self, message: str, at: Location | None = None, hint: str | None = None, report: str | None = None
    ) -> None:
        super().__init__(message, at, hint)
        self.args = (message, at, hint, report)
        self.report = report


def mark_place(error: Exception, at: Location | None) -> None:
    """Notes on an exception that passes where in the user's program it came from; the innermost place stays."""
    if marked_place(error) is None and not isinstance(error, DaadError):
        error.__dict__["daad_place"] = at


def marked_place(error: BaseException) -> Location | None:
    """The place that was noted."""
    return getattr(error, "__dict__", {}).get("daad_place")


def mark_programs(error: Exception) -> None:
    """Notes on an exception that it is one of the program's own: Python raises it without daad, too."""
    error.__dict__["daad_is_programs"] = True


def is_programs(error: BaseException) -> bool:
    """Whether that was noted."""
    return bool(getattr(error, "__dict__", {}).get("daad_is_programs"))


def level_of_the_user() -> int:
    """The `stacklevel` with which a warning of the caller's shows the line that called daad."""
    home = os.path.dirname(os.path.abspath(__file__))
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(home):
        frame, level = frame.f_back, level + 1
    return level


def source_excerpt(at: Location | None) -> list[str]:
    """The source line and the carets under the span; empty where the source cannot be read."""
    text = linecache.getline(at.file, at.line).rstrip() if at else ""
    if not at or not text.strip():
        return []
    start = len(_prefix(text, at.column))
    end = len(_prefix(text, at.end_column)) if at.end_column > at.column else len(text)
    indent = len(text) - len(text.lstrip())
    start = min(max(start, indent), len(text) - 1)
    pad = "".join("\t" if character == "\t" else " " for character in text[indent:start])
    return ["    " + text[indent:], "    " + pad + "^" * max(1, end - start)]


def _prefix(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


LOOPS = 1 << 52
"""Indices from here on stand for loops that have not ended within their bounds: the loop's number is the rest."""


class IndexOutside(Exception):
    """`index` does not fit an axis of size `extent`; `site` is a position in `locations`, negative where unknown.

    `at` is the place itself, where the interpreter found the index.
    """

    def __init__(self, index: int, extent: int, site: int) -> None:
        super().__init__(f"index {index} is outside of 0 .. {extent}")
        self.index, self.extent, self.site = index, extent, site
        self.at: Location | None = None

    @property
    def loop(self) -> int | None:
        """The number of the loop that goes on beyond its bound; None where a program's own index is meant."""
        return self.index - LOOPS if LOOPS <= self.index < 2 * LOOPS else None
