"""What notebooks show: whole HTML, the same words as the text, nothing of DaCe's."""

from __future__ import annotations

import linecache
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.check.procedure import check_gradient
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.linspace(0.1, 0.9, 8)


def energy(x, steps):
    for _ in range(steps):
        x = x + 0.1 * np.sin(x)
    return np.sum(x)


def refused() -> daad.DaadError:
    with pytest.raises(daad.MemoryLimitTooSmall) as caught:
        daad.plan(energy, (X, 3), memory_limit="8B")
    return caught.value


def gradient() -> Gradient:
    return Gradient(energy, Request(), compiler=Interpreted).compile(X, 3)


SHOWN: dict[str, tuple[Callable[[], Any], str]] = {
    "a gradient": (gradient, "x = x + 0.1 * np.sin(x)"),
    "one that is not compiled": (lambda: daad.grad(energy), "not compiled yet"),
    "a plan": (lambda: daad.plan(energy, (X, 3)), "Store all: "),
    "an explanation": (lambda: daad.plan(energy, (X, 3)).explain(), "in the CCS"),
    "a program": (lambda: gradient().joint, "program energy_grad("),
    "a check": (
        lambda: check_gradient(Gradient(energy, Request(value=True), compiler=Interpreted), (X, 3), {}),
        "is right",
    ),
    "an error": (refused, "No plan keeps to 8 B"),
}


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(("make", "words"), SHOWN.values(), ids=SHOWN.keys())
def test_an_object_shows_itself_as_html(make: Callable[[], Any], words: str) -> None:
    reader = Text()
    reader.feed(make()._repr_html_())
    reader.close()
    assert not reader.open and words in reader.text


def cell(text: str, number: int, namespace: dict[str, Any]) -> None:
    """As IPython runs a cell: its text is found by a name that no file has."""
    name = f"/tmp/ipykernel_1/{number}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), namespace)


def test_functions_of_cells_may_be_defined_again() -> None:
    namespace: dict[str, Any] = {"__name__": "__main__", "np": np}
    cell("def f(x):\n    return np.sum(2.0 * x * x)\n", 1, namespace)
    plan = daad.plan(namespace["f"], (X,))
    assert "return np.sum(2.0 * x * x)" in plan.explain()
    cell("def f(x):\n    y = 3.0 * x\n    return np.sum(y * x)\n", 2, namespace)
    again = Gradient(namespace["f"], Request(), compiler=Interpreted)
    np.testing.assert_allclose(again(X), 6.0 * X)
    assert "y = 3.0 * x" in again.explain() and "2.0 * x * x" not in again.explain()


NOTEBOOK = """
import builtins, sys, types
sys.modules["ipykernel"] = types.ModuleType("ipykernel")
shown = []
class ZMQInteractiveShell: pass
builtins.get_ipython = ZMQInteractiveShell
display = types.ModuleType("IPython.display")
display.HTML, display.display = str, shown.append
sys.modules["IPython"], sys.modules["IPython.display"] = types.ModuleType("IPython"), display
import daad
import dace
print(len(shown), dace.__name__)
"""


def test_dace_shows_nothing_in_a_notebook() -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=True)
    assert done.stdout == "0 dace\n"


def test_figures_show_themselves() -> None:
    pytest.importorskip("matplotlib")
    plan = daad.plan(energy, (X, 3))
    for figure in (plan.timeline(), plan.draw_pareto(plan.pareto(2))):
        assert "<svg" in figure._repr_svg_()
