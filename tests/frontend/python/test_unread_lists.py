"""Lists of which data decide the length: filled, returned beside the result, never looked at."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import NotDifferentiable, Unsupported
from tests.corpus.case import normal, row
from tests.oracle import check_gradient
from tests.programs import interpreted

BODY = """
def logged(x):
    errors, error, y = [], 1.0, x * 1.0
    while error > 1e-2:
        new = 0.5 * np.cos(y) + 0.1 * x
        error = np.max(np.abs(new - y))
        errors.append(error)
        print(errors[-1])
        y = new
    return {}
"""
X = np.array([0.4, 1.1])
ALLOWED = ("np.sum(y)", "np.sum(y) * (2.0 if errors is None else 1.0)", "np.sum([y, {'log': errors}][0])")
REFUSED = """
    len(errors); sum(errors); max(errors); errors[0]; errors[-1]; errors[1:]; np.array(errors); np.mean(errors);
    errors == []; error in errors; not errors; errors or 1.0; errors + [1.0]; [1.0] + errors; 2 * errors; errors.pop();
    errors.count(1.0); list(errors); sorted(errors); [*errors]; [v for v in errors]; isinstance(errors, list);
    type(errors) is list; str(errors); errors.copy(); (np.sum(y), errors); sum(v for v, w in zip(errors, y));
    np.array(errors, dtype=int); np.asarray(errors, dtype=float); np.array([errors, errors], dtype=int);
    np.arange(errors); np.mgrid[0:errors]; np.pad(y, errors); np.roll(y, errors); np.tile(y, errors);
    np.repeat(y, errors); x[errors]; y[errors:]; y @ errors; y + errors; errors & 1; np.where(errors, y, x);
    math.sqrt(errors); np.int64(errors); np.r_[errors]; x.sum(axis=errors); np.sum(x, axis=errors); y.clip(errors);
    np.random.default_rng(0).normal(size=errors); len("%s" % errors); len(f"{errors}"); float("{}".format(errors));
    {0: y}[len(str(errors))]; np.vectorize(float)(errors); np.apply_along_axis(np.sum, 0, errors)
"""


def function_of(returned: str) -> Any:
    text, file = "import math\nimport numpy as np\n" + BODY.format(returned), f"<logged {returned}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {}
    exec(compile(text, file, "exec"), namespace)
    return namespace["logged"]


def gradient_of(returned: str, **asked: Any) -> Gradient:
    return Gradient(function_of(returned), Request(**asked), compiler=Interpreted)


def expected() -> np.ndarray:
    error, y, tangent = 1.0, X * 1.0, np.ones(2)
    while error > 1e-2:
        new = 0.5 * np.cos(y) + 0.1 * X
        error, tangent, y = np.max(np.abs(new - y)), -0.5 * np.sin(y) * tangent + 0.1, new
    return tangent


@pytest.mark.parametrize("returned", ALLOWED)
def test_history_that_nobody_looks_at_is_left_out(returned: str) -> None:
    np.testing.assert_allclose(gradient_of(returned)(X), expected(), rtol=1e-12)


def test_history_may_be_returned_beside_the_result() -> None:
    np.testing.assert_allclose(gradient_of("np.sum(y), errors", of=0)(X), expected(), rtol=1e-12)


@pytest.mark.parametrize("returned", [row.strip() for row in REFUSED.split(";")])
def test_whoever_looks_at_it_is_refused(returned: str) -> None:
    with pytest.raises((Unsupported, NotDifferentiable)) as refused:
        gradient_of(returned, on_decision="refuse")(X)
    assert "Unread" not in refused.value.message


def feedback(a, b, x):
    gain = np.linalg.solve(np.eye(2) + b, a)
    values, vectors = np.linalg.eig(a - b @ gain)
    return gain @ x, values, vectors


def eigenvalues_that_nobody_wants(a, b, x):
    for _ in range(2):
        x, _, _ = feedback(a, b, x)
    return np.sum(x**2)


def eigenvalues_that_somebody_wants(a, b, x):
    x, values, _ = feedback(a, b, x)
    return np.sum(x) + np.sum(values.real)


def test_what_could_have_waited_is_made_where_somebody_looks_at_it():
    a, b, x = normal(1, 2, 2), normal(2, 2, 2), normal(3, 2)
    case = row(eigenvalues_that_nobody_wants, lambda: (a.copy(), b.copy(), x.copy()), "a, b, x")
    check_gradient(interpreted(case)(*case.arguments()), case)
    other = row(eigenvalues_that_somebody_wants, case.arguments, "a, b, x")
    check_gradient(interpreted(other)(*case.arguments()), other)
