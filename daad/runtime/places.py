"""Where a build may write: folders whose names do no harm in the commands of cmake and the compiler."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from daad.errors import CompileError

HARMFUL = frozenset('$;"`\\\n')  # what a shell or cmake reads as more than a letter, quoted as DaCe quotes
ROOM = 2**20
ELSEWHERE = ("/tmp", "/var/tmp", "/dev/shm")


def is_harmless(path: Path | str) -> bool:
    """Whether cmake and a shell take a path as it is."""
    return not HARMFUL & set(str(path))


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """An empty folder for one build."""
    folder = _new_folder("daad-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def build_cache(root: Path | None, work: Path) -> str:
    """Where DaCe keeps its precompiled header: with the cache, else in a folder for all of the user's processes.

    DaCe's own place is not asked whether another user has made it; a folder of daad's that is not ours is not used.
    """
    if root is not None and is_harmless(root):
        return str(root / "build")
    shared = work.parent / f"daad-build-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    status = shared.lstat()
    is_private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return str(shared if is_private else work / "cache")


def _new_folder(prefix: str) -> Path:
    place = "the folder for temporary files"
    try:
        place = tempfile.gettempdir()
        usable = [d for d in (place, *ELSEWHERE) if is_harmless(d)]
        return Path(tempfile.mkdtemp(prefix=prefix, dir=usable[0]))
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


def user_name() -> str:
    """The user's name, or his number where he has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid())
