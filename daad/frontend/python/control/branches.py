"""`if` on run-time conditions: both sides are read, and what they bind differently gets storage."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from daad.errors import Unsupported
from daad.frontend import unsupported
from daad.frontend.python.control import early_exits, unset_names
from daad.frontend.python.control.checks import raise_on_all_sides, until_raised
from daad.frontend.python.reading.environment import Change, Saved, Varying, changes, restore, same, save
from daad.frontend.python.reading.fixpoint import Again, OneSide, install, or_hidden, remove, repeat
from daad.frontend.python.reading.hidden_state import all_changes, hide, hide_container
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.reading.scope import MISSING, Hidden, OnlyShown, Unknown
from daad.frontend.python.syntax.made_nodes import jumps_in, place
from daad.frontend.python.values import overloads
from daad.frontend.python.values.over_loops import growing_lists, rebound_lists
from daad.frontend.python.values.unread_lists import give_up
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.facts import Block
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.truth import facts_of, is_static_but_for_loops
from daad.frontend.staging.values import ArrayValue, Complex
from daad.frontend.staging.variable_storage import Cell
from daad.ir.nodes import Expr


def run_if(reader: Reader, node: ast.If, rest: Sequence[ast.stmt]) -> tuple[Signal | None, bool]:
    """The statement; gives its signal and whether it has run the rest of the block too."""
    condition = or_hidden(reader, node.test, partial(overloads.condition, reader, node.test))
    if isinstance(condition, OnlyShown):
        _run_hidden(reader, node, condition.refusal)
        return None, False
    if isinstance(condition, bool):
        side = node.body if condition else node.orelse
        jumps = any(map(_jumps, side))
        return reader.execute([*side, *rest] if jumps else side), jumps
    jumps = any(_jumps(statement) for statement in (*node.body, *node.orelse))
    then, orelse = list(node.body), list(node.orelse)
    if jumps:
        then, orelse = [*then, *rest], [*orelse, *rest]

    def attempt(plan: Plan) -> Signal | None:
        if plan.decided:
            holds = decided(reader.stage, condition)
            if reader.left_out is not None:
                reader.left_out += [(reader.scope, one) for one in (orelse if holds else then)]
            return cast(Signal | None, reader.execute(then if holds else orelse))
        return _attempt(reader, plan, condition, then, orelse)

    signal = repeat(reader, (*reader.path, place(node)), attempt, loop=False)
    if signal is Signal.RAISED:
        raise_on_all_sides(reader)
    return signal, jumps


def _run_hidden(reader: Reader, node: ast.If, why: Hidden) -> None:
    """A branch on something hidden: what it changes is hidden, too."""
    stage = reader.stage
    if any(map(_jumps, (*node.body, *node.orelse))):
        raise why
    links, older, before, saved = stage.links, stage.live.serials(), set(stage.arrays), save(reader.holders())
    found: list[tuple[list[Change], list[Any]]] = []
    for side in (node.body, node.orelse):
        with stage.block() as block:
            reader.execute(side)
        if any(one.written & before for one in block.nodes):
            raise why
        found.append(all_changes(saved))
        restore(saved, stage)
        stage.links = links
        stage.bring_back(stage.put_aside(older))
    for changed, varied in found:
        for change in changed:
            hide(reader, change.holder, change.key, why)
        if not all(hide_container(reader, container, why) for container in varied):
            raise why


def _jumps(statement: ast.stmt) -> bool:
    """Whether the statement may end the block that it stands in."""
    return any(True for _ in jumps_in(statement))


def _attempt(
    reader: Reader, plan: Plan, condition: Expr, then: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
) -> Signal | None:
    stage = reader.stage
    rebound = rebound_lists.enter(reader, plan, freezes=True)
    made = install(reader, plan, enter=False)
    lasting = rebound_lists.begin(reader, plan, rebound)
    saved = save(reader.holders()) if made or rebound else plan.saved
    bound = [set(t.bound) for t in reader.trackers]
    links, after = stage.links, frozenset[tuple[str, str]]()
    older, apart = stage.live.serials(), list[ArrayValue]()
    sides: dict[bool, Side] = {}
    for statements, holds in sorted(((then, True), (orelse, False)), key=lambda side: not _raises(side[0])):
        restore(saved, stage)
        for cell in made:
            cell.last, cell.waits_at = None, len(stage.blocks) + 1
        for tracker, names in zip(reader.trackers, bound, strict=True):
            tracker.bound = set(names)
        stage.links = links
        is_only = any(side.signal is Signal.RAISED for side in sides.values())
        with stage.block(facts_of(stage, condition, holds)) as block, reader.undecided(condition):
            signal = until_raised(reader, partial(reader.execute, statements))
            is_left = signal is Signal.RAISED or is_only
            if signal is not Signal.RAISED:
                for one in lasting:
                    one.end(reader, saved)
                _keep(reader, [*made, *(c for c in reader.cells.values() if c.path in plan.kept and c not in made)])
            found = [] if is_left else _changes(reader, saved, condition)
        if signal is not Signal.RAISED:
            after |= stage.links
        apart += stage.put_aside(older)
        sides[holds] = Side(block, signal, found, [set(t.bound) for t in reader.trackers])
    stage.links = after
    stage.bring_back(apart)
    _meet(reader, plan, list(sides.values()), saved, bound)
    remove(reader, made)
    stage.branch(condition, sides[True].block, sides[False].block)
    return _signal(reader, condition, sides[True].signal, sides[False].signal)


@dataclass(frozen=True)
class Side:
    """What one side of a branch does; `bound`: the variables that it gives a value, for each loop around."""

    block: Block
    signal: Signal | None
    changes: list[Change]
    bound: list[set[Any]]


def _raises(statements: Sequence[ast.stmt]) -> bool:
    """Whether the statements end with an exception, as can be seen."""
    return any(isinstance(statement, ast.Raise) for statement in statements)


def _meet(reader: Reader, plan: Plan, sides: Sequence[Side], saved: Sequence[Saved], bound: Sequence[set[Any]]) -> None:
    """What holds behind the branch, the sides as they were read: behind an exception nothing does."""
    first, last = sides
    if first.signal is Signal.RAISED:
        if last.signal is Signal.RAISED:
            restore(saved, reader.stage)
        return
    if last.signal is Signal.RAISED:
        last = first
    _note_reads(reader, bound, [first.bound, last.bound], saved)
    _merge(reader, plan, [first.changes, last.changes], saved)


def _keep(reader: Reader, filled: Sequence[Cell]) -> None:
    """On a side that does not bind a variable its storage takes the value from before, or what a list, which puts its
    items in another order, has there now: the storage of another one, whose content is still to be read."""
    contents = [(cell, container_items.got(cell.holder, cell.key, MISSING)) for cell in filled]
    moved = [
        (cell, variable_storage.duplicated(reader.stage, content))
        for cell, content in contents
        if content is not MISSING and not isinstance(content, Unknown) and not cell.holds(content)
    ]
    for cell, content in moved:
        cell.write(reader.stage, content)


def _changes(reader: Reader, saved: Sequence[Saved], condition: Expr) -> list[Change]:
    try:
        return changes(saved)
    except Varying as found:
        growing_lists.count(reader, found.holder)
        if not growing_lists.may_count(reader, found.holder, condition):
            _unroll_if_static(reader, condition, "A list or dict changes its length in a branch.")
        message = "A list or dict changes its length in a branch on data."
        refused = Unsupported(message, at=reader.stage.at, hint="Make it the same length on both sides.")
        give_up(reader, found.holder, refused)
        raise refused from None


def _unroll_if_static(reader: Reader, condition: Expr, message: str) -> None:
    """In a loop whose iterations would each know the side, unrolls it."""
    form = is_static_but_for_loops(reader.stage, condition)
    if form is not None:
        raise reader.stage.unroll(form, message)


def _note_reads(
    reader: Reader, bound: Sequence[set[Any]], seen: Sequence[list[set[Any]]], saved: Sequence[Saved]
) -> None:
    """What one side alone binds, the other keeps from before: it is read there."""
    known = {
        (id(entry.holder), key)
        for entry in saved
        if isinstance(entry.content, dict)
        for key, value in entry.content.items()
        if not isinstance(value, Unknown)
    }
    for number, tracker in enumerate(reader.trackers):
        then, orelse = seen[0][number], seen[1][number]
        tracker.read |= ((then ^ orelse) - bound[number]) & known
        tracker.bound = then & orelse


def _merge(reader: Reader, plan: Plan, sides: Sequence[list[Change]], saved: Sequence[Saved]) -> None:
    """One value for each variable; Again when a variable turns out to need storage."""
    changed: dict[tuple[Any, ...], list[Change | None]] = {}
    for number, found in enumerate(sides):
        for change in found:
            changed.setdefault(change.path, [None, None])[number] = change
    restore(saved, reader.stage)
    grown = False
    for path, pair in changed.items():
        one = pair[0] or pair[1]
        assert one is not None, "a changed variable changed on some side"
        left, right = (one.before if change is None else change.after for change in pair)
        cell = reader.cells.get((id(one.holder), one.key))
        if cell is not None and not _complete(cell, left, right):
            plan.kept.add(cell.path)
            grown = True
        elif cell is not None:
            one.hold(_of_cell(reader, one, cell, left, right))
        elif same(left, right):
            one.hold(left)
        elif (spec := _common(left, right)) is not None:
            plan.specs[path] = spec
            grown = True
        elif reader.grows and rebound_lists.learn_sides(reader, plan, path, left, right):
            grown = True
        else:
            one.hold(_unknown(reader, plan, one, left, right))
    if grown:
        raise Again


def _complete(cell: Cell, left: Any, right: Any) -> bool:
    """Whether the storage holds the variable's value on both sides, where it has one."""
    found = [side for side in (left, right) if side is not MISSING and not isinstance(side, Unknown)]
    return all(cell.holds(side) for side in found)


def _of_cell(reader: Reader, change: Change, cell: Cell, left: Any, right: Any) -> Any:
    """The storage, when both sides have filled it."""
    missing = any(side is MISSING or isinstance(side, Unknown) for side in (left, right))
    return Unknown(demand=_flag(reader, change, left, right)) if missing else cell.value()


def _flag(reader: Reader, change: Change, left: Any, right: Any) -> Any:
    """The order that a variable which has a value on one side alone gets a flag, if it may have one."""
    values = [side for side in (left, right) if side is not MISSING and not isinstance(side, Unknown)]
    return unset_names.demand(reader, change.holder, change.key, values[0]) if len(values) == 1 else None


def _unknown(reader: Reader, plan: Plan, change: Change, left: Any, right: Any) -> Unknown:
    """What can tell the value of one side may tell that of the variable; so may knowing the side."""
    for side in (left, right):
        if isinstance(side, Unknown) and (side.pins or side.demand is not None):
            return side
    demand = OneSide(plan) if reader.stage.speculation.is_on else _flag(reader, change, left, right)
    return Unknown(demand=demand, mixed=left is not MISSING and right is not MISSING)


def _common(left: Any, right: Any) -> Any:
    """The storage for both sides; a real number is no complex one: many functions give something else of it."""
    specs = variable_storage.spec_of(left), variable_storage.spec_of(right)
    if left is MISSING or right is MISSING or specs[0] is None or specs[1] is None:
        return None
    if isinstance(specs[0].skeleton, Complex) != isinstance(specs[1].skeleton, Complex):
        return None
    return variable_storage.join(specs[0], specs[1])


def _signal(reader: Reader, condition: Expr, then: Signal | None, orelse: Signal | None) -> Signal | None:
    """How the block ends, whichever side is taken."""
    if then is orelse or orelse is Signal.RAISED:
        return then
    if then is Signal.RAISED:
        return orelse
    if Signal.RETURN not in (then, orelse) and Signal.BREAK not in (then, orelse):
        return Signal.CONTINUE
    _unroll_if_static(reader, condition, "A loop that ends early cannot be differentiated yet.")
    early_exits.leave(reader)
    if Signal.BREAK in (then, orelse):
        reader.stage.refuse("Data decide where a loop ends that is written out.", "Let the loop go on to its end.")
    raise unsupported.refuse_return(reader.stage.at, bool(reader.stage.loop_variables))
