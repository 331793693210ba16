"""`daad sdfg`: a part of the gradient as an SDFG that DaCe compiles and runs without daad."""

from __future__ import annotations

import click

from daad.api.sdfg_parts import MAKERS, described
from daad.cli.exit_codes import exit_codes
from daad.cli.files import require_writable
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import subject
from daad.cli.sdfg_files import save, sdfg_of


@click.command("sdfg", cls=Asking)
@asks
@click.option("--part", type=click.Choice([*MAKERS]), default="joint", show_default=True, help="What it computes.")
@click.option("-o", "target", metavar="FILE.sdfg", help="Write the SDFG.")
def command(question: Question, part: str, target: str | None) -> None:
    """Show what the SDFG of value and gradient of SCRIPT takes, or that of a part alone; DaCe alone compiles it."""
    with exit_codes():
        run(question, part, target)


def run(question: Question, part: str, target: str | None) -> None:
    """Compile, write the SDFG, print what its arguments are."""
    require_writable(target)
    with subject(question) as found:
        sdfg = sdfg_of(found, question.options, part)
    if target:
        save(sdfg, target)
    if question.json:
        print_document({"name": sdfg.name, "part": part, "arguments": described(sdfg).splitlines(), "file": target})
    else:
        print(described(sdfg))
