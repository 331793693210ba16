"""The collection of garbage waits while something is compiled, and goes on as it was."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import daad
from daad.runtime.garbage import collected_later


def fail() -> None:
    with collected_later():
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


def test_a_plan_leaves_it_on() -> None:
    daad.plan(lambda x: np.sum(x * x), (np.ones(3),))
    assert gc.isenabled()
