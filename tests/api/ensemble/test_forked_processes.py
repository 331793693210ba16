"""Members on the cores of this machine."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.ensemble import forked_processes
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import BadArgument, DaadError, Unsupported
from tests.api.ensemble.subjects import THETA, TIMES, alone, draws, equal, members, misfit, model, slope


def interpreted(function: Any, **options: Any) -> Gradient:
    return Gradient(function, Request(value=True, **options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.fixture
def by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first member is left to two processes, three members at a time."""
    monkeypatch.setattr(forked_processes, "SOON", 0.0)
    monkeypatch.setattr(forked_processes, "size", lambda _: 4)
    monkeypatch.setattr(forked_processes, "processes", lambda _: 2)


def watched(x):
    return np.sum(x * x) + process(x)


@daad.custom_vjp(opaque=True)
def process(x):
    """Where it runs; none gets as far as ten."""
    if x[0] > 9.5:
        raise OverflowError("too much")
    return float(os.getpid())


process.defvjp(lambda x: (process(x), x), lambda x, g: (np.zeros(3),))


def test_processes_share_the_work(by_others: None) -> None:
    results = daad.ensemble(interpreted(watched), [(np.ones(3) * k,) for k in range(7)], reduce=None)
    where = [int(value) - 3 * k * k for k, (value, _) in enumerate(results)]
    assert where[0] == os.getpid()
    assert where[0] not in where[1:]


@pytest.mark.parametrize("count", [1, 2, 5, 21])
def test_the_sum_has_the_bits_of_the_serial_one(by_others: None, count: int) -> None:
    gradient, given = interpreted(misfit), members(count)
    right = alone(gradient, given)
    np.testing.assert_allclose(right[1], sum(slope(*member) for member in given), rtol=1e-13)
    assert equal(daad.ensemble(gradient, given), right)
    assert equal(daad.ensemble(gradient, (member for member in given)), right)
    mean = daad.ensemble(gradient, given, reduce="mean")
    assert equal(mean, (right[0] / count, right[1] / count))


def test_one_process_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_processes, "processes", lambda _: 1)
    gradient, given = interpreted(misfit), members(21)
    assert equal(daad.ensemble(gradient, given), alone(gradient, given))


def test_results_come_in_order(by_others: None) -> None:
    gradient, given = interpreted(misfit), members(11)
    found = daad.ensemble(gradient, given, reduce=None)
    assert all(equal(one, gradient(*member)) for one, member in zip(found, given, strict=True))
    assert daad.ensemble(gradient, [], reduce=None) == []


def test_gradients_have_their_structure(by_others: None) -> None:
    given = [({"w": np.ones(2), "b": float(k)}, np.arange(2.0)) for k in range(6)]
    value, found = daad.ensemble(interpreted(model), given)
    assert value == sum(k**2 + (1.0 + k) ** 2 for k in range(6))
    assert found["w"].tolist() == [0.0, sum(2.0 * (1.0 + k) for k in range(6))]
    assert found["b"] == sum(2.0 * k + 2.0 * (1.0 + k) for k in range(6))


def test_members_are_drawn_when_there_is_room(by_others: None) -> None:
    """Never more than three batches for each process ahead of what has been added up."""
    drawn, ahead = [0], [0]

    def coming() -> Any:
        for member in members(200):
            drawn[0] += 1
            yield member

    for batch, _ in forked_processes.answers(interpreted(misfit), coming(), True):
        ahead.append(drawn[0] - batch.first)
    assert drawn[0] == 200
    assert max(ahead) <= 4 * (3 * 2 + 1)


def test_an_exception_of_the_program_names_the_member(by_others: None) -> None:
    with pytest.raises(OverflowError, match="too much") as caught:
        daad.ensemble(interpreted(watched), [(np.full(3, float(k)),) for k in range(20)])
    assert caught.value.__notes__ == ["This is of member 10 of the ensemble."]


@pytest.mark.parametrize("pause", [0.0, 0.5], ids=["at once", "when the pool has seen it"])
def test_a_process_that_dies_is_told(by_others: None, pause: float) -> None:
    gradient, count = interpreted(watched), [0]

    def coming() -> Any:
        for _ in range(100):
            count[0] += 1
            if count[0] == 40:
                import multiprocessing

                os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
                time.sleep(pause)
            yield (np.ones(3),)

    with pytest.raises(DaadError, match=r"^A process died while member"):
        daad.ensemble(gradient, coming())


REFUSED: list[tuple[str, Any, Any, dict[str, Any], type[DaadError], str]] = [
    ("no gradient", misfit, [], {}, BadArgument, "An ensemble is of gradients, and this is of type 'function'."),
    ("no members", interpreted(misfit), [], {}, BadArgument, "There are no members."),
    ("a number", interpreted(misfit), 3, {}, BadArgument, "The members are of type 'int'."),
    (
        "no tuple",
        interpreted(misfit),
        [THETA],
        {},
        BadArgument,
        "Member 0 is of type 'ndarray' and no tuple of arguments.",
    ),
    (
        "too few arguments",
        interpreted(misfit),
        [*members(9), (THETA, TIMES)],
        {},
        BadArgument,
        "Member 9: The call does not fit 'misfit(theta, times, observed)': missing a required argument: 'observed'.",
    ),
    (
        "another reduction",
        interpreted(misfit),
        members(2),
        {"reduce": "max"},
        BadArgument,
        "The option 'reduce' is 'max'.",
    ),
    ("no client", interpreted(misfit), members(2), {"client": 3}, BadArgument, "The client is of type 'int'."),
    (
        "overwritten members",
        interpreted(misfit, on_inputs="primal"),
        members(2),
        {},
        BadArgument,
        "Members stay as they are.",
    ),
    (
        "auxiliary data",
        interpreted(misfit, has_aux=True),
        members(2),
        {},
        BadArgument,
        "Auxiliary data have no sum.",
    ),
    (
        "random numbers",
        interpreted(draws),
        [(np.ones(3),)] * 2,
        {},
        Unsupported,
        "Member 0: Members of an ensemble draw no random numbers.",
    ),
    (
        "what cannot be sent",
        interpreted(misfit),
        ((*member[:2], member[2] if k < 9 else lambda: 0) for k, member in enumerate(members(40))),
        {},
        BadArgument,
        "A process cannot be sent members 8 to 11:",
    ),
]


@pytest.mark.parametrize(
    ("gradient", "given", "options", "error", "sentence"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_no_ensemble_is_refused(
    by_others: None, gradient: Any, given: Any, options: Any, error: type[DaadError], sentence: str
) -> None:
    with pytest.raises(error) as caught:
        daad.ensemble(gradient, given, **options)
    assert caught.value.message.startswith(sentence)
