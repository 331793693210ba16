"""Lists of numbers that a loop writes at places that it counts: while the loop is read, their items lie in an array."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from daad.frontend.python.reading.environment import Change, Path
from daad.frontend.python.reading.fixpoint import Again, Plan, name_of
from daad.frontend.python.reading.reader import Misused, Reader
from daad.frontend.python.values.growing_lists import is_touched, put_aside, swap
from daad.frontend.staging import indexing, variable_storage
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, affine_of
from daad.frontend.staging.variable_storage import LEAF, Kind, Spec
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float

FEW = 8
"""Iterations of a loop that is rather written out, with what is known of each item."""


class _Misuse:
    """A method that no program has (see `overloads.has_method`): whatever asks for it does more than the loop may."""

    def __get__(self, owner: Indexed | None, _: Any) -> Any:
        return self if owner is None else functools.partial(_misused, owner)


def _misused(owner: Indexed, *args: Any, **_: Any) -> NoReturn:
    if args and isinstance(args[0], str) and args[0].startswith("__"):
        raise AttributeError(args[0])
    owner.misused()


MISUSE: Any = _Misuse()


@dataclass(eq=False)
class Indexed:
    """Stands for a list while the body of a loop is read; `items` holds its numbers, all of one kind."""

    original: list[Any]
    content: tuple[Any, ...]
    plan: Plan
    path: Path
    kind: Kind
    items: View
    is_over: bool = False

    def misused(self) -> NoReturn:
        raise Misused(self.plan)

    __iter__ = __bool__ = __len__ = __contains__ = __getitem__ = __add__ = __radd__ = __mul__ = __rmul__ = MISUSE
    __eq__ = __lt__ = __array__ = __copy__ = __deepcopy__ = __reduce_ex__ = __str__ = __format__ = MISUSE
    __hash__ = object.__hash__

    __getattr__ = MISUSE

    @property
    def length(self) -> Affine:
        """`len(list)`."""
        return Affine(len(self.content))

    def item(self, stage: Stage, key: Any) -> ArrayValue:
        """`list[key]`."""
        found = indexing.item(stage, self.items, (self._place(key),))
        assert isinstance(found, ArrayValue), "an item is a number"
        found.weak = self.kind.weak
        return found

    def target(self, stage: Stage, key: Any, value: Any) -> tuple[View, Any]:
        """The array and the place in it that `list[key] = value` writes."""
        place, wider = self._place(key), _joined(Spec(LEAF, (self.kind,)), value)
        if wider is None:
            self.misused()
        if wider.kinds[0] != self.kind:
            assert self.plan.indexed is not None, "the list lies in an array"
            self.plan.indexed[self.path] = wider
            raise Again
        return self.items, place

    def _place(self, key: Any) -> Any:
        if self.is_over:  # it has become part of a tuple
            self.misused()
        is_number = isinstance(key, ArrayValue) and not key.ndim and key.dtype.kind in "iu"
        return key if is_number or affine_of(key) is not None else self.misused()


def _joined(spec: Spec, value: Any) -> Spec | None:
    """The storage of real numbers that holds another one, too."""
    own = variable_storage.spec_of(value)
    wider = None if own is None else variable_storage.join(spec, own)
    return wider if wider is not None and wider.skeleton is LEAF and not wider.kinds[0].shape else None


def spread(reader: Reader, plan: Plan, found: Sequence[Change]) -> bool:
    """Whether loops within this one had lists in arrays, which lie there for this one as well from now on."""
    if plan.indexed is None:
        return False
    paths = {c.path[:-1] for c in found if id(c.holder) in reader.indexed} - plan.indexed.keys()
    plan.indexed.update(dict.fromkeys(paths))
    return bool(paths)


def enter(reader: Reader, plan: Plan, trips: Affine | None) -> list[Indexed]:
    """Puts the lists aside that are to lie in arrays."""
    plan.is_short = trips is not None and trips.is_const and trips.const <= FEW
    made = []
    for path, wider in (plan.indexed or {}).items():
        original = dict(reader.holders()).get(path)
        if original is None:
            continue  # an array stands for it already
        spec = wider
        for item in original if type(original) is list else ():
            spec = variable_storage.spec_of(item) if spec is None else _joined(spec, item)
            if spec is None:
                break
        is_row = type(original) is list and spec is not None and spec.skeleton is LEAF
        kind = spec.kinds[0] if spec is not None and is_row else None
        if kind is None or kind.shape or kind.dtype == "bool":
            raise Misused(plan)
        made.append(_indexed(reader, plan, path, original, kind))
    return made


def _indexed(reader: Reader, plan: Plan, path: Path, original: Any, kind: Kind) -> Indexed:
    stage = reader.stage
    items = stage.allocate((Affine(len(original)),), kind.dtype, name_of(path))
    if all(isinstance(item, int | float | np.number) for item in original):
        same = len(set(map(repr, original))) == 1
        numbers = np.array(original, kind.dtype)
        stage.store(items, original[0] if same else stage.constant(numbers))
    else:
        for place, item in enumerate(original):
            stage.store(indexing.place(stage, items, indexing.parts_of(stage, items, (place,))), item)
    found = Indexed(original, tuple(original), plan, path, kind, items)
    reader.indexed[id(original)] = original
    put_aside(reader, original, found)
    return found


def leave(reader: Reader, lists: Sequence[Indexed]) -> None:
    """The lists are lists again."""
    for one in lists:
        if not is_float(one.kind.dtype):
            one.misused()  # whole numbers may be keys and sizes, which are known where the loop is written out
        if is_touched(one.original, one.content):
            one.misused()
        swap(reader, one, one.original)
        one.original[:] = [one.item(reader.stage, place) for place in range(len(one.content))]
        one.is_over = True
