"""Graphs as DOT text and as pictures: names, clusters, colours, places."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.report.graph_layout import WIDEST, Box, laid_out
from daad.report.graph_model import COLOURS, PARTS, Graph


def rate(u, k):
    s = np.sin(u)
    return k * s


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
    return {m[1]: m[2] for m in re.finditer(r'shape=box label="([\w ]+)[^"]*" style=filled fillcolor=(\w+)', text)}


@pytest.mark.parametrize("part", PARTS)
def test_each_edge_joins_nodes_that_are_there(part: str, gradient: Gradient) -> None:
    text = gradient.graph("dot", part=part)
    nodes = set(re.findall(r"^ +(\S+) \[shape", text, re.MULTILINE))
    edges = re.findall(r"^ +(\S+) -> (\S+);", text, re.MULTILINE)
    assert edges
    assert {end for edge in edges for end in edge} <= nodes
    assert text.count("{") == text.count("}")
    assert gradient.graph(part=part) == text


def titles(graph: Graph, path: tuple[int, ...]) -> list[str]:
    return [re.sub(r"^\d+: ", "", graph.clusters[number]) for number in path]


def test_functions_loops_and_lines_are_clusters(gradient: Gradient) -> None:
    graph = gradient.plan._graph("primal")
    found = [titles(graph, vertex.path) for vertex in graph.vertices if not vertex.is_array]
    loop = ["simulate", "for _ in range(steps):"]
    assert [*loop, "u = u + rate(u, k) + 0.0 * count"] in found
    assert ["simulate", "return np.sum(u * u)"] in found
    assert '"a:u" [shape=box label="u: float64[4]"' in gradient.graph()


def test_the_way_forwards_and_the_way_back_are_apart(gradient: Gradient) -> None:
    graph = gradient.plan._graph("joint")
    deep = [vertex.path[:2] for vertex in graph.vertices if len(vertex.path) > 2]
    loops = {path[1] for path in deep if titles(graph, path)[-1].startswith("for _")}
    assert len(loops) == 2


def test_colours_tell_what_an_array_is(gradient: Gradient) -> None:
    found = filled(gradient.graph())
    assert found["k"] == COLOURS["input"]
    assert found["result"] == COLOURS["output"]
    assert COLOURS["dead"] in found.values()
    assert filled(gradient.graph(part="joint"))["kept u"] == COLOURS["stored"]


@pytest.mark.parametrize("part", PARTS)
def test_boxes_lie_in_their_clusters_and_beside_each_other(part: str, gradient: Gradient) -> None:
    graph = gradient.plan._graph(part)
    found = laid_out(graph)
    assert found.vertices.keys() == {vertex.key for vertex in graph.vertices}
    whole = Box(0.0, 0.0, found.width, found.height)
    for vertex in graph.vertices:
        assert is_inside(found.vertices[vertex.key], found.clusters[vertex.path] if vertex.path else whole)
    for one, other in combinations(found.vertices.values(), 2):
        assert not overlap(one, other)
    for (path, one), (beside, other) in combinations(found.clusters.items(), 2):
        nested = path == beside[: len(path)] or beside == path[: len(beside)]
        assert nested or not overlap(one, other)
    assert found.width <= 2 * WIDEST


def is_inside(box: Box, outer: Box) -> bool:
    right, bottom = outer.x + outer.width + 1e-6, outer.y + outer.height + 1e-6
    starts = outer.x <= box.x + 1e-6 and outer.y <= box.y + 1e-6
    return starts and box.x + box.width <= right and box.y + box.height <= bottom


def overlap(one: Box, other: Box) -> bool:
    across = one.x < other.x + other.width - 1e-6 and other.x < one.x + one.width - 1e-6
    return across and one.y < other.y + other.height - 1e-6 and other.y < one.y + one.height - 1e-6


@pytest.mark.parametrize("part", PARTS)
def test_pictures_have_all_boxes_and_edges(part: str, gradient: Gradient) -> None:
    graph, picture = gradient.plan._graph(part), gradient.graph("svg", part)
    tree = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    shown = [g.find(f"{space}title") for g in tree.iter(f"{space}g") if g.find(f"{space}title") is not None]
    assert sorted(title.text or "" for title in shown if title is not None) == sorted(v.label for v in graph.vertices)
    assert sum("marker-end" in path.attrib for path in tree.iter(f"{space}path")) == len(graph.edges)
    assert picture.index('class="heading"') > picture.rindex("marker-end"), "no curve crosses a title"
    assert picture._repr_svg_() == gradient.graph("dot", part)._repr_svg_() == picture  # type: ignore[attr-defined]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"fmt": "png"}, "There is no graph in the format 'png'"),
    ({"part": "dual"}, "A gradient has no part 'dual'"),
]


@pytest.mark.parametrize(("asked", "sentence"), WRONG, ids=["format", "part"])
def test_other_graphs_are_refused(asked: dict[str, Any], sentence: str, gradient: Gradient) -> None:
    with pytest.raises(daad.BadArgument, match=sentence):
        gradient.graph(**asked)
