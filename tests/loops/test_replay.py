"""Loops that are run again from few kept states: the gradient is the same to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from daad.analysis.sites import Path
from daad.api.gradient import Gradient
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from tests import programs
from tests.corpus.case import Case, row, uniform
from tests.corpus.selection import PLAIN, one_in
from tests.oracle import check_gradient


@dataclass(frozen=True)
class EveryLoop(Mapping[Path, int]):
    """As many slots for each loop, or for each at one depth."""

    slots: int
    depths: tuple[int, ...] = ()

    def __getitem__(self, path: Path) -> int:
        if self.depths and len(path) not in self.depths:
            raise KeyError(path)
        return self.slots

    def __iter__(self) -> Iterator[Path]:
        return iter(())

    def __len__(self) -> int:
        return 1


ALL_OF_THEM = 1000
SLOTS = (
    EveryLoop(1),
    EveryLoop(2),
    EveryLoop(3, (1,)),
    EveryLoop(2, (2, 3)),
    EveryLoop(ALL_OF_THEM),
    EveryLoop(ALL_OF_THEM, (1,)),
)


class EveryArray(frozenset[str]):
    """The set of all names."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __contains__(self, name: object) -> bool:
        return True


BLOCKS = (
    Hints(slots=EveryLoop(2, (1,)), blocks=EveryLoop(3, (1,))),
    Hints(slots=EveryLoop(1), blocks=EveryLoop(2)),
    Hints(slots=EveryLoop(ALL_OF_THEM), blocks=EveryLoop(3)),
)
EVERYTHING = Hints(slots=EveryLoop(2), rerun=EveryArray())


def linked(x, following):  # type: ignore[no-untyped-def]
    total, i = 0.0, 3
    for _ in range(5):
        total += x[i] * x[i]
        i = following[i]
    return total


def drifting(x, field):  # type: ignore[no-untyped-def]
    place = x[0]
    for t in range(4):
        place = place + field[int(place)] * x[t]
    return place


def looked_up_twice(x, following, order):  # type: ignore[no-untyped-def]
    total, i = 0.0, 0
    for k in range(3):
        for _ in range(3):
            total = total * x[i] + x[following[order[i]]]
            i = following[order[i]]
        i = order[k]
    return total


FOLLOWING = np.array([2, 5, 4, 0, 1, 3])
PLACES = [
    row(linked, lambda: (uniform(1, 6), FOLLOWING), "x"),
    row(drifting, lambda: (uniform(2, 4), uniform(3, 9)), "x, field"),
    row(looked_up_twice, lambda: (uniform(4, 6), FOLLOWING, FOLLOWING[::-1].copy()), "x"),
]
"""Places that the loop computes, in arrays that it does not write."""


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in PLACES])
def test_places_that_a_loop_computes(case: Case) -> None:
    check_gradient(programs.interpreted(case)(*case.arguments()), case)
    test_running_again_gives_the_gradient(case)


@pytest.mark.parametrize("case", one_in(40, "run again", PLAIN))
def test_running_again_gives_the_gradient(case: Case) -> None:
    wanted = programs.interpreted(case)(*case.arguments())
    for hints in (*(Hints(slots=slots) for slots in SLOTS), *BLOCKS, Hints(rerun=EveryArray()), EVERYTHING):
        request = programs.request_of(case, plan=hints)
        found = Gradient(case.function, request, compiler=Interpreted)(*case.arguments())  # type: ignore[arg-type]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.max(np.abs(other), initial=0.0))
