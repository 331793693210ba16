"""Full and read-only disks.

Where users may mount file systems of their own, the disks are real: small ones in memory, read-only ones. Elsewhere
these tests are skipped; limits on the size of files, and folders that nobody can write to, are tried everywhere.
"""

from __future__ import annotations

import errno
import resource
import shutil
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import daad
from daad.errors import CompileError
from daad.runtime import cache as cache_module
from tests.hostile.fault import fault, row
from tests.hostile.processes import ASK, can_mount, fork, namespace, run
from tests.hostile.subjects import X, Y, weigh, weigh_gradient, weighed

GROUP = "Disks"
ONCE = "works without the cache; a warning says so once"
REFUSED = "CompileError: which folder is full, what to do"


@pytest.fixture
def no_warnings_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_warned", set())


@lru_cache(maxsize=1)
def mounts() -> bool:
    return can_mount()


@pytest.fixture
def with_mounts() -> None:
    if not mounts():
        pytest.skip("users cannot mount file systems here")


needs_mounts = pytest.mark.usefixtures("with_mounts")


def ask_twice(setup: str, **environment: str) -> Any:
    """Two gradients asked for by a process behind a setup; warnings are printed."""
    twice = f"{ASK}; {ASK}"
    return run(namespace(setup, f'exec "{sys.executable}" -c "{twice}"'), **environment)


def full(folder: Path, size: str = "16k") -> str:
    return f"mount -t tmpfs -o size={size} tmpfs '{folder}'"


def read_only(folder: Path) -> str:
    return f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"


CACHES = [
    row(GROUP, "a full disk under the cache", ONCE, full, "cannot be written: No space left on device"),
    row(GROUP, "a read-only home", ONCE, read_only, "cannot be used: Read-only file system"),
]


@needs_mounts
@pytest.mark.parametrize(("setup", "said"), CACHES)
def test_cache_on_such_a_disk(setup: Any, said: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    found = ask_twice(setup(home), HOME=str(home), DAAD_CACHE="", XDG_CACHE_HOME="")
    assert found.stdout.split("\n")[:2] == ["right False", "right False"], found.stderr
    assert found.stderr.count("RuntimeWarning: The cache") == 1
    assert said in found.stderr


@needs_mounts
@pytest.mark.parametrize(
    "size", [row(GROUP, f"{n} bytes left for temporary files", REFUSED, n, slow=n != "4k") for n in ("4k", "60k")]
)
def test_full_disk_while_compiling(size: str, tmp_path: Path) -> None:
    found = ask_twice(full(tmp_path, size), TMPDIR=str(tmp_path), DAAD_CACHE="off")
    assert f"daad.CompileError: Nothing can be compiled in '{tmp_path}': No space left on device" in found.stderr
    assert "name another folder in the variable TMPDIR" in found.stderr


@needs_mounts
@fault(GROUP, "a cached gradient where all disks are full", "loaded and right")
def test_cached_gradient_needs_no_room(cache: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    found = ask_twice(f"{full(small, '4k')} && {read_only(cache)}", TMPDIR=str(small), HOME=str(small))
    assert found.stdout.split("\n")[:2] == ["right True", "right True"], found.stderr


LIMITS = {"of eight kilobytes": 8_192, "of nothing at all": 0}


@pytest.mark.parametrize("limit", [row(GROUP, f"a limit {name} for files", REFUSED, n) for name, n in LIMITS.items()])
def test_limit_for_files(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", "off")

    def work() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with pytest.raises(CompileError) as caught:
            daad.grad(weigh)(X, Y)
        return str(caught.value)

    assert "File too large" in fork(work).result() or "File size limit" in fork(work).result()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        row(GROUP, "a cache below a file", ONCE, "{file}/cache", "cannot be used: Not a directory"),
        row(GROUP, "a cache where no folder can be", ONCE, "/proc/self/daad", "cannot be used: No such file"),
        row(GROUP, "a cache with too long a name", ONCE, "{folder}/" + "x" * 300, "cannot be used: File name too long"),
        row(GROUP, "a cache of an unknown user", ONCE, "~nobody-of-this-name/cache", "cannot be used: Could not"),
    ],
)
def test_cache_that_cannot_be(
    place: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_warnings_yet: None
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DAAD_CACHE", place.format(file=tmp_path / "file", folder=tmp_path))
    with pytest.warns(RuntimeWarning, match=said):
        assert not weigh_gradient().is_cached
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weigh_gradient()


@fault(GROUP, "a disk that is full when the entry is copied", ONCE)
def test_no_room_for_the_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_warnings_yet: None) -> None:
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path))

    def copy_half(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache_module, "shutil", SimpleNamespace(copyfile=copy_half, rmtree=shutil.rmtree))
    with pytest.warns(RuntimeWarning, match="cannot be written: No space left on device"):
        np.testing.assert_array_equal(daad.grad(weigh)(X, Y), weighed(X, Y))
    assert [path.name for path in tmp_path.iterdir() if path.name != "turns"] == []
