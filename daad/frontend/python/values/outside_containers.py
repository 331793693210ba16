"""Lists, dicts and sets that the program has from outside: it may look into them, and add to a dict what is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from daad.frontend.python.reading.environment import Attributed
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values import outside_copies
from daad.frontend.staging.container_items import CHANGING
from daad.frontend.staging.values import is_staged


def require_own(reader: Reader, owner: Any, function: Any, args: Any, keywords: Mapping[str, Any]) -> None:
    """A method that changes a container from outside changes a twin of it."""
    name = getattr(function, "__name__", "")
    if name in CHANGING or (name == "setdefault" and is_staged((args, keywords))):
        change(reader, owner)


def require_change(reader: Reader, holder: Any, key: Any, value: Any) -> None:
    """`holder[key] = value` for a container from outside goes to a twin, unless it only remembers what is known."""
    reader.require_unfrozen(holder)
    if id(holder) not in reader.outside:
        return
    remembers = isinstance(holder, dict) and key not in holder and not is_staged(value)
    if not remembers or _is_own(reader, key) or _is_own(reader, value):
        change(reader, holder)


def _is_own(reader: Reader, value: Any) -> bool:
    """Whether this is, or holds, what the program has made and may change later."""
    if isinstance(value, tuple | frozenset):
        return any(_is_own(reader, item) for item in value)
    return isinstance(value, list | dict | set | deque | Attributed) or id(value) in reader.objects


def change(reader: Reader, holder: Any) -> None:
    """A container is changed: one from outside would be once, when the program is read, and not again at each call; so
    that is done to a twin."""
    reader.require_unfrozen(holder)
    if id(holder) not in reader.outside:
        return
    message = "A list, dict or set from outside the function is changed."
    outside_copies.require_twin(reader, holder, message, "Return the value instead.")
