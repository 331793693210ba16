"""The collection of garbage waits while something is compiled, and goes on as it was."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

import daad
from daad.runtime import at_work as module
from daad.runtime.at_work import at_work


class Ring:
    def __init__(self) -> None:
        self.own = self


def fail() -> None:
    with at_work():
        assert not gc.isenabled()
        raise ValueError("inside")


@pytest.mark.parametrize("enabled", [True, False])
def test_it_goes_on_as_before(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ValueError, match="inside"):
            fail()
        assert gc.isenabled() == enabled
    finally:
        gc.enable()


def test_what_many_objects_leave_is_found_before_the_next_block(monkeypatch) -> None:
    monkeypatch.setattr(module, "MANY", 1000)
    with at_work():
        made = [Ring() for _ in range(2000)]
        left = ref(made[0])
        del made
    assert left() is not None, "nobody has searched yet"
    with at_work():
        assert left() is None


def test_a_plan_leaves_it_on() -> None:
    daad.plan(lambda x: np.sum(x * x), (np.ones(3),))
    assert gc.isenabled()
