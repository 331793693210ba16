"""A graph as SVG: boxes in nested frames, curves between them, the legend of the colours; light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from daad.report.graph_layout import CHARACTER, MARGIN, PADDING, ROW, TITLE, Box, laid_out, rows_of
from daad.report.graph_model import COLOURS, Graph, Vertex

STYLE = """
.g{font:11.5px ui-monospace,Menlo,Consolas,monospace;--ink:#1f2328;--paper:#fff;--line:#8b949e;--frame:#d0d7de}
.g text{fill:var(--ink);white-space:pre}.g .cluster rect{fill:var(--frame);fill-opacity:.18;stroke:var(--frame)}
.g .heading{font-weight:600;paint-order:stroke;stroke:var(--paper);stroke-width:4;stroke-linejoin:round}
.g .vertex rect{fill:var(--paper);stroke:var(--line)}
.g path{fill:none;stroke:var(--line);stroke-width:1.1}.g .back{stroke-dasharray:4 3}
.g .input rect{fill:#fa8072}.g .output rect{fill:#6495ed}.g .stored rect{fill:#ffd700}
.g .recomputed rect{fill:#98fb98}.g .dead rect{fill:#d3d3d3}
.g .input text,.g .output text,.g .stored text,.g .recomputed text,.g .dead text{fill:#111}
@media (prefers-color-scheme:dark){.g{--ink:#e6edf3;--paper:#161b22;--line:#7d8590;--frame:#30363d}}
"""
LEGEND = 34.0


def svg(graph: Graph, mark: str = "arrow") -> str:
    """The whole picture; each vertex has its full text as a title, and its line as `data-line`. `mark` is the name of
    the arrowhead, another one for each picture of a page."""
    found = laid_out(graph)
    clusters = [(path[-1], box) for path, box in sorted(found.clusters.items(), key=lambda c: len(c[0]))]
    width, height = max(found.width, 460.0) + 2 * MARGIN, found.height + 2 * MARGIN + LEGEND
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="g" role="img" aria-label="dataflow of {escape(graph.name)}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
        f"<style>{STYLE}</style>",
        f'<defs><marker id="{mark}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#8b949e;stroke:none"/></marker></defs>',
        *_legend(),
        f'<g transform="translate({MARGIN} {MARGIN + LEGEND})">',
        *(f'<g class="cluster">{_rectangle(box, 5)}</g>' for _, box in clusters),
        *(_edge(found.vertices[a], found.vertices[b], mark) for a, b in graph.edges),
        *(_heading(graph.clusters[number], box) for number, box in clusters),
        *(_vertex(vertex, found.vertices[vertex.key]) for vertex in graph.vertices),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend() -> Iterator[str]:
    x = MARGIN
    for role in COLOURS:
        width = len(role) * CHARACTER + 2 * PADDING
        yield (
            f'<g class="vertex {role}"><rect x="{x:.0f}" y="6" width="{width:.0f}" height="20" rx="3"/>'
            f'<text x="{x + PADDING:.0f}" y="20">{role}</text></g>'
        )
        x += width + 8


def _heading(title: str, box: Box) -> str:
    """Above the curves that cross it."""
    return f'<text class="heading" x="{box.x + MARGIN:.1f}" y="{box.y + TITLE - 2:.1f}">{escape(title)}</text>'


def _vertex(vertex: Vertex, box: Box) -> str:
    rows = "".join(
        f'<text x="{box.x + PADDING:.1f}" y="{box.y + PADDING + ROW * (n + 0.75):.1f}">{escape(row)}</text>'
        for n, row in enumerate(rows_of(vertex))
    )
    line = f' data-line="{vertex.line}"' if vertex.line else ""
    corner = 3 if vertex.is_array else box.height / 2.4
    return (
        f'<g class="vertex {vertex.role or "plain"}"{line}><title>{escape(vertex.label)}</title>'
        f"{_rectangle(box, min(corner, 14))}{rows}</g>"
    )


def _rectangle(box: Box, corner: float) -> str:
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    return f'<rect {place} rx="{corner:.1f}"/>'


def _edge(one: Box, other: Box, mark: str) -> str:
    """From the lower edge to the upper one; what leads upwards goes around to the right, dashed."""
    a, b = one.x + one.width / 2, other.x + other.width / 2
    bottom, top = one.y + one.height, other.y
    if top >= bottom:
        middle = (bottom + top) / 2
        bend = f"{a:.1f} {middle:.1f} {b:.1f} {middle:.1f}"
        return f'<path d="M{a:.1f} {bottom:.1f}C{bend} {b:.1f} {top:.1f}" marker-end="url(#{mark})"/>'
    right, end = one.x + one.width, other.x + other.width
    far = max(right, end) + 26
    start, stop = one.y + one.height / 2, other.y + other.height / 2
    bend = f"{far:.1f} {start:.1f} {far:.1f} {stop:.1f}"
    return f'<path class="back" d="M{right:.1f} {start:.1f}C{bend} {end:.1f} {stop:.1f}" marker-end="url(#{mark})"/>'
