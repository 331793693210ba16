"""Records and objects of every kind as arguments, tangents, seeds and results, in derivatives of every kind."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.jacobian import Jacobian, hessian_of, hessian_products
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

X, M = np.array([1.0, 2.0]), np.array([3.0, 1.0])
DX, DM = np.array([1.0, 0.0]), np.array([0.0, 1.0])


@dataclass
class Record:
    x: np.ndarray
    m: np.ndarray
    label: str = "record"
    count: int = 2


@dataclass(frozen=True)
class Frozen:
    x: np.ndarray
    m: np.ndarray


class Plain:
    def __init__(self, x, m):
        self.x, self.m, self.label, self.count = x, m, "plain", 2


class Slots:
    __slots__ = ("m", "x")

    def __init__(self, x, m):
        self.x, self.m = x, m


Named = namedtuple("Named", "x m")
KINDS: list[Callable[..., Any]] = [Record, Frozen, Plain, Slots, Named, lambda x, m: SimpleNamespace(x=x, m=m)]
NAMES = ["record", "frozen", "plain", "slots", "named tuple", "namespace"]
GRADIENT, CURVED = (3.0 * X**2 * M, X**3), (6.0 * X * M * DX + 3.0 * X**2 * DM, 3.0 * X**2 * DX)


def energy(p, k):
    return np.sum(p.x**3 * p.m) * k


def parts(found: Any) -> tuple[Any, Any]:
    return found.x, found.m


def tangent(function: Any, **options: Any) -> Tangent:
    return Tangent(function, Request(product=Product.TANGENT, **options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_every_derivative_is_in_the_structure_of_the_argument(kind: Callable[..., Any]) -> None:
    p, along = kind(X, M), kind(DX, DM)
    gradient = Gradient(energy, Request(), compiler=Interpreted)  # type: ignore[arg-type]
    np.testing.assert_allclose(parts(gradient(p, 1.0)), GRADIENT)
    product = tangent(gradient, value=False)
    np.testing.assert_allclose(parts(product(p, 1.0, tangent=along)), CURVED)
    two = product.many(p, 1.0, tangents=kind(np.stack([DX, 2.0 * DX]), np.stack([DM, 2.0 * DM])))
    np.testing.assert_allclose(parts(two), [np.stack([c, 2.0 * c]) for c in CURVED])
    value, dot = tangent(gradient, value=True)(p, 1.0, tangent=along)
    assert type(value) is type(dot) is type(p)
    np.testing.assert_allclose([parts(value), parts(dot)], [GRADIENT, CURVED])
    again = Gradient(gradient, Request(seed=1.0), compiler=Interpreted)  # type: ignore[arg-type]
    np.testing.assert_allclose(parts(again(p, 1.0)), (6.0 * X * M + 3.0 * X**2, 3.0 * X**2))
    found = Jacobian(gradient, Request(), "forward", compiler=Interpreted)(p, 1.0)
    np.testing.assert_allclose([parts(row) for row in parts(found)], SECOND)


SECOND = [[np.diag(6.0 * X * M), np.diag(3.0 * X**2)], [np.diag(3.0 * X**2), np.zeros((2, 2))]]


def test_products_and_matrices_of_gradients_are_made_of_them() -> None:
    gradient = Gradient(energy, Request(), compiler=Interpreted)  # type: ignore[arg-type]
    p = Plain(X, M)
    assert vars(hessian_products(gradient)(p, 1.0, tangent=Plain(DX, DM))).keys() == {"x", "m"}
    np.testing.assert_allclose([parts(row) for row in parts(hessian_of(gradient)(p, 1.0))], SECOND)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_results_may_have_any_structure(kind: Callable[..., Any]) -> None:
    def wave(u):
        return {"both": kind(np.sin(u), np.sum(u * u))}

    u, v = np.array([0.1, 0.2, 0.5]), np.ones(3)
    y, dy = tangent(wave, value=True)(u, tangent=v)
    assert type(y["both"]) is type(dy["both"]) is type(kind(X, M))
    np.testing.assert_allclose(y["both"].x, np.sin(u))
    np.testing.assert_allclose(dy["both"].m, 2.0 * np.sum(u))
    asked = Request(value=True, product=Product.PULLBACK)
    y, pull = Vjp(wave, asked, compiler=Interpreted)(u)  # type: ignore[arg-type]
    np.testing.assert_allclose(pull({"both": kind(v, 0.5)}), np.cos(u) + u)
    for mode in ("forward", "reverse"):
        found = Jacobian(wave, Request(), mode, compiler=Interpreted)(u)["both"]
        np.testing.assert_allclose(found.x, np.diag(np.cos(u)))
        np.testing.assert_allclose(found.m, 2.0 * u)
    chosen = Gradient(wave, Request(of="['both'].m"), compiler=Interpreted)  # type: ignore[arg-type]
    np.testing.assert_allclose(chosen(u), 2.0 * u)


def test_auxiliary_data_may_be_records() -> None:
    def fit(u):
        return np.sum(u * u), Record(np.sin(u), 2.0 * u)

    u = np.array([0.1, 0.2])
    (_, data), _ = Gradient(fit, Request(value=True, has_aux=True), compiler=Interpreted)(u)  # type: ignore[arg-type]
    assert type(data) is Record
    np.testing.assert_allclose(parts(data), (np.sin(u), 2.0 * u))
    assert (data.label, data.count) == ("record", 2)


def test_a_result_that_holds_itself_is_refused() -> None:
    def ring(u):
        made = Plain(u * u, 2.0 * u)
        made.after = made
        return made

    with pytest.raises(daad.Unsupported, match="returns an object of the class 'Plain' that holds itself"):
        tangent(ring)(X, tangent=DX)


@dataclass(eq=False)
class Branch:
    weight: float
    parent: Any = None
    children: Any = ()


def test_a_tree_whose_branches_know_their_parents_is_an_object() -> None:
    def weighed(x, root):
        return sum(child.weight * x[0] + child.parent.weight * x[1] for child in root.children)

    root = Branch(1.0)
    root.children = [Branch(2.0, root), Branch(3.0, root)]
    gradient = Gradient(weighed, Request(wrt=("x",)), compiler=Interpreted)  # type: ignore[arg-type]
    np.testing.assert_allclose(gradient(X, root)[0], [5.0, 2.0])
    root.children[0].weight = 7.0
    root.children.append(Branch(1.0, root))
    np.testing.assert_allclose(gradient(X, root)[0], [11.0, 3.0])


class Holder:
    """Holds an object, which may hold another one."""

    def __init__(self, held: Any, a: Any = None) -> None:
        self.held, self.a = held, a


def family(a: Any) -> Holder:
    """A parent with a child that knows it."""
    parent = Holder(Holder(None), a)
    parent.held.held = parent
    return parent


def doubled_behind(parent: Holder, y: float) -> Any:
    parent.held.held.a = y * parent.a
    return np.sum(parent.a**2)


def of_both_ways(parent: Holder, y: float) -> Any:
    return y * np.sum(parent.held.held.a * parent.a)


@pytest.mark.parametrize("a", [1.5, np.array([1.5, 2.0])], ids=["number", "array"])
def test_an_attribute_is_the_same_by_a_way_that_leads_back(a: Any) -> None:
    expected = float(np.sum(np.square(a)))
    gradient = Gradient(doubled_behind, Request(wrt=("parent.a", "y"), value=True), compiler=Interpreted)
    value, (da, dy) = gradient(family(a), 3.0)
    np.testing.assert_allclose([value, dy], [9.0 * expected, 6.0 * expected])
    np.testing.assert_allclose(da, 18.0 * np.asarray(a))
    found = Gradient(of_both_ways, Request(wrt="parent.a"), compiler=Interpreted)(family(a), 3.0)
    np.testing.assert_allclose(found, 6.0 * np.asarray(a))


@dataclass
class Couple:
    """Two records, or one twice."""

    left: Any
    right: Any


@dataclass
class Number:
    """A record that may change."""

    a: float


def first_of_left_changed(couple: Any, y: float) -> Any:
    couple.left.a = y * couple.right.a
    return couple.right.a * y


def first_list_changed(lists: Any, y: float) -> Any:
    lists[0][0] = y * lists[1][0]
    return lists[1][0] * y


def first_dict_changed(dicts: Any, y: float) -> Any:
    dicts["left"]["a"] = y * dicts["right"]["a"]
    return dicts["right"]["a"] * y


TWICE: list[tuple[Callable[..., Any], Callable[..., Any], Any, Any]] = [
    (first_of_left_changed, Couple, lambda: Holder(None, 1.5), ("couple.left.a", "couple.right.a")),
    (first_of_left_changed, Couple, lambda: Number(1.5), "y"),
    (first_list_changed, lambda left, right: [left, right], lambda: [1.5], "lists"),
    (first_dict_changed, lambda left, right: {"left": left, "right": right}, lambda: {"a": 1.5}, "dicts"),
]


@pytest.mark.parametrize(("function", "couple", "make", "wrt"), TWICE)
def test_what_arguments_hold_twice_may_not_be_changed(
    function: Callable[..., Any], couple: Callable[..., Any], make: Callable[..., Any], wrt: Any
) -> None:
    """Also where the same gradient has been called with two of them."""
    gradient = Gradient(function, Request(wrt=wrt, value=True), compiler=Interpreted)
    one, other = make(), make()
    for held in ((one, one), (one, other), (one, one)):
        if held[0] is held[1]:
            with pytest.raises(daad.Unsupported, match="hold in two places is changed"):
                gradient(couple(*held), 2.0)
        else:
            assert gradient(couple(*held), 2.0)[0] == 3.0
