"""Compiled programs of the tests go to a cache of their own."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
