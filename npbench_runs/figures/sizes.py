"""Time of a gradient by daad and by JAX as a program grows: all of it, and for each point that it computes."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npbench_runs.distance import distance
from npbench_runs.engines import engine
from npbench_runs.figures.machine import default_limits, small_print
from npbench_runs.figures.request import FigureRequest, Growth, NoFigure
from npbench_runs.figures.style import BLUE, GREY, ORANGE, SMALL, TINY, picture, require_drawable
from npbench_runs.processes import Ended, Limits, Process
from npbench_runs.results import Times
from npbench_runs.sources import Source
from npbench_runs.tables import NAMES, number
from npbench_runs.times import summarised

ENGINES = {"daad": (BLUE, "o"), "jax": (ORANGE, "s")}
WORKER = "npbench_runs.figures.worker"
REPEATS = 10
ENOUGH, LONGEST = 60.0, 150.0  # seconds: after the first an engine gets no larger size, after the second it is stopped
TOLERANCE = 1e-9
SETTLING_SECONDS = 0.02  # threads of the engine that was sampled last may still spin


@dataclass(frozen=True, kw_only=True)
class Point:
    """One engine at one size, where so many points are computed; `reason` says why there are no times."""

    engine: str
    size: int
    points: int = 1
    times: Times | None = None
    reason: str = ""


def draw_sizes(request: FigureRequest) -> Path:
    """Measures, keeps the numbers beside the picture as JSON, and draws."""
    require_drawable(request.out)
    points = list(measured(request))
    lines = small_print(request, REPEATS)
    write_numbers(request.out, lines, points)
    draw_points(points, request.out, lines, request.growth)
    return request.out


def write_numbers(out: Path, lines: Sequence[str], points: Sequence[Any]) -> Path:
    """The JSON file beside a picture."""
    beside = out.with_suffix(".json")
    content = {"measured": list(lines), "points": [dataclasses.asdict(point) for point in points]}
    beside.write_text(json.dumps(content, indent=1) + "\n")
    return beside


def measured(request: FigureRequest) -> Iterator[Point]:
    """All points, size by size; an engine that is slow or fails gets no larger one."""
    missing = {name: why for name in ENGINES if (why := engine(name).missing())}
    growth = request.growth
    yield from (Point(engine=name, size=growth.sizes[0], reason=f"missing: {why}") for name, why in missing.items())
    left = {name: default_limits(LONGEST) for name in ENGINES if name not in missing}
    source = Source(npbench=request.npbench)
    for size in growth.sizes:
        request.say(f"{growth.kernel}, {growth.parameter} = {size}: {', '.join(NAMES[name] for name in left)}")
        for point, spent in measured_at(growth, size, left, source):
            yield point
            if point.times is None or spent > ENOUGH:
                left.pop(point.engine)
        if not left:
            return


def measured_at(growth: Growth, size: int, limits: dict[str, Limits], source: Source) -> list[tuple[Point, float]]:
    """The engines' points at one size and the seconds that each took; their samples alternate."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        runs = {name: Run(name, growth, size) for name in limits}
        for name, run in runs.items():
            run.start(stack.enter_context(Process(WORKER, limits[name])), source, folder / f"{name}.npz")
        require_agreement(growth.kernel, runs, folder)
        for _ in range(REPEATS):
            for run in runs.values():
                time.sleep(SETTLING_SECONDS)
                run.sample()
        return [(run.point(), run.spent) for run in runs.values()]


class Run:
    """One engine's process at one size."""

    def __init__(self, engine: str, growth: Growth, size: int) -> None:
        self.engine, self.growth, self.size, self.reason = engine, growth, size, ""
        self.seconds: list[float] = []
        self.process: Process | None = None

    @property
    def spent(self) -> float:
        """Seconds in the process."""
        return self.process.limits.seconds - self.process.left if self.process else 0.0

    def start(self, process: Process, source: Source, gradients: Path) -> None:
        """Compiles, and has the gradient written."""
        self.process = process
        sizes = self.growth.at(self.size)
        job = {"kernel": self.growth.kernel, "sizes": sizes, "engine": self.engine, "variant": ""}
        self._ask("prepare", source=source.as_json(), gradients=str(gradients), **job)

    def sample(self) -> None:
        """One more, if there is time."""
        if self.process is None or self.reason or (self.seconds and self.spent > ENOUGH):
            return
        answer = self._ask("sample")
        if not self.reason:
            self.seconds.append(answer["seconds"])

    def point(self) -> Point:
        """What was found."""
        times = summarised(self.seconds) if self.seconds and not self.reason else None
        points = self.growth.points(self.size)
        return Point(engine=self.engine, size=self.size, points=points, times=times, reason=self.reason)

    def _ask(self, request: str, **content: Any) -> dict[str, Any]:
        assert self.process is not None, "a run starts with its process"
        try:
            return self.process.ask(request, **content)
        except Ended as ended:
            self.reason = f"{ended.status.value}: {ended.reason}"
            return {}


def require_agreement(kernel: str, runs: dict[str, Run], folder: Path) -> None:
    """Times of different gradients are not compared."""
    files = [np.load(folder / f"{name}.npz") for name, run in runs.items() if not run.reason]
    found = [tuple(file[name] for name in sorted(file.files)) for file in files]
    if len(found) > 1 and (apart := distance(*found)) > TOLERANCE:
        raise NoFigure(f"The gradients of daad and JAX on '{kernel}' differ by {apart:.0e}.")


def draw_points(points: Sequence[Point], out: Path, lines: Sequence[str], growth: Growth) -> None:
    """The time of a gradient with JAX/daad between the lines, and below that the time for each point."""
    if not any(point.times for point in points):
        raise NoFigure(f"Nothing could be measured: {'; '.join(sorted({p.reason for p in points}))}.")
    with picture(out, 6.0, 6.0, lines) as figure:
        whole, each = figure.subplots(2, sharex=True, height_ratios=(3, 2))
        for axes in (whole, each):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.grid(True, which="major")
            axes.margins(y=0.15)
        for name, (colour, marker) in ENGINES.items():
            draw_engine(whole, [p for p in points if p.engine == name], colour, marker)
            known = [(p.size, 1e6 * p.times.median / p.points) for p in points if p.engine == name and p.times]
            each.plot(*zip(*known, strict=True), color=colour, marker=marker) if known else None
        draw_ratios(whole, points)
        sizes = sorted({point.size for point in points})
        each.set_xticks(sizes, [str(size) for size in sizes])
        each.set_xticks([], minor=True)
        each.set_xlabel(growth.parameter)
        each.set_ylabel(f"ns for each of\n{growth.per}")
        whole.set_ylabel("time of one gradient [ms]")
        fixed = ", ".join(f"{name} = {size}" for name, size in growth.fixed.items() if name != growth.parameter)
        whole.set_title(f"{growth.kernel}, {fixed}" if fixed else growth.kernel)
        whole.legend(loc="upper left", fontsize=SMALL)


def draw_engine(axes: Any, points: Sequence[Point], colour: str, marker: str) -> None:
    """The medians of an engine with their intervals, and a word where it was stopped."""
    known = [(p.size, p.times) for p in points if p.times]
    name = NAMES[points[0].engine]
    if not known:
        axes.plot([], [], color=colour, marker=marker, label=f"{name} {points[0].reason.partition(':')[0]}")
        return
    sizes, times = zip(*known, strict=True)
    medians = [t.median for t in times]
    errors = [[t.median - t.low for t in times], [t.high - t.median for t in times]]
    axes.errorbar(sizes, medians, errors, color=colour, marker=marker, capsize=2, elinewidth=0.9, label=name)
    stopped = next((p for p in points if p.times is None), None)
    if stopped is not None:
        note = f"{stopped.size}: {stopped.reason.partition(':')[0]}"
        axes.annotate(note, (sizes[-1], medians[-1]), (4, 4), textcoords="offset points", fontsize=TINY, color=colour)


def draw_ratios(axes: Any, points: Sequence[Point]) -> None:
    """How many times faster daad is, halfway between the lines."""
    medians = {(p.engine, p.size): p.times.median for p in points if p.times}
    for size in sorted({p.size for p in points}):
        daad, jax = medians.get(("daad", size)), medians.get(("jax", size))
        if daad and jax:
            middle = (daad * jax) ** 0.5
            axes.plot((size, size), (daad, jax), color=GREY, linewidth=0.6, linestyle=":", zorder=0)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8}
            axes.text(size, middle, f"{number(jax / daad)}×", ha="center", va="center", fontsize=SMALL, bbox=box)
