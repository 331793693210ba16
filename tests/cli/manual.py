"""The manual page, docs/daad.1, from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from daad.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "daad.1"
EXIT_CODES = "Exit codes:"


def manual() -> str:
    """The page in the language of man."""
    about, _, codes = (main.help or "").partition(EXIT_CODES)
    lines = [
        '.TH DAAD 1 "" "" "daad"',
        ".SH NAME",
        "daad \\- gradients of ordinary NumPy programs",
        ".SH SYNOPSIS",
        ".B daad",
        ".I COMMAND",
        "[\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        *paragraphs(about),
        ".SH COMMANDS",
        *(line for name in main.list_commands(click.Context(main)) for line in _command(name)),
        ".SH EXIT STATUS",
        *paragraphs(codes),
        ".SH ENVIRONMENT",
        "See the page on environment, threads and the cache in daad's documentation.",
        ".SH SEE ALSO",
        "\\fBdaad\\fR \\fICOMMAND\\fR \\fB--help\\fR, \\fBpython -c 'import daad; help(daad)'\\fR",
    ]
    return "\n".join(lines) + "\n"


def _command(name: str) -> Iterator[str]:
    context = click.Context(main, info_name="daad")
    command = main.get_command(context, name)
    assert command is not None, "listed commands are there"
    own = click.Context(command, info_name=name, parent=context)
    yield f".SS {plain(' '.join(['daad', name, *command.collect_usage_pieces(own)]))}"
    yield from paragraphs(command.help or "")
    for option in command.get_params(own):
        record = option.get_help_record(own)
        if record is not None:
            yield from (".TP", f"\\fB{plain(record[0])}\\fR", *paragraphs(record[1]))


def paragraphs(text: str) -> Iterator[str]:
    """What click takes for lines that stay lines stays as it is."""
    for number, part in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        if part.lstrip().startswith("\b"):
            yield from (".nf", *(plain(line.strip()) for line in part.lstrip().splitlines()[1:]), ".fi")
        elif part.strip():
            yield plain(" ".join(part.split()))


def plain(text: str) -> str:
    """With what man would take for its own escaped."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
