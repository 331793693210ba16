"""The compiler without some of its passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from daad.ir.nodes import Program
from daad.passes import driver
from daad.passes.definition import Goal, Pass
from daad.passes.phases import PASSES


@contextmanager
def without(*names: str) -> Iterator[None]:
    """In the block these passes do nothing."""
    unknown = {*names} - PASSES.keys()
    assert not unknown, f"there is no pass {sorted(unknown)}"
    original = driver.apply

    def apply(step: Pass, program: Program, goal: Goal) -> Program:
        return program if step.name in names else original(step, program, goal)

    with mock.patch.object(driver, "apply", apply):
        yield
