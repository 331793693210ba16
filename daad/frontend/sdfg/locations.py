"""Where in the user's source a DaCe object comes from."""

from __future__ import annotations

import linecache
import os
import re
from typing import Any

import dace
from dace.sdfg import nodes
from dace.sdfg.state import SDFGState

from daad.errors import Location, Unsupported

OTHERWISE = "Write this part otherwise, or pass the function without its '@dace.program' decorator."
FAR = 20
UNDECORATED = "Pass the function without its '@dace.program' decorator: daad reads NumPy itself."
DACE_FOLDER = os.path.dirname(os.path.abspath(dace.__file__))


def location(element: Any) -> Location | None:
    """The user's file and line of a node, block or memlet; None where DaCe does not know or names itself."""
    info = getattr(element, "debuginfo", None)
    if info is None or not info.filename or not info.start_line:
        return None
    if os.path.abspath(info.filename).startswith(DACE_FOLDER):
        return None
    return Location(info.filename, info.start_line)  # DaCe's columns are those of a dedented text


def location_near(node: nodes.Node, state: SDFGState) -> Location | None:
    """The location of a node, or of the nodes around it where DaCe has lost its own."""
    around = [node, *state.successors(node), *state.predecessors(node)]
    return next((found for n in around if (found := location(n)) is not None), None) or block_location(state)


def block_location(block: Any) -> Location | None:
    """DaCe keeps a loop's or branch's line in its label alone; the file is that of what stands inside."""
    inner = _first_location(block)
    line = re.match(r"(?:for|if|while)_(\d+)", getattr(block, "label", "") or "")
    if line is None or inner is None:
        return inner
    return Location(inner.file, int(line.group(1)))


def _first_location(block: Any) -> Location | None:
    states = [block] if isinstance(block, SDFGState) else getattr(block, "states", list)()
    for state in states:
        for node in state.nodes():
            if (found := location(node)) is not None:
                return found
    sdfg = getattr(block, "sdfg", None)
    return location(sdfg)


def definition(function: Any) -> Location:
    """The line of a function's 'def', below its decorators."""
    code = function.__code__
    file, line = code.co_filename, code.co_firstlineno
    while re.match(r"\s*(@|\)|#|$)", linecache.getline(file, line)) and line < code.co_firstlineno + FAR:
        line += 1
    return Location(file, line)


def refused(message: str, element: Any = None, hint: str = OTHERWISE) -> Unsupported:
    """The error to raise about a DaCe object, or about what stands at a location."""
    at = element if isinstance(element, Location) else location(element)
    return Unsupported(message, at=at, hint=hint)
