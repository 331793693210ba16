"""Groups of statements that repeat become a loop, and compute bit for bit what they did."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.validator import validate
from daad.ir.walk import walk
from daad.passes.loops import rerolling
from daad.pipeline import live_at_end
from tests.frontend.python.running import built
from tests.passes.checking import arguments


def carried(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 5:
        k = np.sin(x) * w
        x = x + 0.1 * k
    return np.sum(x * w)


def two_steps_back(x, w):  # type: ignore[no-untyped-def]
    before, now = x, x + w
    for _ in [None] * 12:
        before, now = now, 2.0 * now - before + 0.01 * np.sin(now)
    return np.sum(before * now)


def exchanged(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 6:
        x, w = w * 1.5, x + w
    return np.sum(x * w)


def buffers(x, w):  # type: ignore[no-untyped-def]
    now, then = x.copy(), np.zeros_like(x)
    for _ in [None] * 6:
        then[1:] = now[:-1] * w[1:]
        then[0] = now[-1]
        now, then = then, now
    return np.sum(now * w) + np.sum(then)


def all_of_them(x, w):  # type: ignore[no-untyped-def]
    seen = []
    for _ in [None] * 6:
        x = np.sin(x) + w
        x = np.roll(x, 1) * w
        seen.append(x)
    return np.sum(np.stack(seen) * w) + np.sum(seen[2] * seen[4])


def each_its_own(x, w):  # type: ignore[no-untyped-def]
    rows = [np.cos(x * 0.3), w * w, x - w, np.exp(w), np.tanh(x), x / w]
    for row in rows:
        x = np.sin(x) * row + np.roll(row, 1)
        x = np.roll(x, 2) - row
    return np.sum(x)


def numbers(x, w):  # type: ignore[no-untyped-def]
    for c in [0.5, -0.0, 1.25, 7.0, 0.5, 1.0, 0.25]:
        x = np.sin(x) * c + w
    return np.sum(x)


def powers(x, w):  # type: ignore[no-untyped-def]
    for c in [2.0, 3.0, 0.5, 2.0, 3.0]:
        x = x**c + w
    return np.sum(x)


def places(x, w):  # type: ignore[no-untyped-def]
    x = x.copy()
    for k in [0, 2, 4, 6]:
        x[k + 1] = np.sin(x[k]) * w[6 - k] + k
        x[0] = x[k + 1] - x[0]
    return np.sum(x * w)


def turned(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 5:
        x = np.roll(x, 1) + 0.5 * np.roll(x, -1) * w
    return np.sum(x * x)


def in_a_loop(x, w):  # type: ignore[no-untyped-def]
    for _ in range(3):
        for _ in [None] * 5:
            x = np.roll(x, 1) * w + np.sin(x)
    return np.sum(x * w)


def held_by_a_loop(x, w):  # type: ignore[no-untyped-def]
    last = x
    for _ in range(3):
        for _ in [None] * 5:
            x = np.sin(last) + x * w
            last = x * 0.5
    return np.sum(x * last)


def decided(x, w):  # type: ignore[no-untyped-def]
    for _ in [None] * 5:
        if x[0] > w[1]:
            x = np.sin(x)
        else:
            x = x * w + 1.0
    return np.sum(x)


def inner_loops(x, w):  # type: ignore[no-untyped-def]
    x = x.copy()
    for _ in [None] * 4:
        for i in range(1, len(x)):
            x[i] = 0.5 * x[i - 1] + np.sin(x[i]) * w[i]
    return np.sum(x)


def irregular(x, w):  # type: ignore[no-untyped-def]
    for k in [0, 1, 3, 4, 7, 2, 5]:
        x = np.sin(x) * w[k]
    return np.sum(x)


def into_the_argument(x, w):  # type: ignore[no-untyped-def]
    kept = x * w
    for _ in [None] * 5:
        x[1:] += 0.5 * x[:-1]
        x *= w
    return np.sum(x) + np.sum(kept)


def states(x, w):  # type: ignore[no-untyped-def]
    found = [x * 1.0, w + x, x - w, np.sin(x), np.cos(w)]
    for s in found:
        s[1:] = s[1:] * w[1:] + s[:-1]
        s += np.roll(s, 1)
        s *= w
    return np.sum(found[0] * found[3]) + np.sum(found[4])


def states_in_a_loop(x, w):  # type: ignore[no-untyped-def]
    found = [x * 1.0, w + x, x - w, np.sin(x), np.cos(w)]
    for k in range(3):
        for s in found:
            s[k:] = s[k:] * w[k:] + s[0]
            if s[2] > 1.0:
                s *= w
        x = x + found[k]
    return np.sum(found[0] * found[3]) + np.sum(found[4] * x)


def states_that_meet(x, w):  # type: ignore[no-untyped-def]
    found = [x * 1.0, w + x, x - w, np.sin(x), np.cos(w)]
    for s, other in zip(found, [*found[1:], found[0]], strict=True):
        s[1:] = s[1:] * other[:-1]
        other += s * w
    return np.sum(found[0] * found[3]) + np.sum(found[4])


PROGRAMS = {f.__name__: f for f in (
    carried, two_steps_back, exchanged, buffers, all_of_them, each_its_own, numbers, powers, places, turned, in_a_loop,
    held_by_a_loop, decided, inner_loops, irregular, into_the_argument, states,
    states_in_a_loop, states_that_meet,
)}  # fmt: skip
STAY = {"powers", "irregular", "states_that_meet"}


def size(program: Program) -> int:
    return sum(1 for _ in walk(program.body))


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever repeats becomes a loop."""
    monkeypatch.setattr(rerolling, "FEWEST_SAVED", 2)
    monkeypatch.setattr(rerolling, "FEWEST_GROUPS", 3)


def same_bits(program: Program) -> Program:
    rolled = validate(rerolling.reroll(program, live_at_end(program)))
    for seed in (0, 1):
        given = arguments(program, seed)
        before, after = run(program, given), run(rolled, given)
        for name in sorted(live_at_end(program)):
            np.testing.assert_array_equal(before[name], after[name], err_msg=name)
    return rolled


@pytest.mark.parametrize("name", PROGRAMS)
def test_repetition_becomes_a_loop_with_the_same_bits(name: str, eager: None) -> None:
    x, w = np.linspace(0.5, 1.5, 8), np.linspace(1.2, 0.7, 8)
    program = built(PROGRAMS[name], (x, w)).program
    rolled = same_bits(program)
    assert (size(rolled) < size(program)) == (name not in STAY)


def test_large_arrays_that_are_written_are_not_copied(eager: None) -> None:
    x, w = np.linspace(0.5, 1.5, 20_000), np.linspace(1.2, 0.7, 20_000)
    program = built(states, (x, w)).program
    assert rerolling.reroll(program, live_at_end(program)) is program
