"""Keys of dicts and sets whose class has a `__hash__` of the program's own: they are found by its `__eq__`."""

from __future__ import annotations

import ast
from collections.abc import KeysView
from typing import Any

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.objects import is_hashed_by_program
from daad.frontend.python.values.ordering import equal
from daad.frontend.staging.speculation import decided

HOLDERS = (dict, set, frozenset, KeysView)


def key_in(reader: Reader, node: ast.AST, holder: Any, key: Any) -> Any:
    """The key of the dict or set that equals `key`, which the program's classes say; itself if there is none."""
    holder = reader.twins.get(id(holder), holder)
    if not isinstance(holder, HOLDERS) or not is_asked(key) or any(other is key for other in holder):
        return key
    return next((other for other in holder if is_asked(other) and _equals(reader, node, other, key)), key)


def is_asked(key: Any) -> bool:
    """Whether the program's classes say what a key equals."""
    return any(map(is_asked, key)) if isinstance(key, tuple) else is_hashed_by_program(key)


def _equals(reader: Reader, node: ast.AST, one: Any, other: Any) -> bool:
    same = equal(reader, one, other, node)
    if not isinstance(same, bool) and not reader.stage.speculation.asked():
        reader.stage.refuse("Data decide whether a key is in a dict or set.", "Use a list.")
    return same if isinstance(same, bool) else decided(reader.stage, same)


def name_of(key: Any) -> str:
    """What an item is called in the Program; an object's own text would be made by code that is not read."""
    return str(key) if _is_plain(key) else "item"


def _is_plain(key: Any) -> bool:
    return all(map(_is_plain, key)) if type(key) is tuple else type(key) in (str, int, float, bool, complex, bytes)
