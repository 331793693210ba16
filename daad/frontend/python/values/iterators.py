"""Iterators of the program: `iter`, `zip`, `map`, generators and their like give each item once, when they are asked.

Where an iterator stands is a variable, as an attribute of an object is: what is read again finds it back, a loop that
takes from one is written out, and after a branch on data that does nothing may be taken.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from daad.frontend.python.reading.environment import Attributed
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging import indexing
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import (
    Enumerated,
    Given,
    Repeated,
    Staged,
    Zipped,
    giving,
    length,
    nth,
    staged,
    static_items,
)
from daad.frontend.staging.values import ArrayValue
from daad.ir.affine import Affine

MAX_ITEMS = 100_000
MAPPINGS: tuple[type, ...] = (Mapping, KeysView, ValuesView, ItemsView)


@dataclass(frozen=True)
class Place:
    """How many items an iterator has given; None where a loop has read it as a whole."""

    number: int | None = 0


class Source(Attributed):
    """What an iterator gives. It keeps nothing: what changes is the iterator's. `kind` is the type that the iterator
    has for the program."""

    kind: ClassVar[type] = type(iter(()))

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        """The next item, after `number` others; StopIteration behind the last."""
        raise NotImplementedError


@dataclass(eq=False)
class Once(Given, Attributed):
    """An iterator; `parts` are what it takes from, with places of their own, and the variables of a generator."""

    source: Source
    parts: tuple[Any, ...] = ()
    place: Any = Place()
    kind: Any = None
    methods: ClassVar[frozenset[str]] = frozenset()
    """Those that the program may call by their names, beside `__next__` and `__iter__`."""

    def __post_init__(self) -> None:
        self.kind = self.source.kind

    def take(self, stage: Stage) -> Any:
        """The next item; StopIteration where there is none."""
        number = self.place.number if isinstance(self.place, Place) else None
        if number is None:
            stage.refuse(
                "The items of this iterator may be gone: a loop, a branch or a call has read it before.",
                "Make it a list, 'list(...)', or write it where it is used.",
            )
        if number > MAX_ITEMS:
            stage.refuse(f"This iterator gives more than {MAX_ITEMS} items.", "Loop over a 'range' instead.")
        try:
            item = self.source.take(stage, self, number)
        except StopIteration:
            self._end(Place())
            raise
        self.place = Place(number + 1)
        return item

    def rest(self, stage: Stage) -> Iterator[Any]:
        while True:
            try:
                item = self.take(stage)
            except StopIteration:
                return
            yield item

    def is_whole(self) -> bool:
        return isinstance(self.source, Items) and self.place == Place()

    def whole(self) -> Staged:
        assert isinstance(self.source, Items), "what gives staged items"
        sequence = self.source.sequence
        self.spend()
        return sequence

    def spend(self) -> None:
        """It is not known any more where the iterator stands."""
        self._end(Place(None))

    def _end(self, place: Place) -> None:
        """What it has taken from is not needed any more, and lives no longer."""
        self.source, self.parts, self.place = Fixed(()), (), place


def iterate(reader: Reader, value: Any) -> Once:
    """`iter(value)`."""
    value = giving(value)
    if isinstance(value, Once):
        return value
    sequence = staged(value)
    if sequence is not None:
        return Once(Items(sequence))
    if isinstance(value, list | deque):
        return Once(Slots(), (value,))
    if isinstance(value, MAPPINGS):
        return Once(Entries(value, tuple(_owner(value))))
    if hasattr(value, "__next__") and not isinstance(value, np.broadcast):
        reader.stage.refuse("An iterator from outside the function is read.", "Pass a list.")
    return Once(Fixed(tuple(static_items(reader.stage, value))))


def _owner(view: Any) -> Mapping[Any, Any]:
    """The dict that this is a view of, or is; views of other mappings have another name for it."""
    owner: Mapping[Any, Any] = getattr(view, "mapping", getattr(view, "_mapping", view))
    return owner


def can_stage(values: Sequence[Any]) -> bool:
    """Whether a loop over all of these at the same time can be staged; an iterator is asked once for each item."""
    values = list(map(giving, values))
    given = [value for value in values if isinstance(value, Once)]
    others = (value for value in values if not isinstance(value, Once))
    distinct = len({id(once) for once in given}) == len(given)
    return bool(values) and distinct and all(o.is_whole() for o in given) and None not in map(staged, others)


@dataclass(frozen=True, eq=False)
class Items(Source):
    """The items of a staged sequence."""

    sequence: Staged

    @property
    def kind(self) -> type:  # type: ignore[override]
        """After what it iterates over."""
        return {Zipped: zip, Enumerated: enumerate, Repeated: itertools.repeat}.get(type(self.sequence), Source.kind)

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        if number >= stage.known(length(stage, self.sequence)):
            raise StopIteration
        return nth(stage, self.sequence, Affine(number))


@dataclass(frozen=True, eq=False)
class Grid(Source):
    """All indices of a shape, the last one fastest; with the elements of an array there, if it is `np.ndenumerate`."""

    extents: tuple[Affine, ...]
    array: ArrayValue | None = None

    @property
    def kind(self) -> type:  # type: ignore[override]
        return np.ndindex if self.array is None else np.ndenumerate

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        shape = tuple(map(stage.known, self.extents))
        if number >= math.prod(shape):
            raise StopIteration
        point = tuple(map(int, np.unravel_index(number, shape))) if shape else ()
        return point if self.array is None else (point, indexing.item(stage, self.array, point))


@dataclass(frozen=True, eq=False)
class Fixed(Source):
    """Items that are known now."""

    items: tuple[Any, ...]

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        if number >= len(self.items):
            raise StopIteration
        return self.items[number]


@dataclass(frozen=True, eq=False)
class Counted(Source):
    """Items that are computed from how many there were: `itertools.count`, `cycle`, `repeat`."""

    item: Callable[[int], Any]

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        return self.item(number)


@dataclass(frozen=True, eq=False)
class Slots(Source):
    """What a list holds when it is asked; `reversed` counts from the end that it had at first."""

    last: int | None = None

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        (items,) = once.parts
        index = number if self.last is None else self.last - number
        if not 0 <= index < len(items):
            raise StopIteration
        return items[index]


@dataclass(frozen=True, eq=False)
class Entries(Source):
    """What a dict or a view of one holds when it is asked."""

    view: Any
    keys: tuple[Any, ...]

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        owner = _owner(self.view)
        if len(owner) != len(self.keys) or any(key not in owner for key in self.keys):
            stage.refuse("A dict changes while it is iterated over.", "Iterate over 'list(...)' of it.")
        if number >= len(self.keys):
            raise StopIteration
        key = self.keys[number]
        if isinstance(self.view, ItemsView):
            return key, owner[key]
        return owner[key] if isinstance(self.view, ValuesView) else key


OF_OTHER_LENGTH = (
    "This fails without daad, too: the arguments of zip() with 'strict' have different lengths.",
    "Check how many items there are.",
)


@dataclass(frozen=True, eq=False)
class Zip(Source):
    """`zip` of iterators."""

    strict: bool = False
    kind: ClassVar[type] = zip

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        if not once.parts:
            raise StopIteration
        items: list[Any] = []
        try:
            for part in once.parts:
                items.append(part.take(stage))
        except StopIteration:
            if self.strict and not (len(items) == 0 and all(_is_spent(stage, part) for part in once.parts[1:])):
                stage.refuse(*OF_OTHER_LENGTH)
            raise
        return tuple(items)


def _is_spent(stage: Stage, part: Any) -> bool:
    """Whether an iterator gives no item any more."""
    try:
        part.take(stage)
    except StopIteration:
        return True
    return False


@dataclass(frozen=True, eq=False)
class Count(Source):
    """`enumerate` of an iterator."""

    start: int
    kind: ClassVar[type] = enumerate

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        return self.start + number, once.parts[0].take(stage)


@dataclass(frozen=True, eq=False)
class Chain(Source):
    """`itertools.chain`: the last part gives the sequences, those before it are what is left of the first ones;
    `opened` gives what to iterate over instead of an object."""

    reader: Reader
    opened: Callable[[Any], Any]
    kind: ClassVar[type] = itertools.chain

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        while True:
            *now, later = once.parts
            try:
                if now:
                    return now[0].take(stage)
                once.parts = (iterate(self.reader, self.opened(later.take(stage))), later)
            except StopIteration:
                if not now:
                    raise
                once.parts = (later,)


@dataclass(frozen=True, eq=False)
class Pairs(Source):
    """`itertools.pairwise`: the second part holds the item before."""

    kind: ClassVar[type] = itertools.pairwise

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        items, *before = once.parts
        first = before[0] if before else items.take(stage)
        second = items.take(stage)
        once.parts = (items, second)
        return first, second


@dataclass(frozen=True, eq=False)
class Applied(Source):
    """`map`, and `filter` where `keeps` tells whether the function's result keeps an item."""

    call: Callable[[int, list[Any]], Any]
    keeps: Callable[[Any], bool] | None = None

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        while True:
            items = [part.take(stage) for part in once.parts]
            result = self.call(once.parts[0].place.number, items)
            if self.keeps is None:
                return result
            if self.keeps(result):
                return items[0]


@dataclass(frozen=True, eq=False)
class Running(Source):
    """`itertools.accumulate`: the second part holds the last result."""

    call: Callable[[int, list[Any]], Any]
    kind: ClassVar[type] = itertools.accumulate

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        items, *last = once.parts
        result = last[0] if last and not number else self._next(stage, items, last, number)
        once.parts = (items, result)
        return result

    def _next(self, stage: Stage, items: Once, last: list[Any], number: int) -> Any:
        item = items.take(stage)
        return self.call(number, [last[0], item]) if last else item


@dataclass(frozen=True, eq=False)
class Part(Source):
    """`itertools.islice` of an iterator."""

    start: int
    stop: int | None
    step: int
    kind: ClassVar[type] = itertools.islice

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        (items,) = once.parts
        if self.stop is not None and self.start + number * self.step >= self.stop:
            raise StopIteration
        for _ in range(self.step - 1 if number else self.start):
            items.take(stage)
        return items.take(stage)
