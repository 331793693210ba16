"""Comprehensions: read element by element, their variables in a scope of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from daad.frontend.python import iterables
from daad.frontend.python.numpy.scalars import WRITTEN_OUT
from daad.frontend.python.reader import Reader
from daad.frontend.python.scope import Scope
from daad.frontend.python.targets import assign_target, static_key
from daad.frontend.python.truth import truth
from daad.frontend.python.values import ArrayValue
from daad.program.affine import Affine

LONGEST = 1000
"""Items of an array that a comprehension may run over."""


def comprehension(reader: Reader, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    source = reader.eval(node.generators[0].iter)  # sees the variables outside
    found = [reader.settled(value, "item") for value in _produced(reader, node, node.elt, source)]
    return set(found) if isinstance(node, ast.SetComp) else found


def terms(reader: Reader, node: ast.GeneratorExp | ast.ListComp, start: Any) -> list[Any]:
    """What `sum` adds up: all items; those of a long sequence, or chosen ones, a loop has added to `start` already."""
    source = reader.eval(node.generators[0].iter)
    sequence = iterables.staged(source)
    is_simple = len(node.generators) == 1 and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))
    if is_simple and sequence is not None and (node.generators[0].ifs or _is_long(reader, sequence)):
        return [_summed(reader, node, source, start)]
    items = [reader.settled(value, "item") for value in _produced(reader, node, node.elt, source)]
    return [start, *items]


def _summed(reader: Reader, node: ast.GeneratorExp | ast.ListComp, source: Any, start: Any) -> Any:
    loop = _loop_of(node)
    outer = reader.scope
    own = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert isinstance(loop.iter, ast.Name), "the loop runs over a name"
    inner = Scope(source=outer.source, parent=outer, own=frozenset((*own, loop.iter.id)), shared=outer.shared)
    reader.frames.append(inner)
    total = loop.iter.id + "_sum"
    inner.values[loop.iter.id] = source
    reader.bind(total, start)
    reader.execute([loop])
    result = reader.lookup(total)
    reader.frames.pop()
    return result


def _is_long(reader: Reader, sequence: iterables.Staged) -> bool:
    start, stop, _ = sequence.bounds(reader.stage)
    if not (isinstance(start, Affine) and isinstance(stop, Affine)):
        return True
    return not (stop - start).is_const or abs((stop - start).const) > WRITTEN_OUT


def _loop_of(node: ast.GeneratorExp | ast.ListComp) -> ast.For:
    """`for target in items: items_sum = items_sum + element`, the same one whenever the program is read."""
    made: ast.For | None = getattr(node, "as_loop", None)
    if made is not None:
        return made
    first = node.generators[0]
    taken = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    items = "items"
    while items in taken or items + "_sum" in taken:
        items += "_"
    longer = ast.BinOp(ast.Name(items + "_sum", ast.Load()), ast.Add(), node.elt)
    add: ast.stmt = ast.Assign([ast.Name(items + "_sum", ast.Store())], longer)
    for test in reversed(first.ifs):
        add = ast.If(test, [add], [])
    made = ast.For(first.target, ast.Name(items, ast.Load()), [add], [])
    for new in ast.walk(made):
        if not hasattr(new, "lineno"):
            ast.copy_location(new, node.elt)
    node.as_loop = made  # type: ignore[union-attr]
    return made


def dict_comprehension(reader: Reader, node: ast.DictComp) -> Any:
    source = reader.eval(node.generators[0].iter)
    pairs = _produced(reader, node, ast.Tuple([node.key, node.value], ast.Load()), source)
    return {static_key(reader.stage, key): reader.settled(value, "item") for key, value in pairs}


def _produced(reader: Reader, node: Any, element: ast.expr, source: Any) -> Iterator[Any]:
    """The elements, with the variables of the comprehension in a scope of their own; `source` is what it runs over."""
    own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    outer = reader.scope
    inner = Scope(source=outer.source, parent=outer, own=frozenset(own), shared=outer.shared)
    reader.frames.append(inner)
    yield from _over(reader, source, node.generators, element)
    reader.frames.pop()


def _generated(reader: Reader, generators: list[ast.comprehension], element: ast.expr) -> Iterator[Any]:
    if not generators:
        yield _evaluated(reader, element)
        return
    yield from _over(reader, reader.eval(generators[0].iter), generators, element)


def _over(reader: Reader, source: Any, generators: list[ast.comprehension], element: ast.expr) -> Iterator[Any]:
    first, *rest = generators
    for number, value in enumerate(_items(reader, source)):
        reader.path.append(number)
        assign_target(reader, first.target, value)
        if all(_holds(reader, test) for test in first.ifs):
            yield from _generated(reader, rest, element)
        reader.path.pop()


def _items(reader: Reader, source: Any) -> list[Any]:
    """All that the comprehension runs over; each item of an array is written out."""
    items = iterables.static_items(reader.stage, source)
    if len(items) > LONGEST and (isinstance(source, ArrayValue | np.ndarray) or iterables.has_arrays(source)):
        reader.stage.refuse(
            f"A comprehension over an array of {len(items)} items has to be written out, and that is too long.",
            "Use whole-array operations, or a 'for' loop that fills an array.",
        )
    return items


def _evaluated(reader: Reader, element: ast.expr) -> Any:
    if isinstance(element, ast.Tuple) and not hasattr(element, "lineno"):
        return tuple(map(reader.eval, element.elts))
    return reader.eval(element)


def _holds(reader: Reader, test: ast.expr) -> bool:
    condition = truth(reader.stage, reader.eval(test))
    if not isinstance(condition, bool):
        reader.stage.refuse("The length of a list depends on data.", "Use 'np.where' or a 'for' loop with an 'if'.")
    return condition
