"""`daad.checkpoint`, `recompute`, `stop_gradient`: what the user decides about an array, said in the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daad.frontend import directives, structures
from daad.frontend.numpy.elementwise.scalar_expressions import const, op
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, View


def _marking(strategy: str) -> Callable[[Stage, Any], Any]:
    def mark(stage: Stage, x: Any) -> Any:
        if not isinstance(x, ArrayValue):
            return x
        view = x if isinstance(x, View) else stage.copy(x)
        known = stage.marks.setdefault(view.base, strategy)
        if known != strategy:
            stage.refuse("This array is to be kept, and to be computed again.", "Decide for one of both.")
        return view

    return mark


def _stopped(stage: Stage, x: Any) -> Any:
    """A copy that no derivative flows through; it is linked to the array, which Python has but once."""
    if isinstance(x, Complex):
        return Complex(*(_stopped(stage, part) for part in x.parts))
    if not isinstance(x, ArrayValue):
        return x if structures.parts(x) is None else structures.rebuilt(x, lambda _, item: _stopped(stage, item))
    if x.dtype.kind != "f":
        return x
    zero = const(0, x.dtype)
    held = stage.lazy(x.shape, x.dtype, lambda point: op("anchored", x.dtype, zero, x.element(point)), x.weak)
    copy = stage.copy(held)
    if isinstance(x, View) and stage.is_array(x):
        stage.links |= {(copy.base, x.base)}
    return copy


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    directives.checkpoint: _marking("store"),
    directives.recompute: _marking("recompute"),
    directives.stop_gradient: _stopped,
}
