"""The table behind `Gradient.explain`: what the adjoint reads, and where that comes from."""

from __future__ import annotations

from daad.ccs.forwarded import END
from daad.ilp import Kept
from daad.pipeline import Derivation
from daad.program.walk import loads, node_loads, walk

HEAD = ("value", "shape", "bytes", "strategy", "why")


def explain(derivation: Derivation) -> str:
    """One line for each value that the adjoint reads; then the arrays and statements that matter."""
    rows = [HEAD, *_kept_rows(derivation), *_in_place_rows(derivation)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    tape = derivation.plan.tape_bytes
    return "\n".join([*lines, "", str(derivation.ccs), f"Tape: {tape} bytes in {len(derivation.plan.kept)} arrays"])


def _kept_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    return [_kept_row(k) for k in derivation.plan.kept.values()]


def _kept_row(kept: Kept) -> tuple[str, ...]:
    tape, loops = kept.tape, kept.forwarded.loops
    shape = "x".join(map(str, tape.shape)) or "scalar"
    often = "each iteration of " + ", ".join(f"'{loop.var}'" for loop in loops) if loops else "once"
    return (kept.forwarded.array, shape, str(tape.nbytes), kept.decision.value, f"overwritten later; kept {often}")


def _in_place_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    names = {
        load.array.removesuffix(END)
        for node in walk(derivation.adjoint.body)
        for top in node_loads(node)
        for load in loads(top)
        if load.array.endswith(END)
    }
    rows: list[tuple[str, ...]] = []
    for name in sorted(names):
        array = derivation.primal.arrays[name]
        shape = "x".join(map(str, array.shape)) or "scalar"
        rows.append((name, shape, "0", "in place", "still in memory when the adjoint reads it"))
    return rows
