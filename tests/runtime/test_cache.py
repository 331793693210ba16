"""What is compiled once is not compiled again; what cannot be trusted is."""

from __future__ import annotations

import errno
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from daad.codegen.compilation import compile_program
from daad.runtime import cache
from daad.runtime.cache import cache_root
from daad.runtime.compiled import Compiled
from daad.runtime.library import LIBRARY, MANIFEST
from tests.runtime.small import X, in_process, output_of, scaled


def check(compiled: Compiled, factor: float) -> None:
    y = np.empty(8)
    compiled.call([X, y], [5])
    np.testing.assert_array_equal(y, X * factor * 5)


def entries() -> list[Path]:
    root = cache_root()
    assert root
    return [path for path in root.iterdir() if (path / MANIFEST).exists()]


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path


def test_another_process_needs_neither_dace_nor_a_compiler(fresh: Path) -> None:
    first = compile_program(scaled())
    assert not first.is_cached
    assert compile_program(scaled()).is_cached
    assert output_of(in_process(2.0, PATH="/nonexistent")) == "True False"


def test_sdfg_of_a_program_from_the_cache(fresh: Path) -> None:
    first, second = compile_program(scaled()), compile_program(scaled())
    assert second.sdfg.name == first.sdfg.name == "scaled"
    assert set(second.sdfg.arrays) == set(first.sdfg.arrays) == {"x", "half", "y"}


def truncate(entry: Path) -> None:
    content = (entry / LIBRARY).read_bytes()
    (entry / LIBRARY).unlink()
    (entry / LIBRARY).write_bytes(content[: len(content) // 2])


BREAKAGES: dict[str, Callable[[Path], object]] = {
    "truncated library": truncate,
    "no library": lambda entry: (entry / LIBRARY).unlink(),
    "manifest that is no JSON": lambda entry: (entry / MANIFEST).write_text("{"),
    "manifest without fields": lambda entry: (entry / MANIFEST).write_text("{}"),
    "manifest that is a list": lambda entry: (entry / MANIFEST).write_text("[]"),
    "entry that others may write": lambda entry: entry.chmod(0o777),
    "library that others may write": lambda entry: (entry / LIBRARY).chmod(0o722),
    "empty folder": lambda entry: [path.unlink() for path in entry.iterdir()],
}


def test_broken_and_foreign_entries_are_rebuilt(fresh: Path) -> None:
    compile_program(scaled())
    (entry,) = entries()
    sound = fresh / "sound"
    shutil.copytree(entry, sound)
    for name, damage in BREAKAGES.items():
        shutil.rmtree(entry, ignore_errors=True)
        shutil.copytree(sound, entry)
        damage(entry)
        found = cache.Cache.open()
        assert found
        assert found.find(entry.name) is None, name
    rebuilt = compile_program(scaled())
    assert not rebuilt.is_cached
    check(rebuilt, 2.0)
    assert compile_program(scaled()).is_cached


def test_entry_of_another_user_is_not_loaded(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_program(scaled())
    (entry,) = entries()
    found = cache.Cache.open()
    assert found
    monkeypatch.setattr(cache.os, "getuid", lambda: 12345)
    assert found.find(entry.name) is None
    with pytest.warns(RuntimeWarning, match="is not used: others own it or may write to it"):
        assert cache.Cache.open() is None


def test_two_processes_at_once(fresh: Path) -> None:
    processes = [in_process(3.25) for _ in range(2)]
    for process in processes:
        assert output_of(process).startswith(("False", "True"))
    assert len(entries()) == 1
    assert output_of(in_process(3.25)) == "True False"


def test_unusable_folder_warns_once(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fresh / "file").write_text("")
    monkeypatch.setenv("DAAD_CACHE", str(fresh / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="cannot be used: Not a directory"):
        check(compile_program(scaled()), 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(compile_program(scaled()), 2.0)


def test_full_disk_warns_and_runs(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache.Cache, "_publish", full)
    with pytest.warns(RuntimeWarning, match="cannot be written: No space left on device"):
        check(compile_program(scaled()), 2.0)
    assert entries() == []
    assert list((fresh / "cache").glob("new-*")) == []


def test_switched_off(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", "off")
    assert cache_root() is None
    check(compile_program(scaled()), 2.0)
    assert not compile_program(scaled(), cache=False).is_cached
    assert not (fresh / "cache").exists()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"DAAD_CACHE": "/a/b"}, Path("/a/b")),
        ({"DAAD_CACHE": "", "XDG_CACHE_HOME": "/x"}, Path("/x/daad")),
        ({"DAAD_CACHE": "", "XDG_CACHE_HOME": "relative", "HOME": "/h"}, Path("/h/.cache/daad")),
        ({"DAAD_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/h"}, Path("/h/.cache/daad")),
        ({"DAAD_CACHE": "OFF"}, None),
    ],
)
def test_where_the_cache_is(variables: dict[str, str], expected: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_root() == expected


def test_nothing_is_left_in_the_working_directory(fresh: Path) -> None:
    here = fresh / "here"
    here.mkdir()
    home = fresh / "home"
    home.mkdir()
    assert output_of(in_process(4.5, cwd=here, HOME=str(home), PATH="/usr/bin:/bin")) == "False True"
    assert list(here.iterdir()) == []
    assert list(home.iterdir()) == []
