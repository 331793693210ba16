"""Costly values that several updates of a nest take are computed once at each point, into an array of their own.

A nest of the reverse mode adds what a point has for its neighbours, for its row and for its column. In gather form, and
as sums of their own, each of these would compute the point's value again: `for i: x_bar[i] += exp(y[i]) * …;
x_bar[i + 1] += exp(y[i]) * …` takes every exponential twice.

    program f(x: float64[9], y: float64[9])
      for i in 1 .. 8:
        y[i - 1] += exp(x[i])
        y[i + 1] += 2.0 * exp(x[i])

becomes

    program f(x: float64[9], y: float64[9])
      local y_of: float64[7]
      for i in 1 .. 8:  y_of[i - 1] = exp(x[i])
      for i in 1 .. 8:
        y[i - 1] += y_of[i - 1]
        y[i + 1] += 2.0 * y_of[i - 1]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from daad.analysis.context import Scope, map_scoped_leaves
from daad.analysis.cost.operation_cost import calls_functions, varying_work, work
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Expr, Load, Nest, Node, Op, Program, Range, children
from daad.ir.operations.operation import SLOW_WORK
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.gather_form import evaluations

LEAST_WORK, LEAST_FAR = 16, 40
"""Elementary operations at a point that an array must save, the second if none of them is a costly function (one more
array may change how slabs and layouts are chosen), or if it takes more bytes than caches near a core have:"""
NEAR = 2**20

OFTEN = 4
"""Times that a value is computed from which on it is once, if that takes as long as a division."""

SMALL = 2**18
"""Bytes that a new array may take even if the nest touches none as large."""

Domain = tuple[Range, ...]


PASS = Pass(
    "common-subexpression-elimination",
    lambda program, goal: program if goal.is_spare else eliminate_common_subexpressions(program),
    "Costly values that several updates of a nest take are computed once, into an array.",
    source="Cocke 1970",
    requires=forms(Form.SCATTERED),
)


def eliminate_common_subexpressions(program: Program) -> Program:
    """The program with such arrays where they save more than it takes to write and read them."""
    making = _Making({**program.arrays}, NameSupply.of(program))
    body = map_scoped_leaves(program.body, making.nest, Scope())
    return replace(program, body=body, arrays=making.arrays) if len(making.arrays) > len(program.arrays) else program


@dataclass
class _Making:
    """The arrays that there are, and the names of new ones."""

    arrays: dict[str, Array]
    names: NameSupply

    def nest(self, nest: Nest, scope: Scope) -> tuple[Node, ...]:
        """The nest, after those that make the values that it would compute several times."""
        if not nest.domain or not all(r.width.is_const for r in nest.domain):
            return (nest,)
        rows, nest = self._with_rows(nest)
        if len(nest.assigns) < 2 or all(work(a.value) * (len(nest.assigns) - 1) < LEAST_WORK for a in nest.assigns):
            return (*rows, nest)
        if not self._has_room(nest.domain, nest):
            return (*rows, nest)
        return (*rows, *self._computed(_chosen(nest, evaluations(nest, scope)), nest.domain, nest))

    def _with_rows(self, nest: Nest) -> tuple[list[Nest], Nest]:
        """The nest with arrays for values that differ along some of its variables, and the nests that make them."""
        made: list[Nest] = []
        for value in _repeated(nest):
            domain = tuple(r for r in nest.domain if r.var in value.variables)
            if self._has_room(domain, nest):
                [row, nest] = self._computed([value], domain, nest)
                made.append(row)
        return made, nest

    def _computed(self, values: Sequence[Expr], domain: Domain, nest: Nest) -> list[Nest]:
        """A nest that makes the values, and the one that reads them."""
        if not values:
            return [nest]
        loads = {value: self._load(value, domain, nest) for value in values}
        made = tuple(Assign(Access(load.array, load.index), "=", value) for value, load in loads.items())
        rest = tuple(replace(a, value=_replaced(a.value, loads)) for a in nest.assigns)
        return [Nest(domain, made, nest.at), replace(nest, assigns=rest)]

    def _has_room(self, domain: Domain, nest: Nest) -> bool:
        """Whether the nest touches an array as large as the points anyway: sums over many points may touch little."""
        return _nbytes(domain) <= max(SMALL, *(self.arrays[name].nbytes for name in nest.touched))

    def _load(self, value: Expr, domain: Domain, nest: Nest) -> Load:
        """The element of a new array at a point."""
        name = self.names.new(f"{nest.assigns[0].target.array}_of")
        self.arrays[name] = Array(name, tuple(r.width.const for r in domain), value.dtype)
        return Load(name, tuple(Affine.of(r.var) - r.start for r in domain), value.dtype)


def _replaced(value: Expr, loads: Mapping[Expr, Load]) -> Expr:
    """The value with each of the chosen ones read, the outer one where one is within another."""
    known: dict[Expr, Expr] = {**loads}

    def visit(node: Expr) -> Expr:
        if node not in known:
            known[node] = rebuilt(node)
        return known[node]

    def rebuilt(node: Expr) -> Expr:
        if isinstance(node, Op):
            return Op(node.name, tuple(map(visit, node.args)), node.dtype)
        if isinstance(node, Load):
            return Load(node.array, tuple(visit(i) if isinstance(i, Expr) else i for i in node.index), node.dtype)
        return node

    return visit(value)


def _nbytes(domain: Domain) -> int:
    """What an array of a number for each point takes."""
    return prod(r.width.const for r in domain) * np.dtype(np.float64).itemsize


def _repeated(nest: Nest) -> list[Expr]:
    """The largest costly values that are the same along outer variables, and differ along the last: what differs along
    outer ones alone, loops compute before they go through the others."""
    chosen: dict[Expr, None] = {}
    for assign in nest.assigns:
        found = _always_computed(assign.value, lambda value: _is_repeated(value, nest))
        chosen |= dict.fromkeys(value for value in found if _is_repeated(value, nest))
    return list(chosen)


def _is_repeated(value: Expr, nest: Nest) -> bool:
    names = value.variables & {r.var for r in nest.domain}
    if not isinstance(value, Op) or nest.domain[-1].var not in names:
        return False
    times = prod(r.width.const for r in nest.domain if r.var not in names)
    if times < OFTEN or varying_work(value, names) < SLOW_WORK:
        return False
    return nest.written.isdisjoint(load.array for load in value.loads)


@dataclass
class _Uses:
    """Where a value is computed: the keys of its evaluations, and the last assign that computes it."""

    keys: set[object] = field(default_factory=set)
    last: int = 0


def _chosen(nest: Nest, keys: Sequence[object]) -> list[Expr]:
    """The largest values that are worth an array, in the order in which they are met."""
    uses = defaultdict[Expr, _Uses](_Uses)
    for position, (assign, key) in enumerate(zip(nest.assigns, keys, strict=True)):
        for value in _always_computed(assign.value, lambda _: False):
            uses[value].keys.add(key)
            uses[value].last = position
    answers: dict[Expr, bool] = {}

    def is_chosen(value: Expr) -> bool:
        if value not in answers:
            answers[value] = _is_chosen(value, nest, uses)
        return answers[value]

    chosen: dict[Expr, None] = {}
    for assign in nest.assigns:
        chosen |= dict.fromkeys(filter(is_chosen, _always_computed(assign.value, is_chosen)))
    return list(chosen)


def _is_chosen(value: Expr, nest: Nest, uses: Mapping[Expr, _Uses]) -> bool:
    names, use = {r.var for r in nest.domain}, uses[value]
    if len(use.keys) < 2 or not isinstance(value, Op) or not value.variables >= names:
        return False
    is_soon = _nbytes(nest.domain) <= NEAR and calls_functions(value, names)
    if varying_work(value, names) * (len(use.keys) - 1) < (LEAST_WORK if is_soon else LEAST_FAR):
        return False
    before = {a.target.array for a in nest.assigns[: use.last]}
    return not any(load.array in before for load in value.loads)


def _always_computed(value: Expr, is_end: Callable[[Expr], bool]) -> Iterator[Expr]:
    """All values that are computed at each point, those that others are made of behind these, down to the ends."""
    seen: set[Expr] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        yield value
        if is_end(value):
            continue
        inner = [c for c in children(value) if isinstance(c, Expr)] if isinstance(value, Op) else []
        pending += inner[:1] if isinstance(value, Op) and value.name == "where" else inner
