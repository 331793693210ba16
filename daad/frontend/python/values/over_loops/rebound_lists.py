"""Variables that each iteration binds to another list, dict or object like the one before: while the loop is read, the
items or attributes of the new one go into one list, dict or object, whose places are variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MethodType
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Change, Path, Saved, same, same_items
from daad.frontend.python.reading.fixpoint import Again
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.values import objects
from daad.frontend.python.values.over_loops.growing_lists import exchange
from daad.frontend.staging import container_items, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import BASES, entries, parts_within, values
from daad.frontend.staging.values import View

PLAIN = (list, dict)
DEEPEST = 10
"""So many lists, dicts and objects in one another may be rebound: in objects that hold each other there is no end."""
Part = Any
"""A list or dict, or an object that the program has made."""
Entries = tuple[tuple[Any, Any], ...]


def learn(reader: Reader, plan: Plan, change: Change) -> bool:
    """Whether a variable got another list, dict or object of the same form in an iteration."""
    is_one = not plan.is_short and plan.period <= 1
    return is_one and learn_sides(reader, plan, change.path, change.before, change.after)


def learn_sides(reader: Reader, plan: Plan, path: Path, one: Any, other: Any) -> bool:
    """Whether a variable is one of two lists, dicts or objects of the same form."""
    is_part = plan.rebound is not None and path not in plan.rebound and _is_part(reader, one)
    if not is_part or not _are_alike(reader, one, other):
        return False
    assert plan.rebound is not None
    plan.rebound.add(path)
    return True


def _is_part(reader: Reader, value: Any) -> bool:
    return type(value) in PLAIN or (id(value) in reader.objects and not isinstance(value, BASES))


def _within(part: Part) -> Any:
    """What holds the items: the attributes of an object."""
    return part if type(part) in PLAIN else vars(part)


def _are_alike(reader: Reader, one: Any, other: Any, depth: int = 0) -> bool:
    """Whether both are lists, or dicts with the same keys, or objects of one class with the same attributes, of as many
    that are alike, numbers and arrays of one shape, and what is the same in both."""
    if _is_part(reader, one) and _is_part(reader, other) and type(one) is type(other):
        sides = [tuple(entries(_within(side))) for side in (one, other)]
        keys = [[key for key, _ in side] for side in sides]
        items = zip(*([item for _, item in side] for side in sides), strict=False)
        is_open = keys[0] and keys[0] == keys[1] and depth < DEEPEST
        return bool(is_open) and all(_are_alike(reader, a, b, depth + 1) for a, b in items)
    specs = [variable_storage.spec_of(value) for value in (one, other)]
    if specs[0] is None or specs[1] is None:
        return specs[0] is specs[1] and same(one, other)
    return variable_storage.join(specs[0], specs[1]) is not None


@dataclass(eq=False)
class Rebound:
    """A variable and the list, dict or object that it holds when an iteration begins, with the entries of that and of
    those in it."""

    plan: Plan
    holder: Any
    key: Any
    kept: Part
    content: tuple[tuple[Part, Entries], ...]

    def end(self, reader: Reader, saved: Sequence[Saved]) -> None:
        """The list, dict or object gets the items of the one that the body has made; who could tell the two, or those
        that were there before, from one another must not write them."""
        new = container_items.got(self.holder, self.key, MISSING)
        if new is self.kept:
            return
        if not _are_alike(reader, self.kept, new) or self._is_touched(reader):
            self._give_up()
        own, parts = {id(part): part for part, _ in self.content}, list(_parts_in(reader, new))
        if len(set(map(id, parts))) < len(parts) or _are_keys(reader, (*parts, *_parts_in(reader, self.kept))):
            self._give_up()
        made, older = {id(part) for part in parts} - own.keys(), {id(entry.holder) for entry in saved}
        self._keep_older_ones(reader, own, [part for part in parts if id(part) in made])
        twins = list(zip(parts, _parts_in(reader, self.kept), strict=True))
        is_older = {id(part): id(_within(part)) in older for part in parts}
        for part, kept in twins:
            if is_older[id(part)] or id(_within(part)) in reader.frozen:
                reader.freeze(self.plan, [_within(part), _within(kept)])
        fresh = {id(part): kept for part, kept in twins if id(part) in made and not is_older[id(part)]}
        items = [tuple(entries(_within(part))) for part in parts]
        exchange(reader, lambda item: fresh.get(id(item), item))
        container_items.put(self.holder, self.key, self.kept)
        for (_, kept), found in zip(twins, items, strict=True):
            for key, value in found:
                if not _is_part(reader, value):
                    container_items.put(_within(kept), key, value)

    def _keep_older_ones(self, reader: Reader, own: Mapping[int, Part], made: Sequence[Part]) -> None:
        """What else holds the list that was there before holds a copy from now on."""
        inside, is_held = {*own, *map(id, made)}, False
        within = {id(_within(part)) for part in (*own.values(), *made)}
        for holder, item in reader.held():
            if isinstance(item, HOLDING) and any(id(part) in inside for part in _parts_held(item)):
                self._give_up()
            is_held |= id(holder) not in within and id(item) in own
        if is_held:
            copied = _parts_in(reader, _copied(reader, self.kept))
            copies = dict(zip(map(id, _parts_in(reader, self.kept)), copied, strict=True))
            reader.freeze(self.plan, map(_within, (*own.values(), *copies.values())))
            exchange(reader, lambda item: copies.get(id(item), item))

    def _is_touched(self, reader: Reader) -> bool:
        """Whether the iteration has written the list that was there when it began."""
        return any(_is_written(reader, _within(part), items) for part, items in self.content)

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
    looked = {id(_within(part)) for one in lasting for part, _ in one.content}
    for entry in saved:
        if id(entry.holder) in reader.frozen.keys() - before - looked and _is_written(
            reader, entry.holder, tuple(entries(entry.content))
        ):
            raise Misused(reader.frozen[id(entry.holder)][1])


def enter(reader: Reader, plan: Plan, *, freezes: bool = False) -> list[tuple[Any, Any, Part]]:
    """Each variable holds a list, dict or object of its own, which nothing else does, from now on; `freezes`: it may be
    the one from before in the end. What else holds the one from before could tell it from the first of these."""
    places, made = dict(reader.holders()), []
    times = Counter(id(part) for _, item in reader.held() for part in _parts_held(item)) if plan.rebound else {}
    for path in plan.rebound or ():
        holder = places.get(path[:-1])
        value = MISSING if holder is None else container_items.got(holder, path[-1], MISSING)
        parts = list(_parts_in(reader, value))
        if holder is None or not parts or (id(holder), path[-1]) in reader.cells or _are_keys(reader, parts):
            plan.rebound = None
            raise Again
        kept = _copied(reader, value)
        if freezes or any(times[id(part)] > 1 for part in parts):
            reader.freeze(plan, map(_within, (*parts, *_parts_in(reader, kept))))
        container_items.put(holder, path[-1], kept)
        reader.note_read((id(holder), path[-1]))
        made.append((holder, path[-1], kept))
    return made


def _are_keys(reader: Reader, parts: Iterable[Part]) -> bool:
    """Whether one of them is an object that is a key, or an item of a set, by which it is found again."""
    ids = {id(part) for part in parts if type(part) not in PLAIN}
    keyed = (holder for _, holder in reader.holders() if isinstance(holder, dict | set)) if ids else ()
    return any(id(key) in ids for holder in keyed for key in container_items.keys(holder))


def begin(reader: Reader, plan: Plan, entered: Sequence[tuple[Any, Any, Part]]) -> list[Rebound]:
    """The places of the lists, dicts and objects are variables by now."""
    return [
        Rebound(
            plan, holder, key, kept, tuple((part, tuple(entries(_within(part)))) for part in _parts_in(reader, kept))
        )
        for holder, key, kept in entered
    ]


def _parts_in(reader: Reader, value: Any) -> Iterator[Part]:
    """A list, dict or object and those in it, in order."""
    if _is_part(reader, value):
        yield value
        for item in values(_within(value)):
            yield from _parts_in(reader, item)


HOLDING = (tuple, MethodType, partial)
"""What may hold a list, dict or object, and is no container of which the items can be exchanged."""


def _parts_held(item: Any) -> Iterator[Any]:
    """An item, and what it holds that is no container of its own."""
    if isinstance(item, MethodType):
        yield item.__self__
    elif isinstance(item, partial):
        yield from (item.func, *item.args, *item.keywords.values())
    else:
        yield from parts_within(item)


def _copied(reader: Reader, value: Any) -> Part:
    """A list, dict or object of other values like these: what else holds these keeps what it has."""

    def copied(item: Any) -> Any:
        return _copied(reader, item) if _is_part(reader, item) else _copy(reader.stage, item)

    if type(value) is list:
        return [copied(item) for item in values(value)]
    made = {key: copied(item) for key, item in entries(_within(value))}
    return made if type(value) is dict else objects.twin(reader, value, made)


def _copy(stage: Stage, value: Any) -> Any:
    """Of an array, of which Python has only one, another one; of a number another value for the same place."""
    if not isinstance(value, View) or not stage.is_array(value):
        return variable_storage.duplicated(stage, value)
    made = stage.boxed(stage.allocate(value.shape, value.dtype, "item"))
    stage.deposit(made, value)
    return made
