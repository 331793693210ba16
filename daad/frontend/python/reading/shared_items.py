"""Lists and dicts that Python makes of the items of others: each has views of its own of where the values lie.

A variable with storage is told apart from what else looks at its memory by its view, which must be in one place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import ItemsView, ValuesView
from typing import Any

from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.container_items import entries, put, values
from daad.frontend.staging.values import is_staged
from daad.frontend.staging.variable_storage import duplicated

MADE = (list, dict, deque, tuple)


def apart(reader: Reader, made: Any) -> Any:
    """A container that has just been made, or its like where that cannot be changed; variables with storage stay."""
    if not isinstance(made, MADE) or not is_staged(made):
        return made
    if isinstance(made, tuple):
        return duplicated(reader.stage, made)
    for key, item in list(entries(made)):
        if is_staged(item) and not isinstance(item, list | dict | deque | set) and (id(made), key) not in reader.cells:
            put(made, key, duplicated(reader.stage, item))
    return made


def to_take(reader: Reader, given: Any) -> Any:
    """An argument of which a method takes the items."""
    if isinstance(given, ItemsView | ValuesView):
        return apart(reader, list(given))
    if not isinstance(given, list | dict | deque) or not is_staged(given):
        return given
    return apart(reader, dict(entries(given)) if isinstance(given, dict) else list(values(given)))
