"""`daad explain`: what the gradient keeps in memory, what it computes again, and why."""

from __future__ import annotations

import click

import daad
from daad.cli.exit_codes import exit_codes
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import subject


@click.command("explain", cls=Asking)
@asks
@click.option("--adjoint", is_flag=True, help="Print the program that computes the gradient, too.")
def command(question: Question, adjoint: bool) -> None:
    """Show for each array that the gradient of SCRIPT needs whether it is stored or computed again, and why."""
    with exit_codes():
        run(question, adjoint)


def run(question: Question, adjoint: bool) -> None:
    """Plan without running, print the table of the plan."""
    with subject(question) as found:
        gradient = daad.grad(found.function, wrt=found.wrt, of=found.of, **question.options)
        args, kwargs = found.fresh()
        gradient.compile(*args, **kwargs)
        document = {"program": f"{found.name} ({found.script})", "explanation": gradient.explain()}
        if adjoint:
            document["adjoint"] = str(gradient.adjoint)
    if question.json:
        print_document(document)
    else:
        print("\n\n".join([*document.values()][1:]))
