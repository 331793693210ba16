"""The program under test as daad reads it, in float64, at the point under test: what the interpreter looks into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from daad.api.check.directions import Direction
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.ccs.hints import Hints
from daad.ir.interpreter import Execution, executions, run, run_nest, start
from daad.ir.nodes import Expr, Program
from daad.ir.seed import Seed
from daad.ir.walk import is_single, map_expr, map_node

MOST_EXECUTIONS = 200_000
Arrays = dict[str, np.ndarray]


class TooLong(Exception):
    """The program executes more statements than the interpreter can look at."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A Program with its arguments; `inputs` maps leaves of the call to parameters, `seeds` weigh the outputs, `hints`
    say what is kept, but nothing that is run again."""

    program: Program
    arguments: Mapping[str, Any]
    inputs: Mapping[str, str]
    seeds: tuple[Seed, ...]
    hints: Hints

    def moved(self, direction: Direction, step: float) -> Scene:
        """The same at another point."""
        changed = {
            self.inputs[n]: np.asarray(self.arguments[self.inputs[n]]) + step * complex_views.taken(d)
            for n, d in direction.items()
        }
        return replace(self, arguments={**self.arguments, **changed})

    def start(self) -> tuple[Arrays, dict[str, Any]]:
        return start(self.program, self.arguments)

    def executions(self) -> list[Execution]:
        """Every statement in the order of execution."""
        arrays, values = self.start()
        found = []
        for execution in islice(executions(self.program.body, arrays, values), MOST_EXECUTIONS + 1):
            run_nest(execution, arrays)
            found.append(execution)
        if len(found) > MOST_EXECUTIONS:
            raise TooLong
        return found

    def end_value(self) -> float:
        """The seeded sum of the outputs after a run."""
        return self.value(run(self.program, self.arguments))

    def rounding(self) -> float:
        """What may be left of zero where large values cancel."""
        arrays = [a for a in run(self.program, self.arguments).values() if a.dtype.kind == "f"]
        return 1e-13 * max((float(np.nansum(np.abs(a))) for a in arrays), default=0.0)

    def value(self, arrays: Mapping[str, np.ndarray]) -> float:
        """The seeded sum of the outputs."""
        weights = [self.arguments[s.array] if s.value is None else s.value for s in self.seeds]
        return float(sum(np.sum(arrays[s.output] * w) for s, w in zip(self.seeds, weights, strict=True)))


def replay(trace: Sequence[Execution], arrays: Arrays) -> Arrays:
    """Executes the statements again, on other values."""
    for execution in trace:
        run_nest(execution, arrays)
    return arrays


def scene_of(gradient: Gradient, bound: Mapping[str, Any]) -> Scene:
    """The program as `gradient` read it for its last call, at the point `bound`."""
    made = gradient._current
    leaves = calls.leaves(bound)
    read = made.planned.read
    given = {read.places[name]: complex_views.taken(value) for name, value in leaves if name in read.places}
    seeds = made.derivation.seeds
    fixed = {slot.array.name: slot.fixed for slot in made.slots if slot.fixed is not None}
    chosen = [name for name, _ in calls.floats(gradient._chosen(bound))]
    return Scene(
        program=widened(read.program),
        arguments={**fixed, **read.constants, **given},
        inputs={name: read.places[name] for name in chosen},
        seeds=seeds,
        hints=replace(made.derivation.hints, slots={}, rerun=frozenset(), strict=False),
    )


def widened(program: Program) -> Program:
    """The Program in float64, where it is in float32: rounding is no part of the derivative."""
    if not is_single(program):
        return program
    arrays = {name: replace(array, dtype=_wide(array.dtype)) for name, array in program.arrays.items()}
    return replace(program, arrays=arrays, body=tuple(map_node(node, _widened) for node in program.body))


def _wide(dtype: str) -> str:
    return "float64" if dtype == "float32" else dtype


def _widened(expr: Expr) -> Expr:
    def wide(node: Expr) -> Expr | None:
        if node.dtype != "float32":
            return None
        return replace(node, dtype="float64")  # type: ignore[type-var]

    return map_expr(expr, wide)
