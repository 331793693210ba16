"""Variables that each iteration binds to another list or dict like the one before: while the loop is read, the items of
the new one go into one list or dict, whose places are variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Change, Path, Saved, same, same_items
from daad.frontend.python.reading.fixpoint import Again
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.values.over_loops.growing_lists import exchange
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import entries, nested, parts_within, values
from daad.frontend.staging.values import View

PLAIN = (list, dict)
Plain = list[Any] | dict[Any, Any]
Entries = tuple[tuple[Any, Any], ...]


def learn(plan: Plan, change: Change) -> bool:
    """Whether a variable got another list or dict of the same form in an iteration."""
    return not plan.is_short and plan.period <= 1 and learn_sides(plan, change.path, change.before, change.after)


def learn_sides(plan: Plan, path: Path, one: Any, other: Any) -> bool:
    """Whether a variable is one of two lists or dicts of the same form."""
    if plan.rebound is None or path in plan.rebound or type(one) not in PLAIN or not _are_alike(one, other):
        return False
    plan.rebound.add(path)
    return True


def _are_alike(one: Any, other: Any) -> bool:
    """Whether both are lists, or dicts with the same keys, of as many that are alike, numbers and arrays of one shape,
    and what is the same in both."""
    if type(one) in PLAIN and type(one) is type(other):
        keys = [[key for key, _ in entries(side)] for side in (one, other)]
        return len(one) > 0 and keys[0] == keys[1] and all(map(_are_alike, values(one), values(other)))
    specs = [variable_storage.spec_of(value) for value in (one, other)]
    if specs[0] is None or specs[1] is None:
        return specs[0] is specs[1] and same(one, other)
    return variable_storage.join(specs[0], specs[1]) is not None


@dataclass(eq=False)
class Rebound:
    """A variable and the list or dict that it holds when an iteration begins, with the entries of that and of those in
    it."""

    plan: Plan
    holder: Any
    key: Any
    kept: Plain
    content: tuple[tuple[Plain, Entries], ...]

    def end(self, reader: Reader, saved: Sequence[Saved]) -> None:
        """The list or dict gets the items of the one that the body has made; who could tell the two, or those that were
        there before, from one another must not write them."""
        new = container_items.got(self.holder, self.key, MISSING)
        if new is self.kept:
            return
        own, parts = {id(part): part for part, _ in self.content}, list(plain_in(new))
        if not _are_alike(self.kept, new) or self._is_touched(reader) or len(set(map(id, parts))) < len(parts):
            self._give_up()
        made, older = {id(part) for part in parts} - own.keys(), {id(entry.holder) for entry in saved}
        self._keep_older_ones(reader, own, made)
        twins = list(zip(parts, plain_in(self.kept), strict=True))
        for part, kept in twins:
            if id(part) in older or id(part) in reader.frozen:
                reader.freeze(self.plan, [part, kept])
        fresh = {id(part): kept for part, kept in twins if id(part) in made - older}
        items = [tuple(entries(part)) for part in parts]
        exchange(reader, lambda item: fresh.get(id(item), item))
        container_items.put(self.holder, self.key, self.kept)
        for (_, kept), found in zip(twins, items, strict=True):
            for key, value in found:
                if type(value) not in PLAIN:
                    container_items.put(kept, key, value)

    def _keep_older_ones(self, reader: Reader, own: Mapping[int, Plain], made: Set[int]) -> None:
        """What else holds the list that was there before holds a copy from now on."""
        inside, is_held = own.keys() | made, False
        for holder, item in reader.held():
            if isinstance(item, tuple) and any(id(part) in inside for part in parts_within(item)):
                self._give_up()
            is_held |= id(holder) not in inside and id(item) in own
        if is_held:
            copies = dict(zip(map(id, plain_in(self.kept)), plain_in(_copied(reader, self.kept)), strict=True))
            reader.freeze(self.plan, [*own.values(), *copies.values()])
            exchange(reader, lambda item: copies.get(id(item), item))

    def _is_touched(self, reader: Reader) -> bool:
        """Whether the iteration has written the list that was there when it began."""
        return any(_is_written(reader, part, items) for part, items in self.content)

    def _give_up(self) -> NoReturn:
        self.plan.rebound = None
        raise Again


def _is_written(reader: Reader, part: Any, found: Entries) -> bool:
    """Whether a list or dict has been written since it had these entries."""
    cells = (reader.cells.get((id(part), key)) for key, _ in found)
    has_changed = not same_items(found, tuple(entries(part)))
    return has_changed or any(cell is not None and cell.last is not None for cell in cells)


def end(reader: Reader, lasting: Sequence[Rebound], saved: Sequence[Saved], before: Mapping[int, Any]) -> None:
    """An iteration ends: what it has frozen that was there when it began has not been written earlier in it."""
    for one in lasting:
        one.end(reader, saved)
    looked = {id(part) for one in lasting for part, _ in one.content}
    for entry in saved:
        if id(entry.holder) in reader.frozen.keys() - before - looked and _is_written(
            reader, entry.holder, tuple(entries(entry.content))
        ):
            raise Misused(reader.frozen[id(entry.holder)][1])


def enter(reader: Reader, plan: Plan, *, freezes: bool = False) -> list[tuple[Any, Any, Plain]]:
    """Each variable holds a list or dict of its own, which nothing else does, from now on; `freezes`: it may be the one
    from before in the end."""
    places, made = dict(reader.holders()), []
    for path in plan.rebound or ():
        holder = places.get(path[:-1])
        value = MISSING if holder is None else container_items.got(holder, path[-1], MISSING)
        if holder is None or type(value) not in PLAIN or (id(holder), path[-1]) in reader.cells:
            plan.rebound = None
            raise Again
        kept = _copied(reader, value)
        if freezes:
            reader.freeze(plan, [*plain_in(value), *plain_in(kept)])
        container_items.put(holder, path[-1], kept)
        reader.note_read((id(holder), path[-1]))
        made.append((holder, path[-1], kept))
    return made


def begin(plan: Plan, entered: Sequence[tuple[Any, Any, Plain]]) -> list[Rebound]:
    """The places of the lists and dicts are variables by now."""
    return [
        Rebound(plan, holder, key, kept, tuple((part, tuple(entries(part))) for part in plain_in(kept)))
        for holder, key, kept in entered
    ]


def plain_in(value: Any) -> Iterator[Plain]:
    """A list or dict and those in it, in order."""
    return nested(value, PLAIN)


def _copied(reader: Reader, value: Any) -> Plain:
    """A list or dict of other values like these: what else holds these keeps what it has."""
    made = ((key, _copied(reader, i) if type(i) in PLAIN else _copy(reader.stage, i)) for key, i in entries(value))
    return dict(made) if isinstance(value, dict) else [item for _, item in made]


def _copy(stage: Stage, value: Any) -> Any:
    """Of an array, of which Python has only one, another one; of a number another value for the same place."""
    if not isinstance(value, View) or not stage.is_array(value):
        return variable_storage.duplicated(stage, value)
    made = stage.boxed(stage.allocate(value.shape, value.dtype, "item"))
    stage.deposit(made, value)
    return made
