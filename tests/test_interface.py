"""What a user sees of daad at a prompt: names, help, and objects that show themselves."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.linspace(0.1, 0.9, 4)
DOCUMENT = (Path(__file__).parents[1] / "docs" / "api.md").read_text()
CLASSES = [name for name in daad.__all__ if inspect.isclass(getattr(daad, name))]
FUNCTIONS = [name for name in daad.__all__ if inspect.isfunction(getattr(daad, name))]


def test_dir_names_the_interface_alone() -> None:
    assert dir(daad) == sorted([*daad.__all__, "__version__"])


def test_help_of_the_package_names_nothing_internal() -> None:
    text = pydoc.render_doc(daad, renderer=pydoc.plaintext)
    contents = text.index("PACKAGE CONTENTS")  # which Python adds, and no package can avoid
    shown = text[:contents] + text[text.index("CLASSES") :]
    internal = {name for name in vars(daad) if name not in daad.__all__ and not name.startswith("__")}
    assert internal >= {"import_module", "api"}
    assert [name for name in internal | {"__getattr__", "__all__"} if re.search(rf"\n *{name}\b", shown)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_of_a_function_tells_what_it_is_without_names_that_nobody_knows(name: str) -> None:
    text = pydoc.render_doc(getattr(daad, name), renderer=pydoc.plaintext)
    assert not re.search(r": '", text.splitlines()[2])  # in the signature
    assert len(text.splitlines()) > 4


@pytest.mark.parametrize("name", daad.__all__)
def test_all_that_is_public_is_in_the_document(name: str) -> None:
    assert re.search(rf"[`.]{name}\b", DOCUMENT)


@pytest.mark.parametrize("name", CLASSES)
def test_help_of_a_class_shows_nothing_but_what_the_document_names_and_docstrings_explain(name: str) -> None:
    owner = getattr(daad, name)
    shown = [a for a in inspect.classify_class_attrs(owner) if a.defining_class.__module__.startswith("daad")]
    public = [a for a in shown if not a.name.startswith("_")]
    assert [a.name for a in public if not re.search(rf"\.{a.name}\b|`{a.name}\(", DOCUMENT)] == []
    text = inspect.getdoc(owner) or ""
    explained = [f"`{a.name}`" in text if a.kind == "data" else a.object.__doc__ for a in public]
    assert [a.name for a, is_told in zip(public, explained, strict=True) if not is_told] == []
    assert text


def test_a_gradient_shows_the_interface_alone() -> None:
    gradient = compiled()
    named = {
        "adjoint",
        "as_jax",
        "as_scipy",
        "as_torch",
        "ccs",
        "compile",
        "explain",
        "export",
        "graph",
        "is_cached",
        "joint",
        "memory",
        "paths",
        "plan",
        "primal",
        "sdfg",
        "timeline",
        "to_sdfg",
    }
    assert {name for name in dir(gradient) if not name.startswith("_")} == named
    assert re.findall(r"Request|Compiler|Specialised", pydoc.render_doc(gradient, renderer=pydoc.plaintext)) == []


EXAMPLES = ["daad", *(f"daad.{name}" for name in (*FUNCTIONS, "Gradient", "Plan", "CheckReport", "Bytes"))]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_the_help_run(name: str) -> None:
    documented = pydoc.locate(name)
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(documented) or "", {}, name, f"<{name}>", 0)
    assert test.examples
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed
    assert not failed, "".join(said)


def energy(x, steps):
    for _ in range(steps):
        x = x + 0.1 * np.sin(x)
    return np.sum(x)


def compiled() -> Gradient:
    gradient = Gradient(energy, Request(value=True), compiler=Interpreted)  # type: ignore[arg-type]
    gradient(X, 3)
    return gradient


# A public object, and what it shows of itself, at least at its beginning.
SHOWN: dict[str, tuple[Callable[[], Any], str]] = {
    "a gradient": (lambda: daad.grad(energy), "Gradient of energy with respect to x: not compiled yet"),
    "several": (
        lambda: daad.value_and_grad(energy, wrt=("x", 1)),
        "Value and gradient of energy with respect to x, 1: not compiled yet",
    ),
    "a compiled gradient": (
        compiled,
        "Value and gradient of energy with respect to x: compiled for x: float64[4]; a call holds 200 B",
    ),
    "a plan": (lambda: daad.plan(energy, (X, 3)), "192 B\narray  line  shape  bytes  allocated  freed  from where"),
    "a point": (lambda: daad.plan(energy, (X, 3)).pareto(1)[0], "192 B, 1.00 x the time; run again: nothing"),
    "memory": (lambda: compiled().memory, "modelled 200 bytes, measured "),
    "a program": (lambda: compiled().primal, "program energy(x: float64[4])\n"),
    "an adjoint": (lambda: compiled().adjoint, "program energy_adjoint"),
    "a joint program": (lambda: compiled().joint, "program energy_grad("),
    "a subgraph": (lambda: compiled().ccs, "CCS: "),
    "a report": (lambda: daad.check(energy, (X, 3)), "The gradient is right: relative error "),
    "bytes": (lambda: daad.plan(energy, (X, 3)).nbytes, "192 bytes"),
}


@pytest.mark.parametrize(("make", "text"), SHOWN.values(), ids=SHOWN.keys())
def test_an_object_shows_itself_as_text(make: Callable[[], Any], text: str) -> None:
    shown = make()
    assert repr(shown).startswith(text)
    assert repr(shown) == str(shown) or isinstance(shown, daad.Bytes)
