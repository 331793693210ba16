"""What a program takes from around it may change between calls: the next call sees it."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daad.errors import BadArgument, DaadError
from tests.hostile.fault import fault, row
from tests.hostile.subjects import X, interpreted

GROUP = "Changes between calls"
SEEN = "the next call sees it"

FACTOR = 2.0
INDICES = np.array([0, 1, 4])
TABLE = np.array([2.0, 3.0])
PARTS = np.full(5, 2.0)
FACTORS = [2.0]
SETTINGS: dict[str, Any] = {"factor": 2.0, "deep": [[2.0]]}
MODULE = types.ModuleType("settings")
MODULE.factor = 2.0  # type: ignore[attr-defined]


class Model:
    """Has a factor of its own and one of its class."""

    shared = 2.0

    def __init__(self) -> None:
        self.factor = 2.0

    def scaled(self, x):
        return np.sum(x * self.factor)


MODEL = Model()


def twice(x):
    return x * 2.0


def thrice(x):
    return x * 3.0


helper = twice


def by_number(x):
    return np.sum(x * FACTOR)


def by_array(x):
    return np.sum(x * PARTS)


def by_element(x):
    return np.sum(x * TABLE[0])


def by_indices(x):
    return np.sum(x[INDICES])


def by_choice(x):
    return np.sum(x * 2.0) if TABLE[0] == 2.0 else np.sum(x * 3.0)


def by_list(x):
    return np.sum(x * FACTORS[0])


def by_length(x):
    total = 0.0
    for factor in FACTORS:
        total = total + np.sum(x * factor)
    return total


def by_dict(x):
    return np.sum(x * SETTINGS["factor"])


def by_depth(x):
    return np.sum(x * SETTINGS["deep"][0][0])


def by_module(x):
    return np.sum(x * MODULE.factor)


def by_object(x):
    return np.sum(x * MODEL.factor)


def by_class(x):
    return np.sum(x * MODEL.shared)


def by_function(x):
    return np.sum(helper(x))


def around(x: Any = None) -> tuple[Any, Callable[[], None]]:
    """A function of a variable around it, and what changes the variable."""
    factor = 2.0

    def inner(x):
        return np.sum(x * factor)

    def change() -> None:
        nonlocal factor
        factor = 3.0

    return inner, change


def to(name: str, value: Any) -> Callable[[], None]:
    """Binds a global of this module."""
    return lambda: globals().__setitem__(name, value)


CLOSURE, CHANGE_CLOSURE = around()
CHANGES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "a global number": (by_number, to("FACTOR", 3.0)),
    "a global array, bound again": (by_array, to("PARTS", np.full(5, 3.0))),
    "a global array of one number, in place": (by_array, lambda: PARTS.fill(3.0)),
    "an element of a global array that is read as a number": (by_element, lambda: TABLE.fill(3.0)),
    "an element of a global array that decides": (by_choice, lambda: TABLE.fill(3.0)),
    "an item of a global list": (by_list, lambda: FACTORS.__setitem__(0, 3.0)),
    "the length of a global list": (by_length, lambda: FACTORS.append(1.0)),
    "an item of a global dict": (by_dict, lambda: SETTINGS.update(factor=3.0)),
    "an item deep inside": (by_depth, lambda: SETTINGS["deep"][0].__setitem__(0, 3.0)),
    "a module's variable": (by_module, lambda: setattr(MODULE, "factor", 3.0)),
    "an object's attribute": (by_object, lambda: setattr(MODEL, "factor", 3.0)),
    "a class's attribute": (by_class, lambda: setattr(Model, "shared", 3.0)),
    "a class's attribute that an object gets for itself": (by_class, lambda: setattr(MODEL, "shared", 3.0)),
    "a method's object": (MODEL.scaled, lambda: setattr(MODEL, "factor", 3.0)),
    "a function that is called": (by_function, to("helper", thrice)),
    "a variable of the function around": (CLOSURE, CHANGE_CLOSURE),
}


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is 2 before and after."""
    for name, value in {
        "FACTOR": 2.0,
        "PARTS": np.full(5, 2.0),
        "TABLE": np.array([2.0, 3.0]),
        "FACTORS": [2.0],
    }.items():
        monkeypatch.setitem(globals(), name, value)
    monkeypatch.setitem(globals(), "SETTINGS", {"factor": 2.0, "deep": [[2.0]]})
    monkeypatch.setitem(globals(), "helper", twice)
    monkeypatch.setattr(MODULE, "factor", 2.0)
    monkeypatch.setattr(MODEL, "factor", 2.0)
    monkeypatch.setattr(Model, "shared", 2.0)
    monkeypatch.setitem(MODEL.__dict__, "shared", 2.0)
    del MODEL.__dict__["shared"]


@pytest.mark.parametrize(
    ("function", "change"), [row(GROUP, what, SEEN, function, change) for what, (function, change) in CHANGES.items()]
)
def test_change_is_seen(function: Any, change: Callable[[], Any], restored: None) -> None:
    gradient = interpreted(function)
    for _ in range(2):
        np.testing.assert_array_equal(gradient(X), np.full(5, 2.0))
    assert len(next(iter(gradient._known.values()))) == 1
    change()
    np.testing.assert_array_equal(gradient(X), np.full(5, 3.0))


@fault(GROUP, "a global array of indices, in place, beyond the end", "refused; nothing is read there")
def test_indices_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    indices = np.array([0, 1, 4])
    monkeypatch.setitem(globals(), "INDICES", indices)
    gradient = interpreted(by_indices)
    np.testing.assert_array_equal(gradient(X), [1.0, 1.0, 0.0, 0.0, 1.0])
    indices[:] = [3, 3, 2]
    np.testing.assert_array_equal(gradient(X), [0.0, 0.0, 1.0, 2.0, 0.0])
    indices[:] = [0, 1, 5]
    with pytest.raises(DaadError, match="out of bounds"):
        gradient(X)


def changing(factor: float) -> str:
    """The text of a module; a variable that held it would be one that daad could find it in."""
    function = f"np.sum(x * {factor})"
    return f"import numpy as np\n\n\ndef f(x):\n    return {function}\n\n\ng = lambda x: {function}\n"


@fault(GROUP, "the file of a function, after it was loaded", "BadArgument: the text has changed")
def test_text_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changing.py").write_text(changing(2.0))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr("daad.frontend.python.syntax.source.text_of_bytecode", lambda f: None)  # it knows the old text
    module = importlib.import_module("changing")
    for function in (module.f, module.g):
        np.testing.assert_array_equal(interpreted(function)(X), np.full(5, 2.0))
    (tmp_path / "changing.py").write_text(changing(3.0))
    for function in (module.f, module.g):
        with pytest.raises(BadArgument, match="has changed since it was loaded"):
            interpreted(function)
    (tmp_path / "changing.py").write_text("\n\n" + changing(2.0))
    with pytest.raises(BadArgument, match="has changed since it was loaded"):
        interpreted(module.f)
    (tmp_path / "changing.py").write_text(changing(2.0) + "\n\nh = 3.0\n")
    np.testing.assert_array_equal(interpreted(module.f)(X), np.full(5, 2.0))


def by_argument(x, model):
    return np.sum(x * model.factor)


@fault(GROUP, "an attribute of an object that is passed", SEEN)
def test_change_of_an_argument(restored: None) -> None:
    gradient = interpreted(by_argument)
    for factor in (2.0, 3.0, 2.0):
        MODEL.factor = factor
        np.testing.assert_array_equal(gradient(X, MODEL), np.full(5, factor))


@fault(GROUP, "a number that changes before every call", "right; memory stays bounded")
def test_many_changes(restored: None) -> None:
    gradient = interpreted(by_object)
    for k in range(40):
        MODEL.factor = float(k)
        np.testing.assert_array_equal(gradient(X), np.full(5, float(k)))
    assert len(next(iter(gradient._known.values()))) <= 32
