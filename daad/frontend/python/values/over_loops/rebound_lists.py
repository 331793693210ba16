"""Variables that each iteration binds to another list like the one before: while the loop is read, the new one's items
go into one list, whose places are variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from daad.frontend.python.reading.environment import Change, Saved
from daad.frontend.python.reading.fixpoint import Again, Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.values.over_loops.growing_lists import exchange
from daad.frontend.staging import container_items, variable_storage


def learn(plan: Plan, change: Change) -> bool:
    """Whether a variable got another list of the same form."""
    if plan.rebound is None or plan.is_short or plan.period > 1 or change.path in plan.rebound:
        return False
    if not _are_alike(change.before, change.after):
        return False
    plan.rebound.add(change.path)
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
        """The list gets the items of the one that the iteration has made, which nothing else can tell from it."""
        new = container_items.got(self.holder, self.key, MISSING)
        if new is self.kept:
            return
        own = {id(part) for part, _ in self.content}
        older = {id(entry.holder) for entry in saved} - own
        made = [part for part in lists_in(new) if id(part) not in own]
        if not _are_alike(self.kept, new) or self._is_touched(reader) or any(id(part) in older for part in made):
            self._give_up()
        inside = own.union(map(id, made))
        if any(id(item) in own for holder, item in _items(reader) if id(holder) not in inside):
            self._give_up()
        places = {id(part): kept for part, kept in zip(lists_in(new), lists_in(self.kept), strict=True)}
        if len(places) < len(self.content):
            self._give_up()
        items = [list(part) for part in lists_in(new)]
        exchange(reader, lambda item: places.get(id(item), item))
        for kept, values in zip(list(lists_in(self.kept)), items, strict=True):
            for k, value in enumerate(values):
                if type(value) is not list:
                    container_items.put(kept, k, value)

    def _is_touched(self, reader: Reader) -> bool:
        """Whether the iteration has written the list that was there when it began."""
        for part, items in self.content:
            if len(part) != len(items) or any(a is not b for a, b in zip(part, items, strict=True)):
                return True
            cells = (reader.cells.get((id(part), k)) for k in range(len(part)))
            if any(cell is not None and cell.last is not None for cell in cells):
                return True
        return False

    def _give_up(self) -> NoReturn:
        self.plan.rebound = None
        raise Again


def lists_in(value: Any) -> Iterator[list[Any]]:
    """A list and those in it, in order."""
    if type(value) is list:
        yield value
        for item in value:
            yield from lists_in(item)


def _items(reader: Reader) -> Iterator[tuple[Any, Any]]:
    """What everything holds that the program can reach, tuples looked into."""
    for _, holder in reader.holders():
        for item in container_items.values(holder):
            yield from ((holder, part) for part in _parts(item))


def _parts(item: Any) -> Iterator[Any]:
    yield item
    for part in item if isinstance(item, tuple) else ():
        yield from _parts(part)


def enter(reader: Reader, plan: Plan) -> list[tuple[Any, Any, list[Any]]]:
    """Each variable holds a list of its own, which nothing else does, from now on."""
    places, made = dict(reader.holders()), []
    for path in plan.rebound or ():
        holder = places.get(path[:-1])
        value = MISSING if holder is None else container_items.got(holder, path[-1], MISSING)
        if holder is None or type(value) is not list or (id(holder), path[-1]) in reader.cells:
            plan.rebound = None
            raise Again
        kept = _copied(reader, value)
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
    """A list of other values for the same places: what else holds these keeps what it has."""
    return [
        _copied(reader, item) if type(item) is list else variable_storage.duplicated(reader.stage, item)
        for item in value
    ]
