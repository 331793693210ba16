"""Random expressions of a given shape, as source text with a bound of their size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from tests.fuzz import places
from tests.fuzz.forms import Form, Shape
from tests.fuzz.scope import Scope, Variable
from tests.fuzz.source import Source

LIMIT = 2.0
"""What is assigned stays below it, so that nothing overflows."""

CONSTANTS = (0.5, 1.5, -0.7, 0.3, 2.0, 1.0, -1.2)
THRESHOLDS = (0.437, -0.291, 0.853, -0.613, 0.071)
"""Numbers that data hardly ever equal: kinks lie there."""


PLAIN = (
    ("{0}", LIMIT),
    ("0.5 * {0}", 1.0),
    ("0.4 * {0} * {1}", 1.6),
    ("0.3 * ({0} + {1} - {2})", 1.8),
    ("0.4 * {0} + 0.3 * {1}", 1.4),
    ("0.5 * ({0} - {1})", 2.0),
    ("0.2 * {0} * {1} + 0.5 * {2}", 1.8),
    ("-{0}", LIMIT),
    ("{0} / (2.5 + {1})", 4.0),
    ("0.3 * {0} * {0} - 0.2 * {1}", 1.6),
)
"""Patterns of short expressions with their bounds."""


@dataclass(frozen=True)
class Term:
    """An expression; `bound` of its absolute value where variables stay below LIMIT."""

    text: str
    bound: float


@dataclass(frozen=True)
class Writer:
    """Draws expressions for one place of a program."""

    source: Source
    scope: Scope

    def term(self, shape: Shape, depth: int) -> Term:
        """An expression of exactly this shape."""
        from tests.fuzz.operations import makers

        if depth <= 0:
            return self.leaf(shape)
        for _ in range(2):
            made = self.source.weighted(makers(shape))(self, shape, depth - 1)
            if made is not None:
                return made
        return self.leaf(shape)

    def loose(self, shape: Shape, depth: int) -> Term:
        """An expression that broadcasts to this shape."""
        way = self.source.weighted(((6, "exact"), (2, "number"), (2, "rank"), (1, "column")))
        if way == "number" or not shape:
            return self.number(depth) if way == "number" else self.term((), depth)
        if way == "rank":
            return self.term(shape[1:], depth)
        if way == "column" and len(shape) == 2:
            column = self.term(shape[:1], depth)
            return Term(f"({column.text})[:, None]", column.bound)
        return self.term(shape, depth)

    def number(self, depth: int) -> Term:
        """A scalar: a constant, a loop variable, an element, a reduction."""
        if self.source.chance(50):
            return self.term((), min(depth, 1))
        return self.constant()

    def size(self, least: int = 0) -> Form | None:
        """An extent of the program's arrays, or a part of one that depends on the loop."""
        scope = self.scope
        options = [Form(s) for s in scope.sizes if s >= least]
        options += [e for v in scope.arrays() for e in v.shape if scope.low(e) >= least and scope.high(e) <= 6]
        options += [
            v + k for v in scope.atoms() for k in (0, 1) if scope.low(v + k) >= least and scope.high(v + k) <= 6
        ]
        return self.source.choice(options) if options else None

    def constant(self) -> Term:
        scope = self.scope
        if scope.loops and self.source.chance(30):
            form = Form.of(self.source.choice(scope.loops)) + self.source.integer(0, 1)
            bound = max(map(abs, form.values(scope.points)))
            return Term(f"0.2 * ({form})", 0.2 * bound)
        if scope.integers and self.source.chance(10):
            name = self.source.choice(sorted(scope.integers))
            return Term(f"0.25 * {name}", 0.25 * scope.integers[name])
        value = self.source.choice(CONSTANTS)
        return Term(str(value), abs(value))

    def mask(self, shape: Shape) -> str:
        """A condition on data, that broadcasts to this shape."""
        part = shape[1:] if self.source.chance(30) else shape
        return f"({self.leaf(part).text}) {self.source.choice('<>')} {self.source.choice(THRESHOLDS)}"

    def plain(self, shape: Shape) -> Term:
        """A short sum of products, as in stencils and recurrences; a copy."""
        pattern, bound = self.source.choice(PLAIN)
        return Term(pattern.format(*(f"({self.leaf(shape).text})" for _ in range(3))), bound)

    def leaf(self, shape: Shape) -> Term:
        """A variable, or a part of one, of this shape; a constant where there is none."""
        found = self.readable(shape)
        if not shape:
            numbers = [v for v in self.scope.variables.values() if not v.is_array]
            if numbers and (not found or self.source.chance(40)):
                return Term(self.source.choice(numbers).name, LIMIT)
        if not found or self.source.chance(4):
            return self.filled(shape)
        return Term(self.part(*self.source.choice(found)), LIMIT)

    def readable(self, shape: Shape) -> list[tuple[Variable, tuple[int, ...], Shape]]:
        """Arrays with the axes that can be cut to the shape, in order."""
        found = []
        for variable in self.scope.arrays():
            for axes in combinations(range(len(variable.shape)), len(shape)):
                if self._can_cut(variable.shape, axes, shape):
                    found.append((variable, axes, shape))
        return found

    def _can_cut(self, extents: Shape, axes: tuple[int, ...], shape: Shape) -> bool:
        wanted = dict(zip(axes, shape, strict=True))
        return all(
            places.slices_of_length(self.scope, extent, wanted[k])
            if k in wanted
            else places.indices(self.scope, extent)
            for k, extent in enumerate(extents)
        )

    def part(self, variable: Variable, axes: tuple[int, ...], shape: Shape) -> str:
        wanted = dict(zip(axes, shape, strict=True))
        keys: list[str] = []
        for k, extent in enumerate(variable.shape):
            plain = len(axes) == len(variable.shape) and not self.scope.tables.keys() & set(keys)
            options = self.slices_and_tables(extent, wanted[k], plain) if k in wanted else self.elements(extent)
            keys.append(places.narrowed(self.source, self.source.choice(options)))
        while keys and keys[-1] == ":":
            keys.pop()
        return f"{variable.name}[{', '.join(keys)}]" if keys else variable.name

    def slices_and_tables(self, extent: Form, length: Form, tables: bool) -> list[str]:
        """Slices, and arrays of integers, that select so many elements."""
        found = places.slices_of_length(self.scope, extent, length)
        if len(found) > 1 and self.source.chance(60):
            found = found[1:]
        if tables and self.source.chance(15):
            found = [n for n, values in self.scope.tables.items() if self.selects(values, extent, length)] or found
        return found

    def selects(self, values: tuple[int, ...], extent: Form, length: Form) -> bool:
        return length.is_const(len(values)) and self.scope.low(extent) > max(values, default=0)

    def elements(self, extent: Form) -> list[str]:
        """Indices of the axis; loop variables are preferred to constants."""
        found = places.indices(self.scope, extent)
        if self.scope.loops and self.source.chance(70):
            found = [text for text in found if any(name in text for name in self.scope.loops)] or found
        elif self.source.chance(10):
            found = self.looked_up(extent) or found
        return found

    def looked_up(self, extent: Form) -> list[str]:
        """Elements of arrays of integers as indices."""
        fitting = [n for n, values in self.scope.tables.items() if values and self.scope.low(extent) > max(values)]
        return [
            f"{name}[{i}]" for name in fitting for i in places.indices(self.scope, Form(len(self.scope.tables[name])))
        ]

    def argument(self, parameter: Variable) -> str:
        """What a function is called with: something in memory where the parameter is an array."""
        if not parameter.is_array:
            return self.fit(self.term((), 1)).text
        found = self.readable(parameter.shape)
        if not found or self.source.chance(15):
            return self.fit(self.term(parameter.shape, 1)).text
        return self.part(*self.source.choice(found))

    def filled(self, shape: Shape) -> Term:
        if not shape:
            return self.constant()
        constant = self.leaf(shape[1:]) if self.readable(shape[1:]) else self.number(1)
        return Term(f"np.full({size_text(shape)}, {constant.text})", constant.bound)

    def fit(self, term: Term, limit: float = LIMIT) -> Term:
        """The term, damped where it may exceed the limit."""
        if term.bound <= limit:
            return term
        way = self.source.integer(0, 2)
        if way == 0:
            factor = float(f"{limit / term.bound:.1g}")
            return Term(f"{min(factor, 0.9)} * ({term.text})", limit)
        return Term(f"{limit} * np.{('sin', 'tanh')[way - 1]}({term.text})", limit)


Maker = Callable[[Writer, Shape, int], Term | None]


def size_text(shape: Shape) -> str:
    """The shape as an argument of `np.zeros`."""
    return str(shape[0]) if len(shape) == 1 else f"({', '.join(map(str, shape))})"
