"""A loop over what a function yields stays a loop where that function has one."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.nodes import Loop
from daad.ir.walk import walk
from tests.corpus import generators as corpus
from tests.corpus.case import Case, normal
from tests.frontend.python.running import built

LOOPS = (
    *(corpus.through_two_generators, corpus.chosen_by_data, corpus.until_data_end_it),
    *(corpus.object_changed_by_the_loop, corpus.left_by_break),
)
WRITTEN_OUT = (corpus.caught_by_the_caller, corpus.taken_twice)


def has_loop(function, arguments) -> bool:
    return any(isinstance(node, Loop) for node in walk(built(function, arguments).program.body))


@pytest.mark.parametrize("case", [c for c in corpus.CASES if c.function in LOOPS], ids=lambda c: c.name)
def test_it_stays_a_loop(case: Case):
    assert has_loop(case.function, case.arguments())


@pytest.mark.parametrize("case", [c for c in corpus.CASES if c.function in WRITTEN_OUT], ids=lambda c: c.name)
def test_other_loops_are_written_out(case: Case):
    assert not has_loop(case.function, case.arguments())


def many(x):
    total = 0.0
    for number, part in enumerate(windows(x)):
        total += number * np.sum(part**2)
    return total


def windows(x):
    for k in range(len(x) - 4):
        yield x[k : k + 4]


def test_it_may_be_long():
    assert len(built(many, (normal(1, 20_000),)).program.body) < 20
