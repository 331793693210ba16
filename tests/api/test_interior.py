"""`also=`: gradients of intermediate values, also of variables that change."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.interior import InteriorGradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.array([0.3, -0.7, 1.1, 2.0])


def rebound(x, push):
    u = np.sin(x)
    u = push("u", 1, u)
    u = u * u + x
    u = push("u", 2, u)
    return np.sum(u**3)


def rebound_alone(x):
    u = np.sin(x)
    u = u * u + x
    return np.sum(u**3)


def in_place(x, push):
    u = np.zeros(4)
    u = push("u", 1, u)
    u[:2] = x[2:] * x[:2]
    u = push("u", 2, u)
    u += x
    u = push("u", 3, u)
    y = np.sum(u**2)
    u[:] = 1.0
    u = push("u", 4, u)
    return y + np.sum(u * x)


def in_place_alone(x):
    u = np.zeros(4)
    u[:2] = x[2:] * x[:2]
    u += x
    y = np.sum(u**2)
    u[:] = 1.0
    return y + np.sum(u * x)


def in_a_loop(x, push):
    loss, v = 0.0, x * 1.0
    v = push("v", 1, v)
    for t in range(4):
        v = v * np.cos(v) + 0.1 * t
        v = push("v", t + 2, v)
        loss += np.sum(v * v)
    return loss


def in_a_loop_alone(x):
    loss, v = 0.0, x * 1.0
    for t in range(4):
        v = v * np.cos(v) + 0.1 * t
        loss += np.sum(v * v)
    return loss


def while_data_say(x, push):
    v, k = np.sum(x * x), 1
    v = push("v", k, v)
    while v > 0.5:
        v = 0.5 * v * np.cos(0.1 * v)
        k += 1
        v = push("v", k, v)
    return v * v


def while_data_say_alone(x):
    v = np.sum(x * x)
    while v > 0.5:
        v = 0.5 * v * np.cos(0.1 * v)
    return v * v


def on_a_side(x, push):
    y = x * 2.0
    y = push("y", 1, y)
    if x[0] > 0.0:
        y[1:] = y[1:] * y[:-1]
        y = push("y", 2, y)
    return np.sum(y * y)


def on_a_side_alone(x):
    y = x * 2.0
    if x[0] > 0.0:
        y[1:] = y[1:] * y[:-1]
    return np.sum(y * y)


# The program with a place to push each value, the program itself, the variable, its writes.
PROGRAMS: dict[str, tuple[Any, Any, str, int]] = {
    "rebound": (rebound, rebound_alone, "u", 2),
    "in place": (in_place, in_place_alone, "u", 4),
    "in a loop": (in_a_loop, in_a_loop_alone, "v", 5),
    "while data say": (while_data_say, while_data_say_alone, "v", 5),
    "on a side": (on_a_side, on_a_side_alone, "y", 2),
}


def differences(program: Any, name: str, number: int) -> np.ndarray:
    """The gradient of one value: it is pushed by central differences."""

    def pushed(step: Any) -> float:
        return program(X, lambda n, k, u: u + step if (n, k) == (name, number) else u)

    shapes: list[Any] = []
    program(X, lambda n, k, u: shapes.append(np.shape(u)) or u)
    shape = shapes[0]
    rows = 1e-6 * np.eye(max(1, int(np.prod(shape)))).reshape(-1, *shape)
    return np.array([(pushed(row) - pushed(-row)) / 2e-6 for row in rows]).reshape(shape)


def asked(function: Any, also: Any, **options: Any) -> InteriorGradient:
    return InteriorGradient(function, Request(also=also, **options), compiler=Interpreted)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_write_has_its_gradient_and_a_name_that_of_its_last_value(name: str) -> None:
    pushing, program, variable, writes = PROGRAMS[name]
    also = (variable, *((variable, k + 1) for k in range(writes)))
    value, (dx, inner) = asked(program, also, value=True)(X)
    assert value == pytest.approx(program(X), rel=1e-13)
    whole = np.array([(program(X + e) - program(X - e)) / 2e-6 for e in 1e-6 * np.eye(4)])
    np.testing.assert_allclose(dx, whole, rtol=1e-6, atol=1e-8)
    for key in also:
        number = writes if isinstance(key, str) else key[1]
        np.testing.assert_allclose(inner[key], differences(pushing, variable, number), rtol=1e-6, atol=1e-8)
    assert list(inner) == list(also)


def test_data_may_decide_which_write_is_the_last() -> None:
    gradient = asked(while_data_say_alone, "v")
    for scale in (1.0, 0.1, 3.0, 1.0):
        x = scale * X
        v = np.sum(x * x)
        while v > 0.5:
            v = 0.5 * v * np.cos(0.1 * v)
        np.testing.assert_allclose(gradient(x)[1]["v"], 2 * v, rtol=1e-12)


def several(x, w):
    h = np.tanh(w * x)
    return np.sum(h), {"h": h}


def test_the_dict_stands_behind_the_others_and_auxiliary_data_where_they_were() -> None:
    (dx, dw, inner), data = asked(several, "h", wrt=("x", "w"), has_aux=True)(X, X)
    np.testing.assert_array_equal(inner["h"], np.ones(4))
    np.testing.assert_allclose(dx, dw)
    np.testing.assert_allclose(data["h"], np.tanh(X * X))


def with_a_local_result(x):
    y = np.exp(x)
    loss = np.sum(y)
    print(loss)


def test_outputs_may_be_local_variables_and_positions() -> None:
    np.testing.assert_allclose(asked(with_a_local_result, "y", of="loss")(X)[1]["y"], np.ones(4))
    np.testing.assert_allclose(asked(several, "h", of=0)(X, X)[1]["h"], np.ones(4))


def test_it_is_an_option_of_grad_and_survives_a_pickle() -> None:
    gradient = daad.grad(in_a_loop_alone, also=("v", 5))
    again = pickle.loads(pickle.dumps(gradient))
    found, other = gradient(X), again(X)
    np.testing.assert_allclose(found[1]["v", 5], differences(in_a_loop, "v", 5), rtol=1e-6)
    np.testing.assert_array_equal(found[1]["v", 5], other[1]["v", 5])


def complex_values(x):
    z = x * np.exp(1j * x)
    return np.sum(np.abs(z) ** 2)


def test_complex_values_have_complex_gradients() -> None:
    np.testing.assert_allclose(asked(complex_values, "z")(X)[1]["z"], 2 * X * np.exp(1j * X), rtol=1e-13)


def elsewhere(x):
    u = x * 1.0
    _double(u)
    return np.sum(u)


def _double(u):
    u *= 2.0


def counted(x):
    n = 3
    return np.sum(x) * n


def test_several_outputs_are_refused() -> None:
    with pytest.raises(daad.BadArgument, match="With 'also', one array or number is differentiated"):
        asked(several, "h", of=(0, 1))


REFUSED = [
    (elsewhere, "u", "'u' is written where its name does not show"),
    (counted, "n", "'n' is of type 'int', which has no gradient"),
    (counted, "x", "'counted' writes 'x' never"),
    (counted, "m", "There is no variable 'm'"),
    (rebound_alone, ("u", 3), "'rebound_alone' writes 'u' 2 times"),
    (rebound_alone, 3, "The option 'also' is 3"),
    (rebound_alone, (("u", 0),), r"The option 'also' holds \('u', 0\)"),
    (rebound_alone, ("u", "u"), "The option 'also' names a value twice"),
]


@pytest.mark.parametrize(("function", "also", "sentence"), REFUSED, ids=[s for _, _, s in REFUSED])
def test_what_has_no_such_gradient_is_refused(function: Any, also: Any, sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        asked(function, also)(X)
