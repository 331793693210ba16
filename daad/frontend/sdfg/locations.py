"""Where in the user's source a DaCe object comes from."""

from __future__ import annotations

import os
from typing import Any

import dace

from daad.errors import Location, Unsupported

DACE_FOLDER = os.path.dirname(os.path.abspath(dace.__file__))


def location(element: Any) -> Location | None:
    """The user's file and line of a node, block or memlet; None where DaCe does not know or names itself."""
    info = getattr(element, "debuginfo", None)
    if info is None or not info.filename or not info.start_line:
        return None
    if os.path.abspath(info.filename).startswith(DACE_FOLDER):
        return None
    return Location(info.filename, info.start_line, info.start_column)


def refused(message: str, element: Any = None, hint: str | None = None) -> Unsupported:
    """The error to raise about a DaCe object, or about what stands at a location."""
    at = element if isinstance(element, Location) else location(element)
    return Unsupported(message, at=at, hint=hint)
