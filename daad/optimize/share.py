"""Arrays that never hold anything at the same time share their memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from daad.optimize.dead import covers
from daad.program.nodes import Access, Array, Branch, Expr, Load, Nest, Node, Program
from daad.program.walk import loads, map_expr, map_node, node_loads, runs_once, writes

Names = frozenset[str]
LEAST_FILL = 0.5
"""An array moves into a larger one of which it fills at least this part."""


def share(program: Program, live: Names) -> Program:
    """The program with fewer local arrays; those of `live`, parameters and results stay."""
    fixed = {*program.parameters, *program.results, *live}
    local = [a for a in program.arrays.values() if a.name not in fixed and a.shape]
    if len(local) < 2:
        return program
    conflicts = _conflicts(program, live)
    hosts: dict[str, str] = {}
    guests: dict[str, list[str]] = {}
    for array in sorted(local, key=lambda a: -a.nbytes):
        fitting = (h for h in guests if _fits(array, program.arrays[h]))
        host = next((h for h in fitting if not conflicts[array.name] & {h, *guests[h]}), None)
        if host is None:
            guests[array.name] = []
        else:
            hosts[array.name] = host
            guests[host].append(array.name)
    return _renamed(program, hosts) if hosts else program


def _fits(array: Array, host: Array) -> bool:
    return (
        array.dtype == host.dtype
        and len(array.shape) == len(host.shape)
        and all(a <= b for a, b in zip(array.shape, host.shape, strict=True))
        and array.size >= LEAST_FILL * host.size
    )


def _renamed(program: Program, hosts: dict[str, str]) -> Program:
    def moved(expr: Expr) -> Expr | None:
        return (
            Load(hosts[expr.array], expr.index, expr.dtype) if isinstance(expr, Load) and expr.array in hosts else None
        )

    def value(expr: Expr) -> Expr:
        return map_expr(expr, moved)

    def access(target: Access) -> Access:
        return Access(hosts.get(target.array, target.array), target.index)

    body = tuple(map_node(n, value, access) for n in program.body)
    return replace(program, body=body, arrays={n: a for n, a in program.arrays.items() if n not in hosts})


def _conflicts(program: Program, live: Names) -> dict[str, set[str]]:
    """For each array those that hold something while it is written, or that the statement that writes it touches."""
    lifetimes = _Lifetimes({name: set() for name in program.arrays})
    lifetimes.body(program.body, live | {*program.results}, frozenset(program.parameters), program)
    return lifetimes.conflicts


@dataclass(frozen=True)
class _Lifetimes:
    """Goes through a program backwards with the arrays that are read later (`live`), of which only those can hold
    something that may have been written before (`defined`)."""

    conflicts: dict[str, set[str]]

    def body(self, body: tuple[Node, ...], live: Names, defined: Names, program: Program) -> Names:
        """The arrays whose content matters before the body."""
        befores: list[Names] = []
        for node in body:
            befores.append(defined)
            defined = defined | writes((node,))
        for node, before in zip(reversed(body), reversed(befores), strict=True):
            live = self.node(node, live, before, program)
        return live

    def node(self, node: Node, live: Names, defined: Names, program: Program) -> Names:
        own = frozenset(load.array for load in node_loads(node))
        if isinstance(node, Nest):
            self._meet(node, live & defined)
            return _before(node, live, program) | own
        if isinstance(node, Branch):
            sides = (self.body(side, live, defined, program) for side in (node.then, node.orelse))
            return own.union(*sides)
        if runs_once(node):
            return own | self.body(node.body, live, defined, program)
        defined, around = defined | writes(node.body), live
        while not (inner := self.body(node.body, around, defined, program)) <= around:
            around |= inner
        return own | around

    def _meet(self, nest: Nest, alive: Names) -> None:
        targets = {a.target.array for a in nest.assigns}
        together = alive | targets | {load.array for load in node_loads(nest)}
        for target in targets:
            self.conflicts[target] |= together
        for other in together:
            self.conflicts[other] |= targets


def _before(nest: Nest, live: Names, program: Program) -> Names:
    for assign in reversed(nest.assigns):
        name = assign.target.array
        if assign.op != "=":
            live |= {name}
        elif covers(assign, nest.domain, program.arrays[name]):
            live -= {name}
        live |= {load.array for load in loads(assign.value)}
    return live
