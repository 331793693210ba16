"""Lists and dicts as Python itself keeps them, whatever methods the classes of the program's own have for it."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

Holder = dict[Any, Any] | list[Any] | deque[Any] | set[Any]
CONTAINERS = (dict, list, deque)
BASES: tuple[Any, ...] = (OrderedDict, *CONTAINERS, set)
TAKING_OUT = frozenset(("pop", "popitem", "popleft"))
CHANGING = frozenset(("append", "extend", "insert", "remove", "clear", "sort", "reverse", "update")) | TAKING_OUT
CHANGING |= {"add", "discard", "appendleft", "extendleft", "rotate"}
"""Methods that change a container; all but those that take something out give nothing."""


class Compared(Exception):
    """Python compares objects whose class has methods for it that have to be read."""


@dataclass
class Running:
    """Whether Python runs something for the program, which must not compare objects in another way than their classes
    say; the reading itself tells them apart by what they are."""

    for_program: bool = False


RUNNING = Running()


@contextmanager
def run_by_python(stage: Any, *, is_read: bool = False) -> Iterator[None]:
    """What Python runs for the program; `is_read`: what the program's classes say has been asked."""
    before, RUNNING.for_program = RUNNING.for_program, not is_read
    try:
        yield
    except Compared:
        stage.refuse(
            "Python itself compares objects here whose class says how they are compared.",
            "Write it as a loop, with 'in' and 'd[key]'.",
        )
    finally:
        RUNNING.for_program = before


def base_of(holder: Holder) -> Any:
    """The class of Python's own whose methods work on a container."""
    cls = type(holder)
    return cls if cls in BASES else next(base for base in BASES if isinstance(holder, base))


def entries(holder: Any) -> Iterable[tuple[Any, Any]]:
    """Keys, or places, and items; also those of a tuple."""
    return base_of(holder).items(holder) if isinstance(holder, dict) else enumerate(values(holder))


def keys(holder: dict[Any, Any] | set[Any]) -> Iterable[Any]:
    """Keys, or what is in a set."""
    return base_of(holder).__iter__(holder)


def values(holder: Any) -> Iterable[Any]:
    """The items."""
    if isinstance(holder, dict):
        found: Iterable[Any] = base_of(holder).values(holder)
        return found
    is_plain = isinstance(holder, tuple) or type(holder) in BASES
    return holder if is_plain else list(base_of(holder).__iter__(holder))


def lists_in(value: Any) -> Iterator[list[Any]]:
    """A list and those in it, in order."""
    if type(value) is list:
        yield value
        for item in value:
            yield from lists_in(item)


def parts_within(item: Any) -> Iterator[Any]:
    """An item, and those of a tuple."""
    yield item
    for part in item if isinstance(item, tuple) else ():
        yield from parts_within(part)


def got(holder: Holder, key: Any, default: Any) -> Any:
    """An item, the default where there is none."""
    if isinstance(holder, dict):
        return base_of(holder).get(holder, key, default)
    try:
        return base_of(holder).__getitem__(holder, key)
    except IndexError:
        return default


def item_in(holder: Any, key: Any) -> Any:
    """`holder[key]`, of lists and dicts without a method of the program's."""
    is_own = isinstance(holder, CONTAINERS) and isinstance(type(holder).__getitem__, FunctionType)
    return base_of(holder).__getitem__(holder, key) if is_own else holder[key]


def put(holder: Holder, key: Any, value: Any) -> None:
    """`holder[key] = value`."""
    base_of(holder).__setitem__(holder, key, value)


def refill(holder: Holder, content: Any) -> None:
    """Gives a container other items: those of `content`."""
    base = base_of(holder)
    base.clear(holder)
    if isinstance(holder, dict):
        for key, value in content.items():
            base.__setitem__(holder, key, value)
    elif isinstance(holder, set):
        base.update(holder, content)
    else:
        base.extend(holder, content)
