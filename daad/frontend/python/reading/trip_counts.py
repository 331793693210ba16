"""`while` loops that data end, without a counter: `for` loops over as many iterations as a run of the program takes.

    while change > tol:          begun = np.zeros(1, int)
        work                →    for trip in range(bound + 1):
                                     begun[0] += 1
                                     if failed != 0 or begun[begun[0] // (bound + 1) * number] < 0: end here
                                     if not change > tol: break
                                     work

Where the loop goes on after `bound` iterations, the index is no index: it tells which loop has to get a larger bound.
Iterations that have not begun are left out (`daad.ir.nodes.Ending`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.errors import LOOPS, IndexOutside, Location, Unsupported
from daad.frontend.python.syntax.made_nodes import load
from daad.ir.interpreter import TooLong, run_at_most, start
from daad.ir.nodes import Program
from daad.ir.symbols import Kind, symbol

FIRST = 1024
FEW = 32
"""The bound of a loop in another one, for each of whose iterations there is memory."""
MOST = 1 << 20
EFFORT = 10_000_000
"""Points that are computed to find a bound that is tight; beyond, the compiled program tells."""
FAILED = symbol(Kind.HIDDEN, "failed", "the program")
"""The number of the exception that the program should have raised by now, or 0."""


class Beyond(ast.Break):
    """The loop ends with this iteration: the index before it is outside, or what has failed may never end."""


class Bounded(ast.For):
    """A loop that data end; `begun` is the name of the array that counts its iterations, `running` that of what tells
    whether it goes on."""

    begun: str
    running: str


class Endless(Bounded):
    """A loop that nothing but `break` and `return` ends."""


@dataclass(eq=False)
class Trips:
    """The bounds of the loops of one function, by their places; they only grow.

    They are `tight` where memory is taken for as many iterations as there may be, begun or not. `seen` is the identity
    of the arguments for which the bounds have been found, `tired` says that finding them took too long once: compiled
    code finds them from then on, as it does where they are not tight. `rolls`: loops that could be written out get
    bounds, too, if they are long; some loop `has_rolled`. `ranges`: so do those over as many numbers as data say, in
    other loops (None: they do not yet).
    """

    places: list[Location] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    tight: bool = False
    seen: int | None = None
    tired: bool = False
    rolls: bool = True
    has_rolled: bool = False
    ranges: bool | None = None

    def number(self, place: Location, is_inner: bool) -> int:
        """The number of a loop."""
        if place not in self.places:
            self.tight |= is_inner
            self.places.append(place)
            self.bounds.append(FEW if self.tight else FIRST)
        return self.places.index(place)

    def grow(self, loop: int) -> None:
        """The loop goes on beyond its bound."""
        self.bounds[loop] *= 2 if self.tight and not self.tired else 4
        self.seen = None
        if self.bounds[loop] > MOST:
            raise Unsupported(
                f"This loop has not ended after {MOST} iterations.",
                at=self.places[loop],
                hint="Bound it: count the iterations, and compare their number in its condition.",
            )

    def suffice(self, program: Program, arguments: Mapping[str, Any], seen: int) -> bool:
        """Whether the program ends with these bounds, as far as is known; if not, one that was too small has grown."""
        if not self.tight or self.tired or self.seen == seen:
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
    begun, item = symbol(Kind.FLAG, "begun", place), trip_of(node)
    is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    ends = ast.If(ast.UnaryOp(ast.Not(), node.test), [*node.orelse, ast.Break()], [])
    counted = ast.AugAssign(ast.Subscript(load(begun), ast.Constant(0), ast.Store()), ast.Add(), ast.Constant(1))
    failed = ast.Compare(load(FAILED), [ast.NotEq()], [ast.Constant(0)])
    beyond = ast.If(ast.BoolOp(ast.Or(), [failed, _is_outside(begun, number, bound)]), [Beyond()], [])
    checks = [counted, beyond, *([] if is_endless else [ends])]
    steps = ast.Call(_function(range), [ast.Constant(bound + 1)], [])
    loop = (Endless if is_endless else Bounded)(ast.Name(item, ast.Store()), steps, [*checks, *node.body], [])
    loop.begun = begun
    zeros = ast.Call(_function(np.zeros), [ast.Constant(1), _function(np.int64)], [])
    made = [ast.Assign([ast.Name(begun, ast.Store())], zeros), loop]
    for statement in (*made, *checks):
        ast.copy_location(statement, node)
    return [ast.fix_missing_locations(statement) for statement in made], [begun, item, FAILED]


def trip_of(node: ast.stmt) -> str:
    """The name of what counts the iterations of a loop with a bound."""
    return symbol(Kind.HIDDEN, "trip", f"{node.lineno}:{node.col_offset}")


def _is_outside(begun: str, number: int, bound: int) -> ast.expr:
    """What asks for an element that there is not, where more iterations have begun than there may be."""
    count = ast.Subscript(load(begun), ast.Constant(0), ast.Load())
    index = ast.BinOp(
        ast.BinOp(count, ast.FloorDiv(), ast.Constant(bound + 1)), ast.Mult(), ast.Constant(LOOPS + number)
    )
    return ast.Compare(ast.Subscript(load(begun), index, ast.Load()), [ast.Lt()], [ast.Constant(0)])


def _function(function: Any) -> ast.expr:
    return ast.Constant(function)
