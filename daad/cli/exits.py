"""From what went wrong to what is printed on stderr and the exit code."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator

from daad.errors import (
    BadArgument,
    CompileError,
    DaadError,
    MemoryLimitTooSmall,
    NotDifferentiable,
    Unsupported,
)

CHECK_FAILED = 1
WRONG_USAGE = 2
COMPILER_FAILED = 5

EXIT_CODES: dict[type[DaadError], int] = {
    BadArgument: WRONG_USAGE,
    Unsupported: 3,
    NotDifferentiable: 3,
    MemoryLimitTooSmall: 4,
    CompileError: COMPILER_FAILED,
}


class ScriptFailed(Exception):
    """The user's script raised: `text` is its own traceback."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """End the process with the documented code; what nobody foresaw counts as a failure of the compiler."""
    try:
        yield
    except DaadError as error:
        print(error.render(), file=sys.stderr)
        sys.exit(EXIT_CODES.get(type(error), COMPILER_FAILED))
    except ScriptFailed as failure:
        print(failure.text, end="", file=sys.stderr)
        sys.exit(WRONG_USAGE)
    except Exception:
        traceback.print_exc()
        print("daad failed on this program: please report it with the lines above.", file=sys.stderr)
        sys.exit(COMPILER_FAILED)
