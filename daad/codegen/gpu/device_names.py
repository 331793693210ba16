"""Names in CUDA C++ for the arrays, integers and variables of a Program."""

from __future__ import annotations

from daad.codegen.chosen_names import Names, cleaned
from daad.ir.nodes import Program
from daad.ir.walk import variable_names


def device_names(program: Program) -> Names:
    """Every name gets a number, so that none is a word of C++, a macro, or another name."""
    names = dict.fromkeys((*program.arrays, *program.integers, *variable_names(program.body)))
    return Names({name: f"{cleaned(name)}_v{number}" for number, name in enumerate(names)})
