"""What is built to find a plan within a limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from daad.ccs.hints import NO_HINTS, Hints
from daad.ilp.choose import FAR, Chooser
from daad.ilp.model import Model, Option

LOOP = (0,)
IN_BLOCKS, ONE_STATE = (
    Option(slots={LOOP: 8}, blocks={LOOP: 2}, held=400, seconds=1.0),
    Option(slots={LOOP: 1}, held=100),
)
MODEL = Model(values={}, options=((Option(held=1000), IN_BLOCKS, ONE_STATE),))


@dataclass(frozen=True)
class Program:
    nbytes: int
    seconds: float = 1.0


@dataclass
class Slabs:
    """Passes that leave little of what the model counts, of states less than of the loop without blocks."""

    built: list[Hints] = field(default_factory=list)

    def build(self, hints: Hints) -> Program:
        self.built.append(hints)
        if not hints.slots:
            return Program(500)
        return Program(40 + 5 * hints.slots[LOOP] if hints.blocks else 60)


@pytest.mark.parametrize("limit", [1, 20, 44])
def test_least_limit_is_that_of_few_slots_where_passes_save_what_the_model_counts(limit: int) -> None:
    slabs = Slabs()
    decided = Chooser(MODEL, NO_HINTS, slabs.build).choose(limit)
    assert not decided.within
    assert decided.proposal.nbytes == 45
    assert all(hints not in slabs.built[:n] for n, hints in enumerate(slabs.built))  # each is built once


@pytest.mark.parametrize("limit", [45, 50, 59])
def test_limits_above_the_least_one_are_kept(limit: int) -> None:
    decided = Chooser(MODEL, NO_HINTS, Slabs().build).choose(limit)
    assert decided.within
    assert decided.proposal.nbytes <= limit


TAPED = Model(values={}, options=((Option(held=1000), IN_BLOCKS),))


@dataclass
class Tape:
    """The model says that keeping everything is fastest, the program that all else takes `seconds` and holds a part."""

    nbytes: int
    seconds: float
    part: Fraction = Fraction(1, 3)

    def build(self, hints: Hints) -> Program:
        return Program(int(self.nbytes * self.part), self.seconds) if hints.slots else Program(self.nbytes)


@pytest.mark.parametrize(
    ("nbytes", "seconds", "part", "is_kept"),
    [
        pytest.param(FAR, 0.85, "2/3", False, id="far from the caches"),
        pytest.param(FAR - 1, 0.85, "2/3", True, id="near"),
        pytest.param(FAR, 0.95, "2/3", True, id="about as fast"),
        pytest.param(FAR, 0.95, "1/3", False, id="about as fast with much less"),
        pytest.param(FAR - 1, 0.95, "1/3", True, id="near with much less"),
        pytest.param(FAR, 1.05, "1/3", True, id="slower"),
    ],
)
def test_half_the_memory_is_tried_where_everything_is_far(
    nbytes: int, seconds: float, part: str, is_kept: bool
) -> None:
    decided = Chooser(TAPED, NO_HINTS, Tape(nbytes, seconds, Fraction(part)).build).choose(2 * FAR)
    assert bool(decided.proposal.hints.blocks) is not is_kept
