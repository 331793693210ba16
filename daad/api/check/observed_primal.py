"""An interpreted run under observation: operations with their operands, at the point and a step away from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from daad.api.check.reference_program import MOST_EXECUTIONS, Arrays
from daad.errors import Location
from daad.ir.interpreter import Evaluation, Execution, Values, all_points, executions, write
from daad.ir.nodes import Assign, Index, Node, Op


@dataclass(frozen=True)
class Seen:
    """One operation at all points of one execution: operands and result, and the same a step away.

    An operation '+=', 'max=' or 'min=' has the value and the target's elements before as operands.
    """

    operation: str
    dtype: str
    at: Location | None
    operands: tuple[np.ndarray, ...]
    result: np.ndarray
    beside: tuple[np.ndarray, ...] = ()
    result_beside: np.ndarray | None = None


@dataclass
class Watch:
    """Runs statements on `arrays` and, in the same order, on `beside`; control flow is that of `arrays`.

    Operations named in `wanted` are seen (None: all).
    """

    arrays: Arrays
    values: Values
    beside: Arrays | None = None
    wanted: frozenset[str] | None = None
    _seen: list[Seen] = field(default_factory=list)

    def run(self, body: tuple[Node, ...]) -> Iterator[Seen]:
        """The operations of all statements, in the order of execution, of a long program those that come first."""
        steps = executions(body, self.arrays, self.values, None, self._read)
        for execution in islice(steps, MOST_EXECUTIONS):
            self._execute(execution)
            yield from self._taken()
        yield from self._taken()

    def wants(self, operation: str) -> bool:
        return self.wanted is None or operation in self.wanted

    def note(self, seen: Seen) -> None:
        self._seen.append(seen)

    def _taken(self) -> list[Seen]:
        seen, self._seen = self._seen, []
        return seen

    def _read(self, index: Index, _: Mapping[str, np.ndarray], values: Values, at: Location | None) -> Any:
        with np.errstate(all="ignore"):
            return self._evaluation(values, at).index(index)

    def _evaluation(self, points: Values, at: Location | None) -> _Watched:
        twin = None if self.beside is None else Evaluation(self.beside, points)
        return _Watched(self.arrays, points, self, at, twin)

    def _execute(self, execution: Execution) -> None:
        points = all_points(execution)
        for assign in () if points is None else execution.nest.assigns:
            assert points is not None, "an empty domain has no assigns"
            with np.errstate(all="ignore"):
                watched = self._evaluation(points, execution.at)
                here = _assign(assign, self.arrays, watched)
                there = None if watched.twin is None else _assign(assign, self.beside or {}, watched.twin)
            if self.wants(assign.op):
                moved = ((), None) if there is None else (there[:2], there[2])
                dtype = str(here[2].dtype)
                self.note(Seen(assign.op, dtype, execution.at, here[:2], here[2], *moved))


def _assign(assign: Assign, arrays: Arrays, evaluation: Evaluation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Executes, and tells the value, and the target before and after."""
    target = arrays[assign.target.array]
    place, value = evaluation.place(target, assign.target.index), evaluation.value(assign.value)
    before = np.array(target[place])
    write(assign, target, place, value, evaluation.points)
    return np.asarray(value), before, np.array(target[place])


class _Watched(Evaluation):
    def __init__(self, arrays: Arrays, points: Values, watch: Watch, at: Location | None, twin: Evaluation | None):
        super().__init__(arrays, points)
        self.watch, self.at, self.twin = watch, at, twin

    def _apply(self, expr: Op) -> Any:
        result = super()._apply(expr)
        if self.watch.wants(expr.name):
            operands = _values(self, expr)
            beside = () if self.twin is None else _values(self.twin, expr)
            self.watch.note(Seen(expr.name, expr.dtype, self.at, operands, np.asarray(result), beside))
        return result

    def narrowed(self, chosen: np.ndarray) -> Evaluation:
        inner = super().narrowed(chosen)
        twin = None if self.twin is None else self.twin.narrowed(chosen)
        return _Watched(self.arrays, inner.points, self.watch, self.at, twin)  # type: ignore[arg-type]


def _values(evaluation: Evaluation, expr: Op) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(evaluation.value(a)) for a in expr.args)
