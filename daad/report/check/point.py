"""The user's program at the point under test, as a function of a step along a direction."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad import arguments as calls
from daad.gradient import Gradient
from daad.primal import is_interpreted, outputs, seeded
from daad.reading import subject_of
from daad.subject import Subject

MOST_CALLS = 200
PATIENCE = 60.0  # seconds; a check that may take longer says so first

Direction = Mapping[str, np.ndarray]
"""The leaves that move, each by a multiple of its array."""


@dataclass
class Point:
    """Arguments in float64 and the program there; `calls` counts the runs of the program, MOST_CALLS at most."""

    gradient: Gradient
    bound: dict[str, Any]
    calls: int = 0
    seconds: float = 0.0
    base: float = field(init=False)
    subject: Subject = field(init=False)

    def __post_init__(self) -> None:
        self.subject = subject_of(self.gradient.function)
        self.bound = {n: _widened(v) for n, v in self.bound.items()}
        start = time.perf_counter()
        self.base = self._value(copy.deepcopy(self.bound))
        self.seconds = time.perf_counter() - start

    @property
    def is_interpreted(self) -> bool:
        """Whether the program runs as daad reads it, since Python does not show the output or cannot run it."""
        return is_interpreted(self.subject, self.bound, self.gradient.request)

    @property
    def leaves(self) -> dict[str, Any]:
        """Those parts of the arguments that the gradient is asked for, by name."""
        return dict(calls.leaves(self.gradient.chosen(self.bound)))

    @property
    def floats(self) -> dict[str, Any]:
        """All parts of the arguments that hold floats."""
        return {n: v for n, v in calls.leaves(self.bound) if np.asarray(v).dtype.kind == "f"}

    @property
    def is_exhausted(self) -> bool:
        return self.calls + 2 > MOST_CALLS

    def along(self, direction: Direction, step: float) -> float:
        """The seeded outputs after a step; NaN where the program fails there."""
        try:
            return self._value(self.moved(direction, step))
        except (ArithmeticError, ValueError):
            return float("nan")

    def moved(self, direction: Direction, step: Any) -> dict[str, Any]:
        """Fresh arguments after a step."""
        return moved(self.bound, direction, step)

    def _value(self, bound: dict[str, Any]) -> float:
        return float(self.run(bound))

    def run(self, bound: dict[str, Any]) -> Any:
        """The seeded sum of the outputs, as the program gives them; `bound` may be overwritten."""
        self.calls += 1
        request = self.gradient.request
        with np.errstate(all="ignore"):
            return seeded(outputs(self.subject, bound, request, self.gradient.function), request)

    def announce(self, most_calls: int) -> None:
        """Warns where `most_calls` runs take longer than a user may be ready to wait without a word."""
        if self.seconds * most_calls > PATIENCE:
            warnings.warn(
                f"One call of '{self.subject.name}' takes {self.seconds:.2g} s: checking calls it up to {most_calls} "
                f"times, which may take {self.seconds * most_calls / 60:.0f} minutes.",
                stacklevel=4,
            )


def _widened(value: Any) -> Any:
    """float32 as float64, so that differences are not lost in rounding."""

    def wide(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype == np.float32:
            return leaf.astype(np.float64)
        return leaf

    return calls.unflatten(value, iter([wide(leaf) for _, leaf in calls.flatten("", value)]))


def moved(bound: Mapping[str, Any], direction: Direction, step: Any) -> dict[str, Any]:
    """Fresh arguments after a step; dtypes stay, unless the step is complex."""
    return {n: _moved(n, v, direction, step) for n, v in copy.deepcopy(dict(bound)).items()}


def _moved(name: str, value: Any, direction: Direction, step: Any) -> Any:
    parts = [_shifted(v, step * direction[n]) if n in direction else v for n, v in calls.flatten(name, value)]
    return calls.unflatten(value, iter(parts))


def _shifted(value: Any, by: np.ndarray) -> Any:
    """An array stays one, also without axes; a number stays a number."""
    after = np.asarray(value + by)
    if np.iscomplexobj(by):
        return after if isinstance(value, np.ndarray) else after[()]
    return after.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(after)
