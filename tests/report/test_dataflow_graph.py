"""Graphs as DOT text: names, functions as clusters, colours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.report.dataflow_graph import COLOURS, PARTS


def rate(u, k):
    return k * np.sin(u)


def simulate(u, k, steps):
    count = np.sum(np.floor(u))
    for _ in range(steps):
        u = u + rate(u, k) + 0.0 * count
    return np.sum(u * u)


@pytest.fixture(scope="module")
def gradient() -> Gradient:
    made = Gradient(simulate, Request(wrt="k"), compiler=Interpreted)
    made(np.linspace(0.0, 1.0, 4), 0.5, 3)
    return made


def filled(text: str) -> dict[str, str]:
    """The colour of each array that has one."""
    return {m[1]: m[2] for m in re.finditer(r'shape=box label="(\w+)[^"]*" style=filled fillcolor=(\w+)', text)}


@pytest.mark.parametrize("part", PARTS)
def test_each_edge_joins_nodes_that_are_there(part: str, gradient: Gradient) -> None:
    text = gradient.graph("dot", part=part)
    nodes = set(re.findall(r"^ +(\S+) \[shape", text, re.MULTILINE))
    edges = re.findall(r"^ +(\S+) -> (\S+);", text, re.MULTILINE)
    assert edges
    assert {end for edge in edges for end in edge} <= nodes
    assert text.count("{") == text.count("}")
    assert gradient.graph(part=part) == text


def test_functions_are_clusters_and_arrays_have_their_names(gradient: Gradient) -> None:
    text = gradient.graph()
    assert set(re.findall(r'^    label="(\w+)";', text, re.MULTILINE)) >= {"simulate"}
    assert '"u" [shape=box label="u: float64[4]"' in text


def test_colours_tell_what_an_array_is(gradient: Gradient) -> None:
    found = filled(gradient.graph())
    assert found["k"] == COLOURS["input"]
    assert found["result"] == COLOURS["output"]
    assert found["count"] == COLOURS["dead"]
    assert COLOURS["stored"] in filled(gradient.graph(part="joint")).values()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"fmt": "svg"}, "There is no graph in the format 'svg'"),
    ({"part": "dual"}, "A gradient has no part 'dual'"),
]


@pytest.mark.parametrize(("asked", "sentence"), WRONG, ids=["format", "part"])
def test_other_graphs_are_refused(asked: dict[str, Any], sentence: str, gradient: Gradient) -> None:
    with pytest.raises(daad.BadArgument, match=sentence):
        gradient.graph(**asked)
