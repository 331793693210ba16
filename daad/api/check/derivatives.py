"""What one call of a gradient returns, by leaf and as derivatives along directions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.check.directions import Direction
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.primal import seeded
from daad.runtime.message_passing import over_ranks


@dataclass(frozen=True)
class Answered:
    """The seeded value, the sum of its terms' absolute values, and the gradient of each leaf; values and derivatives
    of a program that `communicates` are sums over all ranks."""

    value: float
    size: float
    gradients: Mapping[str, np.ndarray]
    communicates: bool = False

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
        of_all = gradient._communicates
        return Answered(
            *_of_all_ranks((value, size), of_all), dict(zip(names, grads, strict=True)), communicates=of_all
        )

    def along(self, direction: Direction) -> tuple[float, float]:
        """The derivative along a direction, and the sum of its terms' absolute values."""
        with np.errstate(all="ignore"):
            terms = [_product(self.gradients[n], d) for n, d in direction.items()]
            found = sum(float(np.sum(t)) for t in terms), sum(float(np.sum(np.abs(t))) for t in terms)
            return _of_all_ranks(found, self.communicates)

    @property
    def is_finite(self) -> bool:
        return all(bool(np.all(np.isfinite(g))) for g in self.gradients.values())


def _of_all_ranks(pair: tuple[float, float], communicates: bool) -> tuple[float, float]:
    """Sums over all ranks, where the program passes messages between them."""
    if not communicates:
        return pair
    first, second = map(over_ranks, pair)
    return first, second


def _wide(value: Any) -> np.ndarray:
    return np.asarray(value, np.complex128 if np.iscomplexobj(value) else np.float64)


def _product(gradient: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Terms of the derivative; of complex numbers, real and imaginary parts each with those of the direction."""
    if np.iscomplexobj(direction) and not np.iscomplexobj(gradient):
        direction = complex_views.parts(direction)
    return np.real(np.conj(_wide(gradient)) * direction)
