"""Gradients with respect to local variables, from their first values on, as scripts with a `main()` have them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import daad

SCALE = 2.0


def main():
    n = 6
    tau, rate = 0.6, 0.3
    u = np.linspace(0.0, 1.0, n)
    tau = 1.1 * tau
    for _ in range(4):
        u = u - rate * (u - np.roll(u, 1) ** 2) / tau
    drag = np.sum(u**2) * SCALE
    print(drag)
    return 0


def shifted(x, power=2.0):
    with np.errstate(all="ignore"):
        low = np.min(x) - 1.0
    if power > 1.0:
        weight = 0.5
    else:
        weight = 0.1
    return np.sum(weight * (x - low) ** power)


def noisy():
    np.random.seed(3)
    start = np.random.rand(4)
    return np.sum((start * np.random.rand(4)) ** 2)


def in_a_loop():
    for k in range(3):
        gain = 0.1 * k
    return gain


def with_tau(tau, rate=0.3):
    u = np.linspace(0.0, 1.0, 6)
    for _ in range(4):
        u = u - rate * (u - np.roll(u, 1) ** 2) / (1.1 * tau)
    return np.sum(u**2) * SCALE


def test_a_variable_counts_from_its_first_value_on() -> None:
    found = daad.grad(main, wrt=("tau", "rate"), of="drag")()
    np.testing.assert_allclose(found, daad.grad(with_tau, wrt=("tau", "rate"))(0.6, 0.3), rtol=1e-12)


def test_a_call_may_pass_another_value() -> None:
    gradient = daad.grad(main, wrt="tau", of="drag")
    np.testing.assert_allclose(gradient(tau=0.8), daad.grad(with_tau)(0.8), rtol=1e-12)
    again = pickle.loads(pickle.dumps(gradient))
    np.testing.assert_allclose(again(tau=0.8), gradient(tau=0.8), rtol=0)


def test_beside_parameters() -> None:
    x = np.array([1.0, 2.5, 4.0])
    dx, low, weight = daad.grad(shifted, wrt=("x", "low", "weight"))(x)
    np.testing.assert_allclose(dx, x - 0.0)
    np.testing.assert_allclose((low, weight), (-np.sum(x), np.sum(x**2)))


def test_what_comes_before_the_value_still_happens() -> None:
    np.random.seed(3)
    start, rest = np.random.rand(4), np.random.rand(4)
    np.testing.assert_allclose(daad.grad(noisy, wrt="start")(), 2.0 * start * rest**2)


def test_the_check_runs_the_program() -> None:
    assert daad.check(shifted, (np.array([1.0, 2.5, 4.0]),), wrt="weight")


@pytest.mark.parametrize(
    ("function", "wrt", "message", "hint"),
    [
        (main, "rho", "'main' has no argument and no variable 'rho'.", "Its variables are 'n', 'tau', 'rate', 'u'"),
        (main, None, "'main' is called without arguments.", "Name some of its variables: 'n', 'tau', 'rate', 'u'"),
        (in_a_loop, "gain", "'gain' gets its first value in a loop.", "Give it a value before the loop"),
    ],
)
def test_what_names_nothing_is_refused(function, wrt, message, hint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(daad.BadArgument) as caught:
        daad.grad(function, wrt=wrt, of=None)()
    assert caught.value.message == message
    assert (caught.value.hint or "").startswith(hint)
