"""Programs for the tests in the notation that `daad.parse` reads and that `print` shows."""

from __future__ import annotations

import textwrap

from daad.ir.nodes import Program
from daad.ir.parser import parse
from daad.ir.validator import validate


def program(name: str, arrays: str, source: str, integers: str = "", local: str = "", results: str = "") -> Program:
    """With this body; the rest as in the lines around it: `A: float64[3, 4], s: float64[]` in order of the parameters,
    `local` ones likewise, `m, n`, `A, s`."""
    lines = [
        f"program {name}({', '.join(filter(None, (arrays, integers)))})",
        f"  local {local}" if local else "",
        textwrap.indent(textwrap.dedent(source), "  "),
        f"  return {results}" if results else "",
    ]
    return validate(parse("\n".join(lines)))
