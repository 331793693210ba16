"""`daad completion`: what a shell reads to complete commands, options and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from daad.cli.exit_codes import exit_codes

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DAAD_COMPLETE"
"""By which a shell asks for completions, as click reads it."""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete the commands and options of daad.

    \b
    bash   eval "$(daad completion bash)" in ~/.bashrc
    zsh    eval "$(daad completion zsh)" in ~/.zshrc
    fish   daad completion fish > ~/.config/fish/completions/daad.fish
    """
    with exit_codes():
        made = get_completion_class(shell)
        assert made is not None, "click knows these shells"
        print(made(context.find_root().command, {}, "daad", VARIABLE).source())
