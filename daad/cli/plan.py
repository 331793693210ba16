"""`daad plan`: what a call will hold in memory, before it runs, and what less memory costs."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import click

import daad
from daad.cli.exit_codes import exit_codes
from daad.cli.files import require_drawable, writing
from daad.cli.measure import timed
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import Subject, subject
from daad.messages.sizes import readable
from daad.report.memory_plan import Plan, Point

REPEATS = 3


@click.command("plan", cls=Asking)
@asks
@click.option("--pareto", type=click.Path(path_type=Path), metavar="FILE", help="Draw memory against time into a file.")
@click.option(
    "--timeline", type=click.Path(path_type=Path), metavar="FILE", help="Draw memory over a call into a file."
)
@click.option("--measure", is_flag=True, help="Compile and time each plan of the curve, too.")
def command(question: Question, pareto: Path | None, timeline: Path | None, measure: bool) -> None:
    """Show what the gradient of SCRIPT will keep, without running it, and the plans for less memory."""
    with exit_codes():
        run(question, pareto, timeline, measure)


def run(question: Question, pareto: Path | None, timeline: Path | None, measure: bool) -> None:
    """Print the plan, and the curve where it is asked for."""
    for target in (pareto, timeline):
        require_drawable(target)
    with subject(question) as found:
        args, kwargs = found.fresh()
        plan = daad.plan(found.function, args, wrt=found.wrt, of=found.of, **question.options, **kwargs)
        points = plan.pareto() if pareto or measure else ()
        times: list[float | None] = [measured(found, question, p) if measure else None for p in points]
    if pareto:
        with writing(pareto):
            plan.draw_pareto(points, times).savefig(pareto)
    if timeline:
        with writing(timeline):
            plan.timeline().savefig(timeline)
    if question.json:
        print_document(document(f"{found.name} ({found.script})", plan, points, times))
        return
    print(plan)
    if points:
        print("\n" + table(points, times))


def measured(found: Subject, question: Question, point: Point) -> float:
    """Seconds of a call of this plan: the median of a few."""
    options = {**question.options, "memory_limit": None}
    gradient = daad.grad(found.function, wrt=found.wrt, of=found.of, **options)._with(plan=point.hints)
    timed(gradient, found)
    return statistics.median(timed(gradient, found)[0] for _ in range(REPEATS))


def table(points: tuple[Point, ...], times: list[float | None]) -> str:
    """Memory, time, and what is done for it."""
    rows = [("memory", "estimated", "measured", "run again")]
    for point, time in zip(points, times, strict=True):
        shown = "" if time is None or times[0] is None else f"{time / times[0]:.2f} x"
        rows.append((readable(point.nbytes), f"{point.slowdown:.2f} x", shown, point.what))
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def document(program: str, plan: Plan, points: tuple[Point, ...], times: list[float | None]) -> dict[str, Any]:
    """The same for machines."""
    return {
        "program": program,
        "bytes": plan.nbytes,
        "parts": dict(plan.parts),
        "slowdown": plan.slowdown,
        "pareto": [
            {"bytes": p.nbytes, "slowdown": p.slowdown, "seconds": time, "again": p.what}
            for p, time in zip(points, times, strict=True)
        ],
    }
