"""Lists of which data decide the length, and tables of other packages that hold data: what refuses to be looked at
stands in their place."""

from __future__ import annotations

import ast
from typing import Any

from daad.errors import Unsupported
from daad.frontend.python.calls.library_python import concerns_data
from daad.frontend.python.reading.reader import Reader, Restart
from daad.frontend.staging.unread import Unread

TABLES = {"pandas": ("DataFrame", "Series"), "xarray": ("DataArray", "Dataset")}
"""Classes of packages that hold data for those who want to see them."""


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


def table(reader: Reader, function: Any, values: Any) -> Unread | None:
    """What stands for a table of another package, if a call makes one of data."""
    package = getattr(function, "__module__", None) if isinstance(function, type) else None
    if not isinstance(package, str) or function.__name__ not in TABLES.get(package.partition(".")[0], ()):
        return None
    if not concerns_data(reader, values):
        return None
    message = f"What is in a table, '{function.__name__}', is looked at, where data decide it."
    return Unread(Unsupported(message, at=reader.stage.at, hint="Compute with arrays of NumPy's."))
