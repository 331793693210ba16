"""Lists of numbers, and lists of such lists, that a long loop reads or writes at places that it counts: while the loop
is read, their numbers lie in an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np

from daad.frontend.python.reading.environment import Change, Path
from daad.frontend.python.reading.fixpoint import name_of
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Misused, Reader, Widened
from daad.frontend.python.values.over_loops.growing_lists import LONG, exchange, is_touched, swap
from daad.frontend.staging import indexing, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import lists_in
from daad.frontend.staging.iterables import Staged
from daad.frontend.staging.values import ArrayValue, View, affine_of, own_axes
from daad.frontend.staging.variable_storage import LEAF, Kind, Spec
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float
from daad.ir.nodes import Index

FEW = 8
"""Iterations of a loop that is rather written out, with what is known of each item."""


class _Misuse:
    """A method that no program has (see `overloads.has_method`): whatever asks for it does more than the loop may."""

    def __get__(self, owner: Indexed | None, _: Any) -> Any:
        return self if owner is None else partial(_misused, owner)


def _misused(owner: Indexed, *args: Any, **_: Any) -> NoReturn:
    if args and isinstance(args[0], str) and args[0].startswith("__"):
        raise AttributeError(args[0])
    owner.misused()


MISUSE: Any = _Misuse()


@dataclass
class Lists:
    """What lies in one array: a list, and those in it, with what they held before the loop.

    `path` is the place of the outermost one; `is_over`: the loop has been read, and the lists are lists again;
    `is_fixed`: none of them is written.
    """

    content: tuple[tuple[list[Any], tuple[Any, ...]], ...]
    plan: Plan
    path: Path
    kind: Kind
    is_over: bool = False
    is_fixed: bool = False

    def is_touched(self) -> bool:
        return any(is_touched(original, content) for original, content in self.content)


@dataclass(eq=False)
class Indexed:
    """Stands for a list while the body of a loop is read; `items` holds its numbers, all of one kind, or the rows of
    a list of lists."""

    lists: Lists
    items: View

    def misused(self) -> NoReturn:
        raise Misused(self.lists.plan)

    __iter__ = __bool__ = __len__ = __contains__ = __getitem__ = __add__ = __radd__ = __mul__ = __rmul__ = MISUSE
    __eq__ = __lt__ = __array__ = __copy__ = __deepcopy__ = __reduce_ex__ = __str__ = __format__ = MISUSE
    __hash__ = object.__hash__

    __getattr__ = MISUSE

    def length(self, stage: Stage) -> Any:
        """`len(list)`."""
        return stage.affine(self.items.shape[0])

    def copied(self, stage: Stage) -> View:
        """The array that NumPy makes of the list."""
        if self.lists.is_over:
            self.misused()
        return stage.copy(self.items, "list")

    @property
    def is_row(self) -> bool:
        """Whether it stands for a list in a list, as another such object may."""
        return self.items.ndim < len(extents_of(self.lists.content[0][0]))

    def as_list(self) -> list[Any] | Indexed:
        """The list that it stands for, where it is known which row it is."""
        found: Any = self.lists.content[0][0]
        for place in self.items.index[: len(self.items.index) - self.items.ndim]:
            if not isinstance(place, Affine) or not place.is_const:
                return self
            found = found[place.const]
        return found

    def item(self, stage: Stage, key: Any) -> ArrayValue | Indexed:
        """`list[key]`."""
        found = indexing.item(stage, self.items, (self._place(key),))
        if self.items.ndim > 1:
            return Indexed(self.lists, found) if isinstance(found, View) else self.misused()
        assert isinstance(found, ArrayValue), "an item is a number"
        found.weak = self.lists.kind.weak
        return found

    def target(self, stage: Stage, key: Any, value: Any) -> tuple[View, Any]:
        """The array and the place in it that `list[key] = value` writes."""
        lists, plan = self.lists, self.lists.plan
        place, wider = self._place(key), _joined(Spec(LEAF, (lists.kind,)), value)
        if wider is None or self.items.ndim > 1 or plan.indexed is None or lists.is_fixed:
            self.misused()
        if wider.kinds[0] != lists.kind or lists.path not in plan.written:
            plan.indexed[lists.path] = wider
            plan.written.add(lists.path)
            raise Widened(plan)
        return self.items, place

    def _place(self, key: Any) -> Any:
        if self.lists.is_over:  # it has become part of a tuple
            self.misused()
        is_number = isinstance(key, ArrayValue) and not key.ndim and key.dtype.kind in "iu"
        return key if is_number or affine_of(key) is not None else self.misused()


@dataclass(frozen=True)
class Items(Staged):
    """A loop over a list: each iteration reads the item that is there then."""

    held: Indexed

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), self.held.items.shape[0], 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        return self.held.item(stage, stage.affine(position))


def _joined(spec: Spec | None, value: Any) -> Spec | None:
    """The storage of real numbers that holds another one, too."""
    own = variable_storage.spec_of(value)
    wider = own if spec is None or own is None else variable_storage.join(spec, own)
    return wider if wider is not None and wider.skeleton is LEAF and not wider.kinds[0].shape else None


def extents_of(original: Any) -> tuple[int, ...]:
    """The lengths of a list and, where its first item is one, of the lists in it."""
    return (len(original), *extents_of(original[0])) if type(original) is list and original else ()


def numbers_in(original: Any, extents: tuple[int, ...]) -> list[Any] | None:
    """All numbers in order, if each list is as long as those beside it."""
    if not extents:
        return [original]
    if type(original) is not list or len(original) != extents[0]:
        return None
    parts = [numbers_in(item, extents[1:]) for item in original]
    return None if any(part is None for part in parts) else [number for part in parts for number in part or ()]


def spread(reader: Reader, plan: Plan, found: Sequence[Change], read: Sequence[Any]) -> bool:
    """Whether loops within this one had lists in arrays, which lie there for this one as well from now on.

    `read`: the lists that were only read there.
    """
    if plan.indexed is None:
        return False
    written = {c.path[: -reader.indexed[id(c.holder)][1]] for c in found if id(c.holder) in reader.indexed}
    paths = written | {entry.path for entry in plan.saved if any(entry.holder is one for one in read)}
    paths -= plan.indexed.keys()
    plan.indexed.update(dict.fromkeys(paths))
    return bool(paths)


def enter(reader: Reader, plan: Plan, trips: Affine | None) -> list[Indexed]:
    """Puts the lists aside that are to lie in arrays."""
    known = trips.const if trips is not None and trips.is_const else None
    plan.is_short, plan.is_long = known is not None and known <= FEW, known is None or known > LONG
    made = []
    for path, wider in (plan.indexed or {}).items():
        original = dict(reader.holders()).get(path)
        if original is None:
            continue  # an array stands for it already
        made.append(_indexed(reader, plan, path, original, wider))
    return made


def _indexed(reader: Reader, plan: Plan, path: Path, original: Any, wider: Spec | None) -> Indexed:
    extents, spec = extents_of(original), wider
    numbers = numbers_in(original, extents) if extents else None
    for number in numbers or ():
        spec = _joined(spec, number)
        if spec is None:
            break
    if not numbers or spec is None or spec.kinds[0].dtype == "bool":
        raise Misused(plan)
    (kind,) = spec.kinds
    every = list(lists_in(original))
    if len(set(map(id, every))) < len(every):
        raise Misused(plan)  # a row that stands at two places
    items = _array(reader.stage, numbers, extents, kind, name_of(path), path in plan.written)
    made = Indexed(Lists(tuple((one, tuple(one)) for one in every), plan, path, kind), items)
    for one in every:
        reader.indexed[id(one)] = (one, 1 if one is original else len(extents))
    swap(reader, original, made)
    if any(holder is one for _, holder in reader.holders() for one in every):
        made.misused()
    return made


def _array(stage: Stage, numbers: list[Any], extents: tuple[int, ...], kind: Kind, name: str, is_written: bool) -> View:
    """An array with these numbers; of its own if it is to be written."""
    shape = tuple(map(Affine, extents))
    is_known = all(isinstance(number, int | float | np.number) for number in numbers)
    if is_known and len(set(map(repr, numbers))) > 1 and not is_written:
        return stage.place(stage.constant(np.array(numbers, kind.dtype).reshape(extents)), name)
    items = stage.allocate(shape, kind.dtype, name)
    if is_known:
        same = len(set(map(repr, numbers))) == 1
        stage.store(items, numbers[0] if same else stage.constant(np.array(numbers, kind.dtype).reshape(extents)))
        return items
    flat = [tuple(map(Affine, place)) for place in np.ndindex(extents)]
    values = [stage.array(number) for number in numbers]
    base = values[0].base if isinstance(values[0], View) else ""
    if base and stage.arrays[base].shape == extents and all(map(partial(_is_element, base), values, flat)):
        stage.store(items, stage.view(base, shape, own_axes(len(shape))))
        return items
    stage.nest((), lambda _: [(items, at, "=", one.element(())) for at, one in zip(flat, values, strict=True)])
    return items


def _is_element(base: str, value: Any, place: tuple[Affine, ...]) -> bool:
    return isinstance(value, View) and value.base == base and value.index == place


def leave(reader: Reader, lists: Sequence[Indexed]) -> None:
    """The lists are lists again."""
    for one in lists:
        held = one.lists
        is_written = held.path in held.plan.written
        if (is_written and not is_float(held.kind.dtype) and not held.plan.is_long) or held.is_touched():
            one.misused()  # whole numbers may be keys and sizes, which are known where the loop is written out
        exchange(reader, partial(as_list, held))
        original = held.content[0][0]
        if is_written:
            _fill(reader.stage, one, original)
        else:
            reader.looked_up.append(original)
        held.is_over = True


def as_list(held: Lists, item: Any) -> Any:
    """Itself, or the list that it stands for."""
    return item.as_list() if isinstance(item, Indexed) and item.lists is held else item


def _fill(stage: Stage, one: Indexed, original: list[Any]) -> None:
    """Each list gets the numbers of the array."""
    items = [one.item(stage, place) for place in range(len(original))]
    if not isinstance(items[0], Indexed):
        original[:] = items
        return
    for item, row in zip(items, original, strict=True):
        assert isinstance(item, Indexed), "all of them are lists, or none"
        _fill(stage, item, row)
