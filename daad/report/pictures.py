"""Pictures of a plan: memory over the events of a call, and memory against time. They need matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daad.errors import BadArgument
from daad.ilp.model import Model, Outcome
from daad.messages.sizes import UNITS

BLUE, GREY, RED = "#0072b2", "#9a9a9a", "#d55e00"


def _axes(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadArgument("Pictures need matplotlib.", hint="Install it: pip install matplotlib.") from None
    axes = Figure(figsize=(width, height), layout="constrained").add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _unit(most: float) -> tuple[str, int]:
    name = max((u for u in UNITS if u != "TiB" and most >= UNITS[u]), key=lambda u: UNITS[u], default="B")
    return name, UNITS[name]


def draw_timeline(model: Model, chosen: Outcome, fastest: Outcome, limit: int | None, lines: Sequence[str]) -> Any:
    """A matplotlib figure: bytes at each statement of the primal, then at its adjoint; the fastest plan in grey."""
    axes = _axes(8.0, 3.6)
    name, unit = _unit(max(fastest.peak, chosen.peak, limit or 0))
    events = range(model.events)
    if fastest.timeline != chosen.timeline:
        axes.step(events, [b / unit for b in fastest.timeline], where="mid", color=GREY, label="without a limit")
    axes.fill_between(events, [b / unit for b in chosen.timeline], step="mid", color=BLUE, alpha=0.25)
    axes.step(events, [b / unit for b in chosen.timeline], where="mid", color=BLUE, label="this plan")
    if limit is not None:
        axes.axhline(limit / unit, color=RED, linestyle="--", label="limit")
    axes.axvline(model.statements - 0.5, color="black", linewidth=0.6)
    shown = range(0, model.events, max(1, model.events // 16))
    axes.set_xticks(list(shown), [lines[e] for e in shown], rotation=45, ha="right", fontsize=7)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"memory of a call, {name}")
    axes.set_xlabel("line of the statement, forwards and then backwards")
    axes.legend(frameon=False, fontsize=8)
    return axes.figure


def draw_pareto(points: Sequence[tuple[int, float, float | None]], limit: int | None = None) -> Any:
    """A matplotlib figure of plans, each with its bytes, its estimated and its measured time relative to the first."""
    axes = _axes(5.5, 3.8)
    name, unit = _unit(max(p[0] for p in points))
    sizes = [p[0] / unit for p in points]
    axes.plot(sizes, [p[1] for p in points], "o-", color=BLUE, label="estimated")
    measured = [(p[0] / unit, p[2]) for p in points if p[2] is not None]
    if measured:
        axes.plot(*zip(*measured, strict=True), "s", color=RED, label="measured")
        axes.legend(frameon=False, fontsize=8)
    if limit is not None:
        axes.axvline(limit / unit, color=RED, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"memory of a call, {name}")
    axes.set_ylabel("time relative to the fastest plan's estimate")
    return axes.figure
