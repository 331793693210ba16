"""Lists of which data decide the length: read again with what refuses to be looked at in their place."""

from __future__ import annotations

import ast
from typing import Any

from daad.errors import Unsupported
from daad.frontend.python.reading.reader import Reader, Restart
from daad.frontend.staging.unread import Unread


def made(reader: Reader, node: ast.List, items: list[Any]) -> Any:
    """The list of a list display."""
    if id(node) in reader.unread:
        return Unread(reader.unread[id(node)])
    reader.lists[id(items)] = (items, node)
    return items


def give_up(reader: Reader, holder: Any, refused: Unsupported) -> None:
    """The list is not looked at, it is hoped, and all is read again; returns where it is none of the program's own."""
    found = reader.lists.get(id(holder))
    if found is not None and not reader.stage.speculation.has_lists:
        reader.unread[id(found[1])] = refused
        raise Restart
