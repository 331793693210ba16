"""Comprehensions: read element by element, their variables in a scope of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from daad.frontend.python import iterables
from daad.frontend.python.reader import Reader
from daad.frontend.python.scope import Scope
from daad.frontend.python.targets import assign_target, static_key
from daad.frontend.python.truth import truth
from daad.frontend.python.values import ArrayValue


def comprehension(reader: Reader, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    found = [reader.settled(value, "item") for value in _produced(reader, node, node.elt)]
    return set(found) if isinstance(node, ast.SetComp) else found


def dict_comprehension(reader: Reader, node: ast.DictComp) -> Any:
    pairs = _produced(reader, node, ast.Tuple([node.key, node.value], ast.Load()))
    return {static_key(reader.stage, key): reader.settled(value, "item") for key, value in pairs}


def _produced(reader: Reader, node: Any, element: ast.expr) -> Iterator[Any]:
    """The elements, with the variables of the comprehension in a scope of their own."""
    own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    outer = reader.scope
    inner = Scope(source=outer.source, parent=outer, own=frozenset(own), shared=outer.shared)
    reader.frames.append(inner)
    yield from _generated(reader, node.generators, element)
    reader.frames.pop()


def _generated(reader: Reader, generators: list[ast.comprehension], element: ast.expr) -> Iterator[Any]:
    if not generators:
        yield _evaluated(reader, element)
        return
    first, *rest = generators
    source = reader.eval(first.iter)
    if isinstance(source, ArrayValue) or (isinstance(source, np.ndarray) and source.ndim):
        reader.stage.refuse(
            "A comprehension over an array cannot be differentiated yet.", "Use whole-array operations or a 'for' loop."
        )
    for number, value in enumerate(iterables.static_items(reader.stage, source)):
        reader.path.append(number)
        assign_target(reader, first.target, value)
        if all(_holds(reader, test) for test in first.ifs):
            yield from _generated(reader, rest, element)
        reader.path.pop()


def _evaluated(reader: Reader, element: ast.expr) -> Any:
    if isinstance(element, ast.Tuple) and not hasattr(element, "lineno"):
        return tuple(map(reader.eval, element.elts))
    return reader.eval(element)


def _holds(reader: Reader, test: ast.expr) -> bool:
    condition = truth(reader.stage, reader.eval(test))
    if not isinstance(condition, bool):
        reader.stage.refuse("The length of a list depends on data.", "Use 'np.where' or a 'for' loop with an 'if'.")
    return condition
