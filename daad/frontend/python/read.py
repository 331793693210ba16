"""What a program is read for, and what its reading gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from daad.frontend.python.control.checks import Check
from daad.frontend.python.reading.guards import Witness
from daad.frontend.staging.draws import NO_DRAWS, Stream
from daad.frontend.staging.speculation import NOTHING, Assumptions, Decision
from daad.ir.nodes import Program


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a program is read for: `of` selects outputs, `static` names int arguments that are constants; without
    `assumptions`, nothing is speculated on; so many `derivatives` are to be right."""

    of: Any = None
    static: frozenset[str] = frozenset()
    assumptions: Assumptions | None = None
    derivatives: int = 1


PLAINLY = Asked()


@dataclass(frozen=True, kw_only=True)
class Read:
    """A Program for given arguments.

    `places`: the user's flat parameter names (`name_key` inside structures) -> arrays and integers of the Program.
    `outputs`: the arrays that `of` selects. `value`: what the program returns, with names of arrays as leaves.
    `pinned`: int arguments that became constants. `constants`: arrays from outside that are parameters of the Program.
    `compared`: whether two arguments are one object, where the program asks that.
    `marks`: what the program says about keeping its local arrays. `witnesses`: what else was taken from outside.
    `bounded`: it has loops that data end, with bounds. `failed`: the array that tells which of the `checks` has failed
    first, and, below 0, which of the `decisions` was another one, with one for what it was then, if there are any.
    `assumptions`: what was assumed of them. `pairs`: arrays of pairs of real numbers that stand for complex ones.
    `changes_outside`: run by NumPy, it changes more than its arguments. `drawn`: random numbers that each call draws
    into some of the `constants`. `communicates`: it passes messages to other processes.
    """

    program: Program
    places: Mapping[str, str]
    outputs: tuple[str, ...]
    value: Any = None
    pinned: Mapping[str, Any] = field(default_factory=dict)
    compared: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    witnesses: tuple[Witness, ...] = ()
    bounded: bool = False
    checks: tuple[Check, ...] = ()
    failed: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    assumptions: Assumptions | None = None
    pairs: frozenset[str] = frozenset()
    changes_outside: bool = False
    drawn: Stream = NO_DRAWS
    communicates: bool = False

    @property
    def assumed(self) -> Assumptions:
        """The assumptions, where nothing is speculated on none."""
        return self.assumptions or NOTHING
