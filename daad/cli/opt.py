"""`daad opt`: passes by name on the text of a Program, or on the Program of a script's function."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

import daad
from daad.cli.exit_codes import exit_codes
from daad.cli.options import Asking, Question, asks
from daad.cli.output import print_document
from daad.cli.script_subject import subject
from daad.errors import BadArgument
from daad.ir.nodes import Program
from daad.ir.parser import parse
from daad.ir.printer import program_text
from daad.ir.validator import validate
from daad.messages.suggestions import listed
from daad.passes import driver
from daad.passes.definition import Goal, Pass
from daad.passes.driver import Phase
from daad.passes.phases import PASSES, PHASES
from daad.pipeline import live_at_end
from daad.runtime.processors import Device, threads

STDIN = "-"


def _steps(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[Pass | Phase, ...]:
    known: dict[str, Pass | Phase] = {**PASSES, **{phase.name: phase for phase in PHASES}}
    names = [name.strip() for name in value.split(",") if name.strip()]
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3)
            meant = f" Did you mean {listed(close, 'or')}?" if close else ""
            raise click.BadParameter(f"there is no pass '{name}'.{meant} 'daad passes' lists them.")
    return tuple(known[name] for name in names)


@click.command("opt", cls=Asking)
@asks
@click.option("--passes", "steps", default="", callback=_steps, metavar="A,B", help="Passes and phases, in this order.")
@click.option("--joint", is_flag=True, help="Begin with the program of value and gradient, not with the script's.")
@click.option("--print-after-all", is_flag=True, help="Print on stderr what each pass that changes something makes.")
def command(question: Question, steps: tuple[Pass | Phase, ...], joint: bool, print_after_all: bool) -> None:
    """Run passes on SCRIPT's program, or on a program's text in a file or in '-' (stdin), and print what they make."""
    with exit_codes():
        run(question, steps, joint, print_after_all)


@dataclass
class _Told:
    """What passes changed, in their order."""

    is_printed: bool
    steps: list[dict[str, object]] = field(default_factory=list)

    def __call__(self, step: Pass, before: Program, after: Program, seconds: float) -> None:
        self.steps.append({"name": step.name, "seconds": seconds})
        if self.is_printed:
            print(f"after {step.name}, {seconds:.4f} s:\n{program_text(after)}\n", file=sys.stderr)


def run(question: Question, steps: Sequence[Pass | Phase], joint: bool, print_after_all: bool) -> None:
    """Read the program, run the passes, print its text."""
    told = _Told(print_after_all)
    text = _text(question.script)
    program = _read(question, joint) if text is None else _parsed(question, text, joint)
    goal = Goal(live_at_end(program), threads=threads(), device=Device(question.device))
    with driver.observed(told):
        for step in steps:
            changed = driver.run(step, program, goal) if isinstance(step, Phase) else driver.apply(step, program, goal)
            program = validate(changed)
    if question.json:
        print_document({"program": program_text(program), "changed": told.steps})
    else:
        print(program_text(program))


def _text(source: str) -> str | None:
    """The text of a Program, if that is what a file has."""
    if source == STDIN:
        return sys.stdin.read()
    path = Path(source)
    if path.suffix == ".py" or not path.is_file():
        return None
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError):
        return None
    return text if text.split(maxsplit=1)[:1] == ["program"] else None


def _parsed(question: Question, text: str, joint: bool) -> Program:
    given = (question.arguments, question.function, question.wrt, question.of, question.options)
    if joint or any(given):
        raise BadArgument(
            f"'{question.script}' is the text of a program, of which nothing is chosen.",
            hint="Options but --passes, --print-after-all and --json are for scripts.",
        )
    program = parse(text)
    try:
        return validate(program)
    except AssertionError as error:
        raise BadArgument(f"'{question.script}' is no valid program: {error}.", hint="Correct its text.") from None


def _read(question: Question, joint: bool) -> Program:
    with subject(question) as found:
        args, kwargs = found.fresh()
        plan = daad.plan(found.function, args, wrt=found.wrt, of=found.of, **question.options, **kwargs)
        return plan.derivation.joined if joint else plan.program
