"""Faults in words: what is done to daad, and what it must do; docs/reliability.md lists them."""

from __future__ import annotations

from typing import Any

import pytest


def fault(group: str, what: str, answer: str) -> pytest.MarkDecorator:
    """Marks a test as the trial of one fault."""
    return pytest.mark.fault(group=group, what=what, answer=answer)


def row(group: str, what: str, answer: str, *values: Any, slow: bool = False) -> Any:
    """A row of a table of faults: the arguments of the test that tries it."""
    marks = [fault(group, what, answer), *([pytest.mark.slow] if slow else [])]
    return pytest.param(*values, id=what, marks=marks)
