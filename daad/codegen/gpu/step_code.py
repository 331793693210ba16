"""The C++ of a step: the points that a thread, a warp or a block takes one after the other, and sums over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from daad.codegen import spelling
from daad.codegen.cpp.expression_code import Emitter, Scope
from daad.codegen.gpu.spread import Spread, Team
from daad.codegen.gpu.surroundings import INDEX, Places, Sites, emitter_of, indented
from daad.codegen.schedule.bounds import is_nonempty
from daad.codegen.schedule.lowering_context import Context
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Load, Nest, Range

LARGEST = 2**31

FIRST_POINT = {Team.THREAD: "crew.thread", Team.WARP: "crew.thread / 32", Team.BLOCK: "crew.block"}
NEXT_POINT = {Team.THREAD: "crew.threads", Team.WARP: "crew.threads / 32", Team.BLOCK: "crew.blocks"}
MEMBER = {Team.WARP: "threadIdx.x % 32", Team.BLOCK: "threadIdx.x"}
MEMBERS = {Team.WARP: "32", Team.BLOCK: "blockDim.x"}
SHARED = "shared__v"
"""The memory by which the warps of a block add up."""
DESK = "desk__v"
"""The memory by which the threads of a block update in order."""
TOTAL = {Team.WARP: "daad::warp_total", Team.BLOCK: "daad::block_total"}


def step_lines(nest: Nest, spread: Spread, context: Context, sites: Sites) -> list[str]:
    """The statements of a step, which all threads of a crew come to."""
    return _Step(nest, spread, context, sites).lines()


@dataclass
class _Step:
    """Levels: what is the same for all points, a point, the variables that are summed over (one level for a team that
    takes them by turns)."""

    nest: Nest
    spread: Spread
    context: Context
    sites: Sites
    scopes: list[Scope] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scopes.append(Scope(0))
        for level in range(1, self.depth + 1):
            self.scopes.append(Scope(level, self.scopes[-1]))

    @property
    def is_shared(self) -> bool:
        """Whether several threads add to one sum."""
        return self.spread.team in TOTAL

    @property
    def depth(self) -> int:
        return 1 + (min(1, len(self.spread.summed)) if self.is_shared else len(self.spread.summed))

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The level of each variable."""
        summed = {r.var: 2 if self.is_shared else 2 + k for k, r in enumerate(self.spread.summed)}
        return {**{r.var: 1 for r in self.spread.points}, **summed}

    @cached_property
    def places(self) -> Places:
        return Places(self.context, self.sites, self.nest.at, self.nest)

    @cached_property
    def emitter(self) -> Emitter:
        indices = [i for a in self.nest.assigns for i in a.target.index if isinstance(i, Expr)]
        return emitter_of(self.places, (*(a.value for a in self.nest.assigns), *indices), self.levels, self.depth)

    def lines(self) -> list[str]:
        if self.spread.team is Team.OWNERS:
            return ["{", *indented(self._nonempty(self._owned())), "}"]
        body = self._sum() if self.spread.summed else self._assigns()
        return ["{", *indented(self._nonempty(self._points(body))), "}"]

    def _assigns(self) -> list[str]:
        scope = self.scopes[-1]
        for number, assign in enumerate(self.nest.assigns):
            self._assign(assign, self.nest.assigns[number + 1 :], scope)
        return scope.lines

    def _assign(self, assign: Assign, later: Sequence[Assign], scope: Scope) -> None:
        target = assign.target
        dtype = self.context.arrays[target.array].dtype
        load = Load(target.array, target.index, dtype)
        value = self._value(assign, scope)
        if not self.context.arrays[target.array].size:
            return
        if assign.op != "=":
            value = spelling.update(assign.op, dtype, self.emitter.value(load, scope), value)
        self.emitter.store(target, self._place(target, scope), value, dtype, later, scope)

    def _value(self, assign: Assign, scope: Scope) -> str:
        dtype = self.context.arrays[assign.target.array].dtype
        return spelling.convert(self.emitter.value(assign.value, scope), assign.value.dtype, dtype)

    def _place(self, target: Access, scope: Scope) -> str:
        return self.places.element(target, self.emitter, lambda e: self.emitter.value(e, scope))

    def _sum(self) -> list[str]:
        """A point: the sum begins, goes over all terms, and is added to its place."""
        (assign,) = self.nest.assigns
        array, outer, inner = self.context.arrays[assign.target.array], self.scopes[1], self.scopes[-1]
        if not array.size:
            return []
        kind = spelling.ctype(array.dtype)
        value = self._value(assign, inner)
        inner.lines.append(f"total__v = {spelling.update(assign.op, array.dtype, 'total__v', value)};")
        place = self._place(assign.target, outer)
        neutral = spelling.literal(Const(assign.combine.neutral(array.dtype), array.dtype))
        store = f"{place} = {spelling.update(assign.op, array.dtype, place, 'total__v')};"
        if self.is_shared:
            further = f", {SHARED}" if self.spread.team is Team.BLOCK else ""
            call = f"{TOTAL[self.spread.team]}(total__v, {_combination(assign, array)}{further})"
            store = f"if ({MEMBER[self.spread.team]} == 0) {store}"
            ends = [f"total__v = {call};", store]
        else:
            ends = [store]
        return [*outer.lines, f"{kind} total__v = {neutral};", *self._terms(), *ends]

    def _owned(self) -> list[str]:
        """All points, as many at a time as a block has threads: who owns the place has the value."""
        (assign,) = self.nest.assigns
        target, outer = assign.target, self.scopes[1]
        array, kind = self.context.arrays[target.array], self._index_type(self.spread.points)
        if not array.size:
            return []
        place = self.places.position(target, self.emitter, lambda e: self.emitter.value(e, outer))
        inner = Scope(1, outer)
        value, element = self._value(assign, inner), spelling.ctype(array.dtype)
        count, name = self._count(self.spread.points), self.context.names[target.array]
        own = [
            *self._coordinates("p__v", self.spread.points),
            *outer.lines,
            f"const int64_t own__v = {place};",
            "if (uint64_t(own__v) / 32 % crew.blocks == crew.block) {",
            *indented([*inner.lines, "place__v = own__v;", f"value__v = {value};"]),
            "}",
        ]
        body = [
            f"const {kind} p__v = s__v + threadIdx.x;",
            "int64_t place__v = -1;",
            f"{element} value__v = 0;",
            f"if (p__v < {count}) {{",
            *indented(own),
            "}",
            f"daad::update_in_order({name}, place__v, value__v, {_combination(assign, array)}, &{DESK});",
        ]
        head = f"for ({kind} s__v = 0; s__v < {count}; s__v += blockDim.x) {{"
        return [*self.scopes[0].lines, head, *indented(body), "}"]

    def _terms(self) -> list[str]:
        if not self.is_shared:
            return self._nested(2)
        summed, team = self.spread.summed, self.spread.team
        kind = self._index_type(summed)
        loop = f"for ({kind} s__v = {MEMBER[team]}; s__v < {self._count(summed)}; s__v += {MEMBERS[team]}) {{"
        return [loop, *indented([*self._coordinates("s__v", summed), *self.scopes[2].lines]), "}"]

    def _nested(self, level: int) -> list[str]:
        """Loops of one thread, the first of them at this level."""
        r = self.spread.summed[level - 2]
        name = self.context.names[r.var]
        further = self._nested(level + 1) if level < self.depth else []
        head = f"for ({INDEX} {name} = {self._form(r.start)}; {name} < {self._form(r.stop)}; ++{name}) {{"
        return [head, *indented([*self.scopes[level].lines, *further]), "}"]

    def _points(self, body: list[str]) -> list[str]:
        """All points that are for this thread, warp or block; of a single one everything is within."""
        points, team = self.spread.points, self.spread.team
        if not points and team is Team.THREAD:
            return ["if (crew.thread == 0) {", *indented([*self.scopes[0].lines, *body]), "}"]
        kind = self._index_type(points)
        count = self._count(points) if points else "1"
        head = f"for ({kind} p__v = {FIRST_POINT[team]}; p__v < {count}; p__v += {NEXT_POINT[team]}) {{"
        return [*self.scopes[0].lines, head, *indented([*self._coordinates("p__v", points), *body]), "}"]

    def _nonempty(self, lines: list[str]) -> list[str]:
        """The lines, skipped where the domain is empty."""
        unsure = [r for r in self.nest.domain if not is_nonempty(r, self.context.known)]
        if not unsure:
            return lines
        return [
            f"if ({' && '.join(f'{self._form(r.start)} < {self._form(r.stop)}' for r in unsure)}) {{",
            *indented(lines),
            "}",
        ]

    def _coordinates(self, number: str, ranges: Sequence[Range]) -> list[str]:
        """The variables of the point with a number, the last one running fastest."""
        lines: list[str] = []
        for k, r in reversed(list(enumerate(ranges))):
            name, start = self.context.names[r.var], self._form(r.start)
            own = number
            if k > 0:
                width, rest = self._width(r), f"{number.split('__')[0]}__q{k}"
                lines.append(f"const auto {rest} = {number} / {width};")
                own, number = f"{number} - {rest} * {width}", rest
            lines.append(f"const {INDEX} {name} = {f'{start} + ' if start != '0' else ''}{INDEX}({own});")
        return lines

    def _count(self, ranges: Sequence[Range]) -> str:
        widths = [r.width for r in ranges]
        if all(width.is_const for width in widths):
            return (
                f"{prod(width.const for width in widths)}u"
                if self._is_short(ranges)
                else f"{prod(w.const for w in widths)}ull"
            )
        return " * ".join(self._width(r) for r in ranges)

    def _width(self, r: Range) -> str:
        kind = self._index_type(self.spread.points if r in self.spread.points else self.spread.summed)
        return f"{kind}({self._form(r.width)})"

    def _index_type(self, ranges: Sequence[Range]) -> str:
        return "uint32_t" if self._is_short(ranges) else "uint64_t"

    def _is_short(self, ranges: Sequence[Range]) -> bool:
        bounds = [self.context.known.range(r.width) for r in ranges]
        return all(bounds) and prod(max(b[1], 1) for b in bounds if b) < LARGEST

    def _form(self, form: Affine) -> str:
        return self.emitter.affine(form)


def _combination(assign: Assign, array: Array) -> str:
    """The function that combines two values as an update does."""
    kind, combined = spelling.ctype(array.dtype), spelling.update(assign.op, array.dtype, "a", "b")
    return f"[]({kind} a, {kind} b) {{ return {kind}({combined}); }}"
