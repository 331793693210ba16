"""`daad passes`: what the compiler runs on a program, in order."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from daad.cli.exit_codes import exit_codes
from daad.cli.output import print_document
from daad.passes.definition import Pass
from daad.passes.driver import Phase, Rounds
from daad.passes.phases import PHASES

WIDTH = 34


@click.command("passes")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(as_json: bool) -> None:
    """List the passes in the order in which they are run; differentiation comes after the phase 'prepare'."""
    with exit_codes():
        if as_json:
            print_document({"phases": [_document(phase) for phase in PHASES]})
        else:
            seen: set[str] = set()
            print("\n\n".join("\n".join(_lines(phase, seen)) for phase in PHASES))


def _lines(phase: Phase, seen: set[str]) -> Iterator[str]:
    yield f"{phase.name}: {phase.does}"
    for step in phase.steps:
        if isinstance(step, Rounds):
            yield f"  while one of these changes something, at most {step.most} times:"
            yield from _indented(step.first, "    ", seen)
            yield "  and then:"
            yield from _indented(step.then, "    ", seen)
        else:
            yield from _indented((step,), "  ", seen)


def _indented(steps: tuple[Pass, ...], margin: str, seen: set[str]) -> Iterator[str]:
    """What a pass does is told where it comes first."""
    for step in steps:
        if step.name in seen:
            yield f"{margin}{step.name}"
            continue
        seen.add(step.name)
        source = f" [{step.source}]" if step.source else ""
        for number, line in enumerate(textwrap.wrap(f"{step.does}{source}", 120 - WIDTH - len(margin))):
            yield f"{margin}{step.name if number == 0 else '':{WIDTH}}{line}"


def _document(phase: Phase) -> dict[str, object]:
    steps = [
        {"while one changes something": _told(step.first), "then": _told(step.then), "at most": step.most}
        if isinstance(step, Rounds)
        else _told((step,))[0]
        for step in phase.steps
    ]
    return {"name": phase.name, "does": phase.does, "passes": steps}


def _told(steps: tuple[Pass, ...]) -> list[dict[str, object]]:
    return [
        {
            "name": step.name,
            "does": step.does,
            "source": step.source,
            **{
                word: sorted(form.name.lower() for form in forms)
                for word, forms in (
                    ("requires", step.requires),
                    ("establishes", step.establishes),
                    ("ends", step.ends),
                )
            },
        }
        for step in steps
    ]
