"""Places for the vertices of a graph with nested clusters: each cluster is laid out by itself, in layers (Sugiyama,
Tagawa and Toda 1981), and is one box in the cluster around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from daad.report.graph_model import Graph, Path, Vertex
from daad.report.source_text import cut

GAP, MARGIN, TITLE = 22.0, 12.0, 20.0
CHARACTER, ROW, PADDING = 7.0, 16.0, 8.0
SWEEPS = 4
WIDEST = 1100.0
"""Of what stands beside each other."""
MOST_ROWS, MOST_CHARACTERS = 6, 64


@dataclass(frozen=True)
class Box:
    """The place of a vertex or a cluster: its corner and its size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> Box:
        return Box(self.x + x, self.y + y, self.width, self.height)


@dataclass
class Layout:
    """Boxes by the keys of vertices, and by the paths of clusters."""

    width: float = 0.0
    height: float = 0.0
    vertices: dict[str, Box] = field(default_factory=dict)
    clusters: dict[Path, Box] = field(default_factory=dict)


def rows_of(vertex: Vertex) -> list[str]:
    """The text in the box of a vertex: long ones are cut."""
    rows = [cut(row, MOST_CHARACTERS) for row in vertex.label.split("\n")]
    return rows if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS - 1], f"… {len(rows) - MOST_ROWS + 1} more"]


def laid_out(graph: Graph) -> Layout:
    """Places for everything in the graph."""
    return _cluster(graph, ())


Item = str | int
"""A vertex by its key, or a cluster by its number."""


def _cluster(graph: Graph, path: Path) -> Layout:
    depth = len(path)
    inside = [v for v in graph.vertices if v.path[:depth] == path]
    item = {v.key: v.key if len(v.path) == depth else v.path[depth] for v in inside}
    parts: dict[Item, Layout] = {}
    for vertex in inside:
        if item[vertex.key] not in parts:
            one = item[vertex.key]
            parts[one] = _vertex(vertex) if isinstance(one, str) else _cluster(graph, (*path, one))
    edges = [(item[a], item[b]) for a, b in graph.edges if a in item and b in item and item[a] != item[b]]
    layers = _layers(_order(inside, item), edges, {v.key for v in inside if v.is_given})
    found = _stacked(_sorted(layers, edges), parts)
    return found if not path else _framed(found, path, len(graph.clusters[path[-1]]))


def _vertex(vertex: Vertex) -> Layout:
    rows = rows_of(vertex)
    width, height = max(map(len, rows)) * CHARACTER + 2 * PADDING, len(rows) * ROW + 2 * PADDING
    return Layout(width, height, {vertex.key: Box(0.0, 0.0, width, height)})


def _order(inside: Sequence[Vertex], item: Mapping[str, Item]) -> list[Item]:
    """Arrays, then statements and the clusters with statements, in program order."""
    own = [v.key for v in inside if v.is_array and item[v.key] == v.key]
    return list(dict.fromkeys([*own, *(item[v.key] for v in inside if not v.is_array)]))


def _layers(order: Sequence[Item], edges: Sequence[tuple[Item, Item]], given: Set[Item]) -> list[list[Item]]:
    """Longest paths in program order: a statement comes below what it reads if that is made before it, an array below
    the statement that makes it first, unless it is given; other edges lead upwards."""
    read: dict[Item, list[Item]] = {}
    written: dict[Item, list[Item]] = {}
    for a, b in edges:
        read.setdefault(b, []).append(a)
        written.setdefault(a, []).append(b)
    rank: dict[Item, int] = {one: 0 for one in order if not _is_statement(one) and (one not in read or one in given)}
    for one in filter(_is_statement, order):
        rank[one] = max((rank[a] + 1 for a in read.get(one, ()) if a in rank), default=0)
        for target in written.get(one, ()):
            if not _is_statement(target):
                rank.setdefault(target, rank[one] + 1)
    layers: list[list[Item]] = [[] for _ in range(max(rank.values(), default=0) + 1)]
    for one in order:
        layers[rank.get(one, 0)].append(one)
    return [layer for layer in layers if layer]


def _is_statement(item: Item) -> bool:
    return isinstance(item, int) or item.startswith("s")


def _sorted(layers: list[list[Item]], edges: Sequence[tuple[Item, Item]]) -> list[list[Item]]:
    """Layers in an order in which fewer edges cross: by the mean place of the neighbours, down and up."""
    near: dict[Item, set[Item]] = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    for sweep in range(SWEEPS):
        step = 1 if sweep % 2 == 0 else -1
        for layer, previous in zip(layers[::step][1:], layers[::step], strict=False):
            place = {one: n / max(1, len(previous) - 1) for n, one in enumerate(previous)}
            own = {one: n / max(1, len(layer) - 1) for n, one in enumerate(layer)}

            def mean(one: Item, place: Mapping[Item, float] = place, own: Mapping[Item, float] = own) -> float:
                found = [place[other] for other in near.get(one, ()) if other in place]
                return sum(found) / len(found) if found else own[one]

            layer.sort(key=mean)
    return layers


def _stacked(layers: Sequence[Sequence[Item]], parts: Mapping[Item, Layout]) -> Layout:
    """Layers below each other, each centred; wide ones are in several rows."""
    layers = [row for layer in layers for row in _rows(layer, parts)]
    widths = [sum(parts[one].width for one in layer) + GAP * (len(layer) - 1) for layer in layers]
    found = Layout(width=max(widths, default=0.0))
    y = 0.0
    for layer, width in zip(layers, widths, strict=True):
        x, height = (found.width - width) / 2, max(parts[one].height for one in layer)
        for one in layer:
            _put(found, parts[one], x, y + (height - parts[one].height) / 2)
            x += parts[one].width + GAP
        y += height + GAP
    found.height = y - GAP if layers else 0.0
    return found


def _rows(layer: Sequence[Item], parts: Mapping[Item, Layout]) -> list[list[Item]]:
    rows: list[list[Item]] = [[]]
    used = 0.0
    for one in layer:
        if rows[-1] and used + parts[one].width > WIDEST:
            rows.append([])
            used = 0.0
        rows[-1].append(one)
        used += parts[one].width + GAP
    return rows


def _put(found: Layout, part: Layout, x: float, y: float) -> None:
    found.vertices.update({key: box.moved(x, y) for key, box in part.vertices.items()})
    found.clusters.update({key: box.moved(x, y) for key, box in part.clusters.items()})


def _framed(inner: Layout, path: Path, title: int) -> Layout:
    """With a frame and room for a title."""
    width = max(inner.width, title * CHARACTER) + 2 * MARGIN
    height = inner.height + 2 * MARGIN + TITLE
    found = Layout(width, height)
    _put(found, inner, (width - inner.width) / 2, MARGIN + TITLE)
    found.clusters = {path: Box(0.0, 0.0, width, height), **found.clusters}
    return found
