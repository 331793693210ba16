"""A pass changes how things are computed, never what: the interpreter before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from daad.analysis.alias import is_valid
from daad.analysis.context import Scope, map_scoped_leaves
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.printer import program_text
from daad.ir.validator import validate
from daad.ir.walk import loads, nests
from daad.pipeline import live_at_end

Transformation = Callable[[Program], Program]


def arguments(program: Program, seed: int = 0) -> dict[str, object]:
    """Positive random parameters, gathers within bounds, every int parameter 4."""
    rng = np.random.default_rng(seed)
    made: dict[str, object] = {name: 4 for name in program.integers}
    for name in program.parameters:
        array = program.arrays[name]
        if np.dtype(array.dtype).kind == "f":
            made[name] = rng.uniform(0.5, 1.5, array.shape).astype(array.dtype)
        else:
            made[name] = rng.integers(0, 2 if array.dtype == "bool" else 3, array.shape).astype(array.dtype)
    return made


def check(program: Program, change: Transformation, names: Iterable[str] | None = None, rtol: float = 1e-12) -> Program:
    """The changed program, after comparing the arrays `names` (those visible at the end) with the original's."""
    changed = validate(change(program))
    assert change(program) == changed, "not deterministic"
    for seed in (0, 1):
        values = arguments(program, seed)
        before, after = run(program, values), run(changed, values)
        for name in sorted(names if names is not None else live_at_end(program)):
            scale = np.max(np.abs(before[name]), initial=0.0, where=np.isfinite(before[name]))
            np.testing.assert_allclose(
                after[name],
                before[name],
                rtol=rtol if before[name].dtype != np.float32 else 1e-4,
                atol=rtol * float(scale),
                err_msg=f"'{name}' before\n{program_text(program)}\nafter\n{program_text(changed)}",
            )
    return changed


def invalid_nests(program: Program) -> list[str]:
    """Nests of which it is not certain that no point reads or overwrites what another point writes."""
    found: list[str] = []

    def look(nest, scope):  # type: ignore[no-untyped-def]
        if not is_valid(nest, scope):
            found.append(str(nest))
        return (nest,)

    map_scoped_leaves(program.body, look, Scope())
    return found


def reads_of(program: Program) -> set[str]:
    return {load.array for nest in nests(program.body) for a in nest.assigns for load in loads(a.value)}
