"""C++ statements for expression DAGs: every shared value once, at the outermost loop level where it can stand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from daad.analysis.alias import are_apart, reads_of
from daad.codegen import spelling
from daad.codegen.cpp.header import sections_of
from daad.codegen.schedule.nest_schedule import divides_often
from daad.codegen.schedule.strides import strides
from daad.ir.affine import Affine
from daad.ir.constructors import choice_of
from daad.ir.nodes import Access, Assign, Const, Expr, Index, IndexValue, Load, Op
from daad.ir.walk import children, loads

MAX_DEPTH = 12
ZERO = Affine(0)
LEAVES = (Const, IndexValue)


@dataclass
class Scope:
    """The statements of a loop level, or of one side of a 'where', and the values that have names there.

    `taken` names the condition under which a side counts: what it reads lies within its arrays only then.
    """

    level: int
    parent: Scope | None = None
    taken: str = ""
    lines: list[str] = field(default_factory=list)
    named: dict[Expr, str] = field(default_factory=dict)

    def find(self, expr: Expr) -> str | None:
        """The name of a value computed here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if expr in scope.named:
                return scope.named[expr]
            scope = scope.parent
        return None

    def at_level(self, level: int) -> Scope:
        scope = self
        while scope.level > level:
            assert scope.parent is not None, "a loop level lies outside of the outermost"
            scope = scope.parent
        return scope


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What expressions stand in: how loads are spelled, at which loop level names change, what may be hoisted."""

    spell_load: Callable[[Load, Callable[[Expr], str], str], str]  # the last: the condition to read it under, or ""
    levels: Mapping[str, int]
    trips: tuple[int, ...]  # iterations of the loop of each level, the outermost first
    is_safe: Callable[[Load], bool]  # may be evaluated wherever its names are defined
    spell_name: Callable[[str], str]
    is_pinned: Callable[[Load], bool]  # may be written by an earlier statement of the same point

    @property
    def innermost(self) -> int:
        return len(self.trips)


class Emitter:
    """Appends statements to scopes and returns the C++ text of values."""

    def __init__(self, surroundings: Surroundings, values: Iterable[Expr]) -> None:
        self.surroundings = surroundings
        self.uses = _count_uses(values)
        self.temporaries = 0
        self.needs: set[str] = set()  # sections of the header
        self._levels: dict[Expr, int] = {}
        self._lazy: dict[Expr, bool] = {}

    def value(self, expr: Expr, scope: Scope, depth: int = 0) -> str:
        """The text of a value, usable in `scope`; shared or deep values get a name first."""
        name = scope.find(expr)
        if name is not None:
            return name
        if isinstance(expr, Const):
            return self._literal(expr)
        if isinstance(expr, IndexValue):
            return f"int64_t({self.affine(expr.form)})"
        home = scope.at_level(min(self.level(expr), scope.level))
        hoisted = home.level < scope.level and not _is_trivial(expr)
        if hoisted or self.uses[expr] > 1 or depth > MAX_DEPTH or self._choice(expr):
            return self.name(expr, home if hoisted else scope)
        return self._text(expr, scope, depth)

    def _literal(self, const: Const) -> str:
        if isinstance(const.value, float) and not math.isfinite(const.value):
            self.needs.add("operations")
        return spelling.literal(const)

    def name(self, expr: Expr, scope: Scope) -> str:
        """Computes the value into a new variable of the scope."""
        found = scope.find(expr)
        if found is not None:
            return found
        if choice := self._choice(expr):
            found = scope.named[expr] = self._chosen(*choice, expr.dtype, scope)
            return found
        text = self._text(expr, scope, 0)
        if isinstance(expr, Load) and text.isidentifier():
            return text
        name = scope.named[expr] = self._declare(text, expr.dtype, scope)
        return name

    def fresh(self) -> str:
        """A variable name that is new in this tasklet."""
        self.temporaries += 1
        return f"t__v{self.temporaries - 1}"  # connectors end in a number, "in" or "out"

    def affine(self, form: Affine) -> str:
        """An affine form as C++."""
        return str(Affine.build(form.const, {self.surroundings.spell_name(n): c for n, c in form.terms}))

    def index(self, index: Index, scope: Scope) -> str:
        """An index as C++."""
        return self.affine(index) if isinstance(index, Affine) else f"int64_t({self.value(index, scope)})"

    def position(
        self,
        access: Access | Load,
        shape: tuple[int, ...],
        gathered: Callable[[Expr, int], str],
        start: Affine = ZERO,
    ) -> str:
        """How far an element lies behind that at `start`; `gathered` spells an index that data give for an axis of
        this size."""
        total, parts = -start, list[str]()
        for index, stride, size in zip(access.index, strides(shape), shape, strict=True):
            if isinstance(index, Affine):
                total = total + index * stride
            else:
                parts.append(f"{stride} * {gathered(index, size)}")
        text = self.affine(total)
        return " + ".join(parts + ([text] if text != "0" or not parts else []))

    def store(self, target: Access, place: str, value: str, dtype: str, later: Iterable[Assign], scope: Scope) -> str:
        """Writes a value to a place; statements `later` that read it take it from a name. Gives what is written."""
        load = Load(target.array, target.index, dtype)
        is_read = any(load in reads_of(a) or (a.op != "=" and a.target == target) for a in later)
        if is_read:
            value = self._declare(value, dtype, scope)
        written = f"{place} = {value}"
        scope.lines.append(f"{written};")
        self.forget(target, scope)
        if is_read:
            scope.named[load] = value
        return written

    def forget(self, written: Access, scope: Scope) -> None:
        """Drops the names of all values that may depend on the place that has just been written."""
        reading = [e for e in scope.named if written.array in e.arrays]
        for expr in [e for e in reading if not all(are_apart(load, written) for load in loads(e))]:
            del scope.named[expr]

    def level(self, expr: Expr) -> int:
        """The outermost loop level at which the value can be computed."""
        if expr not in self._levels:
            self._levels[expr] = self._level(expr)
        return self._levels[expr]

    def _level(self, expr: Expr) -> int:
        around = self.surroundings
        if isinstance(expr, Load) and (around.is_pinned(expr) or not around.is_safe(expr)):
            return around.innermost
        if isinstance(expr, IndexValue):
            return self._index_level(expr.form)
        return max((self._index_level(child) for child in children(expr)), default=0)

    def _index_level(self, index: Index) -> int:
        if isinstance(index, Affine):
            return max((self.surroundings.levels.get(n, 0) for n in index.names), default=0)
        return self.level(index)

    def _text(self, expr: Expr, scope: Scope, depth: int) -> str:
        if isinstance(expr, Load):
            condition = "" if self.surroundings.is_safe(expr) else scope.taken
            return self.surroundings.spell_load(expr, lambda e: self.value(e, scope), condition)
        if isinstance(expr, LEAVES):
            return self.value(expr, scope)
        assert isinstance(expr, Op), f"unknown expression {expr!r}"
        self.needs |= sections_of(expr)
        if self._divides_often(expr):
            dividend = spelling.convert(self.value(expr.args[0], scope, depth + 1), expr.args[0].dtype, expr.dtype)
            return f"daad::quotient({dividend}, {self._reciprocal(expr.args[1], scope)})"
        return f"({spelling.spell(expr, [self.value(a, scope, depth + 1) for a in expr.args])})"

    def _divides_often(self, expr: Op) -> bool:
        """Whether many dividends have the divisor."""
        if expr.name != "divide":
            return False
        dividend, divisor = (self.level(a) for a in expr.args)
        return divides_often(expr, prod(self.surroundings.trips[divisor:dividend]))

    def _reciprocal(self, divisor: Expr, scope: Scope) -> str:
        """The name of what multiplications by the reciprocal need, computed where the divisor is."""
        home, key = scope.at_level(self.level(divisor)), Op("reciprocal", (divisor,), "float64")
        name = home.find(key)
        if name is None:
            text = spelling.convert(self.value(divisor, home), divisor.dtype, "float64")
            name = home.named[key] = self.fresh()
            home.lines.append(f"const daad::Reciprocal {name}({text});")
            self.needs.add("operations")
        return name

    def _choice(self, expr: Expr) -> tuple[Expr, Expr, Expr] | None:
        """Condition and sides of a 'where', and of a connective whose second condition must not be asked always."""
        choice = choice_of(expr)
        is_asked = isinstance(expr, Op) and expr.name != "where" and not any(map(self._must_be_lazy, expr.args[1:]))
        return None if is_asked else choice

    def _chosen(self, condition: Expr, then: Expr, orelse: Expr, dtype: str, scope: Scope) -> str:
        """Both sides are computed, which vectorises; one that is not taken reads the first element of its arrays.

        Nothing is read under a condition: GCC 12 takes some masked loads from a wrong place (where they are permuted,
        PR 114375, and where it computes their address outside of the loop).
        """
        sides = then, orelse
        test = spelling.convert(self.value(condition, scope), condition.dtype, "bool")
        if any(map(self._must_be_lazy, sides)) and not test.isidentifier():
            test = self._declare(test, "bool", scope)
        texts = [self._side(side, dtype, scope, taken) for side, taken in zip(sides, (test, f"!{test}"), strict=True)]
        return self._declare(f"{test} ? {texts[0]} : {texts[1]}", dtype, scope)

    def _side(self, side: Expr, dtype: str, scope: Scope, taken: str) -> str:
        if not self._must_be_lazy(side):
            text = self.name(side, scope) if loads(side) else self.value(side, scope)
            return spelling.convert(text, side.dtype, dtype)
        if scope.taken:
            taken = self._declare(f"{scope.taken} && {taken}", "bool", scope)
        inner = Scope(scope.level, scope, taken)
        text = spelling.convert(self.name(side, inner), side.dtype, dtype)
        scope.lines += inner.lines
        return text

    def _declare(self, text: str, dtype: str, scope: Scope) -> str:
        name = self.fresh()
        scope.lines.append(f"const {spelling.ctype(dtype)} {name} = {text};")
        return name

    def _must_be_lazy(self, side: Expr) -> bool:
        if side not in self._lazy:
            self._lazy[side] = any(not self.surroundings.is_safe(load) for load in loads(side))
        return self._lazy[side]


def _is_trivial(expr: Expr) -> bool:
    return isinstance(expr, LEAVES)


def _count_uses(values: Iterable[Expr]) -> Counter[Expr]:
    uses: Counter[Expr] = Counter()
    pending = list(values)
    uses.update(pending)
    seen: set[Expr] = set()
    while pending:
        expr = pending.pop()
        if expr in seen:
            continue
        seen.add(expr)
        operands = [c for c in children(expr) if not isinstance(c, Affine)]
        uses.update(operands)
        pending += operands
    return uses
