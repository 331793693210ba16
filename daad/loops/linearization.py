"""The matrix that a user's rule asks for: the derivative of statements with respect to one array, column by column.

A branch on `is_linearised(level)` is never taken: it holds the statements, and `J[i, k] = slope(r[i], x[k])`. For the
next derivative they become a loop over the columns, in which the statements run with their tangents; so they do below
`is_differentiated(level)`, where the matrix has a derivative of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daad.ccs.graph import find_ccs
from daad.errors import Unsupported
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Load, Loop, Nest, Node, Program, Range
from daad.ir.walk import altered, loaded, relocated, substitute_node, walk, writes
from daad.loops.tangents import push
from daad.rules.own_rules import (
    for_forward,
    has_rules,
    is_differentiated_now,
    is_linearised_now,
    is_reversed_now,
    operation,
    passive,
    spent,
)


def linearised(program: Program) -> Program:
    """The program with the matrices that the next derivative needs."""
    if not has_rules(program):
        return program
    rewriting = _Rewriting(program, NameSupply.of(program))
    body = rewriting.body(program.body, ())
    return replace(program, arrays={**program.arrays, **rewriting.added}, body=body)


@dataclass
class _Rewriting:
    program: Program
    supply: NameSupply
    added: dict[str, Array] = field(default_factory=dict)

    def body(self, body: tuple[Node, ...], variables: tuple[str, ...]) -> tuple[Node, ...]:
        return tuple(self.node(node, variables) for node in body)

    def node(self, node: Node, variables: tuple[str, ...]) -> Node:
        if isinstance(node, Loop):
            return altered(node, body=self.body(node.body, (*variables, node.var)))
        if isinstance(node, Branch) and is_linearised_now(node):
            return self.columns(node, variables, is_active=False)
        if isinstance(node, Branch) and is_differentiated_now(node):
            return self.node(self.columns(node, variables, is_active=True), variables)
        if isinstance(node, Branch):
            return altered(node, then=self.body(node.then, variables), orelse=self.body(node.orelse, variables))
        return node

    def columns(self, branch: Branch, variables: tuple[str, ...], is_active: bool) -> Node:
        """The loop over the columns."""
        *body, last = branch.then
        assert isinstance(last, Nest), "a matrix is made last"
        found = operation(last.assigns[0].value, "slope")
        assert found is not None, "a matrix is made of slopes"
        value, point = (load for load in found.args if isinstance(load, Load))
        inner = self.body(tuple(body), variables)
        sub = for_forward(self._alone(inner, value, (*self.program.integers, *variables)))
        _require_forward(sub, branch)
        ccs = find_ccs(sub, [point.array], [value.array])
        seed = replace(self.arrays[point.array], name=self.supply.new(f"{point.array}_dot"), extents=())
        pushed = push(sub, ccs, [seed.name])
        program = spent(pushed.program) if is_active else pushed.program
        own = {name: self.supply.new(name) for name in sorted(writes(program.body))}
        self.added |= {new: replace(program.arrays[old], name=new) for old, new in own.items()}
        self.added[seed.name] = seed
        held = program.body if is_active else tuple(passive(node, {seed.name, *own}) for node in program.body)
        dot = pushed.dots.get(value.array)
        slope = const(0, value.dtype) if dot is None else Load(own[dot], value.index, value.dtype)
        filling = replace(last, assigns=(replace(last.assigns[0], value=slope),))
        return self._loop(last, point, seed, (*(_renamed(node, own) for node in held), filling))

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {**self.program.arrays, **self.added}

    def _alone(self, body: tuple[Node, ...], value: Load, integers: tuple[str, ...]) -> Program:
        touched = frozenset[str]().union(*(node.touched for node in body))
        return Program(
            name="residual",
            arrays={name: array for name, array in self.arrays.items() if name in touched},
            parameters=tuple(sorted(loaded(body) - writes(body))),
            integers=integers,
            results=(value.array,),
            body=body,
        )

    def _loop(self, matrix: Nest, point: Load, seed: Array, body: tuple[Node, ...]) -> Loop:
        """The statements for each element of the point, which gets a tangent of its own; the last fills a column."""
        (place,) = point.index
        assert isinstance(place, Affine), "a matrix has a column for each element"
        columns = [r for r in matrix.domain if r.var in place.names] or [Range("", Affine(0), Affine(1))]
        (column,) = columns
        *statements, last = body
        assert isinstance(last, Nest), "a matrix is made last"
        variable = self.supply.new("column")
        filling = replace(last, domain=tuple(r for r in last.domain if r is not column))
        filling = substitute_node(filling, {column.var: Affine.of(variable)})  # type: ignore[assignment]
        domain, index = all_points(seed, self.supply)
        zero = Nest(domain, (Assign(Access(seed.name, index), "=", const(0, seed.dtype)),), matrix.at)
        chosen = (place.substitute({column.var: Affine.of(variable)}),)
        one = Nest((), (Assign(Access(seed.name, chosen), "=", const(1, seed.dtype)),), matrix.at)
        return Loop(variable, column.start, column.stop, 1, (zero, one, *statements, filling), matrix.at)


def _require_forward(program: Program, branch: Branch) -> None:
    """Refuses what has a rule for reverse sweeps alone."""
    if any(isinstance(node, Branch) and is_reversed_now(node) for node in walk(program.body)):
        raise Unsupported(
            "A function that has a rule for reverse sweeps only is part of an equation that is solved.",
            at=branch.at,
            hint="Give it a rule with 'defjvp'.",
        )


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    return relocated(node, lambda name, index: (names[name], index) if name in names else None)
