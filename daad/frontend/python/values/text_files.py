"""Text files that a program opens to read them: iterators over the lines that they have when the program is read."""

from __future__ import annotations

import ast
import io
import os
from dataclasses import dataclass
from typing import Any, ClassVar

from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.iterators import Fixed, Once, Place
from daad.frontend.python.values.plotting_packages import PICTURE, Picture
from daad.frontend.python.values.written_files import fills, is_for_writing, is_tree, opens_path, read, tree, written
from daad.frontend.staging.builder import Stage


@dataclass(eq=False)
class TextFile(Once):
    """An open file. Its methods get the stage before the program's arguments."""

    methods: ClassVar[frozenset[str]] = frozenset({"read", "readline", "readlines", "close", "name"})
    name: str = ""

    def __post_init__(self) -> None:
        self.kind = io.TextIOWrapper

    def read(self, stage: Stage, size: int = -1) -> str:
        found = "".join(self.rest(stage))
        if not 0 <= size < len(found):
            return found
        self.source, self.place = Fixed(tuple(io.StringIO(found[size:]))), Place()
        return found[:size]

    def readline(self, stage: Stage) -> str:
        return next(self.rest(stage), "")

    def readlines(self, stage: Stage) -> list[str]:
        return list(self.rest(stage))

    def close(self, stage: Stage) -> None:
        """What is read of a closed file is nothing."""
        self._end(self.place)


@dataclass(frozen=True)
class Content:
    """What a file held; looked at again only if it has been written since."""

    arguments: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]
    stamp: tuple[int, ...]
    lines: tuple[str, ...]

    def holds(self) -> bool:
        try:
            return _stamp(self.arguments[0]) == self.stamp or _lines(self.arguments, self.options) == self.lines
        except (OSError, ValueError):
            return False


def opened(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> TextFile | Picture:
    """`open(...)`."""
    stage = reader.stage
    if args and is_for_writing(args[1] if len(args) > 1 else keywords.get("mode")):
        return written(reader, args[0])
    given = tuple(static(stage, arg, "argument of 'open'") for arg in args)
    named = {name: static(stage, value, "argument of 'open'") for name, value in keywords.items()}
    mode = given[1] if len(given) > 1 else named.get("mode", "r")
    if mode not in ("r", "rt", "tr") or not given:
        stage.refuse("A file is opened to read bytes, or to read and write it.", "Do it outside of the function.")
    read(reader, given[0])
    try:
        stamp, lines = _stamp(given[0]), _lines(given, tuple(named.items()))
    except (OSError, ValueError, TypeError, LookupError) as error:
        stage.refuse(
            f"This call fails: {type(error).__name__}: {str(error).rstrip('.')}.", "Check its arguments.", error
        )
    reader.witnesses.file(Content(given, tuple(named.items()), stamp, lines))
    return TextFile(Fixed(lines), name=given[0])


def called(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What a function gives that opens a file, or writes to an open one; NotImplemented for all others."""
    if opens_path(function):
        return opened(reader, node, [function.__self__, *args], keywords)
    if fills(function, args, keywords):
        return PICTURE
    return tree(reader, args, keywords) if is_tree(function) else NotImplemented


def as_pythons(stage: Stage, value: Any) -> Any:
    """What is left of an open file, for a function that Python runs; any other value itself."""
    return io.StringIO(value.read(stage)) if isinstance(value, TextFile) else value


def _stamp(name: Any) -> tuple[int, ...]:
    found = os.stat(name)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _lines(arguments: tuple[Any, ...], options: tuple[tuple[str, Any], ...]) -> tuple[str, ...]:
    with open(*arguments, **dict(options)) as file:
        return tuple(file)
