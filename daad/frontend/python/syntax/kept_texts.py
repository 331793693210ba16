"""Texts of programs that stand in no file, where the interpreter, the system or the program still has them.

What is typed at the prompt of Python 3.13 or IPython lies in `linecache`, which `inspect` reads; so does the text of
`python -c` from 3.13 on. Before, that is among the arguments of the process. A script that the shell reads from a file
(`python < script.py`) can be read there once more. What was given to `exec`, `eval` or `compile` may still be held by a
variable, or be a constant, of those who call.
"""

from __future__ import annotations

import linecache
import os
import stat
import sys
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

COMMAND, INPUT = "<string>", "<stdin>"
"""What Python calls the file of these."""
SHARED = (COMMAND, INPUT)
"""Names of files that several texts may have."""

FROZEN = "<frozen "
"""What begins the names of modules that are part of the interpreter."""

MOST = 10_000
"""Longer lists and dicts are not looked through."""


def kept_texts(f: types.FunctionType) -> Iterator[str]:
    """What a function may have been made of; whoever asks has to compare."""
    filename = f.__code__.co_filename
    if filename == COMMAND:
        yield from _arguments()
    if filename == INPUT:
        yield from _redirected()
    if filename.startswith(FROZEN):
        yield from _of_interpreter(filename[len(FROZEN) : -1])
    name = "lambda" if f.__name__ == "<lambda>" else f.__code__.co_name
    for text in dict.fromkeys(text for text in _held(f) if name in text):
        yield text
        if text[:1] in (" ", "\t"):
            yield text.lstrip(" \t")  # as `eval` does


def _of_interpreter(module: str) -> Iterator[str]:
    """The file that a part of the interpreter was made from, where Python's library has it."""
    spec = PathFinder.find_spec(module)
    if spec is not None and spec.origin is not None:
        with suppress(OSError):
            yield Path(spec.origin).read_text(encoding="utf-8")


def named(text: str, filename: str) -> str:
    """The name under which messages and reports find the lines of a text that stands in no file."""
    name = f"<{filename.strip('<>')} {sha256(text.encode()).hexdigest()[:6]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def _held(f: types.FunctionType) -> Iterator[str]:
    """Texts that variables and constants of those who call hold, and the variables beside the function."""
    yield from _texts(f.__globals__.values())
    seen, frame = {id(f.__globals__)}, sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
            continue
        yield from _texts(frame.f_code.co_consts)
        for variables in (frame.f_locals, frame.f_globals):
            if id(variables) not in seen:
                seen.add(id(variables))
                yield from _texts([*variables.values()])


def _texts(values: Iterable[Any], deeper: bool = True) -> Iterator[str]:
    """Those among values, and within their items and attributes."""
    for value in [*values]:
        if type(value) is str:
            yield value
        elif type(value) is bytes:
            with suppress(UnicodeDecodeError):
                yield value.decode()
        elif deeper:
            yield from _texts(_parts(value), deeper=False)


def _parts(value: Any) -> Iterable[Any]:
    if type(value) is dict and len(value) < MOST:
        return value.values()
    if type(value) in (list, tuple) and len(value) < MOST:
        return tuple(value)
    own = () if isinstance(value, type | types.ModuleType) else getattr(value, "__dict__", ())
    return own.values() if isinstance(own, Mapping) else ()


def _arguments() -> Iterator[str]:
    """What stands behind -c, also in one word with other options."""
    for number, word in enumerate(sys.orig_argv[1:], 1):
        if not word.startswith("-") or word.startswith("--"):
            continue
        options, found, rest = word.partition("c")
        if found and options.isascii():
            text = rest or "".join(sys.orig_argv[number + 1 : number + 2])
            yield text
            yield textwrap.dedent(text)


@lru_cache(maxsize=1)
def _redirected() -> tuple[str, ...]:
    """The file that standard input was redirected to, which stays where it has been read to."""
    with suppress(OSError, UnicodeDecodeError):
        status = os.fstat(0)
        if stat.S_ISREG(status.st_mode):
            return (os.pread(0, status.st_size, 0).decode(),)
    return ()
