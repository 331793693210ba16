"""Speed-up over JAX per kernel, as bars: programs without loops, and with loops beside their lines of code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npbench_runs.figures.request import FigureRequest, NoFigure, require_results
from npbench_runs.figures.style import BLUE, INK, ORANGE, SMALL, TINY, VERMILLION, picture
from npbench_runs.results import KernelFacts, Results, Status, Times
from npbench_runs.summary import Mean, by_name, ratio
from npbench_runs.tables import NAMES, heading, number

MEAN = "geometric mean"
PER_BAR, MARGIN = 0.3, 1.0  # inches
LEAST = 12  # bars that there is room for in any picture


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A kernel's speed-up; where there is none, `note` says why. `low` and `high`: from the medians' intervals."""

    facts: KernelFacts
    ratio: float | None
    low: float = 0.0
    high: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes; names stand under the lowest of those that share them."""

    draw: Callable[[Any, Sequence[Bar]], None]
    bars: Sequence[Bar]
    title: str
    loops: bool
    named: bool
    inches: float


def draw_vectorized(request: FigureRequest) -> Path:
    """Programs without loops."""
    results = require_results(request, "vectorized")
    return draw(results, request.out, [panel for panel in panels(results) if not panel.loops], "without loops")


def draw_loops(request: FigureRequest) -> Path:
    """Programs with loops, over their lines of code."""
    results = require_results(request, "loops")
    return draw(results, request.out, [panel for panel in panels(results) if panel.loops], "with loops")


def plot_report(results: Results, out: Path) -> Path:
    """Both figures in one, with bars of one width."""
    return draw(results, out, panels(results), "in the results")


def panels(results: Results) -> list[Panel]:
    """What there is to show: programs without loops; programs with loops and, under the same names, their lines."""
    plain, looped = speedups(results, loops=False), speedups(results, loops=True)
    found = [
        Panel(draw_speedups, plain, "Programs without loops: speed-up over JAX", loops=False, named=True, inches=3.0),
        Panel(draw_speedups, looped, "Programs with loops: speed-up over JAX", loops=True, named=False, inches=2.6),
        Panel(draw_lines, looped, lines_title(looped), loops=True, named=True, inches=2.2),
    ]
    return [panel for panel in found if panel.bars]


def draw(results: Results, out: Path, chosen: Sequence[Panel], which: str) -> Path:
    """Panels one above the other."""
    if not chosen:
        raise NoFigure(f"There is no program {which} to show.")
    slots = max(LEAST, *(len(panel.bars) for panel in chosen))
    heights = [panel.inches for panel in chosen]
    with picture(out, MARGIN + PER_BAR * (slots + 1), sum(heights), heading(results.setting)) as figure:
        all_axes = figure.subplots(len(chosen), height_ratios=heights, squeeze=False)
        for axes, panel in zip(all_axes[:, 0], chosen, strict=True):
            panel.draw(axes, panel.bars)
            axes.set_title(panel.title)
            name_places(axes, [*(bar.facts.kernel for bar in panel.bars), MEAN], panel.named)
            axes.set_xlim(-0.7, slots + 0.7)
    return out


def speedups(results: Results, loops: bool) -> list[Bar]:
    """The bars of one kind of program, the tallest first, those without a number last."""
    bars = [speedup(results, facts) for facts in by_name(results) if facts.loops == loops]
    return sorted(bars, key=lambda bar: -(bar.ratio or 0.0))


def speedup(results: Results, facts: KernelFacts) -> Bar:
    """One kernel's bar."""
    value = ratio(results, facts.kernel, "jax", "daad")
    if value is None:
        return Bar(facts=facts, ratio=None, note=why_none(results, facts.kernel))
    daad, jax = times(results, facts.kernel, "daad"), times(results, facts.kernel, "jax")
    return Bar(facts=facts, ratio=value, low=jax.low / daad.high, high=jax.high / daad.low)


def times(results: Results, kernel: str, engine: str) -> Times:
    row = results.row(kernel, engine)
    assert row is not None, f"{engine} has no row on {kernel}"
    assert row.times is not None, f"{engine} has no times on {kernel}"
    return row.times


def why_none(results: Results, kernel: str) -> str:
    """Whose fault it is that there is no speed-up."""
    rows = ((engine, results.row(kernel, engine)) for engine in ("daad", "jax"))
    words = {e: "not run" if row is None else row.status.value for e, row in rows}
    return ", ".join(f"{NAMES[e]} {word}" for e, word in words.items() if word != Status.RIGHT.value)


def draw_speedups(axes: Any, bars: Sequence[Bar]) -> None:
    """Bars that start from 1: up where daad is faster, down where JAX is; the mean stands at the end."""
    known = [bar for bar in bars if bar.ratio is not None]
    axes.set_yscale("log")
    for place, bar in enumerate(bars):
        if bar.ratio is None:
            axes.text(place, 1.06, bar.note, rotation=90, ha="center", va="bottom", fontsize=TINY, color=VERMILLION)
        else:
            draw_bar(axes, place, (bar.low, bar.ratio, bar.high), BLUE if bar.ratio >= 1.0 else ORANGE)
    mean = Mean.of(bar.ratio for bar in known).value
    if mean is not None:
        draw_bar(axes, len(bars), (mean, mean, mean), INK)
    axes.axhline(1.0, color=INK, linewidth=0.8)
    axes.set_ylim(*limits(known))
    axes.set_ylabel("time of JAX / time of daad")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")


def draw_bar(axes: Any, place: int, interval: tuple[float, float, float], colour: str) -> None:
    """A bar from 1, a whisker, and the number beyond both."""
    low, value, high = interval
    up = value >= 1.0
    axes.bar(place, value - 1.0, bottom=1.0, width=0.72, color=colour)
    axes.plot((place, place), (low, high), color=INK, linewidth=0.8)
    axes.annotate(
        short(value),
        (place, high if up else low),
        (0, 3 if up else -3),
        textcoords="offset points",
        ha="center",
        va="bottom" if up else "top",
        fontsize=TINY,
        color=INK,
    )


def short(value: float) -> str:
    """A number as wide as a bar."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


def limits(bars: Sequence[Bar]) -> tuple[float, float]:
    """Room for numbers beyond the bars, and for notes where no bar is tall."""
    return min([0.5, *(0.6 * bar.low for bar in bars)]), max([12.0, *(2.0 * bar.high for bar in bars)])


def draw_lines(axes: Any, bars: Sequence[Bar]) -> None:
    """Lines of code of the two versions."""
    places = range(len(bars))
    axes.bar([p - 0.19 for p in places], [b.facts.numpy_lines for b in bars], 0.36, color=BLUE, label="NumPy")
    axes.bar([p + 0.19 for p in places], [b.facts.jax_lines or 0 for b in bars], 0.36, color=ORANGE, label="JAX")
    axes.set_ylabel("lines of code")
    axes.legend(ncols=2, loc="upper right", fontsize=SMALL)
    axes.margins(y=0.25)


def lines_title(bars: Sequence[Bar]) -> str:
    """With the geometric mean of JAX's lines over NumPy's."""
    mean = Mean.of(b.facts.jax_lines / b.facts.numpy_lines for b in bars if b.facts.jax_lines and b.facts.numpy_lines)
    title = "Lines of code"
    return title if mean.value is None else f"{title}; JAX/NumPy, geometric mean: {number(mean.value)}"


def name_places(axes: Any, labels: Sequence[str], named: bool) -> None:
    """Kernels under the bars, turned so far that names do not touch."""
    shown = labels if named else [""] * len(labels)
    axes.set_xticks(range(len(labels)), shown, rotation=60, ha="right", rotation_mode="anchor", fontsize=SMALL)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")
