"""Staged control flow is read again and again until it is known which variables need storage across it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

from daad.errors import Location, Unsupported
from daad.frontend.python.reading.environment import Change, Path, restore, save
from daad.frontend.python.reading.hidden_state import changes_nothing, may_be_hidden
from daad.frontend.python.reading.loop_plans import CHOSEN, Plan
from daad.frontend.python.reading.reader import UNBOUND, Misused, Reader, Restart, Tracker, Unbound, Widened
from daad.frontend.python.reading.scope import MISSING, Hidden, OnlyShown, Scope
from daad.frontend.python.syntax.made_nodes import place
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.aliasing.alias_copies import Aliased
from daad.frontend.staging.aliasing.alias_tracking import Resettle, Snapshot
from daad.frontend.staging.draws import rewind, state
from daad.frontend.staging.facts import Unroll
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.unread import Looked
from daad.frontend.staging.values import ArrayValue, Complex, View
from daad.frontend.staging.variable_storage import Cell, Spec, Unfit
from daad.ir.nodes import Expr
from daad.ir.symbols import Kind, called, parts_of

Result = TypeVar("Result")
MAX_ATTEMPTS = 200


class Again(Exception):
    """The plan has grown: read once more."""


@dataclass
class Order:
    """What an earlier loop or branch must do after all; `within`: what was in progress when it was read."""

    plan: Plan
    within: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.within = self.plan.within


@dataclass
class Demand(Order):
    """The storage that a variable of an earlier loop needs after all."""

    path: Path
    spec: Spec

    def order(self) -> None:
        self.plan.specs[self.path] = self.spec


class Apart(Order):
    """A variable that the first iteration of an earlier loop gives a value must have one after it: it stands apart."""

    def order(self) -> None:
        self.plan.peel, self.plan.specs = True, {}


class Last(Order):
    """A variable has what the last iteration of an earlier loop gives it, whose number data decide: it is computed."""

    def order(self) -> None:
        self.plan.has_last = True


class OneSide(Order):
    """A variable that has no value after both sides of an earlier branch, or another array after each: the side that is
    taken is read alone."""

    def order(self) -> None:
        self.plan.decided, self.plan.specs = True, {}


@dataclass(frozen=True)
class WrittenOut:
    """A variable that is another array after each iteration of an earlier loop, which is written out."""

    plan: Plan
    at: Location | None

    def order(self) -> None:
        self.plan.unroll = Unroll(self.plan.variable, "A name stands for other arrays in each iteration.", self.at)
        self.plan.specs = {}


class Moment:
    """The state of reading at one moment, to go back to."""

    def __init__(self, reader: Reader) -> None:
        self.stage: Snapshot = reader.stage.snapshot()
        self.saved = save(reader.holders())
        self.frames: list[Scope] = list(reader.frames)
        self.path = list(reader.path)
        self.cells = dict(reader.cells)
        self.subarrays, self.matrices = dict(reader.subarrays), dict(reader.matrices)
        self.trackers = [Tracker(t.plan, t.has_arrays, set(t.read), set(t.bound)) for t in reader.trackers]
        self.growing = [(growing, growing.state()) for growing in reader.growing]
        self.frozen = dict(reader.frozen)
        self.at = reader.stage.at
        self.seeded = reader.seeded
        self.drawn = [(generator, state(generator)) for generator in reader.generators.values()]

    def restore(self, reader: Reader) -> None:
        reader.stage.rollback(self.stage)
        reader.frames[:], reader.path[:] = self.frames, self.path
        reader.cells.clear()
        reader.cells.update(self.cells)
        reader.subarrays, reader.matrices = dict(self.subarrays), dict(self.matrices)
        reader.trackers[len(self.trackers) :] = []
        for tracker, kept in zip(reader.trackers, self.trackers, strict=True):
            tracker.read, tracker.bound = set(kept.read), set(kept.bound)
        reader.growing[:] = [growing for growing, _ in self.growing]
        for growing, then in self.growing:
            growing.go_back(then)
        reader.frozen.clear()
        reader.frozen.update(self.frozen)
        reader.stage.at = self.at
        reader.seeded = self.seeded
        rewind(self.drawn)
        restore(self.saved, reader.stage)


def repeat(reader: Reader, key: tuple[int, ...], attempt: Callable[[Plan], Result], loop: bool) -> Result:
    """Runs `attempt` with a growing plan until it goes through.

    What failed is not kept: an exception holds the frames that it left, and with them values that nobody needs.
    """
    own, plan = object(), _plan(reader, key)
    reader.underway.append(own)
    try:
        return _until_settled(reader, plan, own, attempt, loop)
    finally:
        reader.underway.remove(own)
        plan.saved = ()


def from_here(reader: Reader, read: Callable[[], Result]) -> Result:
    """What `read` gives, which is done again where something in it orders that."""
    own, moment = object(), Moment(reader)
    reader.underway.append(own)
    try:
        for _ in range(MAX_ATTEMPTS):
            try:
                return read()
            except Restart as restart:
                if restart.since is not own:
                    raise
            moment.restore(reader)
        raise Restart
    finally:
        reader.underway.remove(own)


def or_hidden(reader: Reader, node: ast.expr, read: Callable[[], Any]) -> Any:
    """What `read` gives of an expression; what stands for it if something hidden is looked at, and nothing changes.

    Where that cannot be foreseen, reading begins again with the innermost loop or branch in progress.
    """
    if not reader.hides or not changes_nothing(node):
        return read()
    moment = Moment(reader) if id(node) in reader.hiding or may_be_hidden(reader, node) else None
    try:
        return read()
    except Hidden as why:
        if moment is None:
            reader.hiding.add(id(node))
            raise Restart(reader.underway[-1] if reader.underway else None) from None
        moment.restore(reader)
        return OnlyShown(why)


def _until_settled(reader: Reader, plan: Plan, own: object, attempt: Callable[[Plan], Result], loop: bool) -> Result:
    depth = len(reader.stage.blocks) - 1
    plan.enter(tuple(reader.stage.loop_variables))
    first = moment = Moment(reader)
    for _ in range(MAX_ATTEMPTS):
        settle: Callable[[], None] | None = None
        peeled = plan.peel
        plan.within = tuple(one for one in reader.underway if one is not own)
        plan.saved = moment.saved
        try:
            return attempt(plan)
        except Restart as restart:
            if restart.since is not own:
                raise
        except Resettle as needed:
            if needed.depth < depth:
                raise
            settle = partial(reader.stage.resettle, needed.origins, needed.act)
        except (Again, Unsupported, Misused, Unfit, Unbound, Aliased, Unroll) as failure:
            if not _is_learned(reader, plan, failure, loop):
                raise
        moment = moment if plan.peel == peeled else first
        moment.restore(reader)
        if settle is not None:
            settle()
            moment = Moment(reader)
    raise reader.stage.refuse(
        "The variables of this loop change in too many ways.", "Write it with arrays of fixed shapes."
    )


def _is_learned(reader: Reader, plan: Plan, failure: BaseException, loop: bool) -> bool:
    """Whether the plan is another one after a failed attempt, so that the next one may do."""
    match failure:
        case Looked() if not reader.stage.speculation.has_lists:
            return False  # the list is followed when all is read again
        case Unsupported() if not loop and not plan.decided and reader.stage.speculation.asked():
            plan.decided = True
        case Unsupported() if loop and is_learned_of_lists(reader, plan, failure):
            pass
        case Unsupported() | Unroll() if loop and (plan.lengthened or plan.rebound) and _is_own(plan, failure):
            plan.lengthened = plan.rebound = None
        case Widened() if failure.plan is plan:
            pass
        case Misused() if failure.plan is plan:
            plan.grown = plan.indexed = plan.lengthened = plan.rebound = None
        case Unfit() if failure.cell.owner is plan:
            _widen(plan, failure, reader, loop)
        case Unbound() if loop and not plan.unroll:
            if plan.peel:
                plan.unroll = Unroll(plan.variable, UNBOUND[0], failure.at)
            plan.peel, plan.specs = True, {}
        case Aliased() if loop and not plan.unroll and (not plan.peel or reader.stage.speculation.asked()):
            if plan.peel:
                plan.unroll = Unroll(plan.variable, failure.error.message, failure.error.at)
            plan.peel, plan.specs, plan.aliased = True, {}, Aliased(failure.error)
        case Unroll() if loop and _is_own(plan, failure) and is_learned_of_lists(reader, plan, failure):
            pass
        case Unroll() if loop and _is_own(plan, failure):
            plan.unroll = Unroll(failure.variable, failure.message, failure.at, failure.late)
        case _:
            return isinstance(failure, Again)
    return True


def is_learned_of_lists(reader: Reader, plan: Plan, failure: Unroll | Unsupported) -> bool:
    """Whether lists are to be read in another way after a failed attempt to read a loop."""
    if isinstance(failure, Unsupported):
        if not plan.indexed:
            return False
        plan.indexed = None
        return True
    if _may_grow(reader, plan, failure):
        plan.trial, plan.tried = failure, True
        return True
    return _lies_in_array(reader, plan, failure)


def _is_own(plan: Plan, failure: BaseException) -> bool:
    """Whether the loop itself is to be written out, or is refused."""
    return not isinstance(failure, Unroll) or failure.variable == plan.variable


def _may_grow(reader: Reader, plan: Plan, unroll: Unroll) -> bool:
    """Whether the list may be one that grows, of which an item is looked at before it does: the first iteration alone,
    which is read then, tells."""
    if plan.tried or plan.grown != {} or not reader.grows or type(unroll.listed) is not list or unroll.is_written:
        return False
    return any(entry.holder is unroll.listed for entry in plan.saved)


def _lies_in_array(reader: Reader, plan: Plan, unroll: Unroll) -> bool:
    """Whether a list that the loop writes where it counts is from now on to lie in an array; one that it only reads
    does so if the iterations are too many to be written out, which the first one tells."""
    path = next((entry.path for entry in plan.saved if entry.holder is unroll.listed), None)
    if path is not None and not unroll.is_written:
        path = _outermost({entry.path: entry.holder for entry in plan.saved}, path)
    if path is None and not plan.reads and not unroll.is_written and variable_storage.holds_numbers(unroll.listed):
        path = CHOSEN
    if not reader.indexes or path is None or plan.is_short or plan.indexed is None or path in plan.indexed:
        return False
    if not (unroll.is_written or plan.reads or plan.rolled or _is_long(reader, plan, unroll.listed)):
        plan.wanted = path
        return False
    plan.read_in_array(path)
    return True


def _outermost(holders: Mapping[Path, Any], path: Path) -> Path:
    """The place of the list of lists of one length in which the list at this place stands."""
    while type(around := holders.get(path[:-1])) is list:
        if any(type(item) is not list or len(item) != len(around[0]) for item in around):
            break
        path = path[:-1]
    return path


def _is_long(reader: Reader, plan: Plan, listed: Any) -> bool:
    """Whether it goes without trying that the loop is too long to be written out for a list: there are loops in it,
    and what it reads are no whole numbers, which may be keys and sizes, but for zeros that are to be overwritten."""
    if any(around.has_arrays for around in reader.trackers):
        return True
    row = listed
    while type(row) is list and row and type(row[0]) is list:
        row = row[0]
    return plan.has_loops and not any(type(number) is int and number for number in row)


def _plan(reader: Reader, key: tuple[int, ...]) -> Plan:
    """That of this place. A new one begins as that of the same statement in an earlier call: on one side alone, where
    this can be had."""
    statement = key[len(reader.path) :]
    if key not in reader.plans:
        before = reader.latest.get(statement)
        reader.plans[key] = Plan() if before is None else _like(before, len(reader.stage.blocks) == 1)
    reader.latest[statement] = reader.plans[key]
    return cast(Plan, reader.plans[key])


def _like(before: Plan, is_outermost: bool) -> Plan:
    """The beginning of a plan, where there is another one of the same statement."""
    unroll = before.unroll if before.unroll is not None and before.unroll.late else None
    return Plan(decided=before.decided and is_outermost, unroll=unroll)


def on_one_side(
    reader: Reader, node: ast.AST, condition: Expr, both: Callable[[], Result], one: Callable[[bool], Result]
) -> Result:
    """What a branch gives: of `both` sides; where that is refused, of the `one` that data take in this call."""
    stage = reader.stage
    if not stage.speculation.is_on:
        try:
            return both()
        except Unsupported:
            stage.speculation.is_wanted = True
            raise

    def attempt(plan: Plan) -> Result:
        if plan.decided:
            return one(decided(stage, condition))
        before = set(stage.arrays)
        found = both()
        made = {leaf.base for leaf in variable_storage.leaves(found) if isinstance(leaf, View)} - before
        stage.chosen.update(dict.fromkeys(made, OneSide(plan)))
        return found

    return repeat(reader, (*reader.path, place(node)), attempt, loop=False)


def _widen(plan: Plan, unfit: Unfit, reader: Reader, loop: bool) -> None:
    spec = variable_storage.spec_of(unfit.value)
    wider = None if spec is None else variable_storage.join(unfit.cell.spec, spec)
    if wider is not None:
        plan.specs[unfit.cell.path] = wider
    elif not loop and not plan.decided and reader.stage.speculation.asked():
        plan.decided = True
    elif not loop:
        del plan.specs[unfit.cell.path]
        reader.stage.refuse(
            f"The name '{unfit.cell.name}' stands for different kinds of values after this branch.",
            "Use different names, or the same shape and type on both sides.",
        )
    elif not plan.peel:
        plan.peel, plan.specs = True, {}
    else:
        plan.unroll = Unroll(plan.variable, f"The name '{unfit.cell.name}' changes its kind.", reader.stage.at)


def install(reader: Reader, plan: Plan, enter: bool) -> list[Cell]:
    """Gives the plan's variables storage; with `enter` their values are copied into it now."""
    places = dict(reader.holders())
    made: list[Cell] = []
    for path, spec in plan.specs.items():
        holder = places.get(path[:-1])
        if holder is None or isinstance(holder, set):
            continue
        before = container_items.got(holder, path[-1], MISSING)
        if before is MISSING and isinstance(holder, list):
            continue  # it was longer when the plan was made
        outer = reader.cells.get((id(holder), path[-1]))
        if outer is not None:
            if enter and variable_storage.spec_of(before) is not None:
                reader.note_read((id(holder), path[-1]))
                outer.write(reader.stage, before)
            continue
        known = variable_storage.spec_of(before)
        joined = spec if known is None or not enter else variable_storage.join(spec, known)
        if joined is None or (known is None and enter):
            continue
        cell = make_cell(reader, plan, path, joined, before)
        cell.holder, cell.key = holder, path[-1]
        reader.stage.homes |= {place.base for place in cell.storage}
        if enter:
            reader.note_read((id(holder), path[-1]))
            for place, item in zip(
                cell.storage, variable_storage.leaves_as(reader.stage, cell.spec, before), strict=True
            ):
                if place is not item:
                    reader.stage.fill(place, item)
            container_items.put(holder, path[-1], cell.value())
        demand = WrittenOut(plan, reader.stage.at) if enter else OneSide(plan)
        reader.stage.chosen.update(dict.fromkeys((place.base for place in cell.storage), demand))
        made.append(cell)
    for cell in made:
        reader.cells[(id(cell.holder), cell.key)] = cell
    return made


def make_cell(reader: Reader, plan: Plan, path: Path, spec: Spec, before: Any) -> Cell:
    """A variable's storage: the memory of its value where nobody else sees that."""
    name = name_of(path)
    if isinstance(before, ArrayValue | Complex) and variable_storage.reusable(reader.stage, before, spec):
        return Cell(name, path, plan, spec, list(variable_storage.leaves(before)))
    return Cell(name, path, plan, spec, variable_storage.storage_for(reader.stage, name, spec))


def name_of(path: Path) -> str:
    """What a variable is called in the Program: its name, or that of its list or dict and the key."""
    inner = (part for part in path[1:] if part not in ("<scope>", "<parent>", "<attributes>"))
    parts = [called(part) if parts_of(Kind.HIDDEN, part) else str(part) for part in inner]
    name = "_".join(parts)
    return name if name.isidentifier() else "".join(c if c.isalnum() else "_" for c in f"v_{name}")


def remove(reader: Reader, made: Sequence[Cell]) -> None:
    """The variables are ordinary ones again, which hold their storage."""
    for cell in made:
        reader.cells.pop((id(cell.holder), cell.key), None)
        reader.stage.homes -= {place.base for place in cell.storage}


def is_variable_of_call(change: Change) -> bool:
    """Whether it is a name, not a slot of a list or dict."""
    return len(change.path) == 2 or change.path[-2] in ("<scope>", "<parent>")
