"""`daad export`: value and gradient as a library that needs neither Python nor daad."""

from __future__ import annotations

from pathlib import Path

import click

import daad
from daad.cli.exit_codes import exit_codes
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import subject


@click.command("export", cls=Asking)
@asks
@click.option("-o", "target", metavar="DIRECTORY", required=True, help="The folder that is written.")
def command(question: Question, target: str) -> None:
    """Write value and gradient of SCRIPT as a library, with a header, examples and what builds need to find it."""
    with exit_codes():
        run(question, target)


def run(question: Question, target: str) -> None:
    """Generate, compile, print what was written."""
    with subject(question) as found:
        wrt = found.wrt if len(found.wrt) > 1 else found.wrt[0]
        args, kwargs = found.fresh()
        gradient = daad.value_and_grad(found.function, wrt=wrt, of=found.of, **question.options)
        folder = gradient.export(Path(target).absolute(), *args, **kwargs)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    if question.json:
        print_document({"folder": target, "files": files})
    else:
        print("\n".join(f"{target.rstrip('/')}/{name}" for name in files))
