"""Arrays that whole loops and branches make are made again by them."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from daad.ilp.model import How
from tests.loops.remade import PROGRAMS, Remade


def gradient(program: Remade, **options: object) -> Gradient:
    request = Request(wrt=("x", "w"), of=None, **options)  # type: ignore[arg-type]
    return Gradient(program.function, request, compiler=Interpreted)  # type: ignore[arg-type]


def named(program: Remade) -> frozenset[str]:
    """Arrays by the user's names that the model offers to make again."""
    model = gradient(program)._planned(*program.arguments())._chooser.model
    return frozenset(r.value for r in model.remakes if r.how is How.RERUN and r.value in program.names)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_what_can_be_made_again(program: Remade) -> None:
    assert named(program) == program.arrays


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_making_again_gives_the_gradient(program: Remade) -> None:
    wanted = gradient(program)(*program.arguments())
    for names in ({name} for name in sorted(program.names)):
        found = gradient(program, plan=Hints(rerun=frozenset(names)))(*program.arguments())
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_limits_hold(program: Remade) -> None:
    free = gradient(program)
    wanted = free(*program.arguments())
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        gradient(program, memory_limit=1).compile(*program.arguments())
    limited = gradient(program, memory_limit=refusal.value.minimum)
    for one, other in zip(limited(*program.arguments()), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert limited.memory.modelled == refusal.value.minimum <= free.memory.modelled
