"""What a loop has made and nothing overwrites is not made again where its iterations are run again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from daad.loops.replay import replays_of
from tests.loops.test_replay import EveryLoop

STEPS = 7


def history(u, h):
    for t in range(STEPS):
        h[t] = np.sum(u * u)
        u[:] = u + 0.1 * np.sin(u) * h[t]
    return np.sum(u) + np.sum(h)


def rows(u, h):
    for t in range(STEPS):
        h[t] = 0.0
        for i in range(3):
            h[t] += u[i] * u[i]
        u[:] = np.cos(u) * h[t]
    return np.sum(u)


def orthogonal(a, h):
    for t in range(STEPS):
        h[t] = np.sqrt(np.sum(a[:, t] * a[:, t]))
        a[:, t + 1 :] -= 0.1 * a[:, t : t + 1] / h[t]
    return np.sum(a)


def read_then_changed(u, h):
    for t in range(STEPS):
        h[t] = np.sum(u)
        u *= np.sin(h[t])
        h[t] = h[t] * h[t]
    return np.sum(u) + np.sum(h)


def squared(u, h):
    for t in range(STEPS):
        h[t] = np.sum(u)
        h[t] = h[t] * h[t]
        u *= np.sin(h[t])
    return np.sum(u) + np.sum(h)


def also_the_next(u, h):
    for t in range(STEPS):
        h[t] = np.sum(u)
        u *= np.sin(h[t])
        h[t + 1] = 2.0
    return np.sum(u) + np.sum(h)


def one_place(u, h):
    for _ in range(STEPS):
        h[0] = np.sum(u)
        u *= np.sin(h[0])
    return np.sum(u)


def in_turn(u, h):
    for t in range(STEPS):
        h[t % 2] = np.sum(u)
        u *= np.sin(h[t % 2])
    return np.sum(u)


def changed_afterwards(u, h):
    for t in range(STEPS):
        h[t] = np.sum(u)
        u *= np.sin(h[t])
    h[:] = h * h
    return np.sum(u) + np.sum(h)


def changed_before(u, h):
    h[:] = h * h
    for t in range(STEPS):
        h[t] = h[t] + np.sum(u)
        u *= np.sin(h[t])
    return np.sum(u) + np.sum(h)


def from_the_last(u, h):
    for t in range(1, STEPS):
        h[t] = h[t - 1] + np.sum(u)
        u *= np.sin(h[t])
    return np.sum(u)


def within_a_loop(u, h):
    for _ in range(3):
        for t in range(STEPS):
            h[t] = np.sum(u)
            u *= np.sin(h[t])
    return np.sum(u)


def sometimes(u, h):
    for t in range(STEPS):
        if u[0] > 0.5:
            h[t] = np.sum(u)
        else:
            h[t] = u[1]
        u *= np.sin(h[t])
    return np.sum(u)


def downwards(u, h):
    for t in range(STEPS - 1, -1, -1):
        h[2 * t] = np.sum(u)
        h[2 * t + 1] = u[0] * u[1]
        u *= np.sin(h[2 * t]) + h[2 * t + 1]
    return np.sum(u)


HELD: list[tuple[Callable[..., Any], set[str]]] = [
    (history, {"h"}),
    (rows, {"h"}),
    (orthogonal, {"h"}),
    (read_then_changed, set()),
    (squared, set()),
    (also_the_next, set()),
    (one_place, set()),
    (in_turn, set()),
    (changed_afterwards, set()),
    (changed_before, set()),
    (from_the_last, set()),
    (within_a_loop, set()),
    (sometimes, set()),
    (downwards, {"h"}),
]


@pytest.mark.parametrize(("function", "expected"), HELD, ids=[row[0].__name__ for row in HELD])
@pytest.mark.parametrize("blocks", [None, 3], ids=["iterations", "blocks"])
def test_what_is_held_is_left_out(function: Callable[..., Any], expected: set[str], blocks: int | None) -> None:
    rng = np.random.default_rng(0)
    u = rng.random((5, STEPS) if function is orthogonal else 5)
    arguments = (u, rng.random(2 * STEPS))
    hints = Hints(slots=EveryLoop(2, (1,)), blocks=EveryLoop(blocks, (1,)) if blocks else {})
    held, gradients = [], []
    for plan in ("store", hints):
        gradient = Gradient(function, Request(wrt=("u" if u.ndim == 1 else "a", "h"), plan=plan), compiler=Interpreted)
        gradients.append(gradient(*(a.copy() for a in arguments)))
        held.append({name for r in replays_of(gradient._current.derivation.adjoint.body) for name in r.held})
    assert held == [set(), held[1] - {"u", "h", "a"} | expected]
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
