"""Rotations and linear systems that programs make, or find outside: gradients, also where there is no rotation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.spatial.transform import Rotation

from tests.corpus.case import Case
from tests.programs import interpreted

OUTSIDE = Rotation.from_rotvec([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.0, 0.1, 0.0]])
SYSTEM = signal.lti([1.0, 2.0], [1.0, 0.5, 3.0])
WEIGHTS = np.array([1.0, -2.0, 0.5])
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "apply": lambda p: np.sum(Rotation.from_rotvec(p).apply([1.0, 2.0, 3.0]) * WEIGHTS),
    "there and back": lambda p: np.sum(Rotation.from_rotvec(p).as_rotvec() * WEIGHTS),
    "product": lambda p: np.sum((Rotation.from_rotvec(p) * Rotation.from_euler("xyz", p)).as_rotvec() * WEIGHTS),
    "power": lambda p: np.sum((Rotation.from_rotvec(p) ** 0.5).as_rotvec() * WEIGHTS),
    "angles": lambda p: np.sum(Rotation.from_euler("xyz", p).as_euler("xyz") * WEIGHTS),
    "made outside": lambda p: (
        np.sum(OUTSIDE.apply(p) * WEIGHTS) + np.sum((OUTSIDE * Rotation.from_rotvec(p)).as_quat())
    ),
    "system made outside": lambda p: np.sum(SYSTEM.output(np.concatenate((p, p)), np.arange(6.0) * 0.2)[1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (0.3, 0.2, -0.1)], ids=["identity", "elsewhere"])
def test_gradient_matches_differences(name: str, at: tuple[float, ...]) -> None:
    function, p = PROGRAMS[name], np.array(at)
    (gradient,) = interpreted(Case(name=name, function=function, arguments=lambda: (p,), wrt=("p",)))(p.copy())
    expected = [(function(p + h) - function(p - h)) / 2e-5 for h in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(gradient, expected, atol=1e-8)
