"""A loop that data turn out to end is read again from its beginning, as what stands for it; all before it stays."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from daad.frontend.python.reading.fixpoint import Moment
from daad.frontend.python.reading.reader import Reader, Restart, Signal
from daad.frontend.staging.values import View

Read = Callable[[], Signal | None]


def read(reader: Reader, node: ast.AST, as_it_stands: Read, instead: Read) -> Signal | None:
    """The loop as it stands, or what is found to stand for it while it is read."""
    own, moment = object(), Moment(reader)
    reader.standing.append((id(node), own))
    try:
        return as_it_stands()
    except Restart as restart:
        if restart.since is not own:
            raise
    finally:
        reader.standing.pop()
    moment.restore(reader)
    return instead()


def beginning(reader: Reader, node: ast.AST) -> object:
    """What a `Restart` names that goes back to where the loop began; None: to where the program did."""
    return next((own for key, own in reversed(reader.standing) if key == id(node)), None)


def may_end(reader: Reader, node: ast.For) -> bool:
    """Whether data might end the loop, which can be begun twice: nothing but numbers and lists gives its items."""
    return _jumps(node) and _is_repeatable(reader, node.iter)


@lru_cache(maxsize=1000)
def _jumps(node: ast.For) -> bool:
    return any(isinstance(n, ast.Break | ast.Return) for statement in node.body for n in ast.walk(statement))


def _is_repeatable(reader: Reader, items: ast.expr) -> bool:
    if isinstance(items, ast.Name):
        value = reader.scope.values.get(items.id)
        return isinstance(value, list | tuple | deque | range | np.ndarray | View)
    function = items.func if isinstance(items, ast.Call) else None
    return getattr(function, "id", None) == "range" or getattr(function, "value", None) is range
