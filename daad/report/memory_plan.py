"""What a gradient will hold in memory, known before it runs; and what less memory would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from daad.ccs.hints import Hints
from daad.ccs.question import Question
from daad.errors import BadArgument
from daad.ilp.choose import Chooser
from daad.ir.nodes import Program
from daad.messages.progress import shown, stage
from daad.messages.sizes import Bytes, readable
from daad.pipeline import Derivation, chooser, derive, derive_stored, parts_of
from daad.report.array_rows import loop_name
from daad.report.explanation import Account, Explanation, explain
from daad.report.explanation_text import plain, summary
from daad.report.graph_model import Graph, graph_of
from daad.report.markup import block, folded, sentence
from daad.report.memory_bands import Timeline, timeline
from daad.report.memory_picture import with_key
from daad.report.pictures import draw_pareto, draw_timeline
from daad.report.tracebacks import end_at_the_call
from daad.report.user_names import UserNames

POINTS = 12


@dataclass(frozen=True, kw_only=True)
class Point:
    """One plan of the curve: `nbytes` that a call holds, its estimated time relative to the fastest plan, and how."""

    nbytes: Bytes
    slowdown: float
    hints: Hints
    derivation: Derivation

    @property
    def what(self) -> str:
        """What is run or computed again, in short."""
        loops = [
            f"loop {loop_name(s, self.hints)} from {s.replay.schedule.slots} states"
            for s in self.derivation.plan.snapshots.values()
        ]
        undone = [f"{name} taken back" for name in sorted({n for _, n in self.derivation.adjoint.restored.undone})]
        return ", ".join([*loops, *undone, *sorted((*self.hints.rerun, *self.hints.recompute))]) or "nothing"

    def __str__(self) -> str:
        return f"{readable(self.nbytes)}, {self.slowdown:.2f} x the time; run again: {self.what}"

    __repr__ = __str__


@end_at_the_call
@dataclass(frozen=True, kw_only=True)
class Plan:
    """The plan of a gradient for the arguments of a call; `daad.plan` and `Gradient.plan` give it.

    >>> import numpy as np, daad
    >>> def energy(x, steps):
    ...     for t in range(steps):
    ...         x = x + 0.1 * np.sin(x)
    ...     return np.sum(x)
    >>> plan = daad.plan(energy, (np.linspace(0.1, 0.9, 1000), 100))
    >>> plan.nbytes > plan.parts["tape"] > 0
    True
    >>> least = plan.pareto()[-1]
    >>> least.nbytes < plan.nbytes // 4
    True

    `limit` is the memory limit that it keeps to, None without one; `places` are the parameters by the user's names.
    """

    program: Program
    question: Question
    derivation: Derivation
    limit: Bytes | None = None
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def nbytes(self) -> Bytes:
        """All that a call holds: arguments, gradients, tape and scratch."""
        return Bytes(self.derivation.footprint.total)

    @property
    def parts(self) -> Mapping[str, Bytes]:
        """These bytes by what they are for."""
        return {name: Bytes(nbytes) for name, nbytes in parts_of(self.derivation).items()}

    @property
    def slowdown(self) -> float:
        """The estimated time relative to the fastest plan."""
        return self.derivation.seconds / self._fastest.seconds

    @cached_property
    def _fastest(self) -> Derivation:
        """The plan without a limit."""
        return self.derivation if self.limit is None else derive(self.program, self.question)

    @cached_property
    def _chooser(self) -> Chooser[Derivation]:
        is_base = self.limit is None and self.derivation.decided is None
        base = self.derivation if is_base else derive_stored(self.program, self.question)
        return chooser(base, self.question)

    def pareto(self, points: int = POINTS) -> tuple[Point, ...]:
        """The fastest plans for memory limits from what the fastest plan holds down to the smallest possible one."""
        if isinstance(points, bool) or not isinstance(points, int) or points < 1:
            raise BadArgument(f"The number of points is {points!r}.", hint="Use a whole number from 1 on.")
        fastest = self._fastest.seconds
        with shown(0), stage("planning for less memory"):
            return tuple(
                Point(nbytes=Bytes(p.nbytes), slowdown=p.seconds / fastest, hints=p.hints, derivation=p.built)
                for p in self._chooser.pareto(points)
            )

    def draw_pareto(self, points: Sequence[Point] = (), seconds: Sequence[float | None] = ()) -> Any:
        """The curve as a matplotlib figure; `seconds` that were measured for its points may stand beside them."""
        points = points or self.pareto()
        base = next((s for s in seconds if s is not None), None)
        times = [s / base if s is not None and base else None for s in seconds] or [None] * len(points)
        return draw_pareto([(p.nbytes, p.slowdown, t) for p, t in zip(points, times, strict=True)], self.limit)

    @cached_property
    def _stored(self) -> Derivation:
        """The plan that keeps everything."""
        return self.derivation if self.derivation.decided is None else derive_stored(self.program, self.question)

    @property
    def _size(self) -> str:
        return readable(self.nbytes) + (f" within {readable(self.limit)}" if self.limit else "")

    @cached_property
    def _account(self) -> Account:
        return explain(self.program, self.question, self.derivation, self._names, self._stored.nbytes)

    def _repr_html_(self) -> str:
        picture = folded("memory over the program", with_key(self._events()))
        return sentence(self._size) + block(summary(self._account)) + picture

    def _events(self) -> Timeline:
        """What is in memory at each statement."""
        return timeline(self.derivation, self._names, self.limit, self._stored.nbytes)

    def timeline(self) -> Any:
        """What is in memory at each statement, forwards and then backwards, as a matplotlib figure, with the limit and
        what keeping everything would take."""
        return draw_timeline(self._events())

    @cached_property
    def _names(self) -> UserNames:
        """What the user calls the arrays."""
        return UserNames((self.program, self.derivation.primal), self.places)

    def _graph(self, part: str) -> Graph:
        """The dataflow of a part of the gradient."""
        return graph_of(self.derivation, self._names, part)

    def explain(self) -> Explanation:
        """The program line by line beside its adjoint, and the arrays that this reads: from where, how large, why."""
        return Explanation.of(self._account)

    def __str__(self) -> str:
        return f"{self._size}\n{plain(summary(self._account))}"

    __repr__ = __str__
