"""Where a program keeps NaN or infinity for what nobody may use: cells outside of a domain, say.

What is computed from them is overwritten or left out before it counts. Its adjoint is zero then, and zero times NaN has
to be zero, too.
"""

from __future__ import annotations

import math

from daad.ir.nodes import Assign, Const, Expr, Load, Program
from daad.ir.operations.updates import Combine
from daad.ir.walk import nests, nodes

EXTREMES = (Combine.MAXIMUM, Combine.MINIMUM)


def undefined_arrays(program: Program) -> frozenset[str]:
    """The local arrays, not single numbers, that may hold them: filled with such a constant, or computed from one that
    is. What a maximum or minimum begins with is overwritten."""
    assigns: dict[str, list[Assign]] = {}
    for nest in nests(program.body):
        for assign in nest.assigns:
            assigns.setdefault(assign.target.array, []).append(assign)
    known = {
        name
        for name, its in assigns.items()
        if program.arrays[name].shape
        and any(_is_undefined(a.value) for a in its)
        and not any(a.combine in EXTREMES for a in its)
    }
    new = known
    while new:
        new = {n for n, its in assigns.items() if n not in known and any(reads_any(a.value, new) for a in its)}
        known = known | new
    return frozenset(known)


def reads_any(value: Expr, arrays: frozenset[str] | set[str]) -> bool:
    """Whether an expression loads one of the arrays."""
    return any(isinstance(node, Load) and node.array in arrays for node in nodes(value))


def _is_undefined(value: Expr) -> bool:
    return isinstance(value, Const) and isinstance(value.value, float) and not math.isfinite(value.value)
