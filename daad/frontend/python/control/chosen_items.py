"""Comprehensions over arrays and ranges with a condition on data: how many items there are is speculated on, which ones
are is not.

    [f(v) for v in x if v > 0]    →    mask = np.zeros(len(x), bool)
                                       for k, v in enumerate(x):
                                           if v > 0: mask[k] = True
                                       [f(x[k]) for k in np.nonzero(mask)[0]]
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.frontend.python.reading.environment import Saved, Varying, changes, save
from daad.frontend.python.reading.fixpoint import Again, repeat
from daad.frontend.python.reading.guards import CONSTANT_MODULES
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Scope
from daad.frontend.python.syntax.made_nodes import bound_in, filtered_loop, kept, load, place
from daad.frontend.staging import indexing, iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import Enumerated, Range, Reversed, Rows, Staged, Zipped
from daad.frontend.staging.speculation import list_places
from daad.frontend.staging.values import ArrayValue, View
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Index, Op
from daad.ir.symbols import Kind, symbol
from daad.ir.walk import writes

ITEMS, NUMBER, MASK = (symbol(Kind.HIDDEN, name, "a choice") for name in ("items", "number", "mask"))


def chosen(
    reader: Reader,
    node: ast.ListComp | ast.SetComp,
    source: Callable[[], Any],
    read: Callable[[Any, Any, Plan | None], list[Any]],
) -> list[Any]:
    """The items of a comprehension: `read(node, source(), plan)` gives them, Again where a condition turns out to be on
    data; then its items are read at the places where all conditions hold.

    Unless what is computed for some item may change what others are chosen or made of.
    """

    def attempt(plan: Plan) -> list[Any]:
        items = source()
        if not plan.rolled:
            return read(node, items, plan)
        sequence = None if plan.decided else iterables.staged(items)
        if sequence is None or not _is_indexed(sequence):
            return read(node, items if sequence is None else sequence, None)
        before = Effects(reader)
        found = read(_without_conditions(node), Chosen(sequence, _places(reader, node, sequence)), None)
        if before.are_any():
            plan.decided = True
            raise Again
        return found

    return repeat(reader, (*reader.path, place(node)), attempt, loop=False)


def may_act(reader: Reader, node: ast.AST) -> bool:
    """Whether it calls something that is not known to do nothing but compute."""
    return any(isinstance(inner, ast.Call) and not _computes(reader, inner.func) for inner in ast.walk(node))


def _computes(reader: Reader, called: ast.expr) -> bool:
    """Whether this is a builtin, or a function of a module that has nothing but functions."""
    names = ast.unparse(called).split(".")
    if reader.scope.home(names[0]) is not None or not all(map(str.isidentifier, names)):
        return False
    found = reader.scope.surroundings(names[0]).get(names[0])
    if isinstance(found, types.ModuleType):
        return found.__name__.partition(".")[0] in CONSTANT_MODULES and "random" not in names
    return len(names) == 1 and getattr(found, "__module__", "") in CONSTANT_MODULES


@dataclass
class Effects:
    """Whether something that is seen from outside has been done since this was made."""

    reader: Reader
    saved: Sequence[Saved] = field(init=False)
    arrays: frozenset[str] = field(init=False)
    nodes: int = field(init=False)

    def __post_init__(self) -> None:
        stage = self.reader.stage
        self.saved, self.nodes = save(self.reader.holders()), len(stage.blocks[-1].nodes)
        own = {place.base for place in (stage.speculation.failed, stage.speculation.actual) if place is not None}
        self.arrays = frozenset(stage.arrays.keys() - own)

    def are_any(self) -> bool:
        try:
            is_changed = bool(changes(self.saved))
        except Varying:
            is_changed = True
        written = writes(tuple(self.reader.stage.blocks[-1].nodes[self.nodes :]))
        return is_changed or not self.arrays.isdisjoint(written)


def _places(reader: Reader, node: Any, source: Staged) -> View:
    """Where all conditions hold, as many places as in this call."""
    stage, outer, loop = reader.stage, reader.scope, _loop_of(node)
    own = bound_in([loop])
    inner = Scope(source=outer.source, parent=outer, own=frozenset((*own, ITEMS, MASK)), shared=outer.shared)
    mask = stage.allocate((iterables.length(stage, source),), bool, "mask")
    stage.store(mask, False)
    reader.frames.append(inner)
    inner.values |= {ITEMS: Enumerated(source, Affine(0)), MASK: mask}
    reader.execute([loop])
    reader.frames.pop()
    found = list_places(stage, mask)
    assert found is not None, "it is speculated"
    return found[0]


def _loop_of(node: Any) -> ast.For:
    """`for number, target in items: if condition: mask[number] = True`, the same one whenever the program is read."""
    return kept(node, "mask", lambda: _loop(node))


def _loop(node: Any) -> ast.For:
    (clause,) = node.generators
    noted = ast.Assign([ast.Subscript(load(MASK), load(NUMBER), ast.Store())], ast.Constant(True))
    target = ast.Tuple([ast.Name(NUMBER, ast.Store()), clause.target], ast.Store())
    return filtered_loop(target, ITEMS, clause.ifs, noted, node.elt)


def _without_conditions(node: Any) -> Any:
    """The comprehension of all items, the same node whenever the program is read."""
    (clause,) = node.generators
    whole = ast.comprehension(clause.target, clause.iter, [], clause.is_async)
    return kept(node, "whole", lambda: ast.copy_location(type(node)(node.elt, [whole]), node))


@dataclass(frozen=True)
class Chosen(Staged):
    """The items of a sequence at some places."""

    part: Staged
    places: View

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), self.places.shape[0], 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        place = self.places.element((position,))
        return _item(stage, self.part, stage.lazy((), np.int64, lambda _: place, weak=True))


def _is_indexed(part: Staged) -> bool:
    """Whether items may be read in any order."""
    if isinstance(part, Zipped):
        return all(map(_is_indexed, part.parts))
    if isinstance(part, Enumerated | Reversed):
        return _is_indexed(part.part)
    return isinstance(part, Rows) or (isinstance(part, Range) and isinstance(part.start, Affine))


def _item(stage: Stage, part: Staged, place: ArrayValue) -> Any:
    """The item at a place that data decide, counted from 0."""
    if isinstance(part, Rows):
        return indexing.item(stage, part.array, (place,))
    if isinstance(part, Zipped):
        return tuple(_item(stage, one, place) for one in part.parts)
    if isinstance(part, Enumerated):
        return _moved(stage, place, part.first, 1), _item(stage, part.part, place)
    if isinstance(part, Reversed):
        return _item(stage, part.part, _moved(stage, place, iterables.length(stage, part) - 1, -1))
    assert isinstance(part, Range), "no other sequence is indexed"
    assert isinstance(part.start, Affine), "nor one from a start that data decide"
    return _moved(stage, place, part.start, part.step)


def _moved(stage: Stage, place: ArrayValue, first: Affine, step: int) -> ArrayValue:
    """`first + step * place`."""
    scaled = Op("multiply", (place.element(()), Const(step, "int64")), "int64")
    value = Op("add", (scaled, Const(stage.known(first), "int64")), "int64")
    return stage.lazy((), np.int64, lambda _: value, weak=True)
