"""The complex step is used where it is exact, and where it is not the report says why."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.api.check.checking import checked

POINT = np.array([0.4, -0.7, 1.2, 2.5])


def analytic(x):
    return np.sum(np.exp(x) * np.sin(x)) / (1.0 + x[0] ** 2)


def analytic_in_loops(x):
    y = np.zeros_like(x)
    for i in range(1, x.shape[0]):
        y[i] = 0.5 * y[i - 1] + x[i] ** 3
    return np.sum(y)


def chosen_by_real_parts(x):
    return np.sum(np.where(x > 0.0, x * x, -x)) + np.sum(np.maximum(x, 1.0))


def absolute(x):
    return np.sum(np.abs(x) ** 3)


def half_absolute(x):
    return np.sum(x**3) + np.sum(np.abs(x))


def norm(x):
    return np.linalg.norm(x)


def stored_into_floats(x):
    y = np.empty(4)
    y[:] = x * x
    return np.sum(y)


def elements_stored_into_floats(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] * x[i]
    return np.sum(y)


def cast(x):
    return np.sum(np.exp(x.astype(np.float64)))


def real_functions(x):
    return math.exp(x[0]) * x[1]


def floors(x):
    return np.sum((x - np.floor(x)) ** 2)


def rounded_up(x):
    return float(np.sum(x * x))


NOT_ANALYTIC = "the program is not analytic: real differences disagree"
ROWS = [
    (analytic, None),
    (analytic_in_loops, None),
    (chosen_by_real_parts, None),
    (absolute, "the program's result is real for complex arguments"),
    (half_absolute, NOT_ANALYTIC),
    (norm, "the program's result is real for complex arguments"),
    (stored_into_floats, "discards the imaginary part"),
    (elements_stored_into_floats, "line "),
    (cast, "discards the imaginary part"),
    (real_functions, "line "),
    (floors, "'floor' not supported"),
    (rounded_up, "line "),
]


@pytest.mark.parametrize(("function", "reason"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_complex_step_or_why_not(function, reason):
    report = checked(function, (POINT,), wrt="x")
    assert report, str(report)
    if reason is None:
        assert report.no_complex_step is None
        assert report.error < 1e-13
        assert "complex step" in str(report)
    else:
        assert reason in report.no_complex_step
        assert f"No complex step: {report.no_complex_step}." in str(report)
        assert all(d.complex_step is None for d in report.directions)


def test_complex_step_reaches_where_differences_do_not():
    """A derivative that is tiny next to the value drowns in rounding."""

    def offset(x):
        return 1e9 + np.sum(np.sin(x))

    report = checked(offset, (POINT,), wrt="x")
    assert report
    assert report.error < 1e-13
    assert min(d.uncertainty for d in report.directions) > 1e-7


def test_arguments_that_the_program_writes_become_complex_too():
    def written(u, k):
        u[1:] = u[1:] * k[1:]
        return np.sum(u * u)

    report = checked(written, (POINT.copy(), POINT + 3.0), wrt="k")
    assert report
    assert report.no_complex_step is None
