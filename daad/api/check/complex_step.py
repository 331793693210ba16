"""The complex step: the imaginary part of an analytic program, a step of 1e-20 up the imaginary axis, over that step.

Exact to rounding, where it can be used; a program that is not analytic, or stores into arrays of floats, loses the
imaginary part without a word, so its answer counts only if it agrees with real differences.
"""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np

from daad.api.check.directions import Direction
from daad.api.check.finite_differences import Estimate
from daad.api.check.point import Point

STEP = 1e-20
COARSE = 1e-5
"""Relative distance to real differences that is trusted; what was lost on the way is rarely smaller."""


def complex_step(point: Point, direction: Direction, real: Estimate, nearby: float) -> float | str:
    """The derivative, or why there is none."""
    if point.scene is not None or point.is_dace:
        return "the program does not run in Python"
    if point.gradient._communicates:
        return "the program passes messages"
    if any(map(np.iscomplexobj, direction.values())):
        return "an argument is complex"
    try:
        found = _run(point, direction)
    except Exception as error:  # whatever the program does with numbers that it was not written for
        return f"the program does not take complex numbers ({_reason(error, point)})"
    if not np.iscomplexobj(found):
        return "the program's result is real for complex arguments"
    derivative = float(np.imag(found)) / STEP
    scale = max(abs(real.value), 1e-3 * nearby)
    if real.error > 1e-3 * scale > 0.0:
        return "differences are too coarse to tell whether the program is analytic"
    if not abs(derivative - real.value) <= COARSE * scale + 3 * real.error:
        return "the program is not analytic: real differences disagree"
    return derivative


def _run(point: Point, direction: Direction) -> Any:
    """All floats become complex, also those that do not move: what is computed is stored into them."""
    moved = {**{n: np.zeros(np.shape(v)) for n, v in point.floats.items()}, **direction}
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        return point.run(moved, STEP * 1j)


def _reason(error: Exception, point: Point) -> str:
    text = (str(error) or type(error).__name__).splitlines()[0].partition(",")[0]
    at = point.subject.at
    frames = [f for f in traceback.extract_tb(error.__traceback__) if at is not None and f.filename == at.file]
    return f"line {frames[-1].lineno}: {text}" if frames else text
