"""`daad explain`: the program line by line beside its adjoint, what is kept in memory, what is computed again, why."""

from __future__ import annotations

import sys

import click
from rich.console import Console

import daad
from daad.cli.exit_codes import exit_codes
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import subject


@click.command("explain", cls=Asking)
@asks
@click.option("--adjoint", is_flag=True, help="Print the program that computes the gradient, too.")
def command(question: Question, adjoint: bool) -> None:
    """Show SCRIPT line by line beside its adjoint: what each line is to the gradient, what its adjoint reads from
    where, and why arrays are kept or made again."""
    with exit_codes():
        run(question, adjoint)


def run(question: Question, adjoint: bool) -> None:
    """Compile without running, print what became of the program."""
    with subject(question) as found:
        gradient = daad.grad(found.function, wrt=found.wrt, of=found.of, **question.options)
        args, kwargs = found.fresh()
        gradient.compile(*args, **kwargs)
        explanation, text = gradient.explain(), str(gradient.adjoint) if adjoint else ""
    if question.json:
        program = {"program": f"{found.name} ({found.script})"}
        print_document({**explanation.as_json(), **program, **({"adjoint": text} if adjoint else {})})
        return
    if sys.stdout.isatty():
        console = Console()
        console.print(explanation.on(console.width))
    else:
        print(explanation)
    if adjoint:
        print(f"\n{text}")
