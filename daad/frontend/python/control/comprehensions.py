"""Comprehensions: read element by element, their variables in a scope of their own."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from daad.frontend.numpy.elementwise.python_numbers import WRITTEN_OUT
from daad.frontend.python.control.chosen_items import Chosen, chosen, may_act
from daad.frontend.python.reading.fixpoint import Again
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Scope
from daad.frontend.python.syntax.made_nodes import assign, filtered_loop, kept, load
from daad.frontend.python.targets import assign_target, set_of, static_key
from daad.frontend.python.values import overloads
from daad.frontend.python.values.iterators import Items, Once, Source, iterate
from daad.frontend.python.values.object_keys import key_in
from daad.frontend.staging import iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.truth import truth
from daad.ir.affine import Affine
from daad.ir.symbols import Kind, symbol

ITEMS, TOTAL = (symbol(Kind.HIDDEN, name, "a sum") for name in ("items", "items_sum"))
LONGEST = 1000
"""Items of an array that a comprehension may run over."""


def comprehension(reader: Reader, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    def source() -> Any:
        return _source(reader, node.generators[0])  # sees the variables outside

    def read(comprehension: Any, items: Any, plan: Plan | None = None) -> list[Any]:
        return list(generated(reader, comprehension, node.elt, items, plan).rest(reader.stage))

    if isinstance(node, ast.GeneratorExp):
        return generated(reader, node, node.elt, source())
    chooses = (
        reader.stage.speculation.is_on and node.generators[0].ifs and _is_simple(node) and not may_act(reader, node)
    )
    found = chosen(reader, node, source, read) if chooses else read(node, source())
    return set_of(reader, node, found) if isinstance(node, ast.SetComp) else found


def _is_simple(node: Any) -> bool:
    """Whether it has one clause, and no variables but those of that."""
    return len(node.generators) == 1 and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def terms(reader: Reader, node: ast.GeneratorExp | ast.ListComp, start: Any) -> list[Any]:
    """What `sum` adds up: all items; those of a long sequence, or chosen ones, a loop has added to `start` already."""
    source = _source(reader, node.generators[0])
    sequence = iterables.staged(source)
    if _is_simple(node) and sequence is not None and (node.generators[0].ifs or _is_long(reader, sequence)):
        return [_summed(reader, node, sequence, start)]
    given = generated(reader, node, node.elt, source if sequence is None else sequence)
    return [start, *given.rest(reader.stage)]


def _summed(reader: Reader, node: ast.GeneratorExp | ast.ListComp, source: Any, start: Any) -> Any:
    loop = _loop_of(node)
    outer = reader.scope
    own = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert isinstance(loop.iter, ast.Name), "the loop runs over a name"
    inner = Scope(source=outer.source, parent=outer, own=frozenset((*own, loop.iter.id)), shared=outer.shared)
    reader.frames.append(inner)
    total = TOTAL
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
    """`for target in items: total = total + element`, the same one whenever the program is read."""
    first = node.generators[0]
    longer = assign(TOTAL, ast.BinOp(load(TOTAL), ast.Add(), node.elt))
    return kept(node, "loop", lambda: filtered_loop(first.target, ITEMS, first.ifs, longer, node.elt))


def dict_comprehension(reader: Reader, node: ast.DictComp) -> Any:
    pair = ast.Tuple([node.key, node.value], ast.Load())
    pairs = generated(reader, node, pair, _source(reader, node.generators[0])).rest(reader.stage)
    made: dict[Any, Any] = {}
    for key, value in pairs:
        made[key_in(reader, node, made, static_key(reader.stage, key))] = value
    return made


def generated(reader: Reader, node: Any, element: ast.expr, source: Any, plan: Plan | None = None) -> Once:
    """The elements, with the variables of the comprehension in a scope of their own; `source` is what it runs over,
    `plan` takes down whether data choose them."""
    own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    outer = reader.scope
    inner = Scope(source=outer.source, parent=outer, own=frozenset(own), shared=outer.shared)
    made_at = hash((*reader.path, id(node)))
    return Once(Generated(reader, node, element, made_at, plan), (inner, _clause(reader, source)))


@dataclass(frozen=True, eq=False)
class Generated(Source):
    """The elements of a comprehension; the iterators of its clauses follow its variables, the innermost one last."""

    reader: Reader
    node: Any
    element: ast.expr
    made_at: int
    plan: Plan | None = None
    kind: ClassVar[type] = types.GeneratorType

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        reader, depth = self.reader, len(self.reader.path)
        reader.frames.append(once.parts[0])
        with reader.at(self.node):
            is_there = self._advance(once, depth)
            item = reader.settled(_evaluated(reader, self.element), "item") if is_there else None
        reader.frames.pop()
        del reader.path[depth:]
        if not is_there:
            raise StopIteration
        return item

    def _advance(self, once: Once, depth: int) -> bool:
        """Gives the variables their next values; whether there are any. What is evaluated has a place of its own."""
        reader, clauses = self.reader, self.node.generators
        while True:
            try:
                item = once.parts[-1].take(reader.stage)
            except StopIteration:
                if len(once.parts) == 2:
                    return False
                once.parts = once.parts[:-1]
                continue
            reader.path[depth:] = [self.made_at, *(part.place.number or 0 for part in once.parts[1:])]
            clause = clauses[len(once.parts) - 2]
            assign_target(reader, clause.target, item)
            if not all(holds(reader, reader.eval(test), self.plan) for test in clause.ifs):
                continue
            if len(once.parts) > len(clauses):
                return True
            source = _source(reader, clauses[len(once.parts) - 1])
            once.parts = (*once.parts, _clause(reader, source))


def _clause(reader: Reader, source: Any) -> Once:
    """What a clause runs over; each item of an array is written out."""
    once = iterate(reader, source)
    staged = once.source.sequence if once.is_whole() and isinstance(once.source, Items) else None
    size = source.size if isinstance(source, np.ndarray) else 0
    if staged is not None and (iterables.has_arrays(staged) or isinstance(staged, Chosen)):
        size = reader.stage.known(iterables.length(reader.stage, staged))
    if size > LONGEST:
        reader.stage.refuse(
            f"A comprehension over an array of {size} items has to be written out, and that is too long.",
            "Use whole-array operations, or a 'for' loop that fills an array.",
        )
    return once


def _source(reader: Reader, clause: ast.comprehension) -> Any:
    """What a clause goes through."""
    return overloads.gone_through(reader, clause.iter, reader.eval(clause.iter))


def _evaluated(reader: Reader, element: ast.expr) -> Any:
    if isinstance(element, ast.Tuple) and not hasattr(element, "lineno"):
        return tuple(map(reader.eval, element.elts))
    return reader.eval(element)


def holds(reader: Reader, value: Any, plan: Plan | None = None) -> bool:
    """Whether an item belongs to what is made; where data decide, Again if the plan does not know that yet."""
    stage = reader.stage
    condition = truth(stage, value)
    if isinstance(condition, bool):
        return condition
    if not stage.speculation.asked():
        stage.refuse("The length of a list depends on data.", "Use 'np.where' or a 'for' loop with an 'if'.")
    if plan is not None:
        plan.rolled = True
        raise Again
    return decided(stage, condition)
