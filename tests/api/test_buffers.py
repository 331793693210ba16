"""`out=` and `accumulate=True`: gradients in the caller's own arrays, and added to what these hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import Case
from tests.corpus.selection import one_in

X, W = np.array([0.3, -0.7, 1.1, 2.0]), np.array([1.5, 0.2, -0.4, 0.9])


def asked(case: Case) -> Gradient:
    options = {name: value for name, value in case.options.items() if name != "has_aux"}
    request = Request(wrt=case.wrt, of=case.of, seed=case.seed, **options)
    return Gradient(case.function, request, compiler=Interpreted)


def arrays_like(found: Any, random: np.random.Generator) -> tuple[Any, list[np.ndarray]]:
    """Random arrays in the structure of gradients, and a list of them."""
    leaves = []
    for _, value in calls.gradients("", found):
        whole = np.asarray(value)
        drawn = random.normal(size=(2, *whole.shape))
        leaves.append(np.asarray(drawn[0] + 1j * drawn[1] if whole.dtype.kind == "c" else drawn[0]).astype(whole.dtype))
    return calls.filled(calls.skeleton(calls.structures.opened(found, [()], "")), iter(leaves)), leaves


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize("case", one_in(40, "buffers"))
def test_buffers_hold_the_gradient_and_then_the_sum(case: Case) -> None:
    gradient, random = asked(case), np.random.default_rng(3)
    wanted = gradient(*case.arguments())
    expected = [np.array(value) for _, value in calls.gradients("", wanted)]
    buffers, leaves = arrays_like(wanted, random)
    gradient(*case.arguments(), out=buffers)
    for found, array in zip(leaves, expected, strict=True):
        np.testing.assert_array_equal(found, array)
    before = [leaf.copy() for leaf in leaves]
    gradient(*case.arguments(), out=buffers, accumulate=True)
    for found, array, held in zip(leaves, expected, before, strict=True):
        scale = np.abs(array[np.isfinite(array)]).max(initial=0.0)
        rtol = 1e-5 if scale.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found, held + array, rtol=rtol, atol=rtol * scale)


def weighted(x, w):
    return np.sum(w * np.sin(x) ** 2)


def updated(x, w):
    for _ in range(3):
        x[1:] = x[1:] * w[:-1] + x[:-1]
    return np.sum(x * w)


def of(function: Any, **options: Any) -> Gradient:
    return Gradient(function, Request(wrt=("x", "w"), **options), compiler=Interpreted)


def test_a_sum_takes_no_array_of_its_own_and_no_dead_work() -> None:
    gradient = of(weighted)
    gradient(X, W, out=(X.copy(), W.copy()), accumulate=True)
    assert {*gradient.joint.arrays} == {"x", "w", "x_bar", "w_bar"}


def test_only_the_adjoint_of_what_the_program_writes_is_added_at_the_end() -> None:
    gradient = of(updated)
    gradient(X, W, out=(X.copy(), W.copy()), accumulate=True)
    assert {"x_bar_sum", "w_bar"} <= {*gradient.joint.parameters}
    assert "w_bar_sum" not in gradient.joint.arrays


@pytest.mark.parametrize("function", [weighted, updated], ids=lambda f: f.__name__)
def test_mini_batches_add_up(function: Any) -> None:
    gradient = of(function)
    total = (np.zeros(4), np.zeros(4))
    points = np.random.default_rng(1).normal(size=(5, 4))
    for point in points:
        gradient(point, W, out=total, accumulate=True)
    for found, parts in zip(total, zip(*(gradient(point, W) for point in points), strict=True), strict=True):
        np.testing.assert_allclose(found, np.sum(parts, axis=0), rtol=1e-12)


def test_compiled_code_writes_and_adds_to_buffers() -> None:
    gradient = daad.value_and_grad(updated, wrt=("x", "w"))
    value, (dx, dw) = gradient(X, W)
    out = (np.empty(()), (np.full(4, 7.0), np.full(8, 7.0)[::2]))
    found = gradient(X, W, out=out)
    assert found[0] is out[0]
    assert found[1][0] is out[1][0]
    assert found[0] == value
    np.testing.assert_array_equal(out[1], (dx, dw))
    for times in (2, 3, 4):
        gradient(X, W, out=out, accumulate=True)
        np.testing.assert_allclose(out[1], (times * dx, times * dw), rtol=1e-14)


def test_a_gradient_without_a_buffer_is_an_array_of_its_own() -> None:
    buffer = np.empty(4)
    found = of(weighted)(X, W, out=(None, buffer))
    assert found[1] is buffer
    np.testing.assert_array_equal(found[0], of(weighted)(X, W)[0])


def test_auxiliary_data_stand_beside_the_buffers() -> None:
    gradient = Gradient(lambda x: (np.sum(x * x), {"x": x}), Request(value=True, has_aux=True), compiler=Interpreted)
    buffer = np.empty(4)
    (value, data), found = gradient(X, out=(None, buffer))
    assert found is buffer
    np.testing.assert_array_equal(buffer, 2 * X)
    np.testing.assert_array_equal(data["x"], X)
    assert value == np.sum(X * X)


def named_like_an_option(x, out):
    out[:] = x * x
    return np.sum(out)


def test_an_argument_of_the_programs_own_comes_first() -> None:
    np.testing.assert_array_equal(
        Gradient(named_like_an_option, Request(), compiler=Interpreted)(X, out=W.copy()), 2 * X
    )


Y, READ_ONLY = np.zeros(4), np.zeros(4)
READ_ONLY.flags.writeable = False
# What is given as 'out', with accumulate or not, and what is wrong with it.
REFUSED = {
    "shape": ((Y, np.zeros(5)), False, r"The gradient of 'w' is float64\[4\], and what is given for it float64\[5\]"),
    "dtype": ((Y, np.zeros(4, np.float32)), False, r"The gradient of 'w' is float64\[4\], and .* float32\[4\]"),
    "number": ((Y, 3.0), False, r"The gradient of 'w' is float64\[4\], and what is given for it <class 'float'>"),
    "nothing to add to": ((Y, None), True, r"The gradient of 'w' is float64\[4\], and .*NoneType"),
    "one of two": (Y, False, "A tuple of 2 buffers are asked for"),
    "shared": ((Y, Y[:]), False, "An array of 'out' shares memory with an argument or another one"),
    "argument": ((Y, X), True, "An array of 'out' shares memory with an argument or another one"),
    "read-only": ((Y, READ_ONLY), False, "The array that is given for the gradient of 'w' cannot be written"),
    "nothing": (None, True, "There is nothing that gradients could be added to"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name: str) -> None:
    out, is_added, sentence = REFUSED[name]
    with pytest.raises(daad.BadArgument, match=sentence):
        of(weighted)(X, W, out=out, accumulate=is_added)


def test_the_structure_of_a_value_and_gradients_is_asked_for() -> None:
    with pytest.raises(daad.BadArgument, match="'out' has another structure than the result"):
        of(weighted, value=True)(X, W, out=np.zeros(4))


def pair(x: Any, w: Any) -> Any:
    return w * np.sin(x), np.sum(x * w)


def test_products_are_written_into_buffers() -> None:
    push, vjp = daad.jvp(pair, wrt=("x", "w")), daad.vjp(pair, wrt=("x", "w"))
    (_, expected), dy = push(X, W, tangent=(W, X)), np.empty(4)
    _, tangent = push(X, W, tangent=(W, X), out=(None, (dy, None)))
    assert tangent[0] is dy
    np.testing.assert_array_equal(dy, expected[0])
    assert tangent[1] == expected[1]
    push(X, W, tangent=(W, X), out=(None, (dy, np.ones(()))), accumulate=True)
    np.testing.assert_allclose(dy, 2 * expected[0], rtol=1e-15)
    pull, (dx, dw), many = vjp(X, W)[1], (np.empty(4), np.empty(4)), np.empty((5, 4))
    found = pull((W, 2.0), out=(dx, dw))
    assert found[0] is dx
    for one, other in zip((dx, dw), pull((W, 2.0)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert pull.many((np.stack([W] * 5), np.full(5, 2.0)), out=(many, None))[0] is many
    np.testing.assert_allclose(many, np.stack([dx] * 5), rtol=1e-14)
    once = dx.copy()
    pull.many((np.stack([W] * 5), np.full(5, 2.0)), out=(many, np.zeros((5, 4))), accumulate=True)
    pull((W, 2.0), out=(dx, dw), accumulate=True)
    for sums in (dx, *many):
        np.testing.assert_allclose(sums, 2 * once, rtol=1e-14)
    for nothing in (None, (dx, None)):
        with pytest.raises(daad.BadArgument, match="There is nothing that the result could be added to"):
            pull((W, 2.0), out=nothing, accumulate=True)
    for wrong, told in (((dx, dx), "share memory"), (dx, "another structure"), ((dx, np.empty(3)), "no array for")):
        with pytest.raises(daad.BadArgument, match=told):
            pull((W, 2.0), out=wrong)
