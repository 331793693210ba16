"""The variables that a program can change: names of calls, slots of lists and dicts; saved, compared, restored."""

from __future__ import annotations

import copy
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any
from weakref import ref

from daad.frontend.installed_code import is_of_library
from daad.frontend.python.reading.scope import CLASS_SCOPE, MISSING, Closure, Scope
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import Holder, entries, put, refill, values
from daad.frontend.staging.values import (
    ArrayValue,
    Complex,
    Composite,
    Lazy,
    Subarray,
    View,
    are_alike,
    put_together,
    taken_apart,
)

Path = tuple[Any, ...]
UNCHANGED = frozenset({bool, int, float, str, type(None)})
PLAIN = UNCHANGED | {View, Lazy, Complex}
"""Types of what holds no variables; nothing changes the first ones."""


class Attributed:
    """What has variables for attributes, as the objects have that the program makes."""


OPEN = (Scope, Closure, Attributed, Subarray, type, partial, MethodType)
"""Types of what may hold variables besides containers, and the objects that the program has made."""


class Varying(Exception):
    """The program changes the length of `holder` from iteration to iteration: the loop must be unrolled."""

    def __init__(self, holder: Any) -> None:
        super().__init__("a length varies")
        self.holder = holder


@dataclass(frozen=True)
class Change:
    """A variable that changed: `holder[key]`; `path` names it in the same way in every pass."""

    path: Path
    holder: Any
    key: Any
    before: Any
    after: Any

    @property
    def variable(self) -> tuple[int, Any]:
        return id(self.holder), self.key

    def hold(self, value: Any) -> None:
        """The variable holds this from now on."""
        put(self.holder, self.key, value)


class Kept:
    """A staged value put aside: it does not count as live, but is the same object again while that exists."""

    def __init__(self, value: ArrayValue) -> None:
        self.original, self.copy = ref(value), copy.copy(value)

    def back(self, stage: Stage) -> ArrayValue:
        return self.original() or stage.revived(copy.copy(self.copy))


@dataclass(frozen=True)
class Saved:
    """A holder's content at one moment, its staged values frozen."""

    path: Path
    holder: Holder
    content: Any


def holders(
    frames: Sequence[Scope], objects: Mapping[int, Any], outside: Iterable[int] = ()
) -> list[tuple[Path, Holder]]:
    """All changeable containers that the program can reach, each once, in a fixed order; `objects` it has made, it does
    not change those `outside`."""
    seen = set(outside)
    found: list[tuple[Path, Holder]] = []
    for number, frame in enumerate(frames):
        _visit((number,), frame, objects, seen, found)
    return found


def reaches(all_of: Any, holder: Holder, objects: Mapping[int, Any]) -> bool:
    """Whether the program can reach a container by way of these values."""
    found: list[tuple[Path, Holder]] = []
    _visit((), all_of, objects, set(), found)
    return any(one is holder for _, one in found)


def _visit(
    path: Path, value: Any, objects: Mapping[int, Any], seen: set[int], found: list[tuple[Path, Holder]]
) -> None:
    """(A function of its own: one within `holders` that calls itself would keep all that it sees alive.)"""
    if isinstance(value, dict | list | deque | tuple | set):
        if id(value) in seen:
            return
        seen.add(id(value))
        if not isinstance(value, tuple):
            found.append((path, value))
        if not isinstance(value, set) and not PLAIN.issuperset(map(type, values(value))):
            for key, item in entries(value):
                if type(item) not in PLAIN:
                    _visit((*path, key), item, objects, seen, found)
        if id(value) not in objects:
            return
    elif id(value) not in objects and not isinstance(value, OPEN):
        return
    for name, part in _parts_to_visit(value, objects):
        _visit((*path, *name), part, objects, seen, found)


def _parts_to_visit(value: Any, objects: Mapping[int, Any]) -> Iterator[tuple[Path, Any]]:
    """What may hold variables in something that is no container, with what leads there."""
    if isinstance(value, Scope):
        yield (), value.values
        if value.parent is not None:
            yield ("<parent>",), value.parent
    elif isinstance(value, Closure):
        yield ("<scope>",), value.scope
        yield ("<attributes>",), value.attributes
        yield ("<defaults>",), value.source.defaults
        yield ("<defaults>",), value.source.kwdefaults
    elif id(value) in objects or isinstance(value, Attributed):
        yield ("<attributes>",), vars(value)
        if hasattr(type(value), CLASS_SCOPE):
            yield ("<class>",), type(value)
    elif isinstance(value, Subarray):
        yield ("<attributes>",), vars(value.state)
    elif isinstance(value, type):
        for cls in value.__mro__ if hasattr(value, CLASS_SCOPE) else ():
            yield (cls.__name__, "<scope>"), vars(cls).get(CLASS_SCOPE)
    elif isinstance(value, partial):
        yield from ((("<partial>", k), part) for k, part in enumerate((value.func, value.args, value.keywords)))
    elif isinstance(value, MethodType):
        yield ("<self>",), value.__self__


def save(found: Iterable[tuple[Path, Holder]]) -> list[Saved]:
    """The contents of holders now."""
    return [Saved(path, holder, _mapped(holder, Kept)) for path, holder in found]


def restore(saved: Sequence[Saved], stage: Stage) -> None:
    """Puts the contents back."""
    for entry in saved:
        content = _mapped(entry.content, lambda kept: kept.back(stage))
        refill(entry.holder, content)


def changes(saved: Sequence[Saved]) -> list[Change]:
    """What differs from the saved contents; Varying if a list or dict of the program got other keys."""
    found: list[Change] = []
    for entry in saved:
        if isinstance(entry.holder, set):
            if entry.holder != entry.content:
                raise Varying(entry.holder)
            continue
        if _is_untouched(entry):
            continue
        is_scope = len(entry.path) == 1 or entry.path[-1] in ("<scope>", "<parent>", "<attributes>")
        before, after = dict(entries(entry.content)), dict(entries(entry.holder))
        if not is_scope and before.keys() != after.keys():
            raise Varying(entry.holder)
        for key in dict.fromkeys((*before, *after)):
            old, new = before.get(key, MISSING), after.get(key, MISSING)
            if not same(old, new):
                found.append(Change((*entry.path, key), entry.holder, key, _seen(old), new))
    return found


def _is_untouched(entry: Saved) -> bool:
    """Whether a holder has the same objects as before, as far as this is seen at once."""
    before, after = entry.content, entry.holder
    if len(before) != len(after) or (isinstance(before, dict) and list(before) != [key for key, _ in entries(after)]):
        return False
    return all(map(operator.is_, values(before), values(after)))


def same(a: Any, b: Any) -> bool:
    """Whether a variable holds the same: the same place, the same value, the same object."""
    if a is b or (isinstance(a, Kept) and a.original() is b):
        return True
    a = a.copy if isinstance(a, Kept) else a
    if isinstance(a, ArrayValue) or isinstance(b, ArrayValue):
        return _same_staged(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, Subarray):
        return a.state is b.state and same(a.array, b.array)
    if isinstance(a, tuple | Complex | Composite | partial):
        return are_alike(a, b) and same_items(parts_of(a), parts_of(b))
    if isinstance(a, int | float | str | range | slice):
        return repr(a) == repr(b)
    return not isinstance(a, list | deque | dict) and _equal(a, b)


def parts_of(value: Any) -> tuple[Any, ...]:
    """Those of what can be taken apart, and of named tuples."""
    return value if isinstance(value, tuple) else taken_apart(value) or ()


def same_items(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether two tuples hold the same."""
    return len(a) == len(b) and all(map(same, a, b))


def _seen(value: Any) -> Any:
    """A saved value for looking at."""
    parts = taken_apart(value)
    if parts is not None:
        return put_together(value, map(_seen, parts))
    return value.copy if isinstance(value, Kept) else value


def _equal(a: Any, b: Any) -> bool:
    """Whether two values are equal; two objects of the program's are never one, whatever its classes say."""
    if isinstance(getattr(type(a), "__eq__", None), FunctionType) and not is_of_library(type(a)):
        return False
    try:
        return bool(a == b)
    except (TypeError, ValueError):
        return False


def _same_staged(a: Any, b: Any) -> bool:
    if isinstance(a, View) and isinstance(b, View):
        return (a.base, a.index, a.shape, a.weak) == (b.base, b.index, b.shape, b.weak)
    if isinstance(a, Lazy) and isinstance(b, Lazy):
        return (a.expr, a.shape, a.weak) == (b.expr, b.shape, b.weak)
    return False


def _mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A copy of a holder with its staged values, and those in tuples, mapped."""
    if isinstance(value, set):
        return set(value)
    if UNCHANGED.issuperset(map(type, values(value))):
        return dict(entries(value)) if isinstance(value, dict) else list(values(value))
    if isinstance(value, dict):
        return {key: _mapped_item(item, leaf) for key, item in entries(value)}
    return [_mapped_item(item, leaf) for item in values(value)]


def _mapped_item(item: Any, leaf: Callable[[Any], Any]) -> Any:
    if type(item) in UNCHANGED:
        return item
    if isinstance(item, ArrayValue | Kept):
        return leaf(item)
    parts = taken_apart(item)
    return item if parts is None else put_together(item, [_mapped_item(part, leaf) for part in parts])
