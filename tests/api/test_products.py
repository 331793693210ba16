"""Products with the Jacobian: tangents against pullbacks, ⟨J v, w⟩ = ⟨v, Jᵀ w⟩, on every program of the corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from daad.frontend import structures
from daad.products import argument_copies
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.corpus.selection import one_in
from tests.oracle import extrapolated, positions
from tests.paired import drawn, inner, numbers, size

FOR_GRADIENTS = {"memory_limit", "plan", "allow_undo", "has_aux"}


def request(case: Case, product: Product) -> Request:
    options = {name: value for name, value in case.options.items() if name not in FOR_GRADIENTS}
    return Request(wrt=case.wrt, of=case.of, value=True, product=product, **options)


def interpreted(kind: Any, case: Case, product: Product) -> Any:
    return kind(case.function, request(case, product), compiler=Interpreted)


SMOOTH = [c for c in ALL if not any(a.dtype == np.float32 for a in c.arguments() if isinstance(a, np.ndarray))]


@pytest.mark.parametrize("case", one_in(24, "products"))
def test_tangents_and_pullbacks_agree(case: Case) -> None:
    random = np.random.default_rng(7)
    arguments = case.arguments()
    chosen = tuple(arguments[k] for k in positions(case.numpy_function, case.wrt))
    v = drawn(chosen, random)
    y, dy = interpreted(Tangent, case, Product.TANGENT)(*arguments, tangent=v)
    again, pull = interpreted(Vjp, case, Product.PULLBACK)(*case.arguments())
    w = drawn(y, random)
    forward, backward = np.real(inner(dy, w)), np.real(inner(v, pull(w)))
    single = any(np.asarray(n).real.dtype == np.float32 for n in (*numbers(chosen), *numbers(y)))
    assert abs(forward - backward) <= (1e-4 if single else 1e-10) * max(size(dy, w), 1e-300)
    for one, other in zip(numbers(y), numbers(again), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("case", one_in(40, "second derivatives", SMOOTH))
def test_second_derivatives_are_differences_of_gradients(case: Case) -> None:
    random = np.random.default_rng(8)
    arguments = case.arguments()
    places = positions(case.numpy_function, case.wrt)
    chosen = tuple(arguments[k] for k in places)
    v, w = drawn(chosen, random), drawn(chosen, random)
    options = {name: value for name, value in case.options.items() if name != "has_aux"}
    gradient = Gradient(
        case.function, Request(wrt=case.wrt, of=case.of, seed=case.seed, **options), compiler=Interpreted
    )
    product = Tangent(gradient, Request(wrt=case.wrt, product=Product.TANGENT), compiler=Interpreted)
    found = np.real(inner(w, product(*case.arguments(), tangent=v)))

    def slope(step: float) -> float:
        ends = []
        for sign in (1, -1):
            there = case.arguments()
            moved = list(there)
            for k, along in zip(places, v, strict=True):
                moved[k] = shifted(there[k], along, sign * step)
            ends.append(np.real(inner(w, gradient(*moved))))
        return float((ends[0] - ends[1]) / (2 * step))

    with np.errstate(all="ignore"):
        expected = extrapolated(slope, 1e-3)
    scale = max(abs(expected.value), abs(found), 1e-8)
    assert abs(found - expected.value) <= max(1e-5 * scale, 100 * expected.error)


def shifted(value: Any, along: Any, step: float) -> Any:
    """A value after a step, of the same structure and types."""
    if structures.parts(value) is not None:
        items = dict(structures.parts(along) or ())
        return structures.rebuilt(value, lambda way, item: shifted(item, items[way], step))
    if along is None:
        return value
    found = np.asarray(value + step * np.asarray(along), np.asarray(value).dtype)
    return found if isinstance(value, np.ndarray) else type(value)(found[()])


def one_array_twice(x):
    y = x * x
    return y, {"again": y, "other": x + 1.0}


def test_arrays_of_a_result_are_the_callers_own() -> None:
    x = np.array([1.0, 2.0])
    push = Tangent(one_array_twice, Request(value=True, product=Product.TANGENT), compiler=Interpreted)
    (y, rest), (dy, drest) = push(x, tangent=x)
    z, pull = Vjp(one_array_twice, Request(value=True, product=Product.PULLBACK), compiler=Interpreted)(x)
    for one, other in ((y, rest["again"]), (dy, drest["again"]), (z[0], z[1]["again"]), (y, x), (dy, x)):
        assert not np.shares_memory(one, other)
    y[:], z[0][:], z[1]["other"][:] = 7.0, 7.0, 7.0
    np.testing.assert_array_equal(push(x, tangent=x)[0][0], x * x)
    np.testing.assert_array_equal(pull((np.ones(2), {"again": np.zeros(2), "other": np.ones(2)})), 2 * x + 1)


def returned_as_it_is_kept(x):
    y = np.exp(x)
    return y


def test_an_output_that_the_pullback_keeps_may_be_written() -> None:
    y, pull = Vjp(returned_as_it_is_kept, Request(value=True, product=Product.PULLBACK), compiler=Interpreted)(
        np.zeros(2)
    )
    y[:] = 5.0
    np.testing.assert_array_equal(pull(np.ones(2)), np.ones(2))


def test_pullbacks_keep_apart_what_they_read() -> None:
    """Memory of copies serves again, but not while a pullback reads it, nor do arguments that are overwritten."""
    vjp = daad.vjp(lambda x: x * x)
    x = np.ones(2**17)
    pulls = []
    for k in range(4):
        x[:] = k
        pulls.append(vjp(x)[1])
    x[:] = -1.0
    assert [pull(np.ones_like(x))[-1] for pull in pulls] == [0.0, 2.0, 4.0, 6.0]


READ = {
    "rows": lambda A, x: A @ x,
    "columns": lambda A, x: A.T @ x,
    "elements": lambda A, x: np.exp(A) * x,
    "backwards": lambda A, x: (A[::-1] * A[:, ::-1]) @ x,
    "a part": lambda A, x: A[1:, ::2] @ x[::2],
    "a product": lambda A, x: A @ (A + x),
    "after a change": lambda A, x: np.add(A, x, out=A) @ x,
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_large_arguments_are_copied_where_they_are_read(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    A, x = np.arange(36.0).reshape(6, 6) / 36, np.arange(6.0)
    asked = Request(value=True, product=Product.PULLBACK, wrt=("A", "x"))
    expected = Vjp(read, asked, compiler=Interpreted)(A, x)[1](seed := np.asarray(read(A.copy(), x)))
    monkeypatch.setattr(argument_copies, "LARGE", 0)
    y, pull = Vjp(read, asked, compiler=Interpreted)(A, x)
    A[:], x[:] = 7.0, 7.0
    np.testing.assert_allclose(y, seed, rtol=1e-14)
    for one, other in zip(pull(seed), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def overwritten(x):
    x[1:] *= x[:-1]
    return 2.0 * x


@pytest.mark.parametrize("on_inputs", ["keep", "primal"])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_tangent_may_be_the_argument_that_is_overwritten(on_inputs: Any, reverse: bool) -> None:
    asked = Request(value=True, product=Product.TANGENT, on_inputs=on_inputs)
    push = Tangent(overwritten, asked, compiler=Interpreted)
    gradient = Gradient(overwritten, Request(value=True, on_inputs=on_inputs), compiler=Interpreted)
    expected = Gradient(overwritten, Request(value=True), compiler=Interpreted)
    for k in range(3):
        x = np.array([1.0, 2.0, 3.0]) + k
        v = x[::-1].copy() if reverse else x.copy()
        slopes = np.array([[2, 0, 0], [2 * x[1], 2 * x[0], 0], [0, 2 * x[2], 2 * x[1]]])
        np.testing.assert_allclose(push(x, tangent=x[::-1] if reverse else x)[1], slopes @ v, rtol=1e-14)
        x = np.array([1.0, 2.0, 3.0]) + k
        wanted = expected(x, seed=v)
        for found, one in zip(gradient(x, seed=x[::-1] if reverse else x), wanted, strict=True):
            np.testing.assert_array_equal(found, one)


def chosen_and_scaled(x):
    return np.where(x > 1.0, x, 0.0) * np.array([np.inf, 2.0])


def test_what_is_not_chosen_has_no_tangent_whatever_it_is_multiplied_with() -> None:
    x, ones = np.array([0.0, 3.0]), np.ones(2)
    push = Tangent(chosen_and_scaled, Request(value=True, product=Product.TANGENT), compiler=Interpreted)
    vjp = Vjp(chosen_and_scaled, Request(value=True, product=Product.PULLBACK), compiler=Interpreted)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(push(x, tangent=ones)[1], [0.0, 2.0])
        np.testing.assert_array_equal(vjp(x)[1](ones), [0.0, 2.0])
