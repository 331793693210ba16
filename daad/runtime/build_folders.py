"""Where a build may write, and what it says where it cannot."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from daad.errors import CompileError

ROOM = 2**20


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """An empty folder for one build."""
    folder = _new_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _new_folder() -> Path:
    place = "the folder for temporary files"
    try:
        place = tempfile.gettempdir()
        return Path(tempfile.mkdtemp(prefix="daad-", dir=place))
    except OSError as error:
        raise unwritable(place, error) from None


def unwritable(place: str, error: OSError) -> CompileError:
    """The error for a build that could not write its files."""
    what = f"{error.strerror} ('{error.filename}')" if error.filename else str(error.strerror or error)
    return CompileError(
        f"Nothing can be compiled in '{place}': {what.rstrip('.')}.",
        hint="Make room there, or name another folder in the variable TMPDIR.",
    )


def require_room(folder: Path) -> None:
    """Raises OSError where a compiler could not write what it needs, which its own words often hide."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(ROOM))
        file.flush()
