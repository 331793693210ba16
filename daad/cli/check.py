"""`daad check`: is the gradient right at this point?"""

from __future__ import annotations

import sys

import click

from daad.cli.exit_codes import CHECK_FAILED, exit_codes
from daad.cli.measure import run_check
from daad.cli.options import Asking, Question, asks
from daad.cli.output import as_json, print_document
from daad.cli.script_subject import subject


@click.command("check", cls=Asking)
@asks
@click.option(
    "--plans", type=click.Choice(["default", "all"]), default="default", help="Try every plan, or the default."
)
def command(question: Question, plans: str) -> None:
    """Compare the gradient of a function or variable of SCRIPT with finite differences."""
    with exit_codes():
        passed = run(question, plans)
    sys.exit(0 if passed else CHECK_FAILED)


def run(question: Question, plans: str) -> bool:
    """Print the report; False when the gradient is wrong."""
    with subject(question) as found:
        report = run_check(found, question.options, plans)
    if question.json:
        print_document({"program": f"{found.name} ({found.script})", **as_json(report)})
    else:
        print(report)
    return bool(report)
