"""What one call of a gradient returns, by leaf and as derivatives along directions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.check.directions import Direction
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.primal import seeded


@dataclass(frozen=True)
class Answered:
    """The seeded value, the sum of its terms' absolute values, and the gradient of each leaf; `over_ranks`
    sums what all ranks of a program have, where there are others."""

    value: float
    size: float
    gradients: Mapping[str, np.ndarray]
    over_ranks: Callable[[float], float] = float

    @staticmethod
    def at(gradient: Gradient, bound: Mapping[str, Any]) -> Answered:
        """Calls the gradient, which must return the value too; the arguments stay untouched."""
        return Answered.of(gradient, gradient._answer(copy.deepcopy(dict(bound))), bound)

    @staticmethod
    def of(gradient: Gradient, returned: Any, bound: Mapping[str, Any]) -> Answered:
        values, found = returned
        outputs = [_wide(v) for v in (values if isinstance(values, tuple) else (values,))]
        names = [name for name, _ in calls.floats(gradient._chosen(bound))]
        grads = [np.asarray(g) for _, g in calls.gradients("", found)]
        with np.errstate(all="ignore"):
            value = float(seeded(outputs, gradient._asked.request))
            size = float(sum(np.sum(np.abs(v)) for v in outputs))
        all_ranks = gradient._over_ranks
        return Answered(all_ranks(value), all_ranks(size), dict(zip(names, grads, strict=True)), all_ranks)

    def along(self, direction: Direction) -> tuple[float, float]:
        """The derivative along a direction, and the sum of its terms' absolute values."""
        with np.errstate(all="ignore"):
            terms = [_product(self.gradients[n], d) for n, d in direction.items()]
            derivative, size = sum(float(np.sum(t)) for t in terms), sum(float(np.sum(np.abs(t))) for t in terms)
            return self.over_ranks(derivative), self.over_ranks(size)

    @property
    def is_finite(self) -> bool:
        return all(bool(np.all(np.isfinite(g))) for g in self.gradients.values())


def _wide(value: Any) -> np.ndarray:
    return np.asarray(value, np.complex128 if np.iscomplexobj(value) else np.float64)


def _product(gradient: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Terms of the derivative; of complex numbers, real and imaginary parts each with those of the direction."""
    if np.iscomplexobj(direction) and not np.iscomplexobj(gradient):
        direction = complex_views.parts(direction)
    return np.real(np.conj(_wide(gradient)) * direction)
