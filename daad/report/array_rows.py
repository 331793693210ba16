"""The user's arrays whose values reach the adjoint: where from, how many bytes that takes, from where to where."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from daad.ccs.hints import Hints
from daad.ilp import Kept
from daad.ilp.cache_traffic import inside, trips_of
from daad.ilp.plan import Snapshots
from daad.ilp.statement_times import operations
from daad.ir.nodes import Array, Loop
from daad.ir.versions import array_of, is_at_end
from daad.ir.walk import loads, node_loads, walk, writes
from daad.loops.online import Online
from daad.loops.replay import Replay
from daad.loops.schedule import Schedule
from daad.messages.sizes import readable
from daad.pipeline import Derivation
from daad.report.adjoint_lines import Origin
from daad.report.joint_arrays import Held
from daad.report.rounding import explained
from daad.report.source_text import line_at
from daad.report.user_names import UserNames


@dataclass(frozen=True, kw_only=True)
class ArrayRow:
    """A variable, the line that makes it, its shape, the ways in which its values reach the adjoint, the bytes that
    are held for that, where these are allocated and freed, and why."""

    name: str
    line: int | None
    shape: tuple[int, ...]
    origins: tuple[Origin, ...]
    nbytes: int
    allocated: str = ""
    freed: str = ""
    why: tuple[str, ...] = ()

    @property
    def is_in_place(self) -> bool:
        """Whether nothing has to be done for it."""
        return self.origins == (Origin.IN_PLACE,)


def array_rows(derivation: Derivation, names: UserNames, held: tuple[Held, ...]) -> tuple[ArrayRow, ...]:
    """One row for each variable, those first that take most; of several arrays for one variable all are counted."""
    found: dict[str, ArrayRow] = {}
    for row in _parts(derivation, names, {one.array: one for one in held}):
        found[row.name] = _joined(found[row.name], row) if row.name in found else row
    return tuple(sorted(found.values(), key=lambda row: -row.nbytes))


def _joined(one: ArrayRow, other: ArrayRow) -> ArrayRow:
    if Origin.IN_PLACE in other.origins and one.origins:
        return replace(one, origins=tuple(dict.fromkeys((*one.origins, *other.origins))))
    return replace(
        one,
        origins=tuple(dict.fromkeys((*one.origins, *other.origins))),
        nbytes=one.nbytes + other.nbytes,
        allocated=one.allocated or other.allocated,
        freed=other.freed or one.freed,
        why=tuple(dict.fromkeys((*one.why, *other.why))),
    )


def _parts(derivation: Derivation, names: UserNames, held: Mapping[str, Held]) -> Iterator[ArrayRow]:
    arrays = derivation.primal.arrays

    def row(name: str, origin: Origin, why: str, tape: Array | None = None) -> ArrayRow:
        at, there = names.made_at(name), held.get(tape.name) if tape else None
        in_slabs = tape is not None and there is not None and there.nbytes < tape.nbytes
        return ArrayRow(
            name=names.of(name),
            line=at.line if at else None,
            shape=arrays[name].shape,
            origins=(origin,),
            nbytes=there.nbytes if there else 0,
            allocated=there.first.where if there else "",
            freed=there.last.where if there else "",
            why=(*([why] if why else []), *([f"in slabs, of {readable(tape.nbytes)} in all"] if in_slabs else [])),  # type: ignore[union-attr]
        )

    for kept in derivation.plan.kept.values():
        yield row(kept.forwarded.array, Origin.STORED, _often(kept, derivation), kept.tape)
    for snapshots in derivation.plan.snapshots.values():
        for name, array in snapshots.kept.items():
            yield row(name, Origin.CHECKPOINT, replayed(snapshots, derivation.hints), array)
    for name, origin, why in (*_undone(derivation), *_again(derivation)):
        yield row(name, origin, why)
    for name in in_place(derivation):
        yield row(name, Origin.IN_PLACE, "")


def _often(kept: Kept, derivation: Derivation) -> str:
    origins = {s.replay.origin for s in derivation.plan.snapshots.values() if s.replay.origin}
    loops = [_loop(loop, origins) for loop in kept.forwarded.loops]
    often = f"in each iteration of {', '.join(dict.fromkeys(loops))}" if loops else "once"
    return f"overwritten later; kept {often}" + (", as much as that one needs" if kept.tape.extents else "")


def _loop(loop: Loop, origins: Collection[str]) -> str:
    """A loop by the user's variable; one that the user has written as repeated statements by their first line."""
    text = line_at(loop.at)
    if loop.at and text and not re.search(r"\b(for|while)\b", text):
        return f"the repetition that line {loop.at.line} begins"
    return f"'{next((o for o in origins if loop.var.startswith(f'{o}_')), loop.var)}'"


def replayed(snapshots: Snapshots, hints: Hints) -> str:
    """How a loop is run again, and what that takes."""
    schedule, loop = snapshots.replay.schedule, loop_name(snapshots, hints)
    unit = "blocks" if snapshots.replay.path in hints.blocks else "iterations"
    why = f"{loop} is run again from {_states(schedule)} {schedule.steps} {unit} for {schedule.trips}, "
    return why + counted(schedule.steps * _operations_of_iteration(snapshots.replay))


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
    return f"{short(number)} operations"


def short(number: float) -> str:
    """A number of operations; large ones with three digits."""
    return f"{number:.3g}" if number >= 1e6 else f"{number:.0f}"


def _operations_of_iteration(replay: Replay) -> float:
    """Of one iteration of a loop that is run again, for all iterations of the loops around."""
    middles, times = dict[str, float](), 1.0
    for loop in (*replay.around, *replay.loops):
        times *= trips_of(loop, middles) if loop in replay.loops else 1.0
        middles = inside(loop, middles)
    middle = (replay.first + replay.value(replay.schedule.trips - 1)) / 2
    return times * operations(replay.again, {**middles, replay.var: middle})


Reason = tuple[str, Origin, str]


def _again(derivation: Derivation) -> Iterator[Reason]:
    rerun = (Origin.RERUN, "its statements are run again before the adjoint reads it", derivation.hints.rerun)
    inline = (Origin.RECOMPUTED, "computed again where the adjoint reads it", derivation.hints.recompute)
    for origin, why, names in (rerun, inline):
        for name in sorted(n for n in derivation.primal.arrays if n in names):
            own = tuple(node for node in derivation.primal.body if name in writes((node,)))
            yield name, origin, f"{why}, {counted(operations(own, {}))}"


def _undone(derivation: Derivation) -> Iterable[Reason]:
    restored = derivation.adjoint.restored
    undone = sorted({name for _, name in restored.undone})
    remade = "made again where the adjoint reads it"
    return [
        *((name, Origin.UNDONE, explained(derivation.adjoint, name)) for name in undone),
        *((name, Origin.RERUN, remade) for name in sorted(restored.remade)),
    ]


def in_place(derivation: Derivation) -> list[str]:
    """Arrays that still hold what the adjoint reads."""
    names = {
        array_of(load.array)
        for node in walk(derivation.adjoint.body)
        for top in node_loads(node)
        for load in loads(top)
        if is_at_end(load.array)
    }
    return sorted(names - {name for _, name in derivation.adjoint.restored.pieces})
