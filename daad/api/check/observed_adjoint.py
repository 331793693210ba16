"""An adjoint under observation: tangents of the primal and adjoints of its arrays, at chosen points of execution.

At every point between two statements the inner product of tangents and adjoints is the directional derivative of the
whole program. Where it changes from one point to the next, the adjoint of the statement between them is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from daad.api.check.directions import Direction
from daad.api.check.reference_program import Arrays, Scene, replay
from daad.ccs.graph import find_ccs
from daad.errors import Location
from daad.ilp import make_plan
from daad.ilp.joint import adjoint_program, join
from daad.ir.interpreter import Execution, executions, run_nest, start
from daad.ir.nodes import Branch, Loop, Nest, Node, Program
from daad.ir.walk import nests, node_loads
from daad.loops import Adjoint, differentiate
from daad.loops.extrema import hold_operands

STENCIL = {1: 8.0, -1: -8.0, 2: -1.0, -2: 1.0}
"""Weights of the values at multiples of the step; their sum over 12 steps is the derivative to fourth order."""


@dataclass(frozen=True)
class Product:
    """The inner product of tangents and adjoints; `size` is the sum of its terms' absolute values."""

    value: float
    size: float


@dataclass(frozen=True)
class Reversal:
    """The adjoint of a program, without any optimisation; in `scene`, statement number n has the line n as its place,
    and `places[n]` in the user's program."""

    scene: Scene
    adjoint: Adjoint
    forward: Program
    backward: Program
    places: tuple[Location | None, ...]

    @cached_property
    def trace(self) -> list[Execution]:
        """All executions of the primal's statements."""
        return self.scene.executions()

    @cached_property
    def _moments(self) -> dict[tuple[object, ...], int]:
        return {_identity(execution): moment for moment, execution in enumerate(self.trace)}

    @property
    def active(self) -> tuple[str, ...]:
        """Arrays with an adjoint."""
        return tuple(sorted(self.adjoint.bars))

    def place(self, moment: int) -> Location | None:
        """The place in the user's program of the statement that is executed then."""
        at = self.trace[moment].nest.at
        return None if at is None else self.places[at.line]

    def tangents(self, direction: Direction, step: float, moments: Sequence[int]) -> dict[int, Arrays]:
        """The derivative of each active array along the direction, before the executions with these numbers.

        Control flow is that of the point itself.
        """
        states = {k: self.scene.moved(direction, k * step).start()[0] for k in STENCIL}
        found, done = {}, 0
        for moment in sorted(moments):
            for state in states.values():
                replay(self.trace[done:moment], state)
            found[moment] = {n: self._slope(n, states, step) for n in self.active}
            done = moment
        return found

    def _slope(self, name: str, states: Mapping[int, Arrays], step: float) -> np.ndarray:
        """Zero where nothing has been written yet."""
        with np.errstate(all="ignore"):
            slope = sum(weight * states[k][name] for k, weight in STENCIL.items()) / (12 * step)
        return np.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)

    def state(self, moment: int) -> Arrays:
        """All arrays before the execution with this number."""
        return replay(self.trace[:moment], self.scene.start()[0])

    def rest(self, moment: int, state: Arrays, name: str, direction: np.ndarray, step: float) -> float:
        """The derivative of the outputs along a direction in one array, from this moment on."""
        total = 0.0
        for k, weight in STENCIL.items():
            moved = {n: a.copy() for n, a in state.items()}
            moved[name] = np.asarray(moved[name] + k * step * direction)
            total += weight * self.scene.value(replay(self.trace[moment:], moved))
        return total / (12 * step)

    def touched(self, moment: int) -> list[str]:
        """The active arrays that the statement executed then reads or writes."""
        nest = self.trace[moment].nest
        names = {load.array for load in node_loads(nest)} | {a.target.array for a in nest.assigns}
        return sorted(names & set(self.active))

    def products(self, tangents: Mapping[int, Arrays]) -> dict[int, Product]:
        """The inner products at these moments."""
        return {moment: self._product(tangents[moment], bars) for moment, bars in self._watched(tuple(tangents))}

    def _product(self, tangents: Arrays, bars: Arrays) -> Product:
        terms = [bars[n] * tangents[n] for n in self.active]
        return Product(sum(float(np.sum(t)) for t in terms), sum(float(np.sum(np.abs(t))) for t in terms))

    def bars(self, moment: int) -> Arrays:
        """The adjoints of the active arrays as they stood before the execution with this number."""
        return next(dict(bars) for _, bars in self._watched((moment,)))

    def _watched(self, moments: Sequence[int]):  # type: ignore[no-untyped-def]
        """Runs the adjoint; pauses at each moment, last to first, with the adjoint arrays."""
        arrays, values = start(self.forward, self.scene.arguments)
        for execution in executions(self.forward.body, arrays, values):
            run_nest(execution, arrays)
        bars = {n: arrays[self.adjoint.bars[n].name] for n in self.active}
        for array in bars.values():
            array[...] = 0.0  # each is filled only where it is first touched
        waiting = sorted(moments)
        for execution in executions(self.backward.body, arrays, values):
            now = self._moments.get(_identity(execution), len(self.trace))
            while waiting and now < waiting[-1]:
                yield waiting.pop(), bars
            run_nest(execution, arrays)
        while waiting:
            yield waiting.pop(), bars


def reversal_of(scene: Scene) -> Reversal:
    """Differentiates the program of the scene as it stands."""
    program = hold_operands(scene.program)
    places = tuple(nest.at for nest in nests(program.body))
    program = replace(program, body=_numbered(program.body, iter(range(len(places)))))
    outputs = tuple(s.output for s in scene.seeds)
    adjoint = differentiate(program, find_ccs(program, scene.inputs.values(), outputs), scene.hints)
    plan = make_plan(adjoint)
    joint, backward = join(adjoint, plan, scene.seeds), adjoint_program(adjoint, plan, scene.seeds)
    count = len(joint.body) - len(backward.body)
    return Reversal(
        scene=replace(scene, program=program),
        adjoint=adjoint,
        forward=replace(joint, body=joint.body[:count]),
        backward=replace(joint, body=joint.body[count:]),
        places=places,
    )


def _numbered(body: tuple[Node, ...], numbers) -> tuple[Node, ...]:  # type: ignore[no-untyped-def]
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            out.append(replace(node, at=Location("", next(numbers))))
        elif isinstance(node, Loop):
            out.append(replace(node, body=_numbered(node.body, numbers), at=None))
        else:
            assert isinstance(node, Branch), f"unknown node {node!r}"
            then = _numbered(node.then, numbers)
            out.append(replace(node, then=then, orelse=_numbered(node.orelse, numbers), at=None))
    return tuple(out)


def _identity(execution: Execution) -> tuple[object, ...]:
    """Statement and iteration; the adjoint of a statement carries its place and the loops' variables."""
    number = -1 if execution.nest.at is None else execution.nest.at.line
    return number, *sorted(execution.values.items())
