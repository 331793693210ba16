"""`break` and `return` on data: a flag tells the iterations that are left over that there is nothing to do.

    for k in items:                  running = True
        work                         for item in items:
        if found: break      →           if running:
        more                                 k = item; work
                                             if found: running = False; continue
                                             more

A value that is returned is computed after the loop, where all that it is made of is as it was; so is what the
statements before it give a name.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from daad.errors import Location
from daad.frontend import unsupported
from daad.frontend.python.control.replaced_loops import beginning
from daad.frontend.python.reading.reader import Reader, Restart
from daad.frontend.python.reading.scope import Unknown
from daad.frontend.python.reading.trip_counts import Beyond, Bounded, Endless, bounded
from daad.frontend.python.syntax.made_nodes import SCOPES, assign, bound_in, jumps_in, load
from daad.ir.symbols import Kind, symbol

JUMPS = (ast.Break, ast.Continue, ast.Return)


@dataclass(eq=False)
class Exit:
    """A loop that data may end, and what stands for it.

    `flags` are the names that only daad knows, `targets` those that the loop binds, `rebinds` says whether its body
    does, too; `keeps`: the targets are read after the loop.
    Other statements stand for it then: all is read again, nothing that it lies `within` alone.
    """

    node: ast.For
    flags: list[str] = field(default_factory=list)
    targets: tuple[str, ...] = ()
    statements: list[ast.stmt] = field(default_factory=list)
    rebinds: bool = False
    keeps: bool = False
    older: list[list[ast.stmt]] = field(default_factory=list)
    within: tuple[object, ...] = ()
    drops: ast.stmt | None = None

    def demand(self) -> Exit | None:
        """What gives the targets a value after the loop, where that is the item of the last iteration."""
        return None if self.keeps or self.rebinds else self

    def order(self) -> None:
        """The targets are read after the loop."""
        self.older.append(self.statements)  # the identity of nodes tells plans apart
        self.keeps = True
        _write(self)


class Forget(ast.stmt):
    """The targets of a loop have no value until an iteration binds them."""

    exit: Exit


class _Jumps(ast.NodeTransformer):
    """Replaces the jumps out of one loop; `break` and `continue` of loops inside, and functions, stay."""

    def __init__(self, running: str, place: str) -> None:
        self.running, self.place = running, place
        self.returned: list[tuple[str, list[ast.stmt]]] = []
        self.names: list[str] = []
        self.found = self.broken = False
        self.depth = self.finals = self.tries = 0
        self.drops: ast.stmt | None = None
        """A jump in what comes last, which drops the one before it."""

    def visit_Break(self, node: ast.Break) -> ast.AST | list[ast.stmt]:
        if self.depth:
            return node
        self.found = self.broken = True
        return [_assign(self.running, False), ast.Continue()]

    def visit_Beyond(self, node: Beyond) -> list[ast.stmt]:
        self.found |= not self.depth
        return [node] if self.depth else [_assign(self.running, False)]

    def visit_Return(self, node: ast.Return, before: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
        self.found = True
        name = symbol(Kind.FLAG, "returned", f"{len(self.returned)} {self.place}")
        first: list[ast.stmt] = []
        if self.finals:  # what comes last may change what the value is made of
            value = symbol(Kind.HIDDEN, "value", f"{len(self.returned)} {self.place}")
            first, node = [assign(value, node.value or ast.Constant(None))], ast.Return(load(value))
            self.names.append(value)
        self.returned.append((name, [*before, node]))
        return [*first, _assign(name, True), _assign(self.running, False), self._onwards()]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        last = [] if self.depth else [jump for one in node.finalbody for jump in jumps_in(one)]
        before = (jump for one in (*node.body, *node.handlers) for jump in jumps_in(one))
        if last and any(isinstance(jump, ast.Break | ast.Return) for jump in before):
            self.drops = last[0]
        self.finals += bool(node.finalbody)
        self.tries += 1
        node.body, node.orelse = self.visited(node.body), self.visited(node.orelse)
        for handler in node.handlers:
            handler.body = self.visited(handler.body)
        self.finals -= bool(node.finalbody)
        self.tries -= 1
        node.finalbody = self.visited(node.finalbody)
        return node

    def visit_For(self, node: ast.For | ast.While) -> list[ast.stmt]:
        before = len(self.returned)
        self.depth += 1
        node.body = self.visited(node.body)
        self.depth -= 1
        left = ast.If(ast.UnaryOp(ast.Not(), load(self.running)), [self._onwards()], [])
        checked: list[ast.stmt] = [left] if len(self.returned) > before else []
        node.orelse = self.visited(node.orelse)
        return [node, *checked]

    visit_While = visit_Endless = visit_Bounded = visit_For

    def visit_If(self, node: ast.If) -> ast.AST:
        node.body, node.orelse = self.visited(node.body), self.visited(node.orelse)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return node if isinstance(node, SCOPES) else super().generic_visit(node)

    def visited(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        count = 0 if self.tries else _last_values(statements)
        for statement in statements[: len(statements) - count]:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        if count:
            *before, last = statements[-count:]
            assert isinstance(last, ast.Return), "it ends what is computed for it"
            found += self.visit_Return(last, before)
        return found

    def _onwards(self) -> ast.stmt:
        return ast.Break() if self.depth else ast.Continue()


def _last_values(statements: Sequence[ast.stmt]) -> int:
    """How many statements at the end do nothing but compute what is returned: they may do so after the loop."""
    if not (statements and isinstance(statements[-1], ast.Return)):
        return 0
    before = takewhile(_names_a_value, reversed(statements[:-1]))
    return 1 + sum(1 for _ in before)


def _names_a_value(statement: ast.stmt) -> bool:
    is_plain = isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets)
    return is_plain and not any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(statement))


def leave(reader: Reader) -> None:
    """A loop may end here, depending on data: reads it again with a flag; returns where it has no such loop."""
    if not reader.courses or reader.courses[-1][0] is not reader.scope:
        return
    node = reader.courses[-1][1]
    if isinstance(node, ast.While):
        bound(reader, node)
        raise unsupported.refusal(node, reader.stage.at)
    if id(node) in reader.exits or id(node) in reader.followed:
        return
    made = Exit(node)
    if _write(made):
        if made.drops is not None:
            reader.stage.at = Location.of(made.drops, reader.file)
            reader.stage.refuse("A jump in 'finally' drops another one.", "Write the jump behind the 'try'.")
        reader.exits[id(node)] = made
        raise Restart(beginning(reader, node))


def bound(
    reader: Reader, node: ast.While | ast.For, instead: ast.While | None = None, first: Sequence[ast.stmt] = ()
) -> None:
    """The loop, or after what comes `first` the one `instead` of it, gets a bound, and is read again; returns where it
    cannot have one."""
    if {id(node)} & {*reader.bounded, *reader.followed} or any(
        isinstance(n, JUMPS) for s in node.orelse for n in ast.walk(s)
    ):
        return
    loop = instead or node
    assert isinstance(loop, ast.While), "a 'for' loop has a 'while' loop instead of it"
    place = Location.of(node, reader.file)
    number = reader.trips.number(place, is_inner=bool(reader.stage.loop_variables))
    statements, names = bounded(loop, number, reader.trips.bounds[number])
    reader.bounded[id(node)] = [*first, *statements], [*names, *(name for one in first for name in bound_in([one]))]
    raise Restart(beginning(reader, node))


def follow(reader: Reader, node: ast.AST) -> None:
    """A loop that stands for one which data end is to be written out: the loop itself is, as far as it goes."""
    for found in reader.exits.values():
        if any(node is statement for statement in found.statements):
            del reader.exits[id(found.node)]
            follow(reader, found.node)
            reader.followed[id(found.node)] = found.node
            raise Restart
    for key, (statements, _) in reader.bounded.items():
        if node is statements[-1]:
            del reader.bounded[key]
            reader.followed[key] = node
            raise Restart


def enter(reader: Reader, made: Exit) -> list[ast.stmt]:
    """The statements that stand for the loop."""
    reader.scope.own |= frozenset(made.flags)
    return made.statements


def forget(reader: Reader, node: Forget, rest: Sequence[ast.stmt]) -> None:
    """What the last iteration left in a target is no value of the next one's."""
    for name in node.exit.targets:
        home = reader.scope.home(name)
        if home is not None and (id(home.values), name) not in reader.cells:
            reader.assign(home.values, name, Unknown(demand=node.exit.demand()), name)


def _write(made: Exit) -> bool:
    """Whether the loop has such a jump."""
    node = copy.deepcopy(made.node)
    place = f"{node.lineno}:{node.col_offset}"
    names = bound_in([node.target])
    running, item = symbol(Kind.FLAG, "running", place), symbol(Kind.HIDDEN, names[0] if names else "item", place)
    jumps = _Jumps(running, place)
    body = jumps.visited(node.body)
    kept = {name: symbol(Kind.LAST, name, place) for name in names if made.keeps}
    keep = [_assign_from(last, name) for name, last in kept.items()]
    guard = ast.If(load(running), [ast.Assign([node.target], load(item)), *keep, *body], [])
    forgotten = Forget()
    forgotten.exit = made
    loop = ast.For(ast.Name(item, ast.Store()), node.iter, [forgotten, guard], [])
    if isinstance(node, Bounded):
        loop = Bounded(loop.target, loop.iter, loop.body, [])
        loop.begun, loop.running = node.begun, running
    flags = [name for name, _ in jumps.returned]
    first = [_assign(running, True), *(_assign(name, False) for name in flags)]
    after: list[ast.stmt] = [_assign_from(name, last) for name, last in kept.items()]
    after += [ast.If(load(name), last, []) for name, last in jumps.returned]
    if isinstance(made.node, Endless) and jumps.returned and not jumps.broken:
        after[-1:] = jumps.returned[-1][1]  # nothing else ends it
    if node.orelse:
        after += [ast.If(load(running), node.orelse, [])] if jumps.broken else node.orelse  # what returns has left
    made.statements = [ast.fix_missing_locations(ast.copy_location(s, node)) for s in (*first, loop, *after)]
    made.drops = jumps.drops
    made.flags = [running, item, *flags, *jumps.names, *kept.values()]
    made.targets, made.rebinds = tuple(names), not set(names).isdisjoint(bound_in(made.node.body))
    return jumps.found


def _assign(name: str, value: bool) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))


def _assign_from(name: str, other: str) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], load(other))
