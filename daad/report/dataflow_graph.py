"""The dataflow of a program as text: DOT for Graphviz, or a picture as SVG."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Self

from daad.errors import BadArgument
from daad.report.graph_model import COLOURS, Graph, Path, Vertex
from daad.report.graph_picture import svg

FORMATS = ("dot", "svg")


class Drawing(str):
    """A text of a graph, which notebooks show as its picture."""

    graph: Graph

    @classmethod
    def of(cls, graph: Graph, text: str) -> Self:
        found = cls(text)
        found.graph = graph
        return found

    def _repr_svg_(self) -> str:
        return svg(self.graph)


def written(graph: Graph, fmt: str) -> Drawing:
    """The graph in a format."""
    if fmt not in FORMATS:
        raise BadArgument(f"There is no graph in the format {fmt!r}.", hint=f"Use {' or '.join(map(repr, FORMATS))}.")
    return Drawing.of(graph, dot(graph) if fmt == "dot" else svg(graph))


def dot(graph: Graph) -> str:
    """For Graphviz."""
    lines = [f"digraph {json.dumps(graph.name)} {{", "  compound=true;", "  node [fontname=monospace];"]
    lines += _inside(graph, (), "  ")
    lines += [f"  {json.dumps(one)} -> {json.dumps(other)};" for one, other in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _inside(graph: Graph, path: Path, indent: str) -> Iterator[str]:
    """The vertices of a cluster, and the clusters in it."""
    depth = len(path)
    for vertex in graph.vertices:
        if vertex.path == path:
            yield f"{indent}{_vertex(vertex)}"
    below = dict.fromkeys(v.path[depth] for v in graph.vertices if v.path[:depth] == path and len(v.path) > depth)
    for number in below:
        yield f"{indent}subgraph cluster_{number} {{"
        yield f"{indent}  label={json.dumps(graph.clusters[number])};"
        yield from _inside(graph, (*path, number), indent + "  ")
        yield f"{indent}}}"


def _vertex(vertex: Vertex) -> str:
    shape = "box" if vertex.is_array else "ellipse"
    fill = f" style=filled fillcolor={COLOURS[vertex.role]}" if vertex.role else ""
    return f"{json.dumps(vertex.key)} [shape={shape} label={json.dumps(vertex.label, ensure_ascii=False)}{fill}];"
