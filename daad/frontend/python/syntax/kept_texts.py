"""Texts of programs that stand in no file, where the interpreter or the system still has them.

What is typed at the prompt of Python 3.13 or IPython lies in `linecache`, which `inspect` reads; so does the text of
`python -c` from 3.13 on. Before, that is among the arguments of the process. A script that the shell reads from a file
(`python < script.py`) can be read there once more.
"""

from __future__ import annotations

import os
import stat
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

COMMAND, INPUT = "<string>", "<stdin>"
"""What Python calls the file of these."""


def kept_texts(filename: str) -> Iterator[str]:
    """What a program of this name may have been made of."""
    if filename == COMMAND:
        yield from _arguments()
    if filename == INPUT:
        yield from _redirected()


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
