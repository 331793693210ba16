"""The command line `daad`: one module per command, loaded when the command is called."""

import importlib
import sys
from typing import Any

import click

import daad

# Name, and the line that 'daad --help' shows without loading the command's module.
COMMANDS = {
    "grad": "Compute the gradient of a function or of a script's variable.",
    "jacobian": "Compute a Jacobian, dense or sparse.",
    "hessian": "Compute a Hessian, dense or sparse.",
    "jvp": "Multiply the Jacobian by a tangent.",
    "vjp": "Multiply a seed by the Jacobian.",
    "hvp": "Multiply the Hessian by a tangent.",
    "check": "Compare the gradient with finite differences.",
    "explain": "Show what the gradient keeps in memory and what it computes again, and why.",
    "plan": "Show what the gradient will hold in memory, and what less memory would cost.",
    "sdfg": "Write the gradient as an SDFG that DaCe compiles and runs without daad.",
    "export": "Write value and gradient as a library for C, C++, Fortran and NumPy.",
    "opt": "Run optimisation passes by name on a program, and print what they make of it.",
    "passes": "List the optimisation passes in their order.",
    "doctor": "Show what daad works with here, and whether the C++ compiler is right.",
    "completion": "Print what makes a shell complete the commands and options.",
    "bench": "Compare gradients of NPBench's algorithms, by daad and by others.",
}


PRODUCTS = frozenset({"jacobian", "hessian", "jvp", "vjp", "hvp"})
"""Those of one module."""


class LazyGroup(click.Group):
    """A group that knows its commands by name only, so that help and wrong usage are answered at once."""

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Ends, whatever threads a script has left behind."""
        try:
            return super().main(*args, **keywords)
        except SystemExit as ended:
            if threads := sys.modules.get("daad.cli.script.threads"):
                threads.end(ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1)
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in PRODUCTS:
            made: click.Command = importlib.import_module("daad.cli.jacobian_products").command_of(cmd_name)
            return made
        command: click.Command = importlib.import_module(f"daad.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(daad.__version__, prog_name="daad")
def main() -> None:
    """Gradients of ordinary NumPy programs.

    Exit codes: 0 done; 1 a check failed; 2 wrong usage, or a file, function or variable not found; 3 the program
    cannot be differentiated; 4 the memory limit cannot be met; 5 the compiler failed, or daad has a defect; 6 there is
    no GPU that can be used.
    """
