"""Loops whose iterations may run at the same time: they touch different elements, or arrays that each thread could have
for itself. Slabs are such loops, and so are batches that a program goes through one after the other.

    program f(x: float64[9000, 900])
      loop i = 0 .. 9000:
        loop j = 1 .. 900:
          x[i, j] = sin(x[i, j - 1]) * x[i, j]

becomes

    program f(x: float64[9000, 900])
      loop i = 0 .. 9000 in parallel 1 on 2 threads:
        loop j = 1 .. 900:
          x[i, j] = sin(x[i, j - 1]) * x[i, j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daad.analysis.context import Scope
from daad.analysis.cost.execution_time import Traffic
from daad.analysis.cost.machine import WORTH_THREADS_SECONDS
from daad.analysis.element_liveness import read_behind
from daad.analysis.own_intervals import are_apart
from daad.analysis.privatization import private_in
from daad.analysis.sites import loop_bounds
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Branch, Loop, Nest, Node, Program, Sharing
from daad.ir.walk import node_loads, walk, writes
from daad.passes.definition import NONE, Form, Pass, forms

MOST = 2**22
"""Bytes of local arrays that each thread may have for itself: more would not stay near a core, and would be much in all
on machines with many of them."""


PASS = Pass(
    "doall",
    lambda program, goal: mark_doall(program, goal.live, goal.threads),
    "Loops whose iterations may run at the same time are shared by threads.",
    source="Allen and Kennedy 2001, 2.4; Tu and Padua 1993",
    requires=forms(Form.SERIAL),
    establishes=forms(Form.SHARED),
    ends=forms(Form.SERIAL),
)


def mark_doall(program: Program, live: frozenset[str], threads: int) -> Program:
    """The program with its outermost such loops marked, if there are threads to share them; `live` as in `Goal`."""
    if threads < 2:
        return program
    marked = sum(isinstance(node, Loop) and node.sharing is not None for node in walk(program.body))
    sharing = _Sharing(program.arrays, threads, marked)
    body = sharing.body(program.body, Usage(program, live).hidden, Scope())
    return replace(program, body=body) if sharing.count else program


@dataclass
class _Sharing:
    """Goes through bodies, outer ones first; loops get numbers in the order of the program, behind the `count` of those
    that have one. No loop is shared that has such a one inside."""

    arrays: Mapping[str, Array]
    threads: int
    count: int = 0
    traffic: Traffic = field(init=False)

    def __post_init__(self) -> None:
        self.traffic = Traffic(self.arrays)

    def body(self, body: tuple[Node, ...], own: frozenset[str], scope: Scope) -> tuple[Node, ...]:
        """`own`: arrays whose content nobody wants before the body, nor behind it."""
        read = read_behind(body, _touched_again(body, own), self.arrays, scope)
        return tuple(self.node(node, own & node.touched - read.get(at, NONE), scope) for at, node in enumerate(body))

    def node(self, node: Node, own: frozenset[str], scope: Scope) -> Node:
        if isinstance(node, Nest):
            return node
        own -= {load.array for load in node_loads(node)}
        if isinstance(node, Branch):
            then, orelse = (self.body(side, own, scope) for side in (node.then, node.orelse))
            return replace(node, then=then, orelse=orelse)
        if node.sharing is not None:
            return _checked(node, node.sharing)
        shared = self.shared(node, own, scope)
        if shared is not None or not any(isinstance(n, Loop) for n in walk(node.body)):
            return shared or node
        private = private_in(node, own, self.arrays, scope)
        return replace(node, body=self.body(node.body, private, scope.enter(node)))

    def shared(self, loop: Loop, own: frozenset[str], scope: Scope) -> Loop | None:
        """The loop with its mark, None if it has to, or had better, stay as it is."""
        if any(isinstance(n, Loop) and n.sharing is not None for n in walk(loop.body)):
            return None
        if not (_is_plain(loop) and self.is_worth_it(loop, scope)):
            return None
        common = writes(loop.body) - own
        if not all(are_apart(loop, name) for name in sorted(common)):
            return None
        private = private_in(loop, own, self.arrays, scope)
        if sum(self.arrays[name].nbytes for name in private) > MOST:
            return None
        if not all(are_apart(loop, name) for name in sorted(writes(loop.body) - private - common)):
            return None
        self.count += 1
        return replace(loop, sharing=Sharing(self.count, self.threads, tuple(sorted(private))))

    def is_worth_it(self, loop: Loop, scope: Scope) -> bool:
        """Enough iterations for all threads, with enough to do."""
        low, high = _bounds(loop)
        trips = scope.middle(high - low)
        if trips is None or trips < self.threads:
            return False
        return self.traffic.seconds((loop,)) >= WORTH_THREADS_SECONDS


def _touched_again(body: tuple[Node, ...], own: frozenset[str]) -> dict[int, frozenset[str]]:
    """The arrays of `own` that a loop or branch touches, and something behind it, by its position."""
    found: dict[int, frozenset[str]] = {}
    later: set[str] = set()
    for at, node in reversed(list(enumerate(body))):
        again = NONE if isinstance(node, Nest) else own & node.touched & later
        if again:
            found[at] = again
        later |= node.touched
    return found


def _bounds(loop: Loop) -> tuple[Affine, Affine]:
    low, high = loop_bounds(loop)
    assert isinstance(low, Affine), "asked for plain loops only"
    assert isinstance(high, Affine), "asked for plain loops only"
    return low, high


def _is_plain(loop: Loop) -> bool:
    """Whether all that decides how it goes on is made from variables of loops, not from arrays."""
    inside = [n for n in walk((loop,)) if not isinstance(n, Nest)]
    if any(True for node in inside for _ in node_loads(node)):
        return False
    return all(isinstance(n.start, Affine) and isinstance(n.stop, Affine) for n in inside if isinstance(n, Loop))


def _checked(loop: Loop, sharing: Sharing) -> Loop:
    """A loop that has a mark, without it if other passes have changed what iterations have in common."""
    common = writes(loop.body).difference(sharing.own)
    return loop if all(are_apart(loop, name) for name in sorted(common)) else replace(loop, sharing=None)
