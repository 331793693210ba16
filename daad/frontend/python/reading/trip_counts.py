"""`while` loops that data end, without a counter: `for` loops over as many iterations as a run of the program takes.

    while change > tol:          done = np.zeros(1, int)
        work                →    for trip in range(bound + 1):
                                     if not change > tol: break
                                     if trip > 0 and failed == 0 and done[done[0] // bound * number] < 0: break
                                     done[0] += 1
                                     work

Where the loop goes on after `bound` iterations, the index is no index: it tells which loop has to get a larger bound.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.errors import LOOPS, IndexOutside, Location, Unsupported
from daad.ir.interpreter import TooLong, run_at_most, start
from daad.ir.nodes import Program
from daad.ir.symbols import Kind, symbol

FIRST = 32
MOST = 1 << 20
EFFORT = 100_000_000
"""Points that are computed to find how many iterations there are; beyond, the compiled program tells."""
FAILED = symbol(Kind.HIDDEN, "failed", "the program")
"""The number of the exception that the program should have raised by now, or 0."""


class Endless(ast.For):
    """A loop that nothing but `break` and `return` ends."""


class Beyond(ast.Break):
    """Never reached: the index before it is outside."""


@dataclass(eq=False)
class Trips:
    """The bounds of the loops of one function, by their places; they only grow.

    `seen` is the identity of the arguments for which the bounds have been found, `tired` says that finding them took
    too long once: compiled code finds them from then on, and is not compiled as often.
    """

    places: list[Location] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    seen: int | None = None
    tired: bool = False

    def number(self, place: Location) -> int:
        """The number of a loop."""
        if place not in self.places:
            self.places.append(place)
            self.bounds.append(FIRST)
        return self.places.index(place)

    def grow(self, loop: int) -> None:
        """The loop goes on beyond its bound."""
        self.bounds[loop] *= 4 if self.tired else 2
        self.seen = None
        if self.bounds[loop] > MOST:
            raise Unsupported(
                f"This loop has not ended after {MOST} iterations.",
                at=self.places[loop],
                hint="Bound it: count the iterations, and compare their number in its condition.",
            )

    def suffice(self, program: Program, arguments: Mapping[str, Any], seen: int) -> bool:
        """Whether the program ends with these bounds, as far as is known; if not, one that was too small has grown."""
        if self.tired or self.seen == seen:
            return True
        try:
            loop = _overrun(program, arguments)
        except TooLong:
            self.tired = True
            return True
        if loop is None:
            self.seen = seen
            return True
        self.grow(loop)
        return False


def _overrun(program: Program, arguments: Mapping[str, Any]) -> int | None:
    """The number of a loop that takes more iterations than it has."""
    try:
        run_at_most(EFFORT, program.body, *start(program, arguments))
    except IndexOutside as found:
        return found.loop  # an index of the program's own is found again where it has consequences
    except (ArithmeticError, ValueError):
        return None
    return None


def bounded(node: ast.While, number: int, bound: int) -> tuple[list[ast.stmt], list[str]]:
    """The loop as a `for` loop, and the names that only daad knows."""
    place = f"{node.lineno}:{node.col_offset}"
    done, item = symbol(Kind.FLAG, "done", place), symbol(Kind.HIDDEN, "trip", place)
    count = ast.Subscript(_name(done), ast.Constant(0), ast.Load())
    beyond = ast.BinOp(ast.BinOp(count, ast.FloorDiv(), ast.Constant(bound)), ast.Mult(), ast.Constant(LOOPS + number))
    ended = ast.Compare(ast.Subscript(_name(done), beyond, ast.Load()), [ast.Lt()], [ast.Constant(0)])
    later = ast.Compare(_name(item), [ast.Gt()], [ast.Constant(0)])  # so that nothing ends the first iteration
    goes_on = ast.Compare(_name(FAILED), [ast.Eq()], [ast.Constant(0)])  # what has failed may never end
    counted = ast.AugAssign(ast.Subscript(_name(done), ast.Constant(0), ast.Store()), ast.Add(), ast.Constant(1))
    zeros = ast.Call(_function(np.zeros), [ast.Constant(1), _function(np.int64)], [])
    steps = ast.Call(_function(range), [ast.Constant(bound + 1)], [])
    is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    checks = (
        []
        if is_endless
        else [
            ast.If(ast.UnaryOp(ast.Not(), node.test), [*node.orelse, ast.Break()], []),
        ]
    )
    checks += [
        ast.If(ast.BoolOp(ast.And(), [later, goes_on, ended]), [Beyond()], []),
    ]
    loop = (Endless if is_endless else ast.For)(ast.Name(item, ast.Store()), steps, [*checks, counted, *node.body], [])
    made = [ast.Assign([ast.Name(done, ast.Store())], zeros), loop]
    for statement in (*made, *checks, counted):
        ast.copy_location(statement, node)
    return [ast.fix_missing_locations(statement) for statement in made], [done, item, FAILED]


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _function(function: Any) -> ast.expr:
    return ast.Constant(function)
