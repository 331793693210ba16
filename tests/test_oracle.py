"""The corpus is fit for testing, and the oracle finds gradients that are slightly wrong."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from tests.corpus import ALL, Case
from tests.corpus.selection import one_in
from tests.oracle import check_gradient, directions, estimate, expected_gradients, loss, positions

RESOLVED = 2e-7


def test_names_are_unique():
    names = [case.name for case in ALL]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_case_is_deterministic_and_the_oracle_leaves_its_arguments(case: Case):
    arguments = case.arguments()
    before = copy.deepcopy(arguments)
    first = loss(case.numpy_function, arguments, case.of, case.seed)
    np.testing.assert_equal(contents(arguments), contents(before))
    assert math.isfinite(first)
    assert first == loss(case.numpy_function, case.arguments(), case.of, case.seed)


def contents(value: object) -> object:
    """The value with its objects' fields in the place of the objects."""
    if isinstance(value, dict):
        return {key: contents(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [contents(item) for item in value]
    return contents(vars(value)) if hasattr(value, "__dict__") and not isinstance(value, np.ndarray | type) else value


@pytest.mark.parametrize("case", one_in(20, "differences"))
def test_differences_converge(case: Case):
    arguments = case.arguments()
    shapes = [np.shape(arguments[place]) for place in positions(case.numpy_function, case.wrt)]
    known = {"of": case.of, "seed": case.seed}
    for direction in directions(shapes)[-4:]:
        coarse = estimate(case.numpy_function, arguments, case.wrt, direction, **known)
        fine = estimate(case.numpy_function, arguments, case.wrt, direction, first_step=2e-4, **known)
        scale = max(abs(coarse.value), 0.02 * abs(loss(case.numpy_function, arguments, case.of, case.seed)), 1e-3)
        allowed = RESOLVED * scale
        assert abs(coarse.value - fine.value) <= allowed
        assert coarse.error <= allowed


SMALL = [case for case in ALL if sum(np.size(a) for a in case.arguments() if isinstance(a, np.ndarray)) <= 60]


@pytest.mark.parametrize("case", one_in(20, "a thousandth", SMALL))
def test_right_gradient_passes_and_one_wrong_by_a_thousandth_fails(case: Case):
    arguments = case.arguments()
    dtypes = [np.asarray(arguments[place]).dtype for place in positions(case.numpy_function, case.wrt)]
    right = [g.astype(dtype) for g, dtype in zip(expected_gradients(case), dtypes, strict=True)]
    check_gradient(right, case)
    wrong = [g.copy() for g in right]
    worst = max(range(len(wrong)), key=lambda k: np.max(np.abs(wrong[k])))
    element = np.argmax(np.abs(wrong[worst]))
    wrong[worst].flat[element] += 1e-3 * (wrong[worst].flat[element] or 1.0)
    with pytest.raises(AssertionError, match="off by"):
        check_gradient(wrong, case)
