"""`daad grad`: the gradient of a script's function or variable, as a table, a file, a module."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from daad.cli.exit_codes import CHECK_FAILED, exit_codes
from daad.cli.files import require_writable, save, writing
from daad.cli.generated_module import module_text
from daad.cli.measure import differentiate
from daad.cli.members import Ensemble, of_members
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_json, print_table
from daad.cli.script_subject import subject
from daad.cli.sdfg_files import save as save_sdfg
from daad.cli.sdfg_files import sdfg_of
from daad.errors import BadArgument


@click.command("grad", cls=Asking)
@asks
@click.option("--check", is_flag=True, help="Compare with finite differences; exit code 1 when they differ.")
@click.option("--save", "gradients", metavar="FILE.npz", help="Write the gradients, each under its name.")
@click.option("-o", "module", metavar="FILE.py", help="Write a module that holds the gradient as a function.")
@click.option("--members", metavar="FILE.npz", help="Sum over members: arrays named as parameters, one row for each.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster that computes the members.")
@click.option("--save-sdfg", "sdfg", metavar="FILE.sdfg", help="Write value and gradient as an SDFG for DaCe alone.")
def command(
    question: Question,
    check: bool,
    gradients: str | None,
    module: str | None,
    sdfg: str | None,
    members: str | None,
    scheduler: str | None,
) -> None:
    """Compute the gradient of a function of SCRIPT, or of a variable of its top level.

    With -f, the script runs until the first call of FUNCTION; the arguments of that call are the point of
    differentiation. Without -f, the script's top level is the program, --wrt and --of name its variables.
    """
    with exit_codes():
        passed = run(question, check, Files(gradients, module, sdfg), ensemble_of(question, members, scheduler))
    sys.exit(0 if passed else CHECK_FAILED)


@dataclass(frozen=True)
class Files:
    """What is to be written."""

    gradients: str | None
    module: str | None
    sdfg: str | None


def ensemble_of(question: Question, members: str | None, scheduler: str | None) -> Ensemble | None:
    """The members, if they are asked for."""
    if members is None:
        if scheduler is not None:
            raise BadArgument("Without --members there is nothing for a scheduler.", hint="Add --members FILE.npz.")
        return None
    if question.function is None:
        raise BadArgument("Members are those of a function's calls.", hint="Name it with -f FUNCTION.")
    return Ensemble(members, scheduler)


def run(question: Question, check: bool, files: Files, ensemble: Ensemble | None = None) -> bool:
    """Everything the command does; False when the check failed."""
    for target in (files.gradients, files.module, files.sdfg):
        require_writable(target)
    with subject(question) as found:
        text = module_text(found, question.options) if files.module else ""
        options = question.options
        outcome = of_members(found, options, ensemble, check) if ensemble else differentiate(found, options, check)
        sdfg = sdfg_of(found, question.options) if files.sdfg else None
    if files.gradients:
        save(files.gradients, outcome.gradients)
    if files.module:
        with writing(files.module):
            Path(files.module).write_text(text, encoding="utf-8")
    if files.sdfg:
        save_sdfg(sdfg, files.sdfg)
    (print_json if question.json else print_table)(outcome)
    return outcome.check is None or bool(outcome.check)
