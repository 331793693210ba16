"""Where NumPy reads what it has just overwritten: it copies a line into a line of other steps without a temporary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daad.analysis.alias import coincide
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import View, axis
from daad.ir.affine import Affine
from daad.ir.nodes import Index
from daad.ir.symbols import Kind, form


def refuse_overwritten(stage: Stage, target: View, value: Any) -> None:
    """`target[...] = value` has no meaning that NumPy keeps to."""
    if isinstance(value, View) and _reads_overwritten(target, value, stage.facts()):
        stage.refuse(
            "NumPy may read elements here that this assignment has overwritten, for both parts are of one array.",
            "Assign a copy of the value.",
        )


def _reads_overwritten(target: View, value: View, facts: Sequence[Affine]) -> bool:
    """Between equal steps NumPy copies in the right order; of opposite ones and of more axes it takes care."""
    if target.base != value.base or (target.ndim, value.ndim) != (1, 1) or value.shape != target.shape:
        return False
    steps, others = _steps(target), _steps(value)
    if steps == others or not any(others) or _is_backward(steps) != _is_backward(others):
        return False
    written, read, extent = form(Kind.POINT, "written"), form(Kind.POINT, "read"), target.shape[0]

    def moved(view: View, position: Affine) -> tuple[Index, ...]:
        return view.place((extent - 1 - position if _is_backward(steps) else position,))

    there, here = moved(target, written), moved(value, read)
    inside = [*facts, written, extent - written - 1, read, extent - read - 1]
    start, other = moved(target, Affine(0))[0], moved(value, Affine(0))[0]
    forward, backward = list[Affine](), list[Affine]()
    if len(here) == 1 and isinstance(start, Affine) and isinstance(other, Affine):
        forward, backward = [other - start], [start - other - 1]
    late = coincide(there, here, [*inside, *forward, read - written - 1])
    return late or coincide(there, here, [*inside, *backward, written - read - 1])


def _steps(view: View) -> tuple[int, ...]:
    return tuple(i.coefficient(axis(0)) if isinstance(i, Affine) else 0 for i in view.index)


def _is_backward(steps: Sequence[int]) -> bool:
    """Whether a line runs against the order in memory."""
    return next((step < 0 for step in steps if step), False)
