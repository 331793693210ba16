"""`daad grad`: the gradient of a script's function or variable, as a table, a file, a module."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from daad.cli.exits import CHECK_FAILED, exit_codes
from daad.cli.measure import differentiate
from daad.cli.module import module_text
from daad.cli.options import Question, asks
from daad.cli.output import print_json, print_table
from daad.cli.subject import subject
from daad.errors import BadArgument


@click.command("grad")
@asks
@click.option("--check", is_flag=True, help="Compare with finite differences; exit code 1 when they differ.")
@click.option("--save", metavar="FILE.npz", help="Write the gradients, each under its name.")
@click.option("-o", "module", metavar="FILE.py", help="Write a module that holds the gradient as a function.")
def command(question: Question, check: bool, save: str | None, module: str | None) -> None:
    """Compute the gradient of a function of SCRIPT, or of a variable of its top level.

    With -f, the script runs until the first call of FUNCTION; the arguments of that call are the point of
    differentiation. Without -f, the script's top level is the program, --wrt and --of name its variables.
    """
    with exit_codes():
        passed = run(question, check, save, module)
    sys.exit(0 if passed else CHECK_FAILED)


def run(question: Question, check: bool, save: str | None, module: str | None) -> bool:
    """Everything the command does; False when the check failed."""
    for target in (save, module):
        require_directory(target)

    with subject(question) as found:
        outcome = differentiate(found, question.options, check)
        text = module_text(found, question.options) if module else ""
    if save:
        with open(save, "wb") as file:
            np.savez(file, **outcome.gradients)
    if module:
        Path(module).write_text(text, encoding="utf-8")
    (print_json if question.json else print_table)(outcome)
    return outcome.check is None or bool(outcome.check)


def require_directory(target: str | None) -> None:
    """Refuse to compute what could not be written."""
    if target and not Path(target).resolve().parent.is_dir():
        raise BadArgument(f"The folder of '{target}' does not exist.", hint="Create it first.")
