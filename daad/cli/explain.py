"""`daad explain`: the program line by line beside its adjoint, what is kept in memory, what is computed again, why."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

import daad
from daad.api.gradient import Gradient
from daad.cli.exit_codes import exit_codes
from daad.cli.files import require_writable, writing
from daad.cli.measure import primal_seconds, run_check, shortest, timed
from daad.cli.options import Asking, Question, asks
from daad.cli.output import format_seconds, print_document
from daad.cli.script_subject import Subject, subject
from daad.messages.sizes import readable
from daad.report.explanation import Explanation

POINTS = 6
"""Plans for less memory on the page."""


@click.command("explain", cls=Asking)
@asks
@click.option("--adjoint", is_flag=True, help="Print the program that computes the gradient, too.")
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it as a page, with stages, pictures, plans for less memory, a check and times.",
)
def command(question: Question, adjoint: bool, html: Path | None) -> None:
    """Show SCRIPT line by line beside its adjoint: what each line is to the gradient, what its adjoint reads from
    where, and why arrays are kept or made again."""
    with exit_codes():
        run(question, adjoint, html)


def run(question: Question, adjoint: bool, html: Path | None) -> None:
    """Compile, print what became of the program, write the page where it is asked for."""
    require_writable(html)
    with subject(question) as found:
        gradient = daad.grad(found.function, wrt=found.wrt, of=found.of, **question.options)
        args, kwargs = found.fresh()
        gradient.compile(*args, **kwargs)
        explanation, text = gradient.explain(), str(gradient.adjoint) if adjoint else ""
        page = _page(gradient, found, question) if html else ""
    if html:
        with writing(html):
            html.write_text(page, encoding="utf-8")
    if question.json:
        program = {"program": f"{found.name} ({found.script})"}
        print_document({**explanation.as_json(), **program, **({"adjoint": text} if adjoint else {})})
        return
    _print(explanation)
    if adjoint:
        print(f"\n{text}")


def _print(explanation: Explanation) -> None:
    if not sys.stdout.isatty():
        print(explanation)
        return
    console = Console()
    console.print(explanation.on(console.width))


def _page(gradient: Gradient, found: Subject, question: Question) -> str:
    """The page, with a check and times."""
    from daad.report.page.page import page

    first, _ = timed(gradient, found)
    primal, again = primal_seconds(found), shortest(gradient, found)
    measured = gradient.memory.measured
    times = {
        "the program in NumPy": "not measured" if primal is None else format_seconds(primal),
        "the gradient": f"{format_seconds(again)} (the first call {format_seconds(first)})",
        "memory at the peak": readable(measured) if measured is not None else "not measured",
    }
    check = str(run_check(found, question.options))
    return page(gradient.plan, gradient.plan.pareto(POINTS), check, times)
