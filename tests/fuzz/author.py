"""Writes the statements of one block, or of one place in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fuzz.expressions import LIMIT, Writer
from tests.fuzz.forms import Form, Shape
from tests.fuzz.scope import Scope, Taste
from tests.fuzz.source import Source
from tests.fuzz.syntax import Nodes


@dataclass
class Author:
    """Writes statements one after the other; `left` are those it may still write, nested ones included."""

    source: Source
    scope: Scope
    left: list[int] = field(default_factory=lambda: [12])

    def within(self, scope: Scope) -> Author:
        return Author(self.source, scope, self.left)

    @property
    def writer(self) -> Writer:
        return Writer(self.source, self.scope)

    def block(self, most: int) -> Nodes:
        """At least one statement."""
        from tests.fuzz.control import STATEMENTS
        from tests.fuzz.statements import bind

        nodes: Nodes = []
        for _ in range(self.source.integer(1, most)):
            if self.left[0] <= 0 and nodes:
                break
            self.left[0] -= 1
            makers = [(weights[self.scope.taste], make) for weights, make, fits in STATEMENTS if fits(self.scope)]
            nodes += self.source.weighted(makers)(self) or bind(self)
        return nodes

    def shape(self) -> Shape:
        """Any shape of this program's arrays."""
        rank = self.source.weighted(((5, 1), (3, 0), (3, 2), (1, 3) if self.scope.depth == 0 else (0, 1)))
        return tuple(self.extent() for _ in range(rank))

    def extent(self) -> Form:
        scope = self.scope
        if scope.loops and self.source.chance(15):
            forms = [v + k for v in scope.atoms() for k in (0, 1) if scope.low(v + k) >= 0]
            if forms:
                return self.source.choice(forms)
        return Form(self.source.choice(scope.sizes))

    def value(self, shape: Shape, limit: float = LIMIT, depth: int = 3) -> str:
        writer = self.writer
        if self.source.chance(self.scope.plain):
            return writer.fit(writer.plain(shape), limit).text
        return writer.fit(writer.term(shape, self.depth(depth)), limit).text

    def loose_value(self, shape: Shape, limit: float = LIMIT, depth: int = 3) -> str:
        writer = self.writer
        if self.source.chance(self.scope.plain):
            return writer.fit(writer.plain(shape), limit).text
        return writer.fit(writer.loose(shape, self.depth(depth)), limit).text

    def depth(self, most: int) -> int:
        """Levels of operations: few, since statements matter more."""
        deep = ((6, 1), (4, 2), (1, 3)) if self.scope.taste is Taste.BROAD else ((8, 1), (1, 2))
        return min(most, self.source.weighted(deep))


Maker = Callable[[Author], Nodes | None]
