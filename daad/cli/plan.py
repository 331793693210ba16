"""`daad plan`: what a call will hold in memory, before it runs, and what less memory costs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
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

ROUNDS, MOST_ROUNDS, ENOUGH = 7, 51, 4.0
"""Calls of each plan at least and at most, and seconds after which no further ones begin."""


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
        times: list[float | None] = [*measured(found, question, points)] if measure else [None] * len(points)
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


def measured(found: Subject, question: Question, points: Sequence[Point]) -> list[float]:
    """Seconds of a call of each plan. They take turns, so that what slows the machine for a while slows all of them:
    each time is that of the first plan, times the median of the ratios within a round."""
    options = {**question.options, "memory_limit": None}
    asked = daad.grad(found.function, wrt=found.wrt, of=found.of, **options)
    gradients = [asked._with(plan=point.hints) for point in points]
    for gradient in gradients:
        timed(gradient, found)
    rounds: list[list[float]] = []
    while len(rounds) < ROUNDS or (len(rounds) < MOST_ROUNDS and sum(map(sum, rounds)) < ENOUGH):
        rounds.append(one_round(gradients, found, is_reversed=len(rounds) % 2 == 1))
    first = statistics.median(each[0] for each in rounds)
    return [first * statistics.median(each[k] / each[0] for each in rounds) for k in range(len(gradients))]


def one_round(gradients: Sequence[Callable[..., Any]], found: Subject, *, is_reversed: bool) -> list[float]:
    """Seconds of one call of each, in turn or in reverse."""
    order = range(len(gradients))
    spent = {k: timed(gradients[k], found)[0] for k in (reversed(order) if is_reversed else order)}
    return [spent[k] for k in order]


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
