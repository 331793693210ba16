"""Ways into arguments: what of a structure a gradient is asked for, and the structure in which it comes."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X, W, B = np.array([0.5, -1.0, 2.0]), np.array([1.0, 3.0, -2.0]), np.array([0.25, 0.5, 1.0])


class Layer:
    """A plain object, with things in it that are no floats."""

    def __init__(self, w, b, name="layer"):
        self.w, self.b, self.name, self.size, self.after = w, b, name, len(w), None

    def __call__(self, x):
        return self.w * x * self.size + self.b

    def loss(self, x, power=2):
        return np.sum(self(x) ** power)


class Model:
    """An object of objects."""

    def __init__(self):
        self.layers = [Layer(W, B), Layer(B, W)]
        self.settings = {"rate": 0.5, "mode": "fast", "steps": [1, 2]}

    def loss(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.settings["rate"] * np.sum(x)


class Slotted:
    __slots__ = ("n", "w")

    def __init__(self, w):
        self.w, self.n = w, 3


@dataclass(frozen=True)
class Pair:
    w: np.ndarray
    label: str
    inner: Any = None


Point = namedtuple("Point", "w n")


def of_dict(p, x):
    return p["rate"] * np.sum(p["w"] * x) if p["mode"] == "fast" else np.sum(x)


def of_list(layers, x):
    return np.sum(layers[0][1] * x) + np.sum(layers[0][0]) * layers[1]


def of_object(layer, x):
    return np.sum(layer(x))


def of_slots(s, x):
    return s.n * np.sum(s.w * x)


def of_pair(pair, x):
    return np.sum(pair.w * x) + np.sum(pair.inner.w * x * x)


def of_point(p, x):
    return p.n * np.sum(p.w * x)


def of_rest(*args, **kwargs):
    return np.sum(args[0] * args[1]) * kwargs["scale"]


def weighted(w, x, *, scale=1.0, mode="plain"):
    return scale * np.sum(w * w * x)


P = {"w": W, "rate": 0.5, "mode": "fast", "steps": 3}
L = [[W, B], 2.0]
LAYER, MODEL = Layer(W, B), Model()
SLOPE = W * 2.0
Row = tuple[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any], Any]
ROWS: dict[str, Row] = {
    "an item of a dict": (of_dict, "p['w']", (P, X), {}, 0.5 * X),
    "a number in a dict": (of_dict, "p['rate']", (P, X), {}, np.sum(W * X)),
    "a dict": (of_dict, "p", (P, X), {}, {"w": 0.5 * X, "rate": np.sum(W * X)}),
    "a dict by position": (of_dict, None, (P, X), {}, {"w": 0.5 * X, "rate": np.sum(W * X)}),
    "an item and another argument": (of_dict, ("x", 'p["w"]'), (P, X), {}, (0.5 * W, 0.5 * X)),
    "a list": (of_list, "layers", (L, X), {}, [[np.full(3, 2.0), X], np.sum(W)]),
    "an item of a list": (of_list, "layers[0][1]", (L, X), {}, X),
    "an item from the end": (of_list, "layers[-2][-1]", (L, X), {}, X),
    "an attribute": (of_object, "layer.w", (LAYER, X), {}, 3 * X),
    "a slot": (of_slots, "s.w", (Slotted(W), X), {}, 3 * X),
    "a field": (of_pair, "pair.w", (Pair(W, "a", LAYER), X), {}, X),
    "an attribute in a field": (of_pair, "pair.inner.w", (Pair(W, "a", LAYER), X), {}, X * X),
    "a field of a named tuple": (of_point, "p.w", (Point(W, 3), X), {}, 3 * X),
    "a position of a named tuple": (of_point, "p[0]", (Point(W, 3), X), {}, 3 * X),
    "a named tuple": (of_point, "p", (Point(W, 3), X), {}, Point(3 * X, None)),
    "one of the rest": (of_rest, "args[1]", (W, X), {"scale": 2.0}, 2.0 * W),
    "the second of the rest": (of_rest, 1, (W, X), {"scale": 2.0}, 2.0 * W),
    "a keyword of the rest": (of_rest, "scale", (W, X), {"scale": 2.0}, np.sum(W * X)),
    "an attribute of the method's object": (LAYER.loss, "self.b", (X,), {"power": 1}, np.ones(3)),
    "the method's argument": (LAYER.loss, None, (X, 1), {}, 3 * W),
    "an attribute of an object that is called": (LAYER, "self.w", (X,), {"seed": 1.0}, 3 * X),
    "deep in the method's object": (MODEL.loss, "self.layers[1].b", (X,), {}, np.full(3, 0.5)),
    "a number in the method's object": (MODEL.loss, "self.settings['rate']", (X,), {}, np.sum(MODEL.loss(X)) * 2.0),
    "a partial": (functools.partial(weighted, W), None, (X,), {}, W * W),
    "a partial's position": (functools.partial(weighted, W), 0, (X,), {}, W * W),
    "what a partial passes": (functools.partial(weighted, W), "w", (X,), {}, 2 * W * X),
    "a partial with keywords": (functools.partial(weighted, scale=3.0, mode="x"), "x", (W, X), {}, 3.0 * W * W),
    "a keyword of a partial": (functools.partial(weighted, scale=3.0), "scale", (W, X), {}, np.sum(W * W * X)),
    "a keyword that replaces a partial's": (
        functools.partial(weighted, scale=3.0),
        "x",
        (W, X),
        {"scale": 2.0},
        2 * W * W,
    ),
    "a partial of a partial": (functools.partial(functools.partial(weighted, W), X, scale=2.0), "x", (), {}, 2 * W * W),
    "a partial of a method": (functools.partial(LAYER.loss, power=1), "self.b", (X,), {}, np.ones(3)),
}


def gradient_of(function: Any, wrt: Any, **options: Any) -> Gradient:
    return Gradient(function, Request(wrt=wrt, **options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize(("function", "wrt", "args", "kwargs", "expected"), ROWS.values(), ids=ROWS)
def test_gradient_of_a_part(function: Any, wrt: Any, args: Any, kwargs: Any, expected: Any) -> None:
    options = {"seed": kwargs["seed"]} if "seed" in kwargs else {}
    gradient = gradient_of(function, wrt, **options)
    for _ in range(2):
        np.testing.assert_equal(gradient(*args, **{k: v for k, v in kwargs.items() if k != "seed"}), expected)
    assert len(gradient._known) == 1


def test_gradient_of_an_object_is_an_object_of_its_class() -> None:
    found = gradient_of(MODEL.loss, "self")(X)
    assert type(found) is Model
    assert vars(found).keys() == {"layers", "settings"}
    assert found.settings == {"rate": np.sum(MODEL.loss(X)) * 2.0}
    first, second = found.layers
    assert type(first) is Layer
    assert vars(first).keys() == {"w", "b"}
    np.testing.assert_allclose(first.b, 0.5 * 3 * B)
    np.testing.assert_allclose(second.w, 0.5 * 3 * (3 * W * X + B))
    assert MODEL.layers[0].w is W


def test_gradient_of_a_dataclass_has_its_fields() -> None:
    found = gradient_of(of_pair, "pair")(Pair(W, "a", LAYER), X)
    assert isinstance(found, Pair)
    np.testing.assert_array_equal(found.w, X)
    assert found.label is None
    assert vars(found.inner).keys() == {"w", "b"}


def test_objects_may_change_between_calls() -> None:
    layer = Layer(W.copy(), B)
    gradient = gradient_of(layer.loss, "self.w")
    for power in (2, 2, 3):
        np.testing.assert_allclose(gradient(X, power), power * layer(X) ** (power - 1) * 3 * X)
        layer.w = layer.w - 0.1 * gradient(X, power)
        layer.w[0] += 1.0
    assert len(gradient._known) == 1


def test_what_a_partial_passes_may_change() -> None:
    function = functools.partial(weighted, scale=3.0)
    gradient = gradient_of(function, "x")
    np.testing.assert_array_equal(gradient(W, X), 3.0 * W * W)
    function.keywords["scale"] = 2.0
    np.testing.assert_array_equal(gradient(W, X), 2.0 * W * W)


@pytest.mark.parametrize(
    ("function", "wrt", "args"),
    [
        (of_dict, "p", (P, X)),
        (MODEL.loss, ("x", "self"), (X,)),
        (functools.partial(weighted, W), ("x", "w"), (X,)),
        (of_pair, "pair.inner.w", (Pair(W, "a", LAYER), X)),
    ],
)
def test_parts_are_checked(function: Any, wrt: Any, args: Any) -> None:
    assert daad.check(function, args, wrt=wrt)


class Ring:
    def __init__(self):
        self.w, self.next = W, self


REFUSED = [
    (of_dict, "p['v']", (P, X), daad.BadArgument, "'p' holds no 'p['v']'."),
    (of_dict, "p['mode']", (P, X), daad.NotDifferentiable, "with respect to 'p['mode']': it is of type 'str'."),
    (of_dict, "p.w", (P, X), daad.BadArgument, "'p' holds no 'p.w'."),
    (of_dict, "x[0]", (P, X), daad.BadArgument, "'x' is an array, and its parts are no arguments."),
    (of_dict, "q['w']", (P, X), daad.BadArgument, "'of_dict' has no argument 'q'."),
    (of_dict, "p['w", (P, X), daad.BadArgument, "which names nothing."),
    (of_dict, ("p", "p['w']"), (P, X), daad.BadArgument, "The option 'wrt' names 'p['w']' twice."),
    (of_dict, "p", ({"mode": "fast", "n": 3}, X), daad.NotDifferentiable, "it is a structure without floats."),
    (of_object, "layer.v", (LAYER, X), daad.BadArgument, "'layer' holds no 'layer.v'."),
    (of_object, "layer", (Ring(), X), daad.BadArgument, "'layer.next' holds itself."),
    (LAYER.loss, "this.w", (X,), daad.BadArgument, "'loss' has no argument 'this'."),
]


@pytest.mark.parametrize(("function", "wrt", "args", "error", "sentence"), REFUSED)
def test_refused(function: Any, wrt: Any, args: Any, error: type[daad.DaadError], sentence: str) -> None:
    with pytest.raises(error) as caught:
        gradient_of(function, wrt)(*args)
    assert sentence in caught.value.message
