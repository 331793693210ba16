"""Every way to store or recompute three intermediates: time of the gradient against peak memory, the choice marked."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npbench_runs.figures.machine import default_limits, small_print
from npbench_runs.figures.request import FigureRequest, NoFigure
from npbench_runs.figures.sizes import WORKER, write_numbers
from npbench_runs.figures.style import BLUE, GREY, INK, SMALL, VERMILLION, picture, require_drawable
from npbench_runs.processes import Ended, Process
from npbench_runs.results import Times
from npbench_runs.three_arrays import INTERMEDIATES, SIZES
from npbench_runs.times import summarised

AUTO = "auto"
ONE, CHOSEN = "configuration", "chosen by daad"
STORE, RECOMPUTE = "store", "recompute"
SIZE = SIZES["M"]["N"]
REPEATS, LONGEST = 15, 600.0
MIB = 2**20
APART = 0.05  # of the height of the picture, between two labels


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One configuration: which arrays it stores, what it costs; `chosen` is what daad does by itself."""

    stored: tuple[str, ...]
    times: Times
    peak_mib: float
    chosen: bool = False

    @property
    def label(self) -> str:
        """What is stored."""
        return ", ".join(self.stored) if self.stored else "nothing"


def configurations() -> tuple[Mapping[str, str], ...]:
    """Each of the intermediates stored or computed again."""
    choices = itertools.product((STORE, RECOMPUTE), repeat=len(INTERMEDIATES))
    return tuple(dict(zip(INTERMEDIATES, choice, strict=True)) for choice in choices)


def draw_memory(request: FigureRequest) -> Path:
    """Measures, keeps the numbers beside the picture as JSON, and draws."""
    require_drawable(request.out)
    request.say(f"{len(configurations())} configurations of three arrays of {SIZE} × {SIZE}")
    points, lines = measured(), small_print(FigureRequest(out=request.out), REPEATS)
    write_numbers(request.out, lines, points)
    draw_measured(points, request.out, lines)
    return request.out


def measured() -> list[Measured]:
    """All configurations; the one whose program is the one that daad makes without a plan is the chosen one."""
    plans = [*configurations(), AUTO]
    with Process(WORKER, default_limits(LONGEST)) as process:
        try:
            answer = process.ask("configurations", plans=plans, size=SIZE, repeats=REPEATS)
        except Ended as ended:
            raise NoFigure(f"The configurations could not be measured: {ended.reason}.") from ended
    *texts, by_itself = answer["texts"]
    return [
        Measured(
            stored=tuple(name for name, decision in plan.items() if decision == STORE),
            times=summarised(seconds),
            peak_mib=peak / MIB,
            chosen=text == by_itself,
        )
        for plan, seconds, peak, text in zip(configurations(), answer["seconds"], answer["bytes"], texts, strict=False)
    ]


def draw_measured(points: Sequence[Measured], out: Path, lines: Sequence[str]) -> None:
    """A point for each configuration, named by what it stores."""
    with picture(out, 6.0, 4.0, lines) as figure:
        axes = figure.subplots()
        for point in points:
            draw_point(axes, point)
        axes.margins(x=0.18, y=0.15)
        axes.set_ylim(bottom=0.0)
        draw_labels(axes, points)
        axes.set_xlabel("peak memory, arguments and gradients included [MiB]")
        axes.set_ylabel("time of one gradient [ms]")
        axes.set_title(f"{', '.join(INTERMEDIATES)} of {SIZE} × {SIZE}: what is stored; the rest is computed again")
        axes.legend(*unique(axes), loc="lower right", fontsize=SMALL)
        axes.grid(True)


def draw_point(axes: Any, point: Measured) -> None:
    """The median with its interval; a ring around the chosen one."""
    times = point.times
    errors = [[times.median - times.low], [times.high - times.median]]
    axes.errorbar(point.peak_mib, times.median, errors, color=BLUE, marker="o", capsize=2, elinewidth=0.9, label=ONE)
    if point.chosen:
        ring = {"s": 160, "facecolors": "none", "edgecolors": VERMILLION, "linewidths": 1.8}
        axes.scatter(point.peak_mib, times.median, label=CHOSEN, zorder=3, **ring)


def unique(axes: Any) -> tuple[list[Any], list[str]]:
    """One entry of the legend for each kind of mark."""
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    labels = [label for label in (ONE, CHOSEN) if label in handles]
    return [handles[label] for label in labels], labels


def draw_labels(axes: Any, points: Sequence[Measured]) -> None:
    """Names to the right, one above the other where points of one memory are close."""
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    width = right - left
    columns: dict[int, list[Measured]] = {}
    for point in points:
        columns.setdefault(round(20 * point.peak_mib / width), []).append(point)
    for column in columns.values():
        ordered = sorted(column, key=lambda point: point.times.median)
        heights = spread([point.times.median for point in ordered], APART * (high - low))
        for point, height in zip(ordered, heights, strict=True):
            offset = (max(p.peak_mib for p in column) + 0.05 * width, height)
            arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
            at = (point.peak_mib, point.times.median)
            axes.annotate(point.label, at, offset, va="center", fontsize=SMALL, color=INK, arrowprops=arrow)


def spread(values: Sequence[float], least: float) -> list[float]:
    """Ascending values moved up as little as keeps them `least` apart, then centred on where they were."""
    moved: list[float] = []
    for value in values:
        moved.append(max(value, moved[-1] + least) if moved else value)
    shift = sum(m - v for m, v in zip(moved, values, strict=True)) / max(len(moved), 1)
    return [m - shift for m in moved]
