"""A list that gets as many items in each iteration does not take the loop apart: its items are rows of an array."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.nodes import Loop
from tests.corpus import indexed_lists, lists, nested_lists, rows_of_numbers
from tests.corpus.case import normal, uniform
from tests.frontend.python.running import built

STAGED = (lists.trajectory, lists.from_the_last, lists.number_by_branch, lists.length_counts)
STAGED += (lists.snapshots_of_what_is_updated, lists.updated_before_it_is_bound_again)
STAGED += (lists.exchanged_buffers, lists.list_for_each_row, lists.lists_of_an_object)
STAGED += (lists.several_at_once, lists.by_loops_within, lists.keys_of_the_first_iteration)
TAKEN_APART = (lists.what_is_updated_itself, lists.updated_after_the_loop, lists.item_written, lists.every_third)


def nodes(function, steps):
    return built(function, (normal(1, 5), uniform(2, 5), steps)).program.body


@pytest.mark.parametrize("function", STAGED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("steps", [100, 101])
def test_loop_stays_a_loop(function, steps):
    body = nodes(function, steps)
    assert any(isinstance(node, Loop) for node in body)
    assert len(body) < 60


@pytest.mark.parametrize("function", TAKEN_APART, ids=lambda f: f.__name__)
def test_other_uses_are_written_out(function):
    assert len(nodes(function, 40)) > len(nodes(function, 20))


INDEXED = (indexed_lists.steps, indexed_lists.zeros_of_int, indexed_lists.tree)


@pytest.mark.parametrize("function", INDEXED, ids=lambda f: f.__name__)
def test_list_that_is_written_where_a_loop_counts_lies_in_an_array(function):
    body = built(function, (0.4,)).program.body
    assert [node for node in body if isinstance(node, Loop)]
    assert len(body) < 60


CHOSEN = (indexed_lists.chosen_by_days, indexed_lists.chosen_from_the_end)


@pytest.mark.parametrize("function", CHOSEN, ids=lambda f: f.__name__)
def test_numbers_that_a_long_loop_chooses_from_lists_leave_it_a_loop(function):
    assert len(built(function, (np.linspace(0.1, 1.0, 10),)).program.body) < 20


NESTED = (nested_lists.product, nested_lists.warped, nested_lists.eliminated, nested_lists.over_rows)
NESTED += (nested_lists.three_deep, nested_lists.known_weights)


@pytest.mark.parametrize("function", NESTED, ids=lambda f: f.__name__)
def test_lists_of_lists_lie_in_an_array_while_loops_read_and_write_them(function):
    (case,) = (case for case in nested_lists.CASES if case.function is function)
    assert len(built(function, case.arguments()).program.body) < 10


@pytest.mark.parametrize("function", rows_of_numbers.STAGED, ids=lambda f: f.__name__)
def test_loops_that_choose_or_replace_tuples_of_numbers_stay_loops(function):
    assert len(built(function, (normal(6, 7),)).program.body) < 60
