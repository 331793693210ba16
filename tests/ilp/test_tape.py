"""Tapes of triangular loops hold what each iteration needs: the same gradient from less memory."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from daad.ilp import tape
from daad.ir.nodes import Array
from tests.corpus.case import Case, row, uniform
from tests.loops.test_replay import EveryLoop
from tests.oracle import check_gradient
from tests.programs import compiled, interpreted, request_of

N = 8


def growing(x, y):  # type: ignore[no-untyped-def]
    for k in range(1, N):
        y[:k] += 0.3 * x[k] * y[k - 1 :: -1] * y[:k]
    return np.sum(y)


def shrinking_downwards(x, y):  # type: ignore[no-untyped-def]
    for k in range(N - 1, -1, -1):
        y[:k] = y[:k] * np.sin(y[:k]) * x[k]
    return np.sum(y)


def from_a_moving_start(x, y):  # type: ignore[no-untyped-def]
    for k in range(N):
        y[k:] = y[k:] * np.sin(y[k:]) + x[k] * y[k]
    return np.sum(y)


def last_rows_empty(x, y):  # type: ignore[no-untyped-def]
    for k in range(N):
        for i in range(k + 2, N):
            y[i] = y[i] * np.sin(y[i - 1]) + x[k]
    return np.sum(y)


def first_rows_empty(x, y):  # type: ignore[no-untyped-def]
    for k in range(N):
        for i in range(k - 2):
            y[i] = y[i] * np.sin(y[i + 1]) + x[k]
    return np.sum(y)


def scalars_both_downwards(x, y):  # type: ignore[no-untyped-def]
    s = 0.3
    for i in range(N - 1, -1, -1):
        for j in range(N - 1, i, -1):
            s = np.sin(s * x[i]) + y[j]
    return s


def band(x, y):  # type: ignore[no-untyped-def]
    s = 0.3
    for i in range(N - 2):
        for j in range(i, i + 2):
            s = np.sin(s * x[i]) + y[j]
    return s


def two_deep(x, y):  # type: ignore[no-untyped-def]
    s = 0.3
    for i in range(N):
        for j in range(i):
            for k in range(j, i):
                s = np.sin(s * x[i]) + y[j] * y[k]
    return s


def rows_two_deep(x, y):  # type: ignore[no-untyped-def]
    for i in range(N):
        for j in range(i, -1, -1):
            y[j:i] = y[j:i] * np.cos(y[j:i]) + x[j]
    return np.sum(y)


def repeated(x, y):  # type: ignore[no-untyped-def]
    for t in range(3):
        for k in range(N):
            y[:k] = y[:k] * np.sin(y[:k]) * x[k] + x[t]
    return np.sum(y)


def repeated_within(x, y):  # type: ignore[no-untyped-def]
    for k in range(N):
        for t in range(3):
            y[:k] = y[:k] * np.sin(y[:k]) * x[k] + x[t]
    return np.sum(y)


def in_a_branch(x, y):  # type: ignore[no-untyped-def]
    for k in range(N):
        if y[k] > 1.0:
            y[:k] = y[:k] * np.sin(y[:k]) * x[k]
    return np.sum(y)


def columns(a):  # type: ignore[no-untyped-def]
    for k in range(N):
        a[:, k + 1 :] = a[:, k + 1 :] * np.sin(a[:, k + 1 :]) + a[:, k : k + 1]
    return np.sum(a)


def growing_planes(b):  # type: ignore[no-untyped-def]
    for k in range(1, N):
        b[:, :, :k] = b[:, :, :k] * np.sin(b[:, :, :k]) + b[:, :, k : k + 1]
    return np.sum(b)


def gathered_planes(b):  # type: ignore[no-untyped-def]
    order = np.array([1, 2, 0])
    for k in range(1, N):
        b[:, :, :k] = b[:, :, :k] * np.sin(b[:, order, :k])
    return np.sum(b)


def corner(a):  # type: ignore[no-untyped-def]
    for k in range(N):
        a[k + 1 :, k + 1 :] = a[k + 1 :, k + 1 :] * np.sin(a[k + 1 :, k + 1 :]) + a[k + 1 :, k : k + 1]
    return np.sum(a)


def gathered(a):  # type: ignore[no-untyped-def]
    order = np.array([3, 1, 5, 0, 2, 4, 7, 6])
    for k in range(N):
        a[:k] = a[:k] * np.sin(a[:k][:, order])
    return np.sum(a)


VECTORS = (growing, shrinking_downwards, from_a_moving_start, last_rows_empty, first_rows_empty)
VECTORS += (scalars_both_downwards, band, two_deep, rows_two_deep, repeated, repeated_within, in_a_branch)
CASES = [row(f, lambda: (uniform(1, N), uniform(2, N, high=1.3)), "x, y") for f in VECTORS]
CASES += [row(f, lambda: (uniform(3, N, N),), "a") for f in (columns, corner, gathered)]
CASES += [row(f, lambda: (uniform(4, 2, 3, N),), "b") for f in (growing_planes, gathered_planes)]
NAMED = [pytest.param(case, id=case.name) for case in CASES]


@pytest.fixture(autouse=True)
def small_tapes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "PACKED_FROM", 0)


def kept(case: Case) -> list[Array]:
    plan = daad.plan(case.function, case.arguments(), wrt=case.wrt).derivation.plan
    return [k.tape for k in plan.kept.values()]


@pytest.mark.parametrize("case", NAMED)
def test_less_is_kept_and_the_gradient_is_right(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    check_gradient(interpreted(case)(*case.arguments()), case)
    packed = sum(a.nbytes for a in kept(case))
    monkeypatch.setattr(tape, "PACKED_PART", 0.0)
    assert packed <= 0.75 * sum(a.nbytes for a in kept(case))


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if n % 4 == 0 else pytest.mark.slow) for n, c in enumerate(CASES)]
)
def test_loops_are_run_again_around_such_tapes(case: Case) -> None:
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        daad.plan(case.function, case.arguments(), wrt=case.wrt, memory_limit=1 / 2**20)
    request = request_of(case, memory_limit=refusal.value.minimum)
    gradient = Gradient(case.function, request, compiler=Interpreted)  # type: ignore[arg-type]
    check_gradient(gradient(*case.arguments()), case)


STATES = (growing, shrinking_downwards, from_a_moving_start, columns, growing_planes)


@pytest.mark.parametrize("length", [None, 2, 3], ids=["iterations", "blocks", "the last block is shorter"])
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.function in STATES])
def test_states_hold_what_iterations_read(case: Case, length: int | None) -> None:
    hints = Hints(slots=EveryLoop(N, (1,)), blocks=EveryLoop(length, (1,)) if length else {})
    gradient = Gradient(case.function, request_of(case, plan=hints), compiler=Interpreted)  # type: ignore[arg-type]
    check_gradient(gradient(*case.arguments()), case)
    assert gradient._current is not None
    (snapshots,) = gradient._current.derivation.plan.snapshots.values()
    (states,) = (a for name, a in snapshots.kept.items() if name == case.wrt[-1])
    whole = snapshots.replay.schedule.trips * case.arguments()[-1].nbytes
    assert states.nbytes <= (whole if length else 0.75 * whole)
    assert not snapshots.tables


def test_small_tapes_have_rows_of_one_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "PACKED_FROM", 10**6)
    assert not any(a.extents for a in kept(CASES[0]))


COMPILED = (rows_two_deep, gathered_planes)


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.function in COMPILED])
def test_compiled(case: Case) -> None:
    check_gradient(compiled(case)(*case.arguments()), case)


def test_explained() -> None:
    text = daad.plan(growing, CASES[0].arguments(), wrt="x").explain()
    assert "kept in each iteration of 'k', as much as that one needs" in str(text.account.arrays)
