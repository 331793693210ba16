"""What is learned about one loop or branch while it is read again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from daad.frontend.python.reading.environment import Path, Saved
from daad.frontend.staging import variable_storage
from daad.frontend.staging.aliasing.alias_copies import Aliased
from daad.frontend.staging.facts import Unroll
from daad.frontend.staging.variable_storage import Spec

CHOSEN: Path = ()
"""Stands for lists of numbers of which a loop reads items, and that no variable around it holds."""


@dataclass(frozen=True)
class Growth:
    """How much longer an array gets in each iteration, and along which axis."""

    axis: int
    each: int


@dataclass(eq=False)
class Plan:
    """What has been learned about one loop or branch: variables with storage, and how a loop is staged.

    `kept`: variables with storage from outside that one side of a branch must fill although it does not bind them.
    `period`: the bodies after which exchanged arrays are back in their places (0: never); `peel`: the first iteration
    stands apart; `unroll`: why all of them do; `has_last`: whether what counts is computed for the last iteration,
    where data say how many there are; `links`: arrays, by name or by variable, of which Python has only one at the end
    of an iteration; `unordered`: variables whose arrays NumPy may have in another order than C's; `grown`: lists that
    get items in each iteration, None if the program does more with one of them; `appended`: how many; `counted`: those
    of which data decide how many, with the most; `seeded`: those of which items from before are looked at; `shares`:
    something else holds one of their items, too; `lengthened`: arrays that each iteration makes longer, None if it does
    something else with one; `indexed`: lists of numbers that lie in arrays, None if the program does more with one than
    to read and write items; `written`: those of them that are written; `reads`: lists that are only read do so, too,
    for the iterations would get too many if written out for the list at `wanted`; `has_loops`: there are loops in its
    body; `rebound`: variables that each body binds to another list or object of one form, None if it does more with
    one; `trial`: for what the first iteration is read alone, which is done once (`tried`); `is_short`: the loop is
    rather written out, `is_long`: it cannot well be; `rolled`: whether a loop over a list of numbers is one at all
    (None: not known), or its items are written out; of a comprehension, whether data choose its items. `decided`:
    of a branch, only the side is read that is taken.
    `within`: the loops and branches that were in progress when this one began; `saved`: what variables held then;
    `around`: the variables of the loops in which it was read.
    """

    specs: dict[Path, Spec] = field(default_factory=dict)
    kept: set[Path] = field(default_factory=set)
    period: int = 1
    peel: bool = False
    unroll: Unroll | None = None
    has_last: bool = False
    aliased: Aliased | None = None
    variable: str = ""
    links: set[tuple[Any, Any]] = field(default_factory=set)
    unordered: set[Any] = field(default_factory=set)
    grown: dict[Path, Spec] | None = field(default_factory=dict)
    appended: dict[Path, int] = field(default_factory=dict)
    counted: dict[Path, int] = field(default_factory=dict)
    seeded: set[Path] = field(default_factory=set)
    shares: bool = False
    rebound: set[Path] | None = field(default_factory=set)
    trial: Unroll | None = None
    tried: bool = False
    lengthened: dict[Path, Growth] | None = field(default_factory=dict)
    indexed: dict[Path, Spec | None] | None = field(default_factory=dict)
    written: set[Path] = field(default_factory=set)
    reads: bool = False
    has_loops: bool = False
    wanted: Path | None = None
    is_short: bool = False
    is_long: bool = False
    rolled: bool | None = None
    decided: bool = False
    within: tuple[object, ...] = ()
    saved: Sequence[Saved] = ()
    around: tuple[str, ...] = ()

    def enter(self, around: tuple[str, ...]) -> None:
        """The loops around have other variables whenever they are read."""
        for specs in (self.specs, self.grown or {}):
            moved = {path: variable_storage.in_loops(spec, self.around, around) for path, spec in specs.items()}
            specs.clear()
            specs.update({path: spec for path, spec in moved.items() if spec is not None})
        self.around = around

    def start_over(self, rolled: bool) -> None:
        """Forgets what was learned of the loop, which is read in another way now."""
        for name, value in vars(Plan(rolled=rolled, around=self.around)).items():
            setattr(self, name, value)

    def is_loop(self, is_long: bool) -> bool:
        """Whether what was written out is to be a loop after all, since the first iteration tells that it gets long."""
        path, self.wanted = self.wanted, None
        if path is None:
            self.rolled = is_long
        elif is_long and self.indexed is not None:
            self.unroll, self.reads = None, True
            self.read_in_array(path)
        return is_long and (path is None or self.reads)

    def read_in_array(self, path: Path) -> None:
        """A list lies in an array from now on; of `CHOSEN` ones, an array is made where they are read."""
        assert self.indexed is not None, "the program does no more with its lists than to read and write items"
        if path == CHOSEN:
            self.reads = True
        else:
            self.indexed[path] = None
