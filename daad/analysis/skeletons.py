"""What nodes have in common that differ in arrays, places and numbers alone: their skeleton, and the leaves on it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
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
    Range,
)

COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
ARITHMETIC = COMPARISONS | {"add", "subtract", "multiply", "divide", "maximum", "minimum"}
"""Operations that compute the same with a number that is loaded as with one that is written out."""


class Kind(Enum):
    """What differs at a leaf: the array that is loaded, or written, the constant of an affine form, a float."""

    LOADED = "loaded"
    WRITTEN = "written"
    PLACE = "place"
    NUMBER = "number"


@dataclass(frozen=True)
class Leaf:
    """One of them; `value` is the array's name, the constant, or the number as text, which tells -0.0 from 0.0."""

    kind: Kind
    value: Any


Placing = Callable[[int, str, tuple[Index, ...]], tuple[str, tuple[Index, ...]]]


@dataclass(frozen=True)
class Filling:
    """What takes the place of leaves, by their number: the array and index of an access, an affine form, a value."""

    access: Placing
    form: Callable[[int, Affine], Affine]
    number: Callable[[int, Const], Expr]


KEEP = Filling(lambda _, name, index: (name, index), lambda _, form: form, lambda _, number: number)


@dataclass
class Skeleton:
    """Goes through a node once: notes `tokens` and `leaves`, and makes the node again with other leaves."""

    arrays: Mapping[str, Array]
    filling: Filling = KEEP
    tokens: list[Hashable] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    _bound: dict[str, int] = field(default_factory=dict)
    _binders: int = 0
    _known: dict[Expr, tuple[int, Expr]] = field(default_factory=dict)

    def again(self, node: Node) -> Node:
        """The next node of a group, which shares nothing with others."""
        self._bound.clear()
        self._known.clear()
        self._binders = 0
        return self.node(node)

    def node(self, node: Node) -> Node:
        if isinstance(node, Nest):
            return self._nest(node)
        if isinstance(node, Loop):
            return self._loop(node)
        self.tokens.append("branch")
        condition = self._expr(node.condition)
        then, orelse = self._body(node.then), self._body(node.orelse)
        return Branch(condition, then, orelse, node.at)

    def _body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        self.tokens += ["body", len(body)]
        return tuple(self.node(node) for node in body)

    def _nest(self, nest: Nest) -> Nest:
        self.tokens += ["nest", len(nest.domain), len(nest.assigns)]
        sides = [(self._form(r.start), self._form(r.stop)) for r in nest.domain]
        self._bind(*[r.var for r in nest.domain])
        domain = tuple(Range(r.var, *side) for r, side in zip(nest.domain, sides, strict=True))
        return Nest(domain, tuple(map(self._assign, nest.assigns)), nest.at)

    def _assign(self, assign: Assign) -> Assign:
        self.tokens.append(assign.op)
        value = self._expr(assign.value)
        return Assign(Access(*self._access(Kind.WRITTEN, assign.target.array, assign.target.index)), assign.op, value)

    def _loop(self, loop: Loop) -> Loop:
        self.tokens += ["loop", loop.step, loop.sharing, loop.ending is None]
        start, stop = self._index(loop.start), self._index(loop.stop)
        self._bind(loop.var)
        ending = loop.ending and Ending(self._expr(loop.ending.goes_on), self._expr(loop.ending.begun))
        body = self._body(loop.body)
        return Loop(loop.var, start, stop, loop.step, body, loop.at, loop.sharing, loop.origin, ending)

    def _bind(self, *names: str) -> None:
        self._bound.update({name: self._binders + axis for axis, name in enumerate(names)})
        self._binders += len(names)

    def _access(self, kind: Kind, name: str, index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
        array = self.arrays[name]
        self.tokens.append((kind, array.shape, array.dtype, array.extents))
        number = len(self.leaves)
        self.leaves.append(Leaf(kind, name))
        return self.filling.access(number, name, tuple(map(self._index, index)))

    def _index(self, index: Index) -> Index:
        return self._form(index) if isinstance(index, Affine) else self._expr(index)

    def _form(self, form: Affine) -> Affine:
        terms = [(repr(self._bound.get(name, name)), factor) for name, factor in form.terms]
        self.tokens.append(tuple(sorted(terms)))
        self.leaves.append(Leaf(Kind.PLACE, form.const))
        return self.filling.form(len(self.leaves) - 1, form)

    def _expr(self, expr: Expr) -> Expr:
        if isinstance(expr, Load):
            return Load(*self._access(Kind.LOADED, expr.array, expr.index), expr.dtype)
        if isinstance(expr, Op):
            return self._op(expr)
        self.tokens.append(type(expr))
        if isinstance(expr, IndexValue):
            return IndexValue(self._form(expr.form))
        self.tokens.append((repr(expr), expr.dtype))
        return expr

    def _op(self, op: Op) -> Expr:
        if op in self._known:
            number, made = self._known[op]
            self.tokens.append(("again", number))
            return made
        self.tokens.append((op.name, op.dtype, len(op.args)))
        made = Op(op.name, tuple(self._operand(op, arg) for arg in op.args), op.dtype)
        self._known[op] = len(self._known), made
        return made

    def _operand(self, op: Op, arg: Expr) -> Expr:
        if (
            not isinstance(arg, Const)
            or type(arg.value) is not float
            or arg.dtype != "float64"
            or op.name not in ARITHMETIC
        ):
            return self._expr(arg)
        self.tokens.append((Kind.NUMBER, arg.dtype))
        self.leaves.append(Leaf(Kind.NUMBER, repr(arg.value)))
        return self.filling.number(len(self.leaves) - 1, arg)


def skeleton(node: Node, arrays: Mapping[str, Array]) -> tuple[tuple[Hashable, ...], list[Leaf]]:
    """The skeleton of a node, and its leaves in order."""
    found = Skeleton(arrays)
    found.node(node)
    return tuple(found.tokens), found.leaves
