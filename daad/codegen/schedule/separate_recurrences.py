"""A loop of several recurrences as a loop for each, which goes in blocks then: a value and its tangent, for example.

loop j = 1 .. 49:                       loop j = 1 .. 49:
  x_dot[j] = 0.5 * x_dot[j - 1]   ->      x_dot[j] = 0.5 * x_dot[j - 1]
  x[j] = 0.5 * x[j - 1] + a[j]          loop j = 1 .. 49:
                                          x[j] = 0.5 * x[j - 1] + a[j]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from daad.codegen.chosen_names import Names
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.recurrences import as_nest, find_recurrence
from daad.ir.nodes import Loop, Nest, Node, Program
from daad.ir.walk import altered
from daad.passes.loops.distribution import distributed


def separate_recurrences(program: Program) -> Program:
    """Loops that are no recurrences, but whose statements are in groups, come apart."""
    return replace(program, body=tuple(_separated(program.body, Context(program, Names({})))))


def _separated(body: Iterable[Node], context: Context) -> Iterator[Node]:
    for node in body:
        if isinstance(node, Nest):
            yield node
        elif isinstance(node, Loop):
            yield from _apart(node, context)
        else:
            then, orelse = _separated(node.then, context), _separated(node.orelse, context)
            yield altered(node, then=tuple(then), orelse=tuple(orelse))


def _apart(loop: Loop, context: Context) -> Iterator[Node]:
    """A loop for each group of statements that is a recurrence, if all groups are; otherwise the loop itself."""
    whole = as_nest(loop) if loop.sharing is None else None
    if whole is None:
        yield altered(loop, body=tuple(_separated(loop.body, context.inside_loop(loop))))
        return
    statements = [node for node in loop.body if isinstance(node, Nest)]
    groups = distributed(statements, whole.domain[0], loop.step, context.known) if len(statements) > 1 else []
    parts = [altered(loop, body=tuple(statements[n] for n in group)) for group in groups]
    is_better = find_recurrence(loop, context) is None and all(find_recurrence(part, context) for part in parts)
    yield from parts if parts and is_better else [loop]
