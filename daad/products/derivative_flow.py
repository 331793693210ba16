"""A program as derivatives flow through it, for the pattern of its Jacobian: formulas in the places of the values that
have one, and what users declare of functions that Python is called for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.declared_patterns import Declared, declared_by
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Expr, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.operations.updates import Sign
from daad.ir.walk import altered, map_expr, map_node, nests
from daad.loops.linearization import linearised
from daad.products.transposition import with_formulas
from daad.rules.own_rules import for_forward, has_rules, is_in_python, is_now, is_reversed_now, operation

KIND = "float64"


@dataclass(frozen=True)
class Flow:
    """The program, and the values of arrays of its indices that are `known` besides its arguments."""

    program: Program
    known: Mapping[str, np.ndarray]


def flow_of(program: Program) -> Flow:
    """The program with statements from arguments to results in the place of each rule that Python is called for."""
    if not has_rules(program):
        return Flow(program, {})
    program = for_forward(linearised(program))
    opaque = _Opaque(program, NameSupply.of(program))
    body = tuple(opaque.body(program.body))
    program = with_formulas(replace(program, arrays={**program.arrays, **opaque.arrays}, body=body))
    return Flow(replace(program, body=tuple(map_node(node, _formulas) for node in program.body)), opaque.known)


def _formulas(expr: Expr) -> Expr:
    return map_expr(expr, lambda e: e.args[0 if is_now(e) else 1] if isinstance(e, Op) and e.name == "ruled" else None)


@dataclass(frozen=True)
class _Rule:
    """The shares and the outputs that the branch of a rule names, by the numbers of arguments and outputs."""

    shares: Sequence[tuple[int, Nest, Expr]]
    outputs: Sequence[tuple[int, Array]]
    declared: Declared | None

    @staticmethod
    def of(branch: Branch, arrays: Mapping[str, Array]) -> _Rule:
        shares, outputs = list[tuple[int, Nest, Expr]](), list[tuple[int, Array]]()
        for nest in nests(branch.then):
            value, target = nest.assigns[0].value, arrays[nest.assigns[0].target.array]
            if share := operation(value, "transposed"):
                shares.append((_number(share.args[1]), nest, share.args[2]))
            elif carried := operation(value, "carried"):
                outputs.append((_number(carried.args[0]), target))
        assert isinstance(branch.condition, Op), "the branch is on a rule"
        declared = declared_by(_number(branch.condition.args[2]))
        is_known = declared is not None and all(_size(nest) == declared.arguments[n] for n, nest, _ in shares)
        return _Rule(shares, outputs, declared if is_known else None)


def _number(expr: Expr) -> int:
    assert isinstance(expr, Const), f"'{expr}' is no number"
    return int(expr.value)


def _size(nest: Nest) -> int | None:
    """How many points there are, None if that is not known."""
    return prod(r.width.const for r in nest.domain) if all(r.width.is_const for r in nest.domain) else None


@dataclass
class _Opaque:
    """Bodies without rules that Python is called for; what stands for these has arrays of its own, some of them with
    `known` values."""

    program: Program
    supply: NameSupply
    arrays: dict[str, Array] = field(default_factory=dict)
    known: dict[str, np.ndarray] = field(default_factory=dict)

    def body(self, body: Sequence[Node]) -> Iterator[Node]:
        for node in body:
            if isinstance(node, Loop):
                yield altered(node, body=tuple(self.body(node.body)))
            elif isinstance(node, Branch) and is_reversed_now(node):
                yield from self.flow(node) if is_in_python(node) else (node,)
            elif isinstance(node, Branch):
                yield altered(node, then=tuple(self.body(node.then)), orelse=tuple(self.body(node.orelse)))
            else:
                yield node

    def flow(self, branch: Branch) -> Iterator[Node]:
        rule = _Rule.of(branch, self.program.arrays)
        return self.from_all_to_all(rule) if rule.declared is None else self.as_declared(rule, rule.declared)

    def from_all_to_all(self, rule: _Rule) -> Iterator[Node]:
        """By way of one number."""
        link = self.array("link", (), KIND)
        yield _nest((), Access(link, ()), "=", const(0, KIND))
        for _, nest, operand in rule.shares:
            yield _nest(nest.domain, Access(link, ()), "+=", operand)
        for _, output in rule.outputs:
            domain, index = all_points(output, self.supply)
            yield _nest(domain, Access(output.name, index), "+=", Load(link, (), KIND))

    def as_declared(self, rule: _Rule, declared: Declared) -> Iterator[Node]:
        """All arguments one behind the other, from these to all results, as pairs of places say."""
        height, width = declared.shape
        given, found = self.array("given", (width,), KIND), self.array("found", (height,), KIND)
        for name in (given, found):
            domain, index = all_points(self.arrays[name], self.supply)
            yield _nest(domain, Access(name, index), "=", const(0, KIND))
        for number, nest, operand in rule.shares:
            place = declared.first_argument(number) + _flat(nest.domain)
            yield _nest(nest.domain, Access(given, (place,)), "=", operand)
        if declared.rows:
            yield self.pairs(declared, given, found)
        for number, output in rule.outputs:
            domain, index = all_points(output, self.supply)
            place = declared.first_result(number) + _flat(domain)
            yield _nest(domain, Access(output.name, index), "+=", Load(found, (place,), KIND))

    def pairs(self, declared: Declared, given: str, found: str) -> Nest:
        r = Range(self.supply.new("pair"), Affine(0), Affine(len(declared.rows)))
        places = []
        for name, values in zip(("rows", "columns"), declared.pairs, strict=True):
            table = self.array(name, values.shape, "int64")
            self.known[table] = values
            places.append(Load(table, (Affine.of(r.var),), "int64"))
        return _nest((r,), Access(found, (places[0],)), "+=", Load(given, (places[1],), KIND))

    def array(self, name: str, shape: tuple[int, ...], dtype: str) -> str:
        array = Array(self.supply.new(name), shape, dtype)
        self.arrays[array.name] = array
        return array.name


def _nest(domain: tuple[Range, ...], target: Access, sign: Sign, value: Expr) -> Nest:
    return Nest(domain, (Assign(target, sign, value),))


def _flat(domain: Sequence[Range]) -> Affine:
    """The number of a point, the last variable running fastest."""
    place = Affine(0)
    for r in domain:
        place = place * r.width.const + (Affine.of(r.var) - r.start)
    return place
