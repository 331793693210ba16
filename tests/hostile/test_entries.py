"""Entries of the cache that are damaged, foreign or made for another machine: never loaded, made again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import daad
from daad.codegen.fingerprint import environment
from daad.runtime.cache import Cache
from daad.runtime.library import LIBRARY, MANIFEST
from tests.hostile.fault import fault, row
from tests.hostile.subjects import X, Y, weigh, weigh_gradient, weighed

GROUP = "Cache"
REBUILT = "not loaded; compiled again"
NOBODY = 12345


@pytest.fixture
def entry(cache: Path) -> Path:
    """The one entry of the cache."""
    (found,) = (path.parent for path in cache.glob(f"*/{MANIFEST}"))
    return found


def is_found(entry: Path) -> bool:
    store = Cache.open()
    return store is not None and store.find(entry.name) is not None


def truncate(file: Path) -> None:
    """By half; as a new file, since this process may have the old one loaded."""
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[: len(content) // 2])


def flips(content: bytes, count: int) -> Iterator[bytes]:
    """The content with one bit flipped, at places spread over all of it."""
    for place in np.linspace(0, len(content) - 1, min(count, len(content)), dtype=int):
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(place % 8)
        yield bytes(flipped)


FILES = {"library": LIBRARY, "manifest": MANIFEST}


@pytest.mark.parametrize("name", [row(GROUP, f"bits of the {what} flipped", REBUILT, f) for what, f in FILES.items()])
def test_flipped_bits(name: str, entry: Path) -> None:
    content = (entry / name).read_bytes()
    assert is_found(entry)
    for flipped in flips(content, 500 if name == MANIFEST else 40):
        (entry / name).unlink()
        (entry / name).write_bytes(flipped)
        assert not is_found(entry)


def exchange(entry: Path) -> None:
    """Another user's folder in the place of the entry."""
    foreign = entry.parent / "foreign"
    entry.rename(foreign)
    foreign.chmod(0o777)
    entry.symlink_to(foreign)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "the library truncated": lambda entry: truncate(entry / LIBRARY),
    "the manifest truncated": lambda entry: truncate(entry / MANIFEST),
    "the library missing": lambda entry: (entry / LIBRARY).unlink(),
    "the entry empty": lambda entry: [path.unlink() for path in entry.iterdir()],
    "a file in the place of the entry": lambda entry: [shutil.rmtree(entry), entry.write_text("")],
    "the entry writable by others": lambda entry: entry.chmod(0o777),
    "the library writable by a group": lambda entry: (entry / LIBRARY).chmod(0o720),
    "a link to another user's folder": exchange,
}


@pytest.mark.parametrize("damage", [row(GROUP, what, REBUILT, how) for what, how in DAMAGES.items()])
def test_damaged_entry(damage: Callable[[Path], object], entry: Path) -> None:
    damage(entry)
    assert not is_found(entry)


@fault(GROUP, "an entry in the place of another", REBUILT)
def test_misplaced_entry(entry: Path) -> None:
    other = entry.with_name("0" * 40)
    entry.rename(other)
    assert not is_found(other)


@fault(GROUP, "an entry of another user", REBUILT)
def test_entry_of_another_user(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.getuid() == 0:
        os.chown(entry / LIBRARY, NOBODY, NOBODY)
    else:
        monkeypatch.setattr("daad.runtime.cache.os.getuid", lambda: NOBODY)
    assert not is_found(entry)


@fault(GROUP, "an entry made on another processor", REBUILT)
def test_entry_of_another_processor(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert weigh_gradient().is_cached
    described = environment()
    assert any("flags" in line for line in described)
    elsewhere = (*described[:-2], "flags: others", described[-1])
    monkeypatch.setattr(import_module("daad.codegen.fingerprint"), "environment", lambda: elsewhere)
    assert not weigh_gradient().is_cached


@fault(GROUP, "a cache that others may write to", "not used; a warning says so once")
def test_cache_that_others_may_write_to(cache: Path, recwarn: pytest.WarningsRecorder) -> None:
    cache.chmod(0o777)
    assert Cache.open() is None
    assert Cache.open() is None
    said = [str(w.message) for w in recwarn if issubclass(w.category, RuntimeWarning)]
    assert said == [f"The cache '{cache}' is not used: others own it or may write to it."]


@fault(GROUP, "a damaged entry that is in the way", "compiled again, replaced, and found the next time")
def test_damaged_entry_is_replaced(entry: Path) -> None:
    truncate(entry / LIBRARY)
    again = weigh_gradient()
    assert not again.is_cached
    assert is_found(entry)
    np.testing.assert_array_equal(daad.grad(weigh)(X, Y), weighed(X, Y))


@fault(GROUP, "files that a killed process left behind", "removed after a day; younger ones stay")
def test_old_leftovers_are_removed(cache: Path, entry: Path) -> None:
    (cache / "new-old").mkdir()
    (cache / "new-old" / LIBRARY).write_text("half")
    (cache / "new-young").mkdir()
    os.utime(cache / "new-old", (0, 0))
    assert Cache(cache).store("0" * 40, entry)
    assert sorted(path.name for path in cache.glob("new-*")) == ["new-young"]
