"""`python -m daad` is the command `daad`."""

from daad.cli import main

main(prog_name="daad")
