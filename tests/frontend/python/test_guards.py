"""What a program takes from around it may change between two calls of a gradient: the second one sees it.

Each row makes a program that is linear in `x`, and says what changes then; NumPy tells the gradients before and after.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import functools
import linecache
import operator
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.array([1.0, 2.0, 3.0])
Change = Callable[[], Any]
Row = Callable[[], tuple[Callable[..., Any], Change]]
ROWS: dict[str, Row] = {}


def row(make: Row) -> Row:
    ROWS[make.__name__.replace("_", " ").strip()] = make
    return make


@row
def list_as_default():
    def f(x, a=[2.0]):  # noqa: B006
        return a[0] * np.sum(x)

    return f, lambda: f.__defaults__[0].__setitem__(0, 3.0)


@row
def dict_as_keyword_default():
    def f(x, *, a={"k": 2.0}):  # noqa: B006
        return a["k"] * np.sum(x)

    return f, lambda: f.__kwdefaults__["a"].update(k=3.0)


@row
def replaced_defaults():
    def f(x, a=2.0):
        return a * np.sum(x)

    return f, lambda: setattr(f, "__defaults__", (3.0,))


@row
def replaced_keyword_defaults():
    def f(x, *, a=2.0):
        return a * np.sum(x)

    return f, lambda: setattr(f, "__kwdefaults__", {"a": 3.0})


@row
def keyword_default_in_place():
    def f(x, *, a=2.0):
        return a * np.sum(x)

    return f, lambda: f.__kwdefaults__.update(a=3.0)


@row
def more_arguments_with_defaults():
    def f(x, a):
        return a * np.sum(x)

    f.__defaults__ = (2.0,)
    return f, lambda: setattr(f, "__defaults__", (X, 3.0))


@row
def default_of_another_function():
    def scaled(x, a=2.0):
        return a * np.sum(x)

    def f(x):
        return scaled(x)

    return f, lambda: setattr(scaled, "__defaults__", (3.0,))


@row
def list_as_default_of_another_function():
    def scaled(x, a=[2.0]):  # noqa: B006
        return a[0] * np.sum(x)

    def f(x):
        return scaled(x)

    return f, lambda: scaled.__defaults__[0].__setitem__(0, 3.0)


@row
def default_of_a_method():
    class Model:
        def scaled(self, x, a=2.0):
            return a * np.sum(x)

    model = Model()

    def f(x):
        return model.scaled(x)

    return f, lambda: setattr(Model.scaled, "__defaults__", (3.0,))


@row
def another_body():
    def f(x):
        return 2.0 * np.sum(x)

    def g(x):
        return 3.0 * np.sum(x)

    return f, lambda: setattr(f, "__code__", g.__code__)


@row
def another_body_of_another_function():
    def once(x):
        return 2.0 * np.sum(x)

    def twice(x):
        return 3.0 * np.sum(x)

    def f(x):
        return once(x)

    return f, lambda: setattr(once, "__code__", twice.__code__)


@row
def attribute_of_a_base_class():
    class Base:
        k = 2.0

    class Model(Base):
        pass

    def f(x):
        return Model.k * np.sum(x)

    return f, lambda: setattr(Base, "k", 3.0)


@row
def attribute_in_front_of_a_base_class():
    class Base:
        k = 2.0

    class Model(Base):
        pass

    def f(x):
        return Model.k * np.sum(x)

    return f, lambda: setattr(Model, "k", 3.0)


@row
def slot():
    class Model:
        __slots__ = ("k",)

    model = Model()
    model.k = 2.0

    def f(x):
        return model.k * np.sum(x)

    return f, lambda: setattr(model, "k", 3.0)


@row
def attribute_that_is_computed():
    class Model:
        def __init__(self):
            self.values = {"k": 2.0}

        def __getattr__(self, name):
            return self.values[name]

    model = Model()

    def f(x):
        return model.k * np.sum(x)

    return f, lambda: model.values.update(k=3.0)


@row
def property_of_an_attrgetter():
    class Model:
        k = property(operator.attrgetter("held"))

    model = Model()
    model.held = 2.0

    def f(x):
        return model.k * np.sum(x)

    return f, lambda: setattr(model, "held", 3.0)


@row
def deque_of_numbers():
    held = collections.deque([2.0])

    def f(x):
        return held[0] * np.sum(x)

    return f, lambda: held.__setitem__(0, 3.0)


@row
def attribute_that_is_missing_at_first():
    held = types.SimpleNamespace()

    def f(x):
        return getattr(held, "k", 2.0) * np.sum(x)

    return f, lambda: setattr(held, "k", 3.0)


@row
def attribute_that_appears():
    held = types.SimpleNamespace()

    def f(x):
        return (3.0 if hasattr(held, "k") else 2.0) * np.sum(x)

    return f, lambda: setattr(held, "k", 3.0)


@row
def attribute_that_disappears():
    held = types.SimpleNamespace(k=1.0)

    def f(x):
        return (3.0 if hasattr(held, "k") else 2.0) * np.sum(x)

    return f, lambda: delattr(held, "k")


@row
def another_class():
    class First:
        pass

    class Second:
        pass

    held = First()

    def f(x):
        return (2.0 if isinstance(held, First) else 3.0) * np.sum(x)

    return f, lambda: setattr(held, "__class__", Second)


@row
def environment_variable():
    os.environ["DAAD_TEST_FACTOR"] = "2.0"

    def f(x):
        return float(os.environ["DAAD_TEST_FACTOR"]) * np.sum(x)

    return f, lambda: os.environ.update(DAAD_TEST_FACTOR="3.0")


def scaled(x, a):
    return a[0] * np.sum(x)


@row
def keywords_of_a_partial():
    held = functools.partial(scaled, a=[2.0])

    def f(x):
        return held(x)

    return f, lambda: held.keywords.update(a=[3.0])


@row
def list_in_a_partial():
    values = [2.0]
    held = functools.partial(scaled, a=values)

    def f(x):
        return held(x)

    return f, lambda: values.__setitem__(0, 3.0)


@row
def shape_of_an_array():
    held = np.ones(4)

    def f(x):
        return held.shape[0] * np.sum(x)

    return f, lambda: setattr(held, "shape", (2, 2))


@row
def method_that_super_finds():
    class Base:
        def scaled(self, x):
            return 2.0 * np.sum(x)

    class Model(Base):
        def scaled(self, x):
            return super().scaled(x)

    return Model().scaled, lambda: setattr(Base, "scaled", lambda self, x: 3.0 * np.sum(x))


@row
def another_init():
    class Model:
        def __init__(self):
            self.k = 2.0

    def other(self):
        self.k = 3.0

    def f(x):
        return Model().k * np.sum(x)

    return f, lambda: setattr(Model, "__init__", other)


@row
def default_of_a_dataclass():
    @dataclasses.dataclass
    class Model:
        k: float = 2.0

    def f(x):
        return Model().k * np.sum(x)

    return f, lambda: setattr(Model.__init__, "__defaults__", (3.0,))


class Box:
    """Has its content in many ways."""

    def __init__(self, *items):
        self.items = list(items)

    def __float__(self):
        return self.items[0]

    def __bool__(self):
        return bool(self.items[0])

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items


@row
def object_as_float():
    held = Box(2.0)
    return lambda x: float(held) * np.sum(x), lambda: held.items.__setitem__(0, 3.0)


@row
def object_as_condition():
    held = Box(2.0)
    return lambda x: (2.0 if held else 3.0) * np.sum(x), lambda: held.items.__setitem__(0, 0.0)


@row
def object_that_is_iterated_over():
    held = Box(2.0)
    return lambda x: sum([v * np.sum(x) for v in held]), lambda: held.items.append(1.0)


@row
def object_that_contains():
    held = Box(2.0)
    return lambda x: (2.0 if 2.0 in held else 3.0) * np.sum(x), lambda: held.items.clear()


@row
def object_that_a_library_looks_into():
    held, get = types.SimpleNamespace(k=2.0), operator.attrgetter("k")
    return lambda x: get(held) * np.sum(x), lambda: setattr(held, "k", 3.0)


@row
def view_of_a_dict():
    values = {"k": 2.0}
    held = types.MappingProxyType(values)
    return lambda x: held["k"] * np.sum(x), lambda: values.update(k=3.0)


@row
def array_of_the_library():
    held = array.array("d", [2.0])
    return lambda x: held[0] * np.sum(x), lambda: held.__setitem__(0, 3.0)


@row
def dict_of_the_library():
    held = collections.UserDict(k=2.0)
    return lambda x: held["k"] * np.sum(x), lambda: held.update(k=3.0)


@row
def global_in_front_of_a_builtin():
    text = "import numpy as np\ndef f(x):\n    return abs(-2.0) * np.sum(x)\n"
    linecache.cache["<in front>"] = (len(text), None, text.splitlines(True), "<in front>")
    module = types.ModuleType("in_front")
    exec(compile(text, "<in front>", "exec"), module.__dict__)
    return module.f, lambda: setattr(module, "abs", lambda v: 3.0)


def slope(function: Callable[..., Any]) -> float:
    """The gradient's first element: the program is linear."""
    return float(function(X + np.eye(3)[0]) - function(X))


@pytest.mark.parametrize("make", ROWS.values(), ids=ROWS)
def test_what_has_changed_is_seen(make: Row) -> None:
    function, change = make()
    gradient = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
    before = slope(function)
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), np.full(3, before))
    change()
    assert slope(function) != before
    np.testing.assert_allclose(gradient(X), np.full(3, slope(function)))


def made_inside(x):
    made = Kept()
    first = made.k
    made.k = first + 1.0
    return made.k * np.sum(x)


class Kept:
    """An object of the program's own, whose attribute hides that of the class."""

    k = 2.0

    def __init__(self) -> None:
        pass


@pytest.mark.parametrize("function", [made_inside])
def test_what_the_program_changes_itself_is_no_change(function: Callable[..., Any]) -> None:
    gradient = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
    gradient(X)
    first = gradient._current
    gradient(X)
    assert gradient._current is first
