"""Variables that each iteration binds to another list like the one before: while the loop is read, the new one's items
go into one list, whose places are variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Change, Path, Saved, same
from daad.frontend.python.reading.fixpoint import Again
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.values.over_loops.growing_lists import exchange
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import lists_in, parts_within
from daad.frontend.staging.values import View


def learn(plan: Plan, change: Change) -> bool:
    """Whether a variable got another list of the same form in an iteration."""
    return not plan.is_short and plan.period <= 1 and learn_sides(plan, change.path, change.before, change.after)


def learn_sides(plan: Plan, path: Path, one: Any, other: Any) -> bool:
    """Whether a variable is one of two lists of the same form."""
    if plan.rebound is None or path in plan.rebound or type(one) is not list or not _are_alike(one, other):
        return False
    plan.rebound.add(path)
    return True


def _are_alike(one: Any, other: Any) -> bool:
    """Whether both are lists of as many lists that are alike, or numbers and arrays of one shape."""
    if type(one) is list and type(other) is list:
        return 0 < len(one) == len(other) and all(map(_are_alike, one, other))
    specs = [variable_storage.spec_of(value) for value in (one, other)]
    return None not in specs and variable_storage.join(*specs) is not None  # type: ignore[arg-type]


@dataclass(eq=False)
class Rebound:
    """A variable and the list that it holds when an iteration begins, with the items of that and of lists in it."""

    plan: Plan
    holder: Any
    key: Any
    kept: list[Any]
    content: tuple[tuple[list[Any], tuple[Any, ...]], ...]

    def end(self, reader: Reader, saved: Sequence[Saved]) -> None:
        """The list gets the items of the one that the body has made; who could tell the two, or those that were there
        before, from one another must not write them."""
        new = container_items.got(self.holder, self.key, MISSING)
        if new is self.kept:
            return
        own, parts = {id(part): part for part, _ in self.content}, list(lists_in(new))
        if not _are_alike(self.kept, new) or self._is_touched(reader) or len(set(map(id, parts))) < len(parts):
            self._give_up()
        made, older = {id(part) for part in parts} - own.keys(), {id(entry.holder) for entry in saved}
        self._keep_older_ones(reader, own, made)
        twins = list(zip(parts, lists_in(self.kept), strict=True))
        for part, kept in twins:
            if id(part) in older or id(part) in reader.frozen:
                reader.freeze(self.plan, [part, kept])
        fresh = {id(part): kept for part, kept in twins if id(part) in made - older}
        items = [list(part) for part in parts]
        exchange(reader, lambda item: fresh.get(id(item), item))
        container_items.put(self.holder, self.key, self.kept)
        for (_, kept), values in zip(twins, items, strict=True):
            for k, value in enumerate(values):
                if type(value) is not list:
                    container_items.put(kept, k, value)

    def _keep_older_ones(self, reader: Reader, own: Mapping[int, list[Any]], made: Set[int]) -> None:
        """What else holds the list that was there before holds a copy from now on."""
        inside, is_held = own.keys() | made, False
        for holder, item in reader.held():
            if isinstance(item, tuple) and any(id(part) in inside for part in parts_within(item)):
                self._give_up()
            is_held |= id(holder) not in inside and id(item) in own
        if is_held:
            copies = dict(zip(map(id, lists_in(self.kept)), lists_in(_copied(reader, self.kept)), strict=True))
            reader.freeze(self.plan, [*own.values(), *copies.values()])
            exchange(reader, lambda item: copies.get(id(item), item))

    def _is_touched(self, reader: Reader) -> bool:
        """Whether the iteration has written the list that was there when it began."""
        return any(_is_written(reader, part, items) for part, items in self.content)

    def _give_up(self) -> NoReturn:
        self.plan.rebound = None
        raise Again


def _is_written(reader: Reader, part: Any, items: Sequence[Any]) -> bool:
    """Whether a list has been written since it had these items."""
    cells = (reader.cells.get((id(part), k)) for k in range(len(part)))
    has_changed = len(part) != len(items) or not all(map(same, items, part))
    return has_changed or any(cell is not None and cell.last is not None for cell in cells)


def end(reader: Reader, lasting: Sequence[Rebound], saved: Sequence[Saved], before: Mapping[int, Any]) -> None:
    """An iteration ends: what it has frozen that was there when it began has not been written earlier in it."""
    for one in lasting:
        one.end(reader, saved)
    looked = {id(part) for one in lasting for part, _ in one.content}
    for entry in saved:
        if id(entry.holder) in reader.frozen.keys() - before - looked and _is_written(
            reader, entry.holder, entry.content
        ):
            raise Misused(reader.frozen[id(entry.holder)][1])


def enter(reader: Reader, plan: Plan, *, freezes: bool = False) -> list[tuple[Any, Any, list[Any]]]:
    """Each variable holds a list of its own, which nothing else does, from now on; `freezes`: it may be the one from
    before in the end."""
    places, made = dict(reader.holders()), []
    for path in plan.rebound or ():
        holder = places.get(path[:-1])
        value = MISSING if holder is None else container_items.got(holder, path[-1], MISSING)
        if holder is None or type(value) is not list or (id(holder), path[-1]) in reader.cells:
            plan.rebound = None
            raise Again
        kept = _copied(reader, value)
        if freezes:
            reader.freeze(plan, [*lists_in(value), *lists_in(kept)])
        container_items.put(holder, path[-1], kept)
        reader.note_read((id(holder), path[-1]))
        made.append((holder, path[-1], kept))
    return made


def begin(plan: Plan, entered: Sequence[tuple[Any, Any, list[Any]]]) -> list[Rebound]:
    """The places of the lists are variables by now."""
    return [
        Rebound(plan, holder, key, kept, tuple((part, tuple(part)) for part in lists_in(kept)))
        for holder, key, kept in entered
    ]


def _copied(reader: Reader, value: list[Any]) -> list[Any]:
    """A list of other values like these: what else holds these keeps what it has."""
    return [_copied(reader, item) if type(item) is list else _copy(reader.stage, item) for item in value]


def _copy(stage: Stage, value: Any) -> Any:
    """Of an array, of which Python has only one, another one; of a number another value for the same place."""
    if not isinstance(value, View) or not stage.is_array(value):
        return variable_storage.duplicated(stage, value)
    made = stage.boxed(stage.allocate(value.shape, value.dtype, "item"))
    stage.deposit(made, value)
    return made
