"""The iterations of a `for` loop that is staged."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.iterables import Staged
from daad.frontend.staging.values import expr_of
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Op


@dataclass(frozen=True)
class Course:
    """The iterations of one loop: `items.item(v)` for v = start, start + step, … before stop."""

    node: ast.For
    items: Staged
    start: Index
    stop: Index
    step: int

    @property
    def trips(self) -> Affine | None:
        if isinstance(self.start, Affine) and isinstance(self.stop, Affine):
            return (self.stop - self.start) * self.step
        return None

    def at(self, number: int | Affine) -> Affine:
        assert isinstance(self.start, Affine), "only an affine start has known items"
        return self.start + number * self.step

    def rest(self) -> Course:
        return Course(self.node, self.items, self.at(1), self.stop, self.step)


def has_a_trip(stage: Stage, course: Course) -> bool:
    return course.trips is not None and stage.provable(course.trips - 1)


def begins(course: Course) -> Op:
    """Whether there is an iteration."""
    return Op("less" if course.step > 0 else "greater", (expr_of(course.start), expr_of(course.stop)), "bool")
