"""What data decide about the program is taken to be what it is in a call; another call may go another path."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.frontend.python import function_to_program
from daad.frontend.staging import speculation
from tests.corpus import decisions, histories, rebound_lists
from tests.corpus.case import Case, normal, row
from tests.corpus.selection import LENGTHY
from tests.frontend.python.running import assert_same_as_numpy
from tests.frontend.python.test_unread_lists import REFUSED, function_of
from tests.oracle import check_gradient
from tests.programs import compiled, interpreted

CASES = {case.name: case for case in (*decisions.CASES, *histories.CASES, *rebound_lists.CASES)}
OTHERS = {
    "decisions.adaptive_quadrature": (np.array([0.1, 2.0]),),
    "decisions.first_beyond": (np.linspace(1.0, -1.0, 8),),
    "decisions.range_between_data": (np.array([0.83, -0.4, 0.21]),),
    "decisions.key_of_a_list": (np.array([0.1, 0.5, 0.9]),),
    "decisions.real_where_data_say": (np.array([-0.4, -0.3, 0.9]),),
    "decisions.items_chosen_by_what_others_did": (np.array([-0.88, 0.19, -0.32]),),
}


def other_data(case: Case) -> tuple[Any, ...]:
    """Arguments of the same kinds, for which the program mostly decides otherwise."""
    rng = np.random.default_rng(7)
    moved = [a if a.dtype.kind == "i" else a * rng.uniform(-1.5, 1.5, a.shape) for a in case.arguments()]
    return OTHERS.get(case.name, tuple(moved))


def assert_right(gradient: Gradient, case: Case, arguments: tuple[Any, ...]) -> None:
    """At these arguments, which may lie near places where data decide otherwise: differences are short."""
    there = replace(case, arguments=lambda: copy.deepcopy(arguments))
    check_gradient(gradient(*there.arguments()), there, first_step=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LENGTHY else n for n in CASES])
def test_each_call_goes_its_own_path(name: str) -> None:
    case = CASES[name]
    gradient = interpreted(case)
    for arguments in (case.arguments(), other_data(case), case.arguments()):
        assert_right(gradient, case, arguments)
    assert len(gradient.paths) == len(set(gradient.paths)) <= 2


@pytest.mark.parametrize("name", ["decisions.rejected_steps", "decisions.length_of_a_selection", "decisions.visited"])
def test_compiled_code_finds_its_path(name: str) -> None:
    case = CASES[name]
    gradient = compiled(case)
    for _ in range(2):
        for arguments in (case.arguments(), other_data(case)):
            assert_right(gradient, case, arguments)
    assert len(gradient.paths) == 2


def test_paths_that_are_known_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["decisions.key_of_a_list"]
    gradient = interpreted(case)
    points = [np.roll([0.9, 0.1, -0.3], k) for k in range(3)]
    for x in points:
        gradient(x)
    assert [path.values for path in gradient.paths] == [(2,), (1,), (0,)]
    monkeypatch.setattr("daad.api.derivative.specialise", None)
    for x in points:
        assert_right(gradient, case, (x,))


def chosen_ones(x):
    found = [v * v for v in x if v > 0.5]
    return sum(found) * len(found)


def test_which_items_are_chosen_is_no_decision_but_how_many_are() -> None:
    case = row(chosen_ones, lambda: (np.array([0.1, 0.9, 0.3, 0.7]),), "x")
    gradient = interpreted(case)
    for x in (case.arguments()[0], np.array([0.6, 0.2, 0.8, 0.4])):
        assert_right(gradient, case, (x,))
    assert [path.values for path in gradient.paths] == [(2,)]


def test_what_the_interpreter_sees_otherwise_is_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speculation.Speculation, "value", lambda *_: 0)
    for name in ("decisions.key_of_a_list", "decisions.key_of_a_dict"):
        assert_right(interpreted(CASES[name]), CASES[name], CASES[name].arguments())


def overwriting(x, y):
    y[0] = 7.0
    x *= 2.0
    table = {0: 1.0, 1: 3.0}
    return table[int(x[0] > 0)] * np.sum(x * y)


def test_arguments_are_as_they_were_where_a_path_is_left() -> None:
    gradient = Gradient(overwriting, Request(on_inputs="primal", value=True), compiler=Interpreted)  # type: ignore[arg-type]
    for sign, factor in ((1.0, 3.0), (-1.0, 1.0), (1.0, 3.0)):
        x, y = sign * np.array([1.0, 2.0]), np.array([3.0, 4.0])
        value, found = gradient(x, y)
        assert value == factor * np.sum(sign * np.array([2.0, 4.0]) * [7.0, 4.0])
        assert found.tolist() == [factor * 14.0, factor * 8.0]
        assert x.tolist() == [sign * 2.0, sign * 4.0]
        assert y.tolist() == [7.0, 4.0]


def outside_after_a_decision(x):
    places = np.nonzero(x > 0)[0]
    return np.sum(np.sort(x[places])) * x[len(places) - 1] * x[int(x[0] * 10.0)]


def test_an_index_that_another_path_would_not_have_is_no_error() -> None:
    case = row(outside_after_a_decision, lambda: (np.array([0.15, 2.0, 0.4, -0.1]),), "x")
    gradient = interpreted(case)
    for x in (case.arguments()[0], np.array([0.25, 0.9, -0.6, -0.2]), np.array([0.05, -0.9, -0.6, -0.2])):
        assert_right(gradient, case, (x,))
    with pytest.raises(daad.DaadError, match="out of bounds"):
        gradient(np.array([0.95, 0.9, -0.6, -0.2]))


def test_too_many_paths_name_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_PATHS", "2")
    gradient = interpreted(CASES["decisions.key_of_a_list"])
    for place in range(2):
        gradient(np.eye(3)[place])
    with pytest.raises(daad.Unsupported, match="The key of a list or dict keeps changing") as caught:
        gradient(np.eye(3)[2])
    assert caught.value.at is not None
    gradient(np.eye(3)[1])
    monkeypatch.setenv("DAAD_PATHS", "many")
    with pytest.raises(daad.BadArgument, match="DAAD_PATHS is 'many'"):
        gradient(np.eye(3)[2])


def test_decisions_may_be_refused() -> None:
    case = CASES["decisions.key_of_a_list"]
    with pytest.raises(daad.Unsupported, match="The key of a list or dict depends on data"):
        daad.grad(case.function, on_decision="refuse")(*case.arguments())
    with pytest.raises(daad.BadArgument, match="on_decision"):
        daad.grad(case.function, on_decision="guess")


def test_explain_tells_what_was_decided() -> None:
    gradient = interpreted(CASES["decisions.key_of_a_list"])
    gradient(np.eye(3)[1])
    assert gradient.explain().endswith(": The key of a list or dict is 1")
    assert str(gradient.paths[0]).endswith("The key of a list or dict is 1")


def test_programs_of_which_data_decide_nothing_have_no_guards() -> None:
    gradient = interpreted(row(lambda x: np.sum(np.where(x > 0, x, 0.0)), lambda: (normal(1, 4),), "x"))
    gradient(normal(1, 4))
    assert gradient.paths == (type(gradient.paths[0])(),)
    assert "failed" not in gradient.joint.arrays


@pytest.mark.parametrize("returned", [text.strip() for text in REFUSED.split(";")])
def test_histories_are_right_or_refused(returned: str) -> None:
    function: Callable[..., Any] = function_of(returned)
    x, direction = np.array([0.4, 1.1]), np.array([0.3, -0.8])
    try:
        found = Gradient(function, Request(), compiler=Interpreted)(x)  # type: ignore[arg-type]
    except daad.DaadError:
        return
    expected = (function(x + 1e-6 * direction) - function(x - 1e-6 * direction)) / 2e-6
    assert found @ direction == pytest.approx(expected, rel=1e-5, abs=1e-6)


def slope(x):
    if x > 0:
        kind = "steep"
    else:
        kind = 2.0
    assert x < 9.0
    return x * {"steep": 3.0, 2.0: 5.0}[kind]


def called_at_places(x):
    return slope(x[0]) + slope(x[1]) + slope(x[2]) + slope(x[0] * x[1])


def called_in_a_loop(x):
    total = 0.0
    for item in x:
        assert item > -9.0
        total = total + slope(item)
    return total * slope(x[0])


@pytest.mark.parametrize(("function", "most"), [(called_at_places, 4), (called_in_a_loop, 4)])
def test_what_one_call_of_a_function_has_ordered_is_known_of_the_next(
    function: Callable[..., Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = []
    once = function_to_program._build
    monkeypatch.setattr(function_to_program, "_build", lambda *given: (readings.append(1), once(*given))[1])
    case = row(function, lambda: (np.array([0.4, -0.3, 1.2]),), "x")
    gradient = interpreted(case)
    assert_right(gradient, case, case.arguments())
    assert len(readings) <= most
    assert_right(gradient, case, (np.array([-0.4, -0.3, 1.2]),))


def refused_beyond_what_data_decide(x):
    if x.any():
        count = len(x)
    if x.any() and count > 2:
        x = x * 2.0
    return np.sum(np.datetime_as_string(x))


def test_refusal_is_of_what_stays_once_data_decide() -> None:
    """A name that only one side of a branch sets is no obstacle."""
    gradient = Gradient(refused_beyond_what_data_decide, Request(wrt="x"), compiler=Interpreted)
    with pytest.raises(daad.Unsupported, match="input must have type NumPy datetime"):
        gradient(np.array([0.1, 2.0, 0.3]))


def test_refusal_of_numpys_own_python_is_of_what_stays_once_data_decide() -> None:
    """How many zeros a polynomial begins with is no obstacle."""
    second = daad.hvp(lambda x: np.sum(np.real(np.roots(x))))
    with pytest.raises(daad.Unsupported, match=r"'np\.roots' is not supported here: eigenvectors .* first derivatives"):
        second(np.array([1.0, -6.0, 11.0, -6.1]), tangent=np.ones(4))


def _doubled_or_none(v):
    if v > 0.5:
        return 2.0 * v
    return None


def _squared_or_none(v):
    if v > 0.5:
        return v * v
    return None


def _root_or_none(v):
    if v > 0.5:
        return np.sqrt(v)
    return None


def several_or_none(x):
    total = 0.0
    for found in (_doubled_or_none(x[0]), _squared_or_none(x[1]), _root_or_none(x[2]), _root_or_none(x[3])):
        if found is not None:
            total = total + found
    return total


def test_calls_whose_results_data_decide_are_read_again_alone(monkeypatch) -> None:
    count, whole = [], function_to_program._build
    monkeypatch.setattr(function_to_program, "_build", lambda *rest: count.append(1) or whole(*rest))
    assert_same_as_numpy(several_or_none, (np.array([0.9, 0.1, 0.8, 0.2]),))
    assert len(count) == 3, "without speculation, with it, and once more for the first call"
