"""Lists of which data decide the length, such as the history of a loop that data end: filled, but never looked at.

Where a list gets items on one side of a branch on data, all is read again with an `Unread` in its place. Whoever looks
at that gets the refusal; a program may return it, where `of` selects something else.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from daad.errors import Unsupported


class Looked(Unsupported):
    """Somebody looks at such a list; users see an Unsupported."""

    __qualname__ = Unsupported.__qualname__


class Unread:
    """Takes items; all else is `refused`."""

    def __init__(self, refused: Unsupported) -> None:
        object.__setattr__(self, "_refused", refused)

    def append(self, item: Any) -> None:
        pass

    def extend(self, items: Any) -> None:
        pass

    def look(self, *others: Any) -> NoReturn:
        refused = object.__getattribute__(self, "_refused")
        raise Looked(refused.message, at=refused.at, hint=refused.hint)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asks for these in passing
            raise AttributeError(name)
        self.look()

    def __iter__(self) -> Iterator[Any]:
        self.look()

    def _asked(self, *others: Any) -> NoReturn:
        self.look(*others)

    __bool__ = __len__ = __getitem__ = __setitem__ = __delitem__ = __contains__ = __eq__ = _asked
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __lt__ = __gt__ = __le__ = __ge__ = _asked
    __hash__ = object.__hash__


class Unmade(Unread):
    """What a call would give, which takes long to compute: `make` sees to it that it is made, once somebody looks."""

    def __init__(self, make: Callable[[], NoReturn]) -> None:
        object.__setattr__(self, "_make", make)

    def look(self, *others: Any) -> NoReturn:
        make: Callable[[], NoReturn] = object.__getattribute__(self, "_make")
        make()

    append = extend = look  # type: ignore[assignment]


def unread_in(value: Any) -> Iterator[Unread]:
    """Those in a value; containers are looked into."""
    if isinstance(value, Unread):
        yield value
    elif isinstance(value, dict | types.MappingProxyType):
        for item in value.values():
            yield from unread_in(item)
    elif isinstance(value, slice):
        yield from unread_in((value.start, value.stop, value.step))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from unread_in(item)


def refuse_unread(values: Iterable[Any]) -> None:
    """What looks at its arguments cannot have such a list."""
    for value in values:
        if isinstance(value, Unread):
            value.look()


def refuse_unread_within(*values: Any) -> None:
    """What computes with its arguments cannot have such a list in them."""
    for found in unread_in(values):
        found.look()
