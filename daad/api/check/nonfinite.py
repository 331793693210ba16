"""Where a NaN or an infinity comes from: the first operation that makes one of finite operands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from daad.api.check.nearby_kinks import SIGNS
from daad.api.check.observed_adjoint import Reversal
from daad.api.check.observed_primal import Seen, Watch
from daad.api.check.reference_program import Scene
from daad.errors import Location, source_excerpt
from daad.ir.interpreter import executions, run_nest, start


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The operation, its operands and what it made of them; `in_adjoint`: on the way back.

    Or (`operation` is None) the argument that is not finite itself.
    """

    at: Location | None = None
    operation: str | None = None
    operands: tuple[float, ...] = ()
    result: float = float("nan")
    argument: str | None = None
    in_adjoint: bool = False

    def __str__(self) -> str:
        if self.operation is None:
            return f"The argument '{self.argument}' holds {self.result}."
        values = ", ".join(f"{v:.6g}" for v in self.operands)
        where = f"the adjoint of {self.at}" if self.in_adjoint else str(self.at or "an unknown line")
        first = f"The first {self.result} comes from {self.operation}({values}) in {where}:"
        return "\n".join([first, *source_excerpt(self.at)])


def origin_in_program(scene: Scene) -> Origin | None:
    """Where the program itself first makes a NaN or an infinity."""
    for name, array in scene.inputs.items():
        value = np.asarray(scene.arguments[array])
        if not np.all(np.isfinite(value)):
            return Origin(argument=name, result=float(value[~np.isfinite(value)][0]))
    arrays, values = scene.start()
    return _first(Watch(arrays=arrays, values=values).run(scene.program.body), False)


def origin_in_adjoint(reversal: Reversal) -> Origin | None:
    """Where the adjoint first makes one, in its own order."""
    arrays, values = start(reversal.forward, reversal.scene.arguments)
    for execution in executions(reversal.forward.body, arrays, values):
        run_nest(execution, arrays)
    found = _first(Watch(arrays=arrays, values=values).run(reversal.backward.body), True)
    if found is None or found.at is None:
        return found
    return Origin(
        at=reversal.places[found.at.line],
        operation=found.operation,
        operands=found.operands,
        result=found.result,
        in_adjoint=True,
    )


def _first(seen: Iterable[Seen], in_adjoint: bool) -> Origin | None:
    for one in seen:
        if one.result.dtype.kind != "f" or one.operation in SIGNS:
            continue
        bad = ~np.isfinite(one.result)
        for operand in one.operands:
            bad = bad & np.isfinite(operand)
        if np.any(bad):
            operands = tuple(float(np.broadcast_to(o, bad.shape)[bad][0]) for o in one.operands)
            result = float(np.broadcast_to(one.result, bad.shape)[bad][0])
            return Origin(at=one.at, operation=one.operation, operands=operands, result=result, in_adjoint=in_adjoint)
    return None
