"""Entries of the cache that another machine gets."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from daad.runtime.cache import Cache, watched
from daad.runtime.library import LIBRARY, MANIFEST
from daad.runtime.shipped_entries import Entries

KEY, NOTE = "a" * 40, "b" * 40


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entries:
    """What one machine has stored and noted; another one has an empty cache now."""
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "here"))
    (tmp_path / LIBRARY).write_bytes(b"code" * 1000)
    (tmp_path / MANIFEST).write_text("manifest")
    store = Cache.open()
    assert store
    store.note("c" * 40, "of something else")
    with watched() as used:
        store.store(KEY, tmp_path)
        store.note(NOTE, "text")
    made = pickle.loads(pickle.dumps(Entries.of(used, "one kind")))
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "there"))
    assert isinstance(made, Entries)
    return made


def test_a_machine_of_the_same_kind_finds_what_was_used(sent: Entries) -> None:
    sent.install("one kind")
    sent.install("one kind")
    store = Cache.open()
    assert store
    assert store.noted(NOTE) == "text"
    assert store.noted("c" * 40) is None
    found = store.find_as(KEY, lambda folder, text, key: ((folder / LIBRARY).read_bytes(), text, key))
    assert found == (b"code" * 1000, "manifest", KEY)


def test_another_machine_takes_nothing(sent: Entries) -> None:
    sent.install("another kind")
    store = Cache.open()
    assert store
    assert store.noted(NOTE) is None
    assert not (store.root / KEY).exists()


def test_what_is_found_counts_as_used(sent: Entries) -> None:
    sent.install("one kind")
    store = Cache.open()
    assert store
    with watched() as used:
        store.find_as(KEY, lambda *_: None)
        assert used.entries == set()
        store.find_as(KEY, lambda *_: "loaded")
        store.noted(NOTE)
        store.noted("d" * 40)
    assert (used.entries, used.notes) == ({KEY}, {NOTE})


def test_without_a_cache_nothing_is_sent_or_taken(sent: Entries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", "off")
    with watched() as used:
        sent.install("one kind")
    assert Entries.of(used, "one kind") == Entries("one kind")
