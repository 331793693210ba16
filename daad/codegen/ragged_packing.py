"""Arrays whose rows differ in length as plain ones: the offset of a row becomes a variable, and indices stay affine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import lcm

from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import (
    Access,
    Branch,
    Const,
    Ending,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
)
from daad.ir.ragged import HALF, Between, Layout, index_name, layout_of
from daad.ir.walk import map_expr, map_node, variables

Offsets = dict[Expr, str]


def pack(program: Program) -> Program:
    """The program over arrays in C order alone.

    Where the offset of a row depends on variables of loops only, a loop of one iteration within the innermost of them
    gives it a name.
    """
    ragged = {name: layout_of(array.extents) for name, array in program.arrays.items() if array.extents}
    if not ragged:
        return program
    packer = _Packer(ragged, NameSupply.of(program))
    offsets: Offsets = {}
    body = packer.body(program.body, offsets)
    arrays = {n: replace(a, shape=ragged[n].shape, extents=()) if a.extents else a for n, a in program.arrays.items()}
    return replace(program, arrays=arrays, body=_named(offsets, body))


@dataclass
class _Packer:
    """Rewrites nodes; the offsets that they use are added to a dict, each with the name that stands for it."""

    layouts: Mapping[str, Layout]
    names: NameSupply

    def body(self, body: tuple[Node, ...], offsets: Offsets) -> tuple[Node, ...]:
        return tuple(self.node(node, offsets) for node in body)

    def node(self, node: Node, offsets: Offsets) -> Node:
        rewriter = _Rewriter(self, offsets, node.domain if isinstance(node, Nest) else ())
        if isinstance(node, Nest):
            return map_node(node, rewriter.value, rewriter.access)
        if isinstance(node, Branch):
            then, orelse = self.body(node.then, offsets), self.body(node.orelse, offsets)
            return replace(node, condition=rewriter.value(node.condition), then=then, orelse=orelse)
        inner = dict(offsets)
        body = self.body(node.body, inner)
        own = {expr: name for expr, name in inner.items() if node.var in variables(expr) and expr not in offsets}
        offsets.update({expr: name for expr, name in inner.items() if expr not in own})
        start, stop = rewriter.index(node.start), rewriter.index(node.stop)
        ending = node.ending and Ending(rewriter.value(node.ending.goes_on), rewriter.value(node.ending.begun))
        body = _named(own, body)
        return replace(node, start=start, stop=stop, body=body, ending=ending)

    def name(self, offset: Expr, array: str, offsets: Offsets) -> str:
        if offset not in offsets:
            offsets[offset] = self.names.new(f"{array}_row")
        return offsets[offset]


@dataclass(frozen=True)
class _Rewriter:
    """Rewrites the accesses of one node, which has this domain."""

    packer: _Packer
    offsets: Offsets
    domain: tuple[Range, ...]

    def value(self, expr: Expr) -> Expr:
        return map_expr(expr, self._load)

    def index(self, index: Index) -> Index:
        return index if isinstance(index, Affine) else self.value(index)

    def access(self, target: Access) -> Access:
        return Access(target.array, self._place(target.array, target.index))

    def _load(self, expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in self.packer.layouts:
            return None
        return Load(expr.array, self._place(expr.array, expr.index), expr.dtype)

    def _place(self, array: str, index: tuple[Index, ...]) -> tuple[Index, ...]:
        if array not in self.packer.layouts:
            return index
        layout = self.packer.layouts[array]
        merged = self._in_row(array, layout, index)
        others = (merged if d == layout.last else i for d, i in enumerate(index) if d not in layout.group[:-1])
        return tuple(others)

    def _in_row(self, array: str, layout: Layout, index: tuple[Index, ...]) -> Index:
        offset, last = offset_of(layout, index), _within(layout, index)
        if variables(offset) & {r.var for r in self.domain} or not isinstance(last, Affine):
            return Op("add", (offset, _expr(last)), "int64")
        if isinstance(offset, Const):
            return last + int(offset.value)
        return last + Affine.of(self.packer.name(offset, array, self.offsets))


def _within(layout: Layout, index: tuple[Index, ...]) -> Index:
    """The last index, with those between it and the one that is folded."""
    last, between = index[layout.last], [(index[b.dimension], b) for b in layout.between]
    if isinstance(last, Affine) and all(isinstance(i, Affine) for i, _ in between):
        return sum((i * b.stride for i, b in between if isinstance(i, Affine)), last)
    return _int("add", *(_far_outside(_expr(i), b, layout.shape[layout.group[0]]) for i, b in between), _expr(last))


def _far_outside(index: Expr, between: Between, size: int) -> Expr:
    """What an index adds to the place; one that is outside of its dimension is outside of the memory, too."""
    rounds = _int("floor_divide", index, _number(between.extent))
    return _int("add", *(_int("multiply", e, _number(n)) for e, n in ((index, between.stride), (rounds, 2 * size))))


def offset_of(layout: Layout, index: tuple[Index, ...]) -> Expr:
    """Where the row of an element begins, certainly in 0 .. `most`."""
    names = {index_name(d): index[d] for d in layout.named}
    values: dict[str, Expr] = {n: _expr(i) for n, i in names.items()}
    constants = {n: i.const for n, i in names.items() if isinstance(i, Affine) and i.is_const}
    if layout.folded:
        (folded,) = names
        values[HALF] = _int("floor_divide", _int("multiply", _number(2), values[folded]), _number(layout.folded))
        if folded in constants:
            constants[HALF] = 2 * constants[folded] // layout.folded
    if len(constants) == len(values):
        return Const(min(max(layout.offset.evaluate(constants), 0), layout.most), "int64")
    divisor = lcm(*(c.denominator for _, c in layout.offset.terms))
    products = (
        _int("multiply", _number(int(c * divisor)), *(values[n] for n in monomial))
        for monomial, c in layout.offset.terms
    )
    offset = _int("add", *products)
    offset = _int("floor_divide", offset, _number(divisor)) if divisor > 1 else offset
    return _int("minimum", _int("maximum", offset, _number(0)), _number(layout.most))


def _expr(index: Index) -> Expr:
    return IndexValue(index) if isinstance(index, Affine) else index


def _number(value: int) -> Expr:
    return Const(value, "int64")


def _int(name: str, *operands: Expr) -> Expr:
    return reduce(lambda a, b: Op(name, (a, b), "int64"), operands)


def _named(offsets: Offsets, body: tuple[Node, ...]) -> tuple[Node, ...]:
    for offset, name in offsets.items():
        body = (Loop(name, offset, _int("add", offset, _number(1)), 1, body),)
    return body
