"""Rules for reverse sweeps, for tangents: what gives an argument its adjoint is differentiated backwards itself.

A rule is linear in the adjoints that it is given; its own adjoint is the map from the tangents of the arguments to
those of the outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from daad.ccs.graph import find_ccs
from daad.errors import Unsupported
from daad.ilp import make_plan
from daad.ilp.joint import join
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Expr, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.pinning import NeedsConstant
from daad.ir.seed import Seed
from daad.ir.versions import array_of
from daad.ir.walk import altered, loaded, map_expr, map_node, nests, relocated, writes
from daad.loops import Adjoint, differentiate
from daad.loops.linearization import linearised
from daad.rules.own_rules import (
    NOW,
    for_forward,
    has_rules,
    is_in_python,
    is_reversed_now,
    operation,
    outputs_of,
    passive,
)


def with_formulas(program: Program) -> Program:
    """The program with a formula for the tangents of each function that has a rule for reverse sweeps only."""
    program = for_forward(linearised(program))
    if not has_rules(program):
        return program
    rewriting = Rewriting(program, NameSupply.of(program))
    body = rewriting.body(program.body, ())
    return replace(program, arrays={**program.arrays, **rewriting.added}, body=body)


@dataclass
class Rewriting:
    """A program whose rules get formulas, and the arrays that these need."""

    program: Program
    supply: NameSupply
    added: dict[str, Array] = field(default_factory=dict)

    def body(self, body: tuple[Node, ...], variables: tuple[str, ...]) -> tuple[Node, ...]:
        return tuple(found for node in body for found in self.node(node, variables))

    def node(self, node: Node, variables: tuple[str, ...]) -> tuple[Node, ...]:
        """What stands for a node below loops with these variables."""
        if isinstance(node, Loop):
            return (altered(node, body=self.body(node.body, (*variables, node.var))),)
        if isinstance(node, Branch) and is_reversed_now(node):
            return self.formula(node, variables)
        if isinstance(node, Branch):
            return (altered(node, then=self.body(node.then, variables), orelse=self.body(node.orelse, variables)),)
        return (node,)

    def formula(self, branch: Branch, variables: tuple[str, ...]) -> tuple[Node, ...]:
        """The tangents of the outputs, from those of the arguments."""
        rule = _Rule.of(branch, self.program, self.supply, variables)
        transposed = rule.transposed()
        self.added |= {**transposed.arrays, **{array.name: array for array in rule.dots.values()}}
        return (*rule.starts, *transposed.body, *rule.ends(transposed.tangents, self.supply))


@dataclass(frozen=True)
class Transposed:
    """Statements that make the `tangents` of outputs, with `arrays` of their own."""

    body: tuple[Node, ...]
    arrays: Mapping[str, Array]
    tangents: Mapping[str, str]


@dataclass(frozen=True)
class _Rule:
    """A rule as a program of its own: from adjoints of outputs (`bars`) to shares, whose seeds are `dots`.

    `starts` are the statements that fill the seeds.
    """

    branch: Branch
    outer: Program
    supply: NameSupply
    program: Program
    bars: Mapping[str, Array]
    dots: Mapping[str, Array]
    starts: tuple[Node, ...]

    @staticmethod
    def of(branch: Branch, outer: Program, supply: NameSupply, variables: tuple[str, ...]) -> _Rule:
        bars, shares, dots = dict[str, Array](), dict[str, Array](), dict[str, Array]()
        for name in sorted(outputs_of(branch)):
            bars[name] = replace(outer.arrays[name], name=supply.new(f"{name}_bar"), extents=())
        body: list[Node] = []
        starts: list[Node] = []
        for node in branch.then:
            found = isinstance(node, Nest) and operation(node.assigns[0].value, "transposed")
            if found and isinstance(node, Nest):
                share, _, operand, _ = found.args
                seeds = [_whole(node, supply.new(name), operand, outer.arrays) for name in ("share", "share_dot")]
                index = tuple(Affine.of(r.var) - r.start for r in node.domain)
                body.append(_filling(node, seeds[0].name, index, share))
                shares[seeds[0].name], dots[seeds[0].name] = seeds
                tangent = Op("ruled", (operand, const(0.0, share.dtype), Const(NOW, share.dtype)), share.dtype)
                starts.append(_filling(node, seeds[1].name, index, tangent))
            elif not isinstance(node, Nest) or not any(operation(a.value, "carried") for a in node.assigns):
                body.append(node)
        body = [map_node(node, lambda expr: _with_bars(expr, bars)) for node in body]
        given = loaded(tuple(body)) - writes(tuple(body)) - {a.name for a in bars.values()}
        arrays = {**outer.arrays, **shares, **{a.name: a for a in bars.values()}}
        program = Program(
            name="rule",
            arrays={n: a for n, a in arrays.items() if any(n in node.touched for node in body)},
            parameters=(*sorted(given), *(a.name for a in bars.values() if any(a.name in n.touched for n in body))),
            integers=(*outer.integers, *variables),
            results=tuple(shares),
            body=tuple(body),
        )
        return _Rule(branch, outer, supply, program, bars, dots, tuple(starts))

    def transposed(self) -> Transposed:
        """The statements that make the tangents of the outputs."""
        inputs = [a.name for a in self.bars.values() if a.name in self.program.arrays]
        if is_in_python(self.branch):
            raise self._refused("is one that Python is called for")
        ccs = find_ccs(self.program, inputs, self.program.results)
        try:
            adjoint = differentiate(self.program, ccs)
        except NeedsConstant as needed:
            if needed.name in self.outer.integers:
                raise
            raise self._refused("has a rule whose arrays change from iteration to iteration") from None
        if not self._is_linear(adjoint):
            raise self._refused("has a rule that is not linear in the adjoints of its outputs")
        seeds = tuple(Seed(share, None, dot.name) for share, dot in self.dots.items())
        joined = join(adjoint, make_plan(adjoint), seeds)
        own = {name for name in joined.arrays if name not in self.outer.arrays or name in writes(joined.body)}
        own -= {array.name for array in self.dots.values()}
        names = {name: self.supply.new(name) for name in sorted(own)}
        body = tuple(self._inlined(node, names) for node in joined.body)
        arrays = {names[n]: replace(joined.arrays[n], name=names[n]) for n in names}
        bars = {name: a.name for name, a in self.bars.items()}
        tangents = {n: names[adjoint.bars[b].name] for n, b in bars.items() if b in adjoint.bars}
        return Transposed(body, arrays, tangents)

    def _is_linear(self, adjoint: Adjoint) -> bool:
        """Whether all that depends on the adjoints is linear in them, and nothing is added that does not."""
        active, own = adjoint.ccs.active, {*(a.name for a in adjoint.bars.values()), *(a.name for a in adjoint.extra)}
        if any(array_of(name) in active for name in loaded(adjoint.body) if name not in own):
            return False
        assigns = (a for nest in nests(self.program.body) for a in nest.assigns if a.target.array in active)
        return all(a.op in ("=", "+=") and _is_linear(a.value, active) for a in assigns)

    def _inlined(self, node: Node, names: Mapping[str, str]) -> Node:
        """The statement among those of the program, what it reads from there without a derivative."""
        found = passive(node, {*names, *(dot.name for dot in self.dots.values())})
        return relocated(found, lambda name, index: (names[name], index) if name in names else None)

    def ends(self, tangents: Mapping[str, str], supply: NameSupply) -> tuple[Node, ...]:
        """The outputs get their tangents."""
        found: list[Node] = []
        for name, bar in self.bars.items():
            if name not in tangents:
                continue
            domain, index = all_points(bar, supply)
            old, dot = Load(name, index, bar.dtype), Load(tangents[name], index, bar.dtype)
            value = Op("ruled", (dot, old, Const(NOW, bar.dtype)), bar.dtype)
            found.append(Nest(domain, (Assign(Access(name, index), "=", value),), self.branch.at))
        return tuple(found)

    def _refused(self, what: str) -> Unsupported:
        outputs = "', '".join(sorted(self.bars))
        return Unsupported(
            f"The function that gives '{outputs}' {what}, so that it has no tangent.",
            at=self.branch.at,
            hint="Give it a rule for tangents with 'defjvp', or use reverse mode.",
        )


def _is_linear(value: Expr, active: Collection[str]) -> bool:
    """Whether a value is zero where all active arrays are, and linear in them, as what reads them elsewhere allows."""
    if isinstance(value, Load):
        return value.array in active
    if isinstance(value, Const):
        return value.value == 0
    if not isinstance(value, Op):
        return False
    if value.name in ("add", "subtract", "negative", "cast", "where"):
        return all(_is_linear(side, active) for side in value.args[value.name == "where" :])
    if value.name == "multiply":
        return any(_is_linear(side, active) for side in value.args)
    return value.name == "divide" and _is_linear(value.args[0], active)


def _whole(nest: Nest, name: str, operand: Expr, arrays: Mapping[str, Array]) -> Array:
    """An array with an element for each point of a nest over the elements of the operand."""

    def extent(r: Range) -> int:
        if r.width.is_const:
            return max(r.width.const, 0)
        assert isinstance(operand, Load), "a share is of an element"
        sizes = zip(operand.index, arrays[operand.array].shape, strict=True)
        return next(size for index, size in sizes if isinstance(index, Affine) and r.var in index.names)

    return Array(name, tuple(map(extent, nest.domain)), operand.dtype)


def _filling(nest: Nest, name: str, index: tuple[Affine, ...], value: Expr) -> Nest:
    return Nest(nest.domain, (Assign(Access(name, index), "=", value),), nest.at)


def _with_bars(expr: Expr, bars: Mapping[str, Array]) -> Expr:
    def leaf(node: Expr) -> Expr | None:
        if not isinstance(node, Op) or node.name not in ("cotangent", "has_adjoint"):
            return None
        if node.name == "has_adjoint":
            return Const(True, "bool")
        (load,) = node.args
        assert isinstance(load, Load), f"'{node}' is not of an output"
        return Load(bars[load.array].name, load.index, load.dtype)

    return map_expr(expr, leaf)
