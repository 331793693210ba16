"""The manual page says what the commands say; shells complete them."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from daad.cli import main
from tests.cli.manual import PAGE, manual, paragraphs, plain


def test_the_manual_page_has_every_command_and_option(request: pytest.FixtureRequest) -> None:
    """With its help; how click writes the rest may change."""
    if request.config.getoption("--update-golden"):
        PAGE.write_text(manual())
    page, context = PAGE.read_text(), click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    assert [name for name in commands if f".SS daad {name} " not in page] == []
    options = [option for command in commands.values() for option in command.params if isinstance(option, click.Option)]
    missing = [
        o.opts[0]
        for o in options
        if plain(o.opts[0]) not in page or not all(line in page for line in paragraphs(o.help or ""))
    ]
    assert missing == [], f"run 'pytest --update-golden {__file__}'"


def test_what_man_would_read_as_its_own_is_escaped() -> None:
    assert plain(".SH 'a\\b") == "\\&.SH 'a\\eb"


def completed(*words: str) -> list[str]:
    """What bash gets for a line that ends in the last of these words."""
    asked = {"_DAAD_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    command = [sys.executable, "-m", "daad"]
    found = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in found.stdout.splitlines()]


def test_bash_completes_commands_and_options() -> None:
    assert completed("daad", "ch") == ["check"]
    assert "--memory-limit" in completed("daad", "grad", "--mem")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["completion", shell], standalone_mode=False)
    assert "_DAAD_COMPLETE" in capfd.readouterr().out
