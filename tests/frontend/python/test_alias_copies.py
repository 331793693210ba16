"""Arrays that may be one or two, depending on data or on the length of a loop: a write into one of them is refused."""

from __future__ import annotations

import numpy as np
import pytest

from daad.errors import Unsupported
from tests.frontend.python.refusals import ALIAS
from tests.frontend.python.running import built


def bound_to_another_on_one_side(a):
    x = 2.0 * a
    for i in range(3):
        y = x
        if a[i] > 0.1:
            x = x * a
        else:
            x[0] = 0.5 * x[1]
    return np.sum(y)


def loop_that_may_have_no_iteration(a, n):
    x = 2.0 * a
    y = x
    z = x
    for _ in range(n):
        x, y = y, 0.5 * x
    y[0] = 3.0
    return np.sum(x * a) + np.sum(y) + np.sum(z)


def bound_to_a_parameter_in_a_loop(a):
    y = 2.0 * a
    for _ in range(3):
        y = a
        if a[0] > 0.1:
            y = y * a
    y[2] = 1.0
    return np.sum(y * a)


def view_of_itself_in_a_loop(a):
    x = 2.0 * a
    for _ in range(2):
        y = x[::-1]
        x = y
    for _ in range(2):
        x[1] = 3.0
        x = y * a
    return np.sum(x)


def links_that_wander(a):
    x, y, z = 2.0 * a, 3.0 * a, 4.0 * a
    for _ in range(3):
        z = y
        y = x
    x[0] = 5.0
    return np.sum(x) + np.sum(y) + np.sum(z)


PROGRAMS = (bound_to_another_on_one_side, bound_to_a_parameter_in_a_loop, view_of_itself_in_a_loop, links_that_wander)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_write_into_what_may_be_one_of_two_arrays_is_refused(program):
    with pytest.raises(Unsupported, match=ALIAS):
        built(program, (np.array([0.3, -0.2, 0.7]),))


@pytest.mark.parametrize("trips", [0, 1, 2])
def test_length_of_the_loop_before_a_write_is_not_guessed(trips):
    with pytest.raises(Unsupported, match=ALIAS):
        built(loop_that_may_have_no_iteration, (np.array([0.3, -0.2, 0.7]), trips))
