"""Who is called right and who wrong, with and without differences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from npbench_runs.differences import Primal
from npbench_runs.engines.engine import Gradients
from npbench_runs.kernel import Kernel
from npbench_runs.results import Status
from npbench_runs.verdicts import Verdict, verdicts
from tests.npbench_runs import fakes

RIGHT, WRONG, FAILED = Status.RIGHT, Status.WRONG, Status.FAILED
Change = Callable[[np.ndarray], np.ndarray]
SAME: Change = lambda g: g
OFF: Change = lambda g: g * (1 + 1e-4)
SHORT: Change = lambda g: g[:-1]
NAN: Change = lambda g: np.where(np.arange(g.size) == 3, np.nan, g)
ELEMENT: Change = lambda g: g + 1e-5 * (np.arange(g.size) == 3)
TINY_ELEMENT: Change = lambda g: g * (1 + 1e-13)


def primal_of(kernel: Kernel, dtype: type = np.float64) -> Primal:
    arguments = tuple(a.astype(dtype) for a in kernel.arguments("S"))
    return Primal(kernel=kernel, arguments=arguments, wrt=("x", "y"), seed=1.0)


def gradients(changes: Mapping[str, Change], dtype: type = np.float64) -> dict[str, Gradients]:
    x, y = fakes.SQUARES.arguments("S")
    x_bar = 2 * x.astype(dtype) + dtype(0.5)
    return {name: (change(x_bar).astype(dtype), np.zeros_like(y, dtype)) for name, change in changes.items()}


BY_DIFFERENCES = [
    ("all right", {"daad": SAME, "jax": TINY_ELEMENT}, {"daad": RIGHT, "jax": RIGHT}),
    ("one off", {"daad": OFF, "jax": SAME}, {"daad": WRONG, "jax": RIGHT}),
    ("the trusted off", {"daad": SAME, "jax": OFF}, {"daad": RIGHT, "jax": WRONG}),
    ("alone", {"daad": SAME}, {"daad": RIGHT}),
    ("alone and off", {"daad": OFF}, {"daad": WRONG}),
    ("shape", {"daad": SHORT}, {"daad": WRONG}),
    ("not a number", {"daad": NAN, "jax": SAME}, {"daad": WRONG, "jax": RIGHT}),
]


@pytest.mark.parametrize(
    ("changes", "expected"), [row[1:] for row in BY_DIFFERENCES], ids=[row[0] for row in BY_DIFFERENCES]
)
def test_differences_decide(changes: Mapping[str, Change], expected: Mapping[str, Status]) -> None:
    found = verdicts(primal_of(fakes.SQUARES), gradients(changes), 1e-6)
    assert {name: verdict.status for name, verdict in found.items()} == expected


HIDDEN = [("daad", "jax"), ("jax", "daad")]


@pytest.mark.parametrize(("loser", "winner"), HIDDEN)
def test_an_element_that_random_directions_overlook_is_found_by_comparison(loser: str, winner: str) -> None:
    """The whole gradient passes at 1e-4; its largest error, seen along itself, does not."""
    found = verdicts(primal_of(fakes.SQUARES), gradients({loser: SPARSE, winner: SAME}), 1e-4)
    assert (found[loser].status, found[winner].status) == (WRONG, RIGHT)
    assert f"an element of the gradient of 'x' differs from {winner} by 2.2e-04" in found[loser].reason


def SPARSE(g: np.ndarray) -> np.ndarray:
    return g + 1e-3 * (np.arange(g.size) == 0)


EXCUSED = [
    ("within what the last bits do", {"daad": ELEMENT, "jax": SAME}, 1.2e-6, RIGHT),
    ("beyond", {"daad": ELEMENT, "jax": SAME}, 1e-6, WRONG),
    ("along directions it is wrong", {"daad": OFF, "jax": SAME}, 1.0, WRONG),
    ("not a number", {"daad": NAN, "jax": SAME}, 1.0, WRONG),
]


@pytest.mark.parametrize(
    ("changes", "movement", "status"), [row[1:] for row in EXCUSED], ids=[row[0] for row in EXCUSED]
)
def test_what_last_bits_do_to_jax_too_is_not_held_against_a_gradient(
    changes: Mapping[str, Change], movement: float, status: Status
) -> None:
    found = verdicts(primal_of(fakes.SQUARES), gradients(changes), 1e-6)["daad"]
    assert found.status is WRONG
    assert found.excused(movement).status is status


def test_a_gradient_that_vanishes_is_right_with_a_remark() -> None:
    flat = dataclasses.replace(fakes.SQUARES, function=constant)
    found = verdicts(primal_of(flat), {"daad": (np.zeros(50), np.zeros(50))}, 1e-6)["daad"]
    assert (found.status, found.reason) == (RIGHT, "all derivatives are zero, which checks little")


def constant(x: np.ndarray, y: np.ndarray) -> None:
    y[:] = 3.0


def test_single_precision_is_judged_by_its_own_tolerance() -> None:
    found = verdicts(primal_of(fakes.SQUARES, np.float32), gradients({"daad": SAME, "jax": OFF}, np.float32), 1e-3)
    assert {verdict.status for verdict in found.values()} == {RIGHT}


BY_AGREEMENT = [
    ("with jax", {"daad": SAME, "jax": SAME}, {"daad": (RIGHT, "jax"), "jax": (RIGHT, "daad")}),
    ("not with jax", {"daad": OFF, "jax": SAME, "dace": SAME}, {"daad": (WRONG, "jax"), "jax": (RIGHT, "dace")}),
    ("jax alone", {"daad": OFF, "jax": SAME}, {"daad": (WRONG, "jax"), "jax": (FAILED, "daad")}),
    ("without jax", {"daad": SAME, "dace plain": SAME}, {"daad": (RIGHT, "dace plain")}),
    ("alone", {"daad": SAME}, {"daad": (FAILED, "")}),
    ("its own variant", {"dace a": SAME, "dace b": SAME}, {"dace a": (FAILED, ""), "dace b": (FAILED, "")}),
]


def test_where_only_two_engines_can_be_compared_last_bits_excuse_both() -> None:
    found = verdicts(None, gradients({"daad": OFF, "jax": SAME}), 1e-6)
    assert found["jax"].reason.endswith("no other engine agrees; daad differs by 1.0e-04 of the largest element")
    assert [found[name].excused(4e-5).status for name in ("daad", "jax")] == [WRONG, FAILED]
    assert [found[name].excused(6e-5).status for name in ("daad", "jax")] == [RIGHT, RIGHT]


@pytest.mark.parametrize("has_primal", [False, True], ids=["no differences", "inconclusive differences"])
@pytest.mark.parametrize(
    ("changes", "expected"), [row[1:] for row in BY_AGREEMENT], ids=[row[0] for row in BY_AGREEMENT]
)
def test_agreement_decides_where_differences_cannot(
    changes: Mapping[str, Change], expected: Mapping[str, tuple[Status, str]], has_primal: bool
) -> None:
    found = verdicts(primal_of(fakes.STEPS) if has_primal else None, gradients(changes), 1e-6)
    assert {name: (found[name].status, found[name].against) for name in expected} == expected


def test_a_verdict_survives_the_wire() -> None:
    verdict = Verdict(status=WRONG, error=0.25, against="jax", reason="far off")
    assert Verdict.of_json(verdict.as_json()) == verdict
