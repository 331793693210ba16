"""Times of plans: each takes its turn, and what slows the machine for a while slows all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from daad.cli import plan
from daad.cli.options import Question
from daad.cli.script_subject import Subject


def double(x):
    return np.sum(2.0 * x)


def test_times_are_ratios_within_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is ten times slower in some rounds changes no ratio."""
    calls: list[int] = []

    def timed(gradient: Any, subject: Subject) -> tuple[float, None]:
        calls.append(gradient.number)
        turn = max(0, len(calls) - 3) // 3
        return (1.0 + gradient.number) * (10.0 if turn in (1, 2) else 1.0), None

    numbers = iter(range(3))
    asked = SimpleNamespace(_with=lambda **_: SimpleNamespace(number=next(numbers)))
    monkeypatch.setattr(plan, "timed", timed)
    monkeypatch.setattr(plan.daad, "grad", lambda *_, **__: asked)
    subject = Subject("double", "double.py", double, (np.ones(2),), {}, ("x",), None)
    points: Any = [SimpleNamespace(hints=None)] * 3
    question = Question(
        script="double.py", arguments=(), function=None, wrt=(), of=(), seed=None, memory_limit=None,
        allow_undo=False, device="cpu", json=False, quiet=False,
    )  # fmt: skip
    found = plan.measured(subject, question, points)
    np.testing.assert_allclose(np.array(found) / found[0], [1.0, 2.0, 3.0])
    assert calls[:9] == [0, 1, 2, 0, 1, 2, 2, 1, 0]
