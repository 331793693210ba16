"""Text of values that only the run tells: it may be kept, joined and shown, and nobody looks at it."""

from __future__ import annotations

from collections import deque
from types import FunctionType, ModuleType
from typing import Any

from daad.errors import Unsupported
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.unread import Unread, unread_in
from daad.frontend.staging.values import is_staged
from daad.frontend.unsupported import AS_TEXT


class Text(Unread):
    """Stands for such a text."""

    def joined(self, other: Any) -> Text:
        """Another such text."""
        return self

    __add__ = __radd__ = __mod__ = __mul__ = __rmul__ = joined  # type: ignore[assignment]
    __hash__ = Unread.look


JOINING = ("__add__", "__iadd__", "__radd__", "__mod__", "__mul__", "__rmul__")
"""What makes another such text of it."""


def text(stage: Stage) -> Text:
    """What is made into text here."""
    message, hint = AS_TEXT
    return Text(Unsupported(message, at=stage.at, hint=hint))


TEXTS = ("__str__", "__repr__", "__format__")


def has_text(value: Any) -> bool:
    """Whether there is such a text in a value, or what only such a text can be made of; containers are looked into,
    and objects whose class says what their text is."""
    return any(True for _ in unread_in(value)) or _tells_of_data(value, False, set())


def _tells_of_data(value: Any, is_within: bool, seen: set[int]) -> bool:
    """Whether an object that has a text of its own holds what the run decides; `is_within` such an object."""
    if is_staged(value):
        return is_within
    if id(value) in seen or isinstance(value, str | type | ModuleType | FunctionType):
        return False
    seen.add(id(value))
    if isinstance(value, dict | list | tuple | set | frozenset | deque):
        items = (*value, *value.values()) if isinstance(value, dict) else tuple(value)
        return any(_tells_of_data(item, is_within, seen) for item in items)
    has_own = any(getattr(type(value), name) is not getattr(object, name) for name in TEXTS)
    inner = getattr(value, "__dict__", {}) if is_within or has_own else {}
    return any(_tells_of_data(item, True, seen) for item in inner.values())
