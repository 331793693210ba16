"""What is asked of a program that has been read; here, since asking needs nothing of what answers."""

from __future__ import annotations

from dataclasses import dataclass

from daad.ccs.hints import NO_HINTS, Hints
from daad.ir.seed import Seed


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a program: the gradient of `outputs` (arrays), seeded, with respect to `inputs` (parameters).

    `value`: the outputs themselves are wanted too. `keep`: parameters that the primal overwrites stay as they are.
    `hints`: what the user decides about values that the adjoint reads. `allow_undo`: updates may be taken back in place
    to keep to a memory limit. `checks`: arrays that tell whether the program should have raised an exception.
    `aux`: arrays that are returned beside what is differentiated.
    """

    inputs: tuple[str, ...]
    seeds: tuple[Seed, ...]
    value: bool = False
    keep: bool = False
    hints: Hints = NO_HINTS
    allow_undo: bool = False
    checks: tuple[str, ...] = ()
    aux: tuple[str, ...] = ()

    @property
    def wanted(self) -> tuple[str, ...]:
        """Arrays of the primal that the caller gets, or looks at."""
        return (*(self.outputs if self.value else ()), *self.checks, *self.aux)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(s.output for s in self.seeds)
