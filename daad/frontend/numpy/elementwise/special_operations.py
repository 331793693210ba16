"""The operations that NumPy has no function for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daad.frontend.library.anchored import anchored, derivatives
from daad.frontend.library.special import ELEMENTWISE
from daad.frontend.numpy.elementwise.scalar_expressions import op
from daad.frontend.numpy.elementwise.ufuncs import at
from daad.frontend.staging.builder import Stage


def _of(name: str) -> Callable[..., Any]:
    def call(stage: Stage, x: Any) -> Any:
        value = stage.array(x)
        return stage.lazy(value.shape, value.dtype, lambda point: op(name, value.dtype, value.element(point)))

    return call


def _anchored(stage: Stage, formula: Any, value: Any) -> Any:
    sides = stage.array(formula), stage.array(value)
    kind = sides[1].dtype
    return stage.lazy(sides[1].shape, kind, lambda point: op("anchored", kind, *(at(side, point) for side in sides)))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{operation: _of(operation.name) for operation in ELEMENTWISE.values()},
    anchored: _anchored,
}
OF_THE_READING: dict[Callable[..., Any], Callable[..., Any]] = {derivatives: lambda stage: stage.derivatives}
"""What a program of the library asks; no argument is staged."""
