"""`daad.checkpoint` and `daad.recompute`: what the user decides about an array, said in the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daad.frontend import directives
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View


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


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    directives.checkpoint: _marking("store"),
    directives.recompute: _marking("recompute"),
}
