"""Where the primal fills tapes, and where loops that will be run again keep their state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from daad.analysis.sites import ORELSE, THEN, Path, Point
from daad.ccs.forwarded import Forwarded
from daad.ilp.online_stores import Writer
from daad.ilp.plan import Kept, Plan, Snapshots
from daad.ir.affine import Affine
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Index, Load, Loop, Nest, Node, Op, Range
from daad.ir.walk import variable_names
from daad.loops.online import Online
from daad.loops.replay import FIRST, KEEP, LAST, RESTORE, REVERSE, START, STOP, Replayed, roots
from daad.loops.schedule import Schedule
from daad.loops.unchanged_arrays import left_out

Stores = Mapping[Point, list[Node]]


def stores_of(forwarded: Sequence[Forwarded], backward: tuple[Node, ...], plan: Plan, names: NameSupply) -> Stores:
    """What is added to the primal statements of a region: its tapes, and the states of loops that it runs again."""
    stores: dict[Point, list[Node]] = {}
    for version in forwarded:
        stores.setdefault(version.point, []).append(_store(plan.kept[version.name], names))
    for node in roots(backward):
        snapshots, path = plan.snapshots[node.replay.path], node.replay.path
        stores.setdefault(Point(path, 0), []).extend(_keep_on_the_way(snapshots, node, names))
        if online := _online(snapshots, names):
            stores.setdefault(Point(path[:-1], path[-1]), []).extend(online.begin())
    return stores


def _store(kept: Kept, names: NameSupply) -> Nest:
    """The array into its tape."""
    return _moved(kept, names)[0]


def _moved(kept: Kept, names: NameSupply) -> tuple[Nest, Nest]:
    """The array into its tape, and back."""
    names = names.within(loop.var for loop in (*kept.forwarded.around, *kept.forwarded.loops))
    index: list[Affine] = []
    domain: list[Range] = []
    for var, span in zip(names.axes(len(kept.spans)), kept.spans, strict=True):
        if (span.high - span.low) == Affine(1):
            index.append(span.low)
            continue
        index.append(Affine.of(var))
        domain.append(Range(var, span.low, span.high))
    (own, there), dtype = (tuple(index), kept.place(tuple(index))), kept.forwarded.dtype
    array, tape = kept.forwarded.array, kept.tape.name
    into = Assign(Access(tape, there), "=", Load(array, own, dtype))
    back = Assign(Access(array, own), "=", Load(tape, there, dtype))
    return Nest(tuple(domain), (into,)), Nest(tuple(domain), (back,))


def _keep_on_the_way(snapshots: Snapshots, node: Replayed, names: NameSupply) -> list[Node]:
    replay, inner = node.replay, names.within((node.var,))
    if online := _online(snapshots, inner):
        return online.each(partial(_copies, snapshots, names=inner, keep=True))
    if replay.schedule.keeps_all:
        return [_store(kept, names) for kept in snapshots.each.values()]
    lowest = min(replay.first, replay.value(replay.schedule.trips - 1))
    return _keep(snapshots, (snapshots.tables["marks"], Affine.of(node.var) - lowest, 0), inner)


def _online(snapshots: Snapshots, names: NameSupply) -> Writer | None:
    """What writes the statements of a loop that data end; None for others."""
    replay = snapshots.replay
    if not isinstance(replay.schedule, Online):
        return None
    names = names.within(_outer_variables(snapshots))
    return Writer(replay, replay.schedule, snapshots.tables, snapshots.trips, names)


def _keep(snapshots: Snapshots, entry: tuple[Array, Affine, int], names: NameSupply) -> list[Node]:
    """Keeps the state if there is a slot in the table's row, from the column given to the next."""
    table, row, column = entry
    first, last = (Load(table.name, (row, Affine(c)), "int64") for c in (column, column + 1))
    return _copies(snapshots, first, last, names, keep=True)


def _restore(snapshots: Snapshots, slot: Load, names: NameSupply) -> list[Node]:
    """The state from its slot. (A loop over this one slot: its variable is not looked up for each element.)"""
    return _copies(snapshots, slot, Op("add", (slot, Const(1, "int64")), "int64"), names, keep=False)


def _copies(snapshots: Snapshots, first: Index, last: Index, names: NameSupply, keep: bool) -> list[Node]:
    """The state into the slots from the first to the last, or back."""
    names = names.within(_outer_variables(snapshots))
    slot = names.new("slot")
    body = tuple(_copy(snapshots, name, Affine.of(slot), names, keep) for name in snapshots.kept)
    return [Loop(slot, first, last, 1, body)] if body else []


def _outer_variables(snapshots: Snapshots) -> set[str]:
    return {loop.var for loop in (*snapshots.replay.around, *snapshots.replay.loops)}


def _copy(snapshots: Snapshots, name: str, slot: Index, names: NameSupply, keep: bool) -> Nest:
    """The state of an array into its slot, or back."""
    kept = snapshots.kept[name]
    array = Array(name, kept.shape[len(snapshots.replay.loops) + 1 :], kept.dtype)
    domain, index = all_points(array, names)
    place = snapshots.place(slot, index)
    if keep:
        return Nest(domain, (Assign(Access(kept.name, place), "=", Load(name, index, array.dtype)),))
    return Nest(domain, (Assign(Access(name, index), "=", Load(kept.name, place, array.dtype)),))


def insert(body: tuple[Node, ...], stores: Stores, path: Path) -> tuple[Node, ...]:
    """The body at `path` with the additional statements at their points."""
    out: list[Node] = []
    for child in range(len(body) + 1):
        out.extend(stores.get(Point(path, child), ()))
        if child < len(body):
            out.append(_insert_below(body[child], stores, (*path, child)))
    return tuple(out)


def _insert_below(node: Node, stores: Stores, path: Path) -> Node:
    if isinstance(node, Loop):
        return replace(node, body=insert(node.body, stores, path))
    if isinstance(node, Branch):
        then, orelse = insert(node.then, stores, (*path, THEN)), insert(node.orelse, stores, (*path, ORELSE))
        return replace(node, then=then, orelse=orelse)
    return node


def with_replays(body: tuple[Node, ...], plan: Plan, names: NameSupply) -> tuple[Node, ...]:
    """The adjoint with its replayed loops written out as the actions of their schedules."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Replayed):
            out.extend(_written_out(node, plan, names))
        elif isinstance(node, Loop):
            out.append(replace(node, body=with_replays(node.body, plan, names)))
        elif isinstance(node, Branch):
            then, orelse = with_replays(node.then, plan, names), with_replays(node.orelse, plan, names)
            out.append(replace(node, then=then, orelse=orelse))
        else:
            out.append(node)
    return tuple(out)


def _written_out(node: Replayed, plan: Plan, names: NameSupply) -> list[Node]:
    snapshots, schedule = plan.snapshots[node.replay.path], node.replay.schedule
    own = *variable_names(node.replay.primal), *variable_names(node.body), *_outer_variables(snapshots), node.var
    if online := _online(snapshots, names.within(own)):
        restore, keep = (partial(_copies, snapshots, names=online.names, keep=keep) for keep in (False, True))
        return online.backwards(restore, keep, partial(_iteration, node, plan), node.at)
    assert isinstance(schedule, Schedule), "a schedule that is known, or one that is worked out"
    return [_backwards(node, plan, names) if schedule.keeps_all else _actions(node, schedule, plan, names)]


def _actions(node: Replayed, schedule: Schedule, plan: Plan, names: NameSupply) -> Loop:
    """For each action: restore the state, advance and keep states, run an iteration with its tapes and reverse it."""
    replay, snapshots = node.replay, plan.snapshots[node.replay.path]
    own = *variable_names(replay.primal), *variable_names(node.body), *_outer_variables(snapshots), node.var
    inner = names.within(own)
    action, part = inner.new("action"), inner.new("part")

    def entry(column: int) -> Load:
        return Load(snapshots.tables["actions"].name, (Affine.of(action), Affine(column)), "int64")

    def bound(column: int) -> Load:
        return Load(snapshots.tables["advances"].name, (Affine.of(part), Affine(column)), "int64")

    iteration = _iteration(node, plan, inner)
    advance = (
        Loop(node.var, bound(START), bound(STOP), replay.direction, replay.again, node.at),
        *_keep(snapshots, (snapshots.tables["advances"], Affine.of(part), KEEP), inner),
    )
    start = entry(REVERSE)
    end = Op("add", (start, Const(replay.direction, "int64")), "int64")
    body: tuple[Node, ...] = (
        *_restore(snapshots, entry(RESTORE), inner),
        Loop(part, entry(FIRST), entry(LAST), 1, advance, node.at),
        Loop(node.var, start, end, replay.direction, iteration, node.at),
    )
    return Loop(action, Affine(0), Affine(len(schedule.actions)), 1, body, node.at)


def _backwards(node: Replayed, plan: Plan, names: NameSupply) -> Loop:
    """Each iteration from the state before it, last to first."""
    replay, each = node.replay, plan.snapshots[node.replay.path].each
    inner = names.within((*variable_names(replay.primal), *variable_names(node.body), node.var))
    restore = [_moved(kept, inner)[1] for kept in each.values()]
    start, stop = (Affine(replay.value(n)) for n in (replay.schedule.trips - 1, -1))
    return Loop(node.var, start, stop, -replay.direction, (*restore, *_iteration(node, plan, inner)), node.at)


def _iteration(node: Replayed, plan: Plan, names: NameSupply) -> tuple[Node, ...]:
    """An iteration that is run with its tapes, and reversed."""
    replay = node.replay
    stores = stores_of(replay.forwarded, node.body, plan, names)
    forward = left_out(insert(replay.primal, stores, replay.path), replay.held)
    return (*forward, *with_replays(node.body, plan, names))
