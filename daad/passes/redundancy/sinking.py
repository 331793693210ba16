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


def sink_fills(program: Program, live: Names) -> Program:
    """The program with each fill of a local array that is not in `live` just before what touches the array next."""
    hidden = frozenset(program.arrays) - {*program.parameters, *program.results, *live}
    return replace(program, body=_delayed(program.body, hidden))


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
