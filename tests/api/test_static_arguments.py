"""Floats and arrays of integers that sizes depend on: constants of the compiled gradient, as few as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported
from tests.corpus.case import Case, normal, row, uniform
from tests.oracle import check_gradient
from tests.programs import compiled, interpreted


def decay(y, rate, end, step):
    n = int(np.ceil(end / step))
    path = np.zeros((n + 1, len(y)))
    path[0] = y
    for k in range(n):
        path[k + 1] = path[k] * (1.0 - rate * step)
    return np.sum(path)


def of_settings(y, settings):
    total = 0.0
    for t in np.arange(settings["first"], settings["end"], settings["step"]):
        total += np.sum(y * settings["rate"]) * np.exp(t)
    return total


def checked(y, rate):
    if rate <= 0.0:
        raise ValueError("no rate")
    return np.sum(y * rate)


def signed(y, a):
    return np.sum(y * np.copysign(2.0, a)) * len(np.zeros(int(a) + 2))


def gradient_of(function: Any, wrt: str = "y") -> Gradient:
    return Gradient(function, Request(wrt=wrt), compiler=Interpreted)


def pinned(gradient: Gradient) -> dict[str, float]:
    return dict(gradient._current.planned.read.pinned)


Y = np.array([1.0, 2.0])


def test_those_that_sizes_depend_on_are_constants() -> None:
    gradient = gradient_of(decay)
    for rate, end, step in ((0.5, 0.25, 0.1), (0.7, 0.25, 0.1), (0.7, 0.35, 0.1)):
        count = int(np.ceil(end / step))
        np.testing.assert_allclose(
            gradient(Y, rate, end, step), sum((1.0 - rate * step) ** k for k in range(count + 1))
        )
        assert pinned(gradient) == {"end": end, "step": step}
    assert sum(map(len, gradient._known.values())) == 2


def test_those_of_structures_are_constants_too() -> None:
    gradient = gradient_of(of_settings)
    settings = {"first": 0.0, "end": 1.0, "step": 0.25, "rate": 3.0}
    np.testing.assert_allclose(gradient(Y, settings), 3.0 * np.sum(np.exp(np.arange(0.0, 1.0, 0.25))))
    assert pinned(gradient).keys() == {f"settings['{name}']" for name in ("first", "end", "step")}


def test_what_follows_from_a_float_is_checked_for_each() -> None:
    gradient = gradient_of(checked)
    assert gradient(Y, 2.0).tolist() == [2.0, 2.0]
    with pytest.raises(Unsupported, match="no rate"):
        gradient(Y, -2.0)


def test_zeros_of_both_signs_are_two_constants() -> None:
    gradient = gradient_of(signed)
    assert [gradient(Y, a)[0] for a in (0.0, -0.0, 0.0)] == [4.0, -4.0, 4.0]


def test_what_has_a_gradient_is_no_constant() -> None:
    gradient = gradient_of(decay, "step")
    for step in (0.1, 0.11, 0.06):
        count, base = int(np.ceil(0.25 / step)), 1.0 - 0.5 * step
        expected = np.sum(Y) * sum(-0.5 * k * base ** (k - 1) for k in range(1, count + 1))
        np.testing.assert_allclose(gradient(Y, 0.5, 0.25, step), expected)
        assert pinned(gradient) == {}
    with pytest.raises(Unsupported, match="The shape of an array depends on data") as caught:
        Gradient(decay, Request(wrt="end", on_decision="refuse"), compiler=Interpreted)(Y, 0.5, 0.25, 0.1)  # type: ignore[arg-type]
    assert caught.value.hint == "Ask for no gradient with respect to 'end'."


def groups(x, labels):
    return sum(np.var(x[labels == c]) * len(x[labels == c]) for c in np.unique(labels))


def rows_of_a_sparse_matrix(data, x, starts, columns):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        y[i] = data[starts[i] : starts[i + 1]] @ x[columns[starts[i] : starts[i + 1]]]
    return np.sum(y**2)


def springs(stiffness, bars, fixed):
    n = bars.max() + 1
    K = np.zeros((n, n))
    for e, (i, j) in enumerate(bars):
        K[np.ix_([i, j], [i, j])] += stiffness[e] * np.array([[1, -1], [-1, 1]])
    free, u = np.setdiff1d(np.arange(n), fixed), np.zeros(n)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], np.ones(len(free)))
    return np.sum(u)


LABELS = np.array([0, 1, 1, 2, 0, 2, 2, 1, 0, 0])
BARS = np.array([[0, 1], [1, 2], [2, 5], [5, 3], [3, 4]])

CASES = (
    row(groups, lambda: (normal(1, 10), LABELS.copy()), "x"),
    row(
        rows_of_a_sparse_matrix,
        lambda: (normal(1, 7), normal(2, 5), np.array([0, 2, 3, 5, 7]), np.array([0, 4, 1, 2, 3, 0, 1])),
        "data, x",
    ),
    row(springs, lambda: (uniform(1, 5), BARS.copy(), np.array([0])), "stiffness"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("ready", [interpreted, compiled])
def test_arrays_of_integers_that_sizes_depend_on_are_constants(case: Case, ready: Any) -> None:
    check_gradient(ready(case)(*case.arguments()), case)


def test_other_integers_are_other_constants() -> None:
    gradient, y = gradient_of(groups, "x"), normal(1, 4)
    for labels in ([0, 1, 1, 0], [0, 1, 2, 0], [0, 1, 1, 0]):
        case = row(groups, lambda labels=labels: (y.copy(), np.array(labels)), "x")
        check_gradient(gradient(*case.arguments()), case)
    assert sum(map(len, gradient._known.values())) == 2
    changed = np.array([0, 1, 1, 0])
    gradient(y, changed)
    changed[3] = 1
    check_gradient(gradient(y, changed), row(groups, lambda: (y.copy(), changed), "x"))


def counted(x, labels):
    labels[0] = 1
    return np.sum(x * len(np.union1d(labels, labels)))


def test_integers_that_are_written_are_no_constants() -> None:
    for labels in (np.array([0, 1]), np.array([0, 2])):
        expected = np.full(Y.shape, float(len({1, int(labels[1])})))
        np.testing.assert_array_equal(gradient_of(counted, "x")(Y, labels), expected)


def test_constants_keep_their_order_in_memory() -> None:
    def by_flags(x: Any, k: Any) -> Any:
        return np.sum(x) * (2.0 if k.flags.c_contiguous else 3.0 if k.flags.f_contiguous else 4.0)

    gradient = Gradient(by_flags, Request(wrt=("x",), value=True), compiler=Interpreted)
    x, k = np.ones(3), np.arange(40).reshape(5, 8)[:, ::2]
    for one in (k, k.copy(), np.asfortranarray(k), k.T, k.copy()):
        assert gradient(x, one)[0] == by_flags(x, one)
