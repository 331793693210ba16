"""Staged values live as long as the program holds them: no cycle of references keeps one until garbage collection.

Which values a write must leave unchanged is asked of the references to them; one too many shows in the Program.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

from daad.frontend.staging.values import ArrayValue
from tests.corpus.case import Case, normal, row
from tests.corpus.selection import chosen
from tests.frontend.python.running import built


def product_in_a_loop(a, b):
    for i in range(3, 1, -1):
        w = np.prod(0.2 * b[i])
    b[3] = 2.0
    return a * w


def list_in_an_unrolled_loop(a, b):
    parts = []
    for i in range(3):
        parts.append(a[i] * b[0, 0])
    b[0] = 2.0
    return np.stack(parts)


def closure(a, b):
    def scaled(k):
        b[k] *= 2.0
        return a * k

    for i in range(3):
        a = scaled(i)
    return a


class Recorder:
    """Holds a list."""

    def __init__(self):
        self.states = []


def list_of_an_object(a, b):
    recorder = Recorder()
    for i in range(3):
        a = a * b[i]
        recorder.states.append(a)
    return np.sum(np.array(recorder.states))


OWN = (product_in_a_loop, list_in_an_unrolled_loop, closure, list_of_an_object)
ROWS = (*(row(f, lambda: (normal(1, 4), normal(2, 4, 4)), "a") for f in OWN), *chosen(25, "lifetimes"))
READ_AGAIN = "decisions."
"""What data decide is found by reading a program several times; what was read before may wait for the collection."""
READ_ONCE = [case for case in ROWS if not case.name.startswith(READ_AGAIN)]
PLAIN = [case for case in READ_ONCE if type(case.function).__module__.split(".")[0] != "dace"]


@pytest.mark.parametrize("case", PLAIN, ids=lambda c: c.name)
def test_no_value_outlives_the_reading(case: Case) -> None:
    gc.disable()
    gc.freeze()  # what is there before is looked at no more
    try:
        built(case.function, case.arguments(), case.of)
        left = [o for o in gc.get_objects() if isinstance(o, ArrayValue)]
    finally:
        gc.unfreeze()
        gc.enable()
    assert not left
