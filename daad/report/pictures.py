"""Pictures of a plan: memory over the events of a call, and memory against time. They need matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

from daad.errors import BadArgument
from daad.messages.sizes import UNITS
from daad.report.memory_bands import Timeline
from daad.report.memory_picture import COLOURS

TICKS = 16
"""Lines of statements that there is room for."""
BLUE, GREY, RED = "#0072b2", "#9a9a9a", "#d55e00"


def _axes(width: float, height: float) -> Any:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise BadArgument("Pictures need matplotlib.", hint="Install it: pip install matplotlib.") from None

    class Picture(Figure):
        """Shows itself in notebooks, whatever matplotlib has been told there."""

        def _repr_svg_(self) -> str:
            text = StringIO()
            with rc_context({"svg.hashsalt": "daad"}):  # the same picture has the same text
                self.savefig(text, format="svg")
            return text.getvalue()

    axes = Picture(figsize=(width, height), layout="constrained").add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _unit(most: float) -> tuple[str, int]:
    name = max((u for u in UNITS if u != "TiB" and most >= UNITS[u]), key=lambda u: UNITS[u], default="B")
    return name, UNITS[name]


def draw_timeline(found: Timeline) -> Any:
    """A matplotlib figure: what is in memory at each statement of the program and of its adjoint."""
    axes = _axes(8.0, 3.8)
    name, unit = _unit(max([*found.totals, found.store_all, found.limit or 0]))
    count = len(found.events)
    below = [0.0] * (count + 1)
    for number, band in enumerate(found.bands):
        own = [*band.nbytes, *band.nbytes[-1:]]
        above = [b + n / unit for b, n in zip(below, own, strict=True)]
        axes.fill_between(range(count + 1), below, above, step="post", color=COLOURS[number], label=band.name)
        below = above
    axes.axhline(found.store_all / unit, color=GREY, linestyle=":", label="store all")
    if found.limit is not None:
        axes.axhline(found.limit / unit, color=RED, linestyle="--", label="limit")
    shown = range(0, count, max(1, -(-count // TICKS)))
    axes.set_xticks([n + 0.5 for n in shown], [found.events[n].where for n in shown], fontsize=7)
    axes.set_xlim(0, count)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"memory of a call, {name}")
    axes.set_xlabel("line of the statement: ↓ on the way forwards, ↑ on the way back")
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return axes.figure


def draw_pareto(points: Sequence[tuple[int, float, float | None]], limit: int | None = None) -> Any:
    """A matplotlib figure of plans, each with its bytes, its estimated and its measured time relative to the first."""
    axes = _axes(5.5, 3.8)
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    name, unit = _unit(max(p[0] for p in points))
    sizes = [p[0] / unit for p in points]
    axes.plot(sizes, [p[1] for p in points], "o-", color=BLUE, label="estimated")
    measured = [(p[0] / unit, p[2]) for p in points if p[2] is not None]
    if measured:
        axes.plot(*zip(*measured, strict=True), "s", color=RED, label="measured")
        axes.legend(frameon=False, fontsize=8)
    if limit is not None:
        axes.axvline(limit / unit, color=RED, linestyle="--", label="limit")
        axes.legend(frameon=False, fontsize=8)
    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_title("What less memory costs", fontsize=10)
    axes.set_xlabel(f"memory of a call, {name}")
    axes.set_ylabel("time relative to the fastest plan's estimate")
    return axes.figure
