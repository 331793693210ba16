"""Rows that conditions keep from being read beyond their ends get zeros there, and are read without conditions.

`for i in 0 .. 50: x[i] += (r[i - 1] if i >= 1 else 0) + (r[i] if i < 49 else 0)` needs neither conditions nor
statements of its own for the ends if `r` has an element 0 more on both sides: all of `x` goes through as one row.

    program f(A: float64[50, 200], x: float64[200])
      local r: float64[200]
      loop k = 0 .. 50:
        for i in 0 .. 200:  r[i] = A[k, i]
        for i in 0 .. 200:  x[i] += (r[i - 1] if i >= 1 else 0) + (r[i + 1] if i < 199 else 0)

becomes

    program f(A: float64[50, 200], x: float64[200])
      local r: float64[209]
      loop k = 0 .. 50:
        for i_1 in 7 .. 8:  r[i_1] = 0
        for i_1 in 208 .. 209:  r[i_1] = 0
        for i in 0 .. 200:  r[i + 8] = A[k, i]
        for i in 0 .. 200:  x[i] += r[i + 7] + r[i + 9]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from daad.analysis.context import Scope
from daad.analysis.nest_conditions import condition_form, cuts_along
from daad.analysis.uses import Usage
from daad.ir.affine import Affine, interval
from daad.ir.constructors import conditions, const, is_value
from daad.ir.indices.index_maps import shifted
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Expr, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.walk import altered, map_expr, node_loads, reindexed, walk
from daad.passes.definition import Form, Pass, forms
from daad.passes.loops.index_set_splitting import THIN, few_points

Margin = tuple[int, int]
"""Elements before the first and behind the last."""
Margins = dict[str, Margin]
REGISTER = 64  # bytes


PASS = Pass(
    "padding",
    lambda program, goal: pad_rows(program, goal.live),
    "Rows get zeros beyond their ends, and are read without conditions.",
    requires=forms(Form.GATHERED, Form.MERGED),
    establishes=forms(Form.PADDED),
)


def pad_rows(program: Program, live: frozenset[str]) -> Program:
    """Arrays of one dimension that a single body within loops touches; `live` arrays are visible at the end."""
    hidden = Usage(program, live).hidden
    rows = {n for n in hidden if len(program.arrays[n].shape) == 1 and not program.arrays[n].extents}
    padding = _Padding({**program.arrays}, NameSupply.of(program))
    body = padding.body(program.body, frozenset(rows), is_repeated=False)
    return replace(program, body=body, arrays=padding.arrays)


@dataclass(frozen=True)
class _Padding:
    """Goes through bodies, outer ones first; `arrays` as they are now, `names` gives new names."""

    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], own: frozenset[str], is_repeated: bool) -> tuple[Node, ...]:
        """`own`: arrays that nothing but the body touches."""
        users: dict[str, list[int]] = {}
        for position, node in enumerate(body):
            for name in sorted(own & node.touched):
                users.setdefault(name, []).append(position)
        alone = {name: at[0] for name, at in users.items() if len(at) == 1 and not isinstance(body[at[0]], Nest)}
        mine = [frozenset(name for name, at in alone.items() if at == n) for n in range(len(body))]
        out = [
            self._inside(node, names, is_repeated) if names else node for node, names in zip(body, mine, strict=True)
        ]
        rows = {name: self.arrays[name].shape[0] for name in users.keys() - alone.keys()} if is_repeated else {}
        return self._padded(out, rows)

    def _inside(self, node: Node, own: frozenset[str], is_repeated: bool) -> Node:
        own -= {load.array for load in node_loads(node)}
        if isinstance(node, Loop):
            return altered(node, body=self.body(node.body, own, is_repeated=True))
        assert isinstance(node, Branch), "a nest contains nothing"
        sides = (node.then, node.orelse)
        touched = [frozenset[str]().union(*(n.touched for n in side)) for side in sides]
        then, orelse = (self.body(side, own - touched[1 - n], is_repeated) for n, side in enumerate(sides))
        return altered(node, then=then, orelse=orelse)

    def _padded(self, body: list[Node], rows: Mapping[str, int]) -> tuple[Node, ...]:
        """The body, at first with zeros around each row that is better off with them."""
        rows = {name: size for name, size in rows.items() if all(_is_plain(node, name) for node in walk(tuple(body)))}
        bare: dict[int, Nest] = {}
        margins: Margins = {}
        for position, node in enumerate(body):
            found = _without_conditions(node, rows) if isinstance(node, Nest) and rows.keys() & node.loaded else None
            if found is not None:
                bare[position], needed = found
                margins = _joined(margins, needed)
        changes = {name: partial(shifted, by=(self._first(name, margins[name]),)) for name in margins}
        zeros = [nest for name in sorted(margins) for nest in self._zeros(name, margins[name])]
        rest = (bare.get(position, node) for position, node in enumerate(body))
        return (*zeros, *(reindexed(node, changes) if changes.keys() & node.touched else node for node in rest))

    def _first(self, name: str, margin: Margin) -> int:
        """Where the row begins: as vectors do that are stored to it, so that none is stored across two lines."""
        lanes = REGISTER // np.dtype(self.arrays[name].dtype).itemsize
        return -(-margin[0] // lanes) * lanes

    def _zeros(self, name: str, margin: Margin) -> Iterator[Nest]:
        """Makes the array larger, and fills what it has got."""
        array, (low, high) = self.arrays[name], margin
        first = self._first(name, margin)
        last = first + array.shape[0]
        self.arrays[name] = replace(array, shape=(last + high,))
        for start, stop in ((first - low, first), (last, last + high)):
            if start < stop:
                var = self.names.free("i")
                target = Access(name, (Affine.of(var),))
                assign = Assign(target, "=", const(0, array.dtype))
                yield Nest((Range(var, Affine(start), Affine(stop)),), (assign,))


def _is_plain(node: Node, name: str) -> bool:
    """Whether the node itself touches the array by affine indices only."""
    places: list[Access | Load] = [load for load in node_loads(node) if load.array == name]
    places += [a.target for a in node.assigns if a.target.array == name] if isinstance(node, Nest) else []
    return all(isinstance(i, Affine) for place in places for i in place.index)


def _joined(margins: Margins, more: Margins) -> Margins:
    """What is enough for both."""
    both = {n: (margins.get(n, (0, 0)), more.get(n, (0, 0))) for n in {*margins, *more}}
    return {name: (max(a[0], b[0]), max(a[1], b[1])) for name, (a, b) in both.items()}


def _without_conditions(nest: Nest, rows: Mapping[str, int]) -> tuple[Nest, Margins] | None:
    """The nest without any condition on where it is, and what rows need for that."""
    fixed = all(r.start.is_const and r.stop.is_const for r in nest.domain)
    if not fixed or few_points(nest) or not _has_cuts(nest):
        return None
    ranges = {r.var: (r.start.const, r.last.const) for r in nest.domain}
    margins: Margins = {}

    def leaf(expr: Expr) -> Expr | None:
        nonlocal margins
        found = _needed(expr, rows, ranges)
        if found is None:
            return None
        assert isinstance(expr, Op), "only a choice is left out"
        margins = _joined(margins, found)
        return expr.args[1]

    assigns = tuple(altered(a, value=map_expr(a.value, leaf)) for a in nest.assigns)
    made = altered(nest, assigns=assigns)
    return (made, margins) if margins and not _has_cuts(made) else None


def _has_cuts(nest: Nest) -> bool:
    return any(cuts_along(nest, r, Scope()) for r in nest.domain)


def _needed(value: Expr, rows: Mapping[str, int], ranges: Mapping[str, tuple[int, int]]) -> Margins | None:
    """The margin with which a choice between something from a row and zero needs no condition."""
    if not isinstance(value, Op) or value.name != "where" or not is_value(value.args[2], 0):
        return None
    load = _vanishing(value.args[1])
    if load is None or load.array not in rows or load.dtype != value.dtype:
        return None
    [index] = load.index
    assert isinstance(index, Affine), "all indices of a row are affine"
    behind = Affine(rows[load.array] - 1) - index
    if not all(_leaves(c, index) or _leaves(c, behind) for c in conditions(value.args[0])):
        return None
    ends = [interval(form, ranges) for form in (index, behind)]
    margin = [max(0, -end[0]) for end in ends if end is not None]
    return {load.array: (margin[0], margin[1])} if len(margin) == 2 and max(margin) <= THIN else None


def _leaves(condition: Expr, form: Affine) -> bool:
    """Whether the form is negative wherever a condition does not hold."""
    found = condition_form(condition)
    apart = form - found if found is not None else None
    return apart is not None and apart.is_const and apart.const <= 0


def _vanishing(value: Expr) -> Load | None:
    """The load that the value is a multiple of."""
    if isinstance(value, Load):
        return value
    if not isinstance(value, Op) or value.name not in ("negative", "multiply"):
        return None
    if value.name == "negative":
        return _vanishing(value.args[0])
    numbers = [a for a in value.args if isinstance(a, Const) and np.isfinite(a.value)]
    others = [a for a in value.args if a not in numbers]
    return _vanishing(others[0]) if len(numbers) == len(others) == 1 else None
