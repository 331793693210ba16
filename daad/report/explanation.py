"""The table behind `Gradient.explain`: what the adjoint reads, and where that comes from."""

from __future__ import annotations

from daad.ccs.hints import Hints
from daad.ilp import Kept
from daad.ilp.cache_traffic import inside, trips_of
from daad.ilp.plan import Snapshots
from daad.ilp.statement_times import operations
from daad.ir.nodes import Array
from daad.ir.versions import array_of, is_at_end
from daad.ir.walk import loads, node_loads, walk, writes
from daad.loops.online import Online
from daad.loops.replay import Replay
from daad.loops.schedule import Schedule
from daad.messages.sizes import readable
from daad.pipeline import Derivation, parts_of
from daad.report.rounding import explained

LEAST_GAP = 1e-4
"""Smaller gaps come from rounding in the solver."""

APART = "Loops: statements stay apart; in one loop, what each of them reads would be in memory at once"

HEAD = ("value", "shape", "bytes", "strategy", "why")


def explain(derivation: Derivation) -> str:
    """One line for each value that the adjoint reads; then the arrays and statements that matter."""
    rows = [
        HEAD,
        *_kept_rows(derivation),
        *_state_rows(derivation),
        *_undone_rows(derivation),
        *_again_rows(derivation),
        *_in_place_rows(derivation),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    tape = derivation.plan.tape_bytes
    parts = ", ".join(f"{name} {readable(nbytes)}" for name, nbytes in parts_of(derivation).items())
    total = derivation.footprint.total
    held = f", {derivation.tape_bytes} at a time" if derivation.tape_bytes < tape else ""
    end = [str(derivation.ccs), f"Tape: {tape} bytes in {len(derivation.plan.tapes)} arrays{held}"]
    end += [f"Peak: {total} bytes ({parts})", *([APART] if derivation.hints.apart else [])]
    return "\n".join([*lines, "", *end, *_decision_lines(derivation)])


def _decision_lines(derivation: Derivation) -> list[str]:
    """What the integer program was asked, and what it found."""
    decided = derivation.decided
    if decided is None or decided.solution is None:
        return []
    solved, more = decided.solution, decided.proposal.seconds - decided.first.seconds
    size = f"{solved.variables} variables, {solved.constraints} constraints" if solved.variables else "found by search"
    quality = "optimal" if solved.gap < LEAST_GAP else f"not proven optimal (gap {solved.gap:.0%})"
    return [
        f"Plan: {size}, {quality}; "
        f"{decided.tried} plans built; {abs(more):.3g} s {'more' if more > 0 else 'less'} than with everything kept"
    ]


def _state_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for snapshots in derivation.plan.snapshots.values():
        schedule, loop = snapshots.replay.schedule, loop_name(snapshots, derivation.hints)
        unit = "blocks" if snapshots.replay.path in derivation.hints.blocks else "iterations"
        why = f"{loop} is run again from {_states(schedule)} {schedule.steps} {unit} for {schedule.trips}, "
        why += counted(schedule.steps * _operations_of_iteration(snapshots.replay))
        for name, kept in snapshots.kept.items():
            rows.append((name, _shape(kept), str(kept.nbytes), "checkpoint", why))
    return rows


def _states(schedule: Schedule | Online) -> str:
    """How many states are kept; where nobody knows the trip count, what fewer iterations take, too."""
    if isinstance(schedule, Schedule):
        return f"{schedule.slots} kept states:"
    fewer = Online(schedule.trips // 8, schedule.slots)
    return f"{schedule.slots} states, chosen as it runs: {fewer.steps} iterations for {fewer.trips},"


def loop_name(snapshots: Snapshots, hints: Hints) -> str:
    """The loop by the user's variable."""
    length = hints.blocks.get(snapshots.replay.path)
    replay = snapshots.replay
    return f"'{replay.var}'" if length is None else f"'{replay.origin}' in blocks of {length}"


def counted(number: float) -> str:
    """A number of operations in words."""
    return f"{number:.3g} operations" if number >= 1e6 else f"{number:.0f} operations"


def _operations_of_iteration(replay: Replay) -> float:
    """Of one iteration of a loop that is run again, for all iterations of the loops around."""
    middles, times = dict[str, float](), 1.0
    for loop in (*replay.around, *replay.loops):
        times *= trips_of(loop, middles) if loop in replay.loops else 1.0
        middles = inside(loop, middles)
    middle = (replay.first + replay.value(replay.schedule.trips - 1)) / 2
    return times * operations(replay.again, {**middles, replay.var: middle})


def _again_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    rerun = ("rerun", "its statements are run again before the adjoint reads it", derivation.hints.rerun)
    inline = ("recompute", "computed again where the adjoint reads it", derivation.hints.recompute)
    for strategy, why, names in (rerun, inline):
        for name in sorted(n for n in derivation.primal.arrays if n in names):
            own = tuple(node for node in derivation.primal.body if name in writes((node,)))
            also = f"{why}, {counted(operations(own, {}))}"
            rows.append((name, _shape(derivation.primal.arrays[name]), "0", strategy, also))
    return rows


def _undone_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    primal, restored = derivation.adjoint.primal, derivation.adjoint.restored
    rows: list[tuple[str, ...]] = []
    for name in sorted({name for _, name in restored.undone}):
        rows.append((name, _shape(primal.arrays[name]), "0", "undo", explained(derivation.adjoint, name)))
    for name in sorted(restored.remade):
        rows.append((name, _shape(primal.arrays[name]), "0", "rerun", "made again where the adjoint reads it"))
    return rows


def _shape(array: Array) -> str:
    return "x".join(map(str, array.shape)) or "scalar"


def _kept_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    return [_kept_row(k) for k in derivation.plan.kept.values()]


def _kept_row(kept: Kept) -> tuple[str, ...]:
    tape, loops = kept.tape, kept.forwarded.loops
    often = "each iteration of " + ", ".join(f"'{loop.var}'" for loop in loops) if loops else "once"
    often += ", as much as that one needs" if tape.extents else ""
    return (
        kept.forwarded.array,
        _shape(tape),
        str(tape.nbytes),
        kept.decision.value,
        f"overwritten later; kept {often}",
    )


def _in_place_rows(derivation: Derivation) -> list[tuple[str, ...]]:
    names = {
        array_of(load.array)
        for node in walk(derivation.adjoint.body)
        for top in node_loads(node)
        for load in loads(top)
        if is_at_end(load.array)
    }
    rows: list[tuple[str, ...]] = []
    for name in sorted(names - {name for _, name in derivation.adjoint.restored.pieces}):
        rows.append(
            (name, _shape(derivation.primal.arrays[name]), "0", "in place", "still in memory when the adjoint reads it")
        )
    return rows
