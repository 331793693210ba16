"""One compiled gradient serves most tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.subjects import weigh_gradient

NAMES = ("group", "what", "answer")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(group, what, answer): a fault that the test injects, in words")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What was tried goes into the test's report, from which docs/reliability.md is made."""
    marker = item.get_closest_marker("fault")
    if marker is not None:
        item.user_properties.extend((name, marker.kwargs[name]) for name in NAMES)
        item.user_properties.append(("order", item.session.items.index(item)))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tests never see the user's own cache."""
    root = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAAD_CACHE", str(root))
        yield root


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the gradient of `weigh` for arrays of five."""
    root = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAAD_CACHE", str(root))
        weigh_gradient()
    return root


@pytest.fixture
def cache(warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that cache, in use."""
    shutil.copytree(warm, tmp_path / "cache")
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
