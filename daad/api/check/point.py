"""The user's program at the point under test, as a function of a step along a direction."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.api.check.directions import Direction
from daad.api.check.reference_program import Scene, scene_of
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject.primal import is_interpreted, outputs, seeded
from daad.api.subject.reading import subject_of
from daad.api.subject.subject import Subject
from daad.errors import IndexOutside, level_of_the_user
from daad.frontend.staging.draws import NO_DRAWS

MOST_CALLS = 200
PATIENCE = 60.0  # seconds; a check that may take longer says so first


@dataclass
class Point:
    """The program at arguments in float64; `calls` counts its runs, MOST_CALLS at most.

    Where Python cannot run the program, or hides the output, `scene` runs instead: the program as daad reads it.
    """

    gradient: Gradient
    bound: dict[str, Any]
    calls: int = 0
    seconds: float = 0.0
    base: float = field(init=False)
    subject: Subject = field(init=False)
    scene: Scene | None = None

    def __post_init__(self) -> None:
        self.subject = subject_of(self.gradient._asked.function)
        last = self.gradient._last
        changes = last is not None and last.planned.read.changes_outside
        asked = self.gradient._asked.request
        if changes or is_interpreted(self.subject, self.bound, asked) or self._takes_only_float32():
            self.scene = scene_of(self.gradient, self.bound)
        self.bound = {n: widened(v) for n, v in self.bound.items()}
        if self.is_dace and self.scene is None:
            self._value({}, 0.0)  # the first call compiles
        start = time.perf_counter()
        self.base = self._value({}, 0.0)
        self.seconds = self.gradient._over_ranks(time.perf_counter() - start, "MAX")

    @property
    def is_dace(self) -> bool:
        """Whether calling the program runs compiled code."""
        return type(self.gradient._asked.function).__module__.startswith("dace")

    def _takes_only_float32(self) -> bool:
        return self.is_dace and any(np.asarray(v).dtype == np.float32 for _, v in calls.leaves(self.bound))

    @property
    def leaves(self) -> dict[str, Any]:
        """Those parts of the arguments that the gradient is asked for, by name."""
        return dict(calls.floats(self.gradient._chosen(self.bound)))

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
            value = self._own_value(direction, step)
        except (ArithmeticError, ValueError, IndexOutside):
            value = float("nan")
        return self.gradient._over_ranks(value)

    def _value(self, direction: Direction, step: float) -> float:
        return self.gradient._over_ranks(self._own_value(direction, step))

    def _own_value(self, direction: Direction, step: float) -> float:
        if self.scene is None:
            return float(self.run(direction, step))
        self.calls += 1
        return self.scene.moved(direction, step).end_value()

    def run(self, direction: Direction, step: complex) -> Any:
        """The seeded sum of the outputs after a step, as Python runs the program."""
        self.calls += 1
        request, last = self.gradient._asked.request, self.gradient._last
        stream = NO_DRAWS if last is None else last.planned.read.drawn
        with np.errstate(all="ignore"), stream.returned():
            values = outputs(self.subject, moved(self.bound, direction, step), request, self.gradient._asked.function)
            return seeded(values, request)

    def announce(self, most_calls: int) -> None:
        """Warns where `most_calls` runs take longer than a user may be ready to wait without a word."""
        if self.seconds * most_calls > PATIENCE:
            warnings.warn(
                f"One call of '{self.subject.name}' takes {self.seconds:.2g} s: checking calls it up to {most_calls} "
                f"times, which may take {self.seconds * most_calls / 60:.0f} minutes.",
                stacklevel=level_of_the_user(),
            )


def widened(value: Any) -> Any:
    """float32 as float64, so that differences are not lost in rounding."""

    def wide(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype in (np.float32, np.complex64):
            return leaf.astype(np.result_type(leaf.dtype, np.float64))
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
    if np.iscomplexobj(by) and not np.iscomplexobj(value):
        return after if isinstance(value, np.ndarray) else after[()]
    return after.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(after)
