"""Compiled programs on disk, per user: `$XDG_CACHE_HOME/daad` or `~/.cache/daad`.

The variable DAAD_CACHE names another place, or is 'off'.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from daad.runtime.library import LIBRARY, MANIFEST, Library

FILES = (LIBRARY, MANIFEST)
OFF = ("off", "0", "no", "none")
LEFT_BEHIND = ("new-*", "old-*")
DAY = 86_400.0
Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class Used:
    """Keys that have been found or stored: of entries, and of notes."""

    entries: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)


_used: ContextVar[Used | None] = ContextVar("_used", default=None)


def _watch(kind: str, key: str) -> None:
    """Says that an entry or a note is used, to who watches."""
    found = _used.get()
    if found is not None:
        getattr(found, kind).add(key)


@contextlib.contextmanager
def watched() -> Iterator[Used]:
    """What is used of the cache in the block."""
    found = Used()
    before = _used.set(found)
    try:
        yield found
    finally:
        _used.reset(before)


def cache_root() -> Path | None:
    """Where the cache is, None if it is switched off; raises OSError or RuntimeError where no such place can be."""
    wanted = os.environ.get("DAAD_CACHE", "")
    if wanted.lower() in OFF:
        return None
    if wanted:
        return Path(wanted).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "daad"


class Cache:
    """Entries are folders named by key, complete from the moment they exist; what is not trusted is not there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.turns = root / "turns"
        self.notes = root / "derived"

    @staticmethod
    def open() -> Cache | None:
        """The user's cache; None if it is off, or (with a warning, once) if it cannot be written or trusted."""
        try:
            root = cache_root()
            if root is None:
                return None
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            where = f" '{error.filename}'" if error.filename else ""
            _warn(f"The cache{where} cannot be used: {error.strerror}.")
            return None
        except RuntimeError as error:
            _warn(f"The cache cannot be used: {error}")
            return None
        if not is_ours(root):
            _warn(f"The cache '{root}' is not used: others own it or may write to it.")
            return None
        return Cache(root)

    def find(self, key: str) -> Library | None:
        """The library of an entry that is whole, ours and loadable."""
        return self.find_as(key, Library.read)

    def find_as(self, key: str, load: Callable[[Path, str, str], Loaded | None]) -> Loaded | None:
        """The same as what `load` makes of its folder, its manifest and the key."""
        folder = self.root / key
        try:
            if not all(is_ours(path) for path in (folder, *(folder / name for name in FILES))):
                return None
            found = load(folder, (folder / MANIFEST).read_text(), key)
            if found is not None:
                _watch("entries", key)
            return found
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def store(self, key: str, built: Path) -> Path | None:
        """Publishes the files of a folder as an entry, at once; None (with a warning, once) if that is impossible."""
        try:
            self._sweep()
            staging = Path(tempfile.mkdtemp(prefix="new-", dir=self.root))
        except OSError as error:
            _warn(f"The cache '{self.root}' cannot be written: {error.strerror}.")
            return None
        try:
            for name in FILES:
                shutil.copyfile(built / name, staging / name)
                (staging / name).chmod(0o600)
            published = self._publish(staging, self.root / key)
            _watch("entries", key)
            return published
        except OSError as error:
            _warn(f"The cache '{self.root}' cannot be written: {error.strerror}.")
            return None
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def noted(self, key: str) -> str | None:
        """The text that was noted under a key."""
        path = self.notes / key
        try:
            if not (is_ours(self.notes) and is_ours(path)):
                return None
            _watch("notes", key)
            return path.read_text()
        except (OSError, ValueError):
            return None

    def note(self, key: str, text: str) -> None:
        """Keeps a text; whoever cannot write finds out when storing an entry."""
        with contextlib.suppress(OSError):
            self.notes.mkdir(mode=0o700, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="new-", dir=self.root) as staging:
                (Path(staging) / key).write_text(text)
                (Path(staging) / key).chmod(0o600)
                (Path(staging) / key).replace(self.notes / key)
            _watch("notes", key)

    def _publish(self, staging: Path, folder: Path) -> Path:
        """A broken entry is moved away first, since others may have it open; another process may do the same."""
        for _ in range(10):
            try:
                staging.rename(folder)
                return folder
            except OSError:
                if not folder.exists():
                    raise
            self._move_away(folder)
        staging.rename(folder)
        return folder

    def _move_away(self, folder: Path) -> None:
        aside = Path(tempfile.mkdtemp(prefix="old-", dir=self.root))
        try:
            folder.rename(aside / "entry")
        except FileNotFoundError:  # the other process did
            pass
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _sweep(self) -> None:
        """Removes what processes left behind that were killed long ago."""
        for path in self._left_behind(time.time() - DAY):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _left_behind(self, before: float) -> Iterator[Path]:
        for pattern in LEFT_BEHIND:
            yield from (path for path in self.root.glob(pattern) if path.lstat().st_mtime < before)


def is_ours(path: Path) -> bool:
    """Does the path belong to this user, and may nobody else write to it?"""
    try:
        status = path.stat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


_warned: set[str] = set()


def _warn(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=4)
