"""Fills of scratch arrays wait until the array is used: before that its memory can serve others.

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  t[i] = 0
      for i in 0 .. 9:  x[i] = sin(x[i])
      loop k = 1 .. 9:
        t[k] = t[k - 1] + x[k]
      for i in 0 .. 9:  y[i] = t[i]

becomes

    program f(x: float64[9], y: float64[9])
      local t: float64[9]
      for i in 0 .. 9:  x[i] = sin(x[i])
      for i in 0 .. 9:  t[i] = 0
      loop k = 1 .. 9:
        t[k] = t[k - 1] + x[k]
      for i in 0 .. 9:  y[i] = t[i]

What is known of a call, such as whether data decide as the program was read for, waits for the end, where nothing reads
it before: nests on both sides of it may go through memory together.

    program f(x: float64[9], y: float64[9])
      local s: float64[], last: float64[]
      s = 0.0
      for i in 0 .. 9:  s += x[i]
      last = sqrt(s)
      for i in 0 .. 9:  y[i] = x[i] * x[i]
      return last

becomes

    program f(x: float64[9], y: float64[9])
      local s: float64[], last: float64[]
      s = 0.0
      for i in 0 .. 9:  s += x[i]
      for i in 0 .. 9:  y[i] = x[i] * x[i]
      last = sqrt(s)
      return last
"""

from __future__ import annotations

from dataclasses import replace

from daad.ir.nodes import Branch, Loop, Nest, Node, Program
from daad.ir.walk import node_loads, reads, writes
from daad.passes.definition import Pass

Names = frozenset[str]


PASS = Pass(
    "sinking",
    lambda program, goal: sink_fills(program, goal.live),
    "Fills of scratch arrays wait until the array is used.",
    source="Knoop, Ruething and Steffen 1994",
)
NUMBERS = Pass(
    "number-sinking",
    lambda program, goal: sink_numbers(program),
    "Statements on numbers that nothing reads yet wait for the end.",
    source="Knoop, Ruething and Steffen 1994",
)


def sink_fills(program: Program, live: Names) -> Program:
    """The program with each fill of a local array that is not in `live` just before what touches the array next."""
    hidden = frozenset(program.arrays) - {*program.parameters, *program.results, *live}
    return replace(program, body=_delayed(program.body, hidden))


def sink_numbers(program: Program) -> Program:
    """The program with statements on numbers as late as what touches these numbers next allows."""
    out: list[Node] = []
    for node in reversed(program.body):
        out.insert(_wait(node, out), node)
    return replace(program, body=tuple(out))


def _wait(node: Node, later: list[Node]) -> int:
    """How many of the later statements may run before this one: all, or none if something there touches its results."""
    if not isinstance(node, Nest) or node.domain or any(load.index for load in node_loads(node)):
        return 0
    for n, other in enumerate(later):
        if node.written & other.touched or other.written & node.loaded:
            return n if isinstance(other, Nest) and not other.domain else 0
    return len(later)


def _delayed(body: tuple[Node, ...], hidden: Names) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in reversed(body):
        if isinstance(node, Loop):
            node = replace(node, body=_delayed(node.body, hidden))
        elif isinstance(node, Branch):
            node = replace(node, then=_delayed(node.then, hidden), orelse=_delayed(node.orelse, hidden))
        out.insert(_place(node, out, hidden), node)
    return tuple(out)


def _place(node: Node, later: list[Node], hidden: Names) -> int:
    """How many of the later statements of its body may run before a fill; 0 for anything else."""
    if not isinstance(node, Nest) or any(node_loads(node)) or any(a.op != "=" for a in node.assigns):
        return 0
    names = writes((node,))
    if not names <= hidden:
        return 0
    return next((n for n, other in enumerate(later) if names & (reads((other,)) | writes((other,)))), 0)
