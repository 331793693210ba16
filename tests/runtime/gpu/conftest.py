"""A GPU for tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.gpu import stand_in


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[stand_in.StandIn]:
    """The stand-in of a driver with one GPU."""
    yield stand_in.taken(monkeypatch)
    stand_in.forget()
