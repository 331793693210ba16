"""Removes assigns to elements that are overwritten before anything reads them, or never read and not visible.

    program f(x: float64[9], m: float64[9, 9])
      loop i = 0 .. 9:
        for k in i .. 9:  m[k, i] = sin(x[k])
        for k in i .. 9:  m[i, k] = cos(x[k])

becomes

    program f(x: float64[9], m: float64[9, 9])
      loop i = 0 .. 9:
        for k in i + 1 .. 9:  m[k, i] = sin(x[k])
        for k in i .. 9:  m[i, k] = cos(x[k])
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from daad.analysis.alias import moves
from daad.analysis.context import Scope
from daad.analysis.element_liveness import Facts, sweep
from daad.analysis.regular_sections import add, whole
from daad.ir.nodes import Loop, Nest, Program
from daad.ir.walk import walk
from daad.passes.definition import Pass


def remove_overwritten(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end; nothing else is."""
    facts = Facts({name: array.shape for name, array in program.arrays.items()})
    dead = {name: () if name in live else add((), whole(shape), Scope()) for name, shape in facts.shapes.items()}
    return replace(program, body=sweep(program.body, dead, facts, Scope()).body)


PASS = Pass(
    "dead-store-elimination",
    lambda program, goal: remove_dead_stores(program, goal.live),
    "Elements that are overwritten before anything reads them are not written.",
    source="Knoop, Ruething and Steffen 1994",
)


def remove_dead_stores(program: Program, live: frozenset[str]) -> Program:
    """Ends of triangles that are overwritten at once."""
    names = {name for node in walk(program.body) if isinstance(node, Loop) for name in _filled_twice(node)}
    facts = Facts({name: array.shape for name, array in program.arrays.items() if name in names}, trims=True)
    dead = {name: () if name in live else add((), whole(shape), Scope()) for name, shape in facts.shapes.items()}
    return replace(program, body=sweep(program.body, dead, facts, Scope()).body) if names else program


def _filled_twice(loop: Loop) -> set[str]:
    """Arrays that two nests of the loop's body fill over ranges that move with it."""
    skewed = (n for n in loop.body if isinstance(n, Nest) and len(n.assigns) == 1 and _is_skewed(n, loop.var))
    counts = Counter(n.assigns[0].target.array for n in skewed if n.assigns[0].op == "=")
    return {name for name, count in counts.items() if count > 1}


def _is_skewed(nest: Nest, var: str) -> bool:
    return any(moves(r, var) for r in nest.domain)
