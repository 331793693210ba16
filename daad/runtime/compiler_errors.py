"""What a failed compiler says to the user: command and first error as one sentence, the rest in a file."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from daad.errors import CompileError

ADVICE = "The fault is daad's unless the compiler is older than GCC 11 or the disk is full"
DROPPED = ("-D", "-I", "-o", "-Wl,")
TAKES_ONE = ("-o",)


def explained(output: str, command: Sequence[str], source: Path) -> CompileError:
    """The error for what the compiler has printed."""
    shown = " ".join([command[0], *_short(command)[1:]])
    complaint = re.search(r"(?:fatal )?error: *(.+)|No space left on device", output)
    lines = output.strip().splitlines() or ["it printed nothing"]
    what = (complaint.group(1) or complaint.group(0)) if complaint else lines[-1]
    log = _kept(output, source)
    hint = f"{ADVICE}; all that it printed is in '{log}'." if log else f"{ADVICE}."
    return CompileError(
        f"The C++ compiler '{shown}' failed: {what.strip().rstrip('.')}.",
        hint=hint,
        log=log,
    )


def _short(command: Sequence[str]) -> list[str]:
    """Without macros, folders and outputs; paths by their last part."""
    kept: list[str] = []
    skipped = False
    for word in command:
        if not skipped and not word.startswith(DROPPED):
            kept.append(os.path.basename(word) if os.sep in word else word)
        skipped = not skipped and word in TAKES_ONE
    return kept


def _kept(output: str, source: Path) -> str | None:
    """A file with the output and the code that was compiled, which is deleted otherwise."""
    try:
        handle, path = tempfile.mkstemp(prefix="daad-compiler-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{output}\n\n{source}\n{'-' * len(str(source))}\n{source.read_text(errors='replace')}")
    except OSError:
        return None
    return path
