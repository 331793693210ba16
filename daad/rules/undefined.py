"""Where a program keeps NaN or infinity for what nobody may use: cells outside of a domain, say.

What is computed from them is overwritten or left out before it counts. Its adjoint is zero then, and zero times NaN has
to be zero, too.
"""

from __future__ import annotations

import math

from daad.ir.nodes import Const, Expr, Program
from daad.ir.walk import assigns


def undefined_arrays(program: Program) -> frozenset[str]:
    """The local arrays, not single numbers, that may hold them: filled with such a constant, or computed from one that
    is. What a maximum or minimum begins with is overwritten."""
    made = assigns(program.body)
    known = {
        name
        for name, its in made.items()
        if program.arrays[name].shape
        and any(_is_undefined(a.value) for a in its)
        and not any(a.combine.is_extremum for a in its)
    }
    new = known
    while new:
        new = {n for n, its in made.items() if n not in known and any(reads_any(a.value, new) for a in its)}
        known = known | new
    return frozenset(known)


def reads_any(value: Expr, arrays: frozenset[str] | set[str]) -> bool:
    """Whether an expression loads one of the arrays."""
    return not value.arrays.isdisjoint(arrays)


def _is_undefined(value: Expr) -> bool:
    return isinstance(value, Const) and isinstance(value.value, float) and not math.isfinite(value.value)
