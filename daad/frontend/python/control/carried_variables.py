"""What one iteration of a loop hands on to the next: which variables need storage for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daad.frontend.python.reading.environment import Change, same
from daad.frontend.python.reading.fixpoint import Again, is_variable_of_call
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader, Tracker
from daad.frontend.python.reading.scope import MISSING, Unknown
from daad.frontend.python.values.iterators import Place
from daad.frontend.python.values.over_loops import lengthened_arrays, rebound_lists
from daad.frontend.staging import variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Unroll
from daad.frontend.staging.values import ArrayValue, View

MAX_PERIOD = 12


def settled(reader: Reader, found: Sequence[Change]) -> list[Change]:
    """What the methods of lists and dicts have moved goes into the storage of its new place; all is read first."""
    places = [(change, reader.cells.get((id(change.holder), change.key))) for change in found]
    moved = [(c, cell) for c, cell in places if cell is not None and _is_moved(c, cell)]
    values = [_copied(reader.stage, c.after, cell.name) for c, cell in moved]
    for (change, cell), value in zip(moved, values, strict=True):
        cell.write(reader.stage, value)
        if reader.stage.is_array(change.after):
            reader.stage.stand_for(cell.storage[0].base, change.after.base)
    return [c for c in found if not any(c is other for other, _ in moved)]


def _is_moved(change: Change, cell: variable_storage.Cell) -> bool:
    """Whether it is an array, or a tuple or complex number of staged numbers, that lies elsewhere."""
    staged = [leaf for leaf in variable_storage.leaves(change.after) if isinstance(leaf, ArrayValue)]
    if not staged or (change.after is not staged[0] and any(leaf.ndim for leaf in staged)):
        return False
    return not is_variable_of_call(change) and not cell.holds(change.after)


def _copied(stage: Stage, value: Any, name: str) -> Any:
    return variable_storage.with_leaves(value, lambda v: stage.copy(v, name) if isinstance(v, ArrayValue) else v)


def carry(reader: Reader, plan: Plan, found: Sequence[Change], tracker: Tracker, is_sure: bool) -> None:
    """Raises Again when variables turn out to need storage, or exchanged arrays another period."""
    carried = [c for c in found if not is_variable_of_call(c) or c.variable in tracker.read]
    carried = [c for c in carried if c.after is not MISSING]
    for change in carried:
        if isinstance(change.after, Unknown):
            reader.usable(change.after)
    if not carried:
        return
    if _exchanged(reader.stage, carried) and 0 < plan.period < MAX_PERIOD:
        plan.period += 1
        raise Again
    plan.period = 1 if plan.period < MAX_PERIOD else 0
    for change in carried:
        before, after = variable_storage.spec_of(change.before), variable_storage.spec_of(change.after)
        spec = None if before is None or after is None else variable_storage.join(before, after)
        if spec is None and reader.grows and lengthened_arrays.learn(plan, change):
            continue
        if spec is None and reader.grows and is_sure and rebound_lists.learn(reader, plan, change):
            continue
        if spec is None:
            _no_storage(reader, plan, change)
            raise Again
        plan.specs[change.path] = spec
    raise Again


def _no_storage(reader: Reader, plan: Plan, change: Change) -> None:
    """The first iteration may make the variable what it stays; else each iteration is another one."""
    if not plan.peel:
        plan.peel, plan.specs = True, {}
        return
    message = f"The name '{change.key}' changes its kind from iteration to iteration."
    if isinstance(change.before, Place):
        message = "An iterator from before this loop is read in it."
    plan.unroll = Unroll(plan.variable, message, reader.stage.at)


def _exchanged(stage: Stage, carried: Sequence[Change]) -> list[Change]:
    """Names that hold each other's arrays after the body: a permutation."""
    views = [c for c in carried if stage.is_array(c.before) and isinstance(c.after, View)]
    while True:
        kept = [
            c
            for c in views
            if any(same(c.after, other.before) for other in views) and any(same(c.before, o.after) for o in views)
        ]
        if len(kept) == len(views):
            return views
        views = kept
