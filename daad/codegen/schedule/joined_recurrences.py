"""Statements along a row that go through it with the recurrence next to them: what one has, the other need not fetch.

Copies of a row would be calls of `memmove`, whose vectors are not those of the recurrence and of what reads the copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from daad.codegen.chosen_names import Names
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.recurrences import FLOATS, Order, as_nest, find_recurrence
from daad.codegen.schedule.vector_lanes import is_arithmetic
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Loop, Nest, Node, Program
from daad.ir.walk import altered, loads, substitute_assign

REACH = 4
"""How many statements before a recurrence or a row the other of the two may stand, with others in between."""


def join_recurrences(program: Program) -> Program:
    """Recurrences take in the nests before and behind them that touch, point by point, what an iteration touches."""
    return replace(program, body=tuple(_joined(program.body, Context(program, Names({})))))


def _joined(body: Iterable[Node], context: Context) -> Iterator[Node]:
    out: list[Node] = []
    for node in body:
        node = _inside(node, context)
        for place in _reachable(out, node):
            joined = _one(out[place], node, context)
            if joined is not None:
                out[place] = joined
                break
        else:
            out.append(node)
    return iter(out)


def _reachable(before: Sequence[Node], node: Node) -> Iterator[int]:
    """Where nodes stand that the node may run next to, the nearest first: it has nothing to do with those behind."""
    for place in range(len(before) - 1, max(-1, len(before) - 1 - REACH), -1):
        yield place
        if before[place].written & node.touched or node.written & before[place].touched:
            return


def _inside(node: Node, context: Context) -> Node:
    if isinstance(node, Nest):
        return node
    if isinstance(node, Loop):
        return altered(node, body=tuple(_joined(node.body, context.inside_loop(node))))
    return altered(node, then=tuple(_joined(node.then, context)), orelse=tuple(_joined(node.orelse, context)))


def _one(first: Node | None, second: Node, context: Context) -> Loop | None:
    """Two neighbours as one recurrence, None if they stay two."""
    if isinstance(first, Loop) and isinstance(second, Nest):
        pair = _Pair.of(first, second, context)
        return pair.recurrence((*first.body, pair.statement)) if pair is not None and pair.may_follow() else None
    if isinstance(first, Nest) and isinstance(second, Loop):
        pair = _Pair.of(second, first, context)
        return pair.recurrence((pair.statement, *second.body)) if pair is not None and pair.may_precede() else None
    return None


@dataclass(frozen=True)
class _Pair:
    """A recurrence, and what a nest does at the point of one of its iterations."""

    loop: Loop
    nest: Nest
    assign: Assign
    context: Context

    @staticmethod
    def of(loop: Loop, nest: Nest, context: Context) -> _Pair | None:
        """None where the two do not go through the same points, or the loop is no recurrence."""
        whole = as_nest(loop) if loop.sharing is None else None
        if whole is None or len(nest.domain) != 1 or len(nest.assigns) != 1:
            return None
        [own], [r] = whole.domain, nest.domain
        if (own.start, own.stop) != (r.start, r.stop) or find_recurrence(loop, context) is None:
            return None
        assign = substitute_assign(nest.assigns[0], {r.var: Affine.of(loop.var)})
        return _Pair(loop, nest, assign, context) if is_arithmetic(assign.value, FLOATS) else None

    @property
    def statement(self) -> Nest:
        return Nest((), (self.assign,), self.nest.at)

    def recurrence(self, body: tuple[Node, ...]) -> Loop | None:
        """The loop with this body, if it is one."""
        joined = altered(self.loop, body=body)
        return joined if find_recurrence(joined, self.context) is not None else None

    def may_follow(self) -> bool:
        """Whether the nest takes what iterations leave, and no later one touches what it reads or writes."""
        return self._shares(self._written) and not self._meets(is_later=True)

    def may_precede(self) -> bool:
        """Whether iterations take what the nest leaves, and no earlier one touches what it reads or writes."""
        target = self.assign.target
        taken = {Access(load.array, load.index) for a in self._assigns for load in loads(a.value)}
        taken |= {a.target for a in self._assigns if a.op != "="}
        return target in taken and not self._meets(is_later=False)

    def _shares(self, places: set[Access]) -> bool:
        return any(Access(load.array, load.index) in places for load in loads(self.assign.value))

    @property
    def _assigns(self) -> list[Assign]:
        return [a for node in self.loop.body if isinstance(node, Nest) for a in node.assigns]

    @property
    def _written(self) -> set[Access]:
        return {a.target for a in self._assigns}

    def _meets(self, is_later: bool) -> bool:
        """Whether another iteration, on the side where the nest has been or will be, touches what its point does."""
        order = Order(replace(self.nest.domain[0], var=self.loop.var), self.loop.step, self.context)
        read = {Access(load.array, load.index) for load in loads(self.assign.value)}
        there = {Access(load.array, load.index) for a in self._assigns for load in loads(a.value)}
        pairs = [(own, other) for own in (*read, self.assign.target) for other in self._written]
        pairs += [(self.assign.target, other) for other in there]
        return any(
            order.meets_earlier(other, own) if is_later else order.meets_earlier(own, other) for own, other in pairs
        )
