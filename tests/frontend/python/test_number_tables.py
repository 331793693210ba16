"""A long loop over a list of numbers stays a loop, which reads tables; a short one, and others, are written out."""

from __future__ import annotations

import numpy as np
import pytest

from daad.frontend.python.values.over_loops import number_tables
from daad.ir.nodes import Loop
from daad.ir.printer import program_text
from tests.corpus import tables as corpus
from tests.corpus.case import Case, uniform
from tests.frontend.python.running import assert_same_as_numpy, built
from tests.oracle import check_gradient
from tests.programs import interpreted

DECIDED_BY_ITEMS = (corpus.sizes, corpus.shapes, corpus.names, corpus.mixed)
GIVEN_ONE_BY_ONE = (corpus.changed_on_the_way, corpus.longer_on_the_way, corpus.taken_before, corpus.in_pairs)
GIVEN_ONE_BY_ONE += (corpus.items_as_they_are_then,)


@pytest.fixture
def always(monkeypatch):
    """Lists become tables wherever they can."""
    monkeypatch.setattr(number_tables, "is_long", lambda values, nodes: True)
    monkeypatch.setattr("daad.frontend.python.control.for_loops.is_long", lambda values, nodes: True)
    monkeypatch.setattr(number_tables, "FEWEST_ITEMS", 2)


def is_a_loop(case: Case) -> bool:
    return any(isinstance(node, Loop) for node in built(case.function, case.arguments()).program.body)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("case", corpus.CASES, ids=lambda c: c.name)
def test_tables_change_no_result(case):
    assert_same_as_numpy(case.function, case.arguments())
    check_gradient(interpreted(case)(*case.arguments()), case)
    assert is_a_loop(case) == (case.function not in DECIDED_BY_ITEMS + GIVEN_ONE_BY_ONE)


@pytest.mark.parametrize("case", corpus.CASES[:6], ids=lambda c: c.name)
def test_few_operations_are_written_out(case):
    assert not is_a_loop(case)


def on_numbers(x, factors):
    s = 0.0
    for k, (p, a) in enumerate(factors):
        s = np.sin(s * a + x[p] * x[k % 5]) * np.exp(-a * s) + a * a / (1.0 + s * s) + np.cos(s)
    return s


def on_arrays(x, factors):
    s = np.zeros_like(x)
    for k, (p, a) in enumerate(factors):
        s = np.sin(s * a + x[p] * x[k % 5]) * np.exp(-a * s) + a * a / (1.0 + s * s) + np.cos(s)
    return np.sum(s)


def on_lists(x, factors):
    s = np.zeros(9)
    for k, e in enumerate([[k % 9, k * 5 % 9] for k in range(len(factors))]):
        for i in range(2):
            for j in range(2):
                for a in range(5):
                    s[e[i]] += x[e[j]] * x[k % 9] ** a
    return np.sum(s)


def factors(count):
    return [(k * k % 7 - 5, 0.1 * k - 0.7) for k in range(count)]


@pytest.mark.parametrize(
    ("function", "size", "count", "is_loop"),
    [(on_numbers, 9, 7, False), (on_numbers, 9, 60, True), (on_arrays, 9, 60, True), (on_arrays, 900, 60, False)],
)
def test_length_and_work_decide(function, size, count, is_loop):
    assert (
        is_a_loop(Case(name="", function=function, arguments=lambda: (uniform(1, size), factors(count)), wrt=("x",)))
        == is_loop
    )


def test_a_loop_over_lists_of_places_reads_them_from_one_array() -> None:
    assert len(built(on_lists, (uniform(1, 9), factors(60))).program.body) < 5


NUMBERS = [0.5, 1.5, -0.3, 0.7, 0.9, 1.1, -1.3, 0.2]


def constants(x):
    s = 0.0
    for k, (a, p) in enumerate(zip(NUMBERS, [3, 1, 0, 2, 1, 1, 0, 3])):  # noqa: B905
        s = s * a + x[p] * k
    return s


TEXT = """\
program constants(x: float64[4], constant: float64[8], constant_1: int64[8])
  local s: float64[], a: float64[]
  s = 0.0
  loop i = 0 .. 8:
    a = constant[i]
    s = s * a + x[constant_1[i]] * float64(i)
  return s"""


@pytest.mark.usefixtures("always")
def test_constants_are_tables_and_counters_are_affine():
    assert program_text(built(constants, (uniform(1, 4),)).program) == TEXT


def indexed(x, items):
    return sum(x[p] * a * q for p, a, q in items)


def test_integers_that_play_the_same_part_become_constants_together():
    items = [(k % 3, 0.1 * k, k) for k in range(9)]
    assert built(indexed, (uniform(1, 4), items)).pinned == {f"items[{k}][0]": k % 3 for k in range(9)}
