"""Checks of gradients that the interpreter computes, and ways to make them wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from daad.api.check import CheckReport, check_gradient
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.rules.scalar import DERIVATIVES


def checked(
    function: Callable[..., Any],
    args: Sequence[Any],
    compiler: Any = Interpreted,
    plans: str = "default",
    **request: Any,
) -> CheckReport:
    """The report on a gradient; nothing is compiled."""
    return check_gradient(Gradient(function, Request(value=True, **request), compiler=compiler), args, {}, plans)


def spoil(monkeypatch: pytest.MonkeyPatch, rule: str, factor: float, place: int = 0) -> None:
    """Makes one line of the derivative rules wrong by a factor."""
    row = DERIVATIVES[rule]
    wrong = tuple(f"({text}) * {factor}" if k == place else text for k, text in enumerate(row))
    monkeypatch.setitem(DERIVATIVES, rule, wrong)


def line_of(function: Callable[..., Any], mark: str = "# here") -> int:
    """The line of the file that carries a mark."""
    lines, first = inspect.getsourcelines(function)
    return next(first + number for number, line in enumerate(lines) if mark in line)
