"""Memory over the statements of a program as SVG: what makes it up, the limit, what keeping everything takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil, log10

from daad.messages.sizes import UNITS, readable
from daad.report.memory_bands import Timeline

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 920.0, 300.0, 76.0, 46.0, 14.0, 10.0
MOST_TICKS, HEADROOM = 18, 1.06
LABEL = "line of the statement: ↓ on the way forwards, ↑ on the way back"

COLOURS = ("#8b949e", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#b8bfc6")
"""Of what lies one on the other."""
STYLE = """
.memory{width:100%;max-width:1100px;height:auto;--ink:#1f2328;--rule:#d0d7de}
.memory text{font:11px ui-monospace,Menlo,Consolas,monospace}
.memory text{fill:var(--ink)}.memory line{stroke:var(--rule)}.memory line.store{stroke:var(--ink);stroke-dasharray:2 3}
.memory line.limit{stroke:#d1242f;stroke-dasharray:6 4;stroke-width:1.5}.memory .hit{fill:transparent}
.memory .hit:hover,.memory .hit.lit{fill:#8b949e;fill-opacity:.35}
@media (prefers-color-scheme:dark){.memory{--ink:#e6edf3;--rule:#30363d}}
"""

Height = Callable[[float], float]


def with_key(found: Timeline) -> str:
    """The picture below what its colours mean."""
    return f"<p>{key(found)}</p>{memory_svg(found)}"


def memory_svg(found: Timeline) -> str:
    """The picture; each statement has a title with its line and what is in memory then."""
    top = max([*found.totals, found.store_all, found.limit or 0, 1]) * HEADROOM

    def height(nbytes: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - nbytes / top)

    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="memory" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}"'
    end = _text((WIDTH + LEFT) / 2, HEIGHT - 8, "middle", LABEL)
    lines = [
        f'{head} aria-label="memory over the program"><style>{STYLE}</style>',
        *_grid(top, height),
        *_bands(found, height),
    ]
    return "\n".join([*lines, *_limits(found, height), *_events(found), end, "</svg>"])


def key(found: Timeline) -> str:
    """What the colours are, as HTML."""
    place = "display:inline-block;width:12px;height:12px;margin:0 5px 0 12px;vertical-align:-1px"
    return "".join(
        f'<span style="{place};background:{COLOURS[n]}"></span>{escape(band.name)}'
        for n, band in enumerate(found.bands)
    )


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _level(kind: str, y: float) -> str:
    return f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _grid(top: float, height: Height) -> Iterator[str]:
    """Lines at round numbers of bytes."""
    unit = max((size for size in UNITS.values() if size <= top / 2), default=1)
    step = 10.0 ** int(log10(max(1.0, top / unit)))
    step = next(s for s in (step / 5, step / 2, step, 2 * step, 5 * step) if top / unit / s <= 6)
    for n in range(int(top / unit / step) + 1):
        y = height(n * step * unit)
        yield _level("grid", y) + _text(LEFT - 6, y + 4, "end", readable(int(n * step * unit)))


def _bands(found: Timeline, height: Height) -> Iterator[str]:
    below = [0] * len(found.events)
    for number, band in enumerate(found.bands):
        above = [a + b for a, b in zip(below, band.nbytes, strict=True)]
        up, down = _steps(above, height), _steps(below, height)
        yield f'<path style="fill:{COLOURS[number]}" d="M{"L".join([*up, *reversed(down)])}Z"/>'
        below = above


def _steps(values: Sequence[int], height: Height) -> list[str]:
    width = _width(len(values))
    return [f"{LEFT + (n + k) * width:.1f} {height(value):.1f}" for n, value in enumerate(values) for k in (0, 1)]


def _width(count: int) -> float:
    return (WIDTH - LEFT - RIGHT) / max(1, count)


def _limits(found: Timeline, height: Height) -> Iterator[str]:
    for kind, name, nbytes, x in (
        ("store", "store all", found.store_all, WIDTH - RIGHT - 2),
        ("limit", "limit", found.limit, WIDTH * 0.7),
    ):
        if nbytes:
            y = height(nbytes)
            yield _level(kind, y) + _text(x, y - 4, "end", f"{name}: {readable(nbytes)}")


def _events(found: Timeline) -> Iterator[str]:
    width, step = _width(len(found.events)), max(1, ceil(len(found.events) / MOST_TICKS))
    for n, event in enumerate(found.events):
        x, at = LEFT + n * width, f' data-line="{event.at.line}"' if event.at else ""
        size = f'width="{width:.1f}" height="{HEIGHT - TOP - BOTTOM:.1f}"'
        title = f"<title>{escape(found.told(n))}</title>"
        yield f'<rect class="hit" x="{x:.1f}" y="{TOP}" {size}{at}>{title}</rect>'
        if n % step == 0:
            yield _text(x + width / 2, HEIGHT - BOTTOM + 16, "middle", event.where)
