"""Compiled programs of the tests go to a cache of their own; DaCe's precompiled header survives between runs."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

BUILD_CACHE = Path(__file__).parents[2] / "build" / "dace"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        if "DACE_BUILD_CACHE_DIR" not in os.environ:
            patch.setenv("DACE_BUILD_CACHE_DIR", str(BUILD_CACHE))
        yield
