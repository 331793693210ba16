"""Numbers that the systems which inspired daad publish: Enoki, Dr.Jit, Enzyme, Variables-and-Blocks."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.interior import InteriorGradient
from daad.api.jacobian import Jacobian
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted


def asked(function, **request) -> Gradient:
    return Gradient(function, Request(**request), compiler=Interpreted)


def gathered(a, places):
    return np.sum(a[places])


def test_enoki_gather_adds_up_what_is_read_twice() -> None:
    found = asked(gathered)(np.arange(10.0), np.array([1, 4, 8, 4]))
    np.testing.assert_array_equal(found, [0, 1, 0, 0, 2, 0, 0, 0, 1, 0])


def normalized(v):
    return v / np.sqrt(np.sum(v * v))


def rotation(axis, angle):
    x, y, z = axis
    c, s = np.cos(angle), np.sin(angle)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return c * np.eye(3) + s * cross + (1.0 - c) * np.outer(axis, axis)


def distance(axis, angle, a, b):
    return np.linalg.norm(rotation(normalized(axis), angle) @ a - b)


def test_enoki_gradient_descent_on_a_rotation_takes_the_error_from_134_to_0065() -> None:
    a, b = normalized(np.array([2.0, 1.0, 3.0])), normalized(np.array([-1.0, 2.0, 3.0]))
    axis, angle, errors = np.array([1.0, 0.0, 0.0]), 1.0, []
    descend = asked(distance, wrt=("axis", "angle"), value=True)
    for _ in range(20):
        error, (daxis, dangle) = descend(axis, angle, a, b)
        errors.append(error)
        axis, angle = normalized(axis - 0.2 * daxis), angle - 0.2 * dangle
    assert errors[0] == pytest.approx(1.34, abs=0.005)
    assert errors[-1] == pytest.approx(0.065, abs=0.0005)


def test_enoki_forward_from_one_input_to_many_outputs() -> None:
    push = Tangent(lambda a: (a * a, np.sqrt(a)), Request(value=True, product=Product.TANGENT), compiler=Interpreted)
    _, (db, dc) = push(2.0, tangent=1.0)
    assert (db, dc) == (4.0, pytest.approx(0.353553, abs=1e-6))


def test_enoki_backward_from_one_output_to_many_inputs() -> None:
    found = asked(lambda a, b: a * np.sqrt(b), wrt=("a", "b"))(2.0, 3.0)
    assert found == pytest.approx((1.73205, 0.57735), abs=1e-5)


def test_enoki_arctan2_as_torch_sees_it() -> None:
    value, found = asked(lambda y, x: np.arctan2(y, x), wrt=("y", "x"), value=True)(1.0, 2.0)
    assert value == pytest.approx(0.4636, abs=1e-4)
    assert found == pytest.approx((0.4, -0.2))


def squared(b):
    for _ in range(1000):
        b = b * b
    return np.sum(b)


def test_enoki_a_thousand_squares_of_a_mebi_of_floats_stay_under_64_mib() -> None:
    """torch's graph of these takes 4803 MiB."""
    b = np.ones(2**20)
    b[::2] = 0.0
    gradient = daad.grad(squared, memory_limit="64MiB")
    found = gradient(b)
    assert gradient.memory.measured is not None
    assert gradient.memory.measured <= 64 * 2**20
    np.testing.assert_array_equal(found[:2], [0.0, 2.0**1000])
    assert np.unique(found).size == 2


def forward_loop(x, n):
    y, z = x * 1.0, x * 0.0
    for _ in range(n):
        y = np.sin(y) + 0.1 * x
        z = z + y * y
    return z


def test_blocks_forward_mode_holds_in_12345_iterations_what_it_holds_in_one() -> None:
    x, held = np.linspace(0.1, 0.9, 20_000), []
    for count in (1, 12_345):
        push = daad.jvp(forward_loop, wrt="x")
        push(x, count, tangent=x)
        held.append(push.memory.measured)
    assert held[1] <= held[0] + 8 * x.nbytes  # 12,344 more of them, if there were a tape; what else a process takes


def scaled(x, L):
    return np.array([L * np.cos(x[0]), L * np.sin(x[0]), x[1] * L * L])


def test_blocks_jacobians_come_in_the_order_of_wrt() -> None:
    x, length = np.array([0.3, 2.0]), 1.5
    for wrt in (("x", "L"), ("L", "x")):
        found = dict(zip(wrt, Jacobian(scaled, Request(wrt=wrt), compiler=Interpreted)(x, length), strict=True))
        np.testing.assert_allclose(found["x"], [[-1.5 * np.sin(0.3), 0], [1.5 * np.cos(0.3), 0], [0, 2.25]], atol=1e-15)
        np.testing.assert_allclose(found["L"], [np.cos(0.3), np.sin(0.3), 2 * 2.0 * 1.5])


def chain(x):
    y = x * 2.0
    z = np.sin(y)
    return np.sum(z * z)


def test_drjit_interior_gradients() -> None:
    x = np.array([0.1, 0.4])
    dx, inner = InteriorGradient(chain, Request(also=("y", "z")), compiler=Interpreted)(x)
    np.testing.assert_allclose(inner["z"], 2 * np.sin(2 * x))
    np.testing.assert_allclose(inner["y"], 2 * np.sin(2 * x) * np.cos(2 * x))
    np.testing.assert_allclose(dx, 2 * inner["y"])


def summed(x, w, n):
    y = 0.0
    for i in range(n):
        y += np.sum(np.sin(x * w[i]))
    return y


def test_drjit_sum_loops_need_no_tape_and_no_hint() -> None:
    x, w = np.array([0.2, 0.7]), np.linspace(0.5, 1.5, 9)
    gradient = asked(summed)
    np.testing.assert_allclose(gradient(x, w, 9), [np.sum(w * np.cos(w * a)) for a in x])
    assert "Tape: 0 B in 0 arrays" in gradient.explain()


def mutated(x):
    x *= 3.0
    return np.sum(x * x)


def test_drjit_gradients_are_with_respect_to_values_on_entry() -> None:
    np.testing.assert_allclose(asked(mutated)(np.array([1.0, 2.0])), [18.0, 36.0])


def test_drjit_several_traversals_of_one_forward_pass() -> None:
    _, pull = Vjp(scaled, Request(value=True, product=Product.PULLBACK, wrt="x"), compiler=Interpreted)(
        np.array([0.3, 2.0]), 1.0
    )
    rows = [pull(row) for row in np.eye(3)]
    np.testing.assert_allclose(rows, [[-np.sin(0.3), 0], [np.cos(0.3), 0], [0, 1]], atol=1e-15)


def test_enzyme_gradients_are_added_to_what_a_shadow_holds() -> None:
    shadow = np.array([10.0, 20.0])
    asked(chain)(np.array([0.1, 0.4]), out=shadow, accumulate=True)
    np.testing.assert_allclose(shadow, np.array([10.0, 20.0]) + asked(chain)(np.array([0.1, 0.4])))
