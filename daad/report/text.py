"""Programs that print as text."""

from __future__ import annotations

from dataclasses import dataclass, fields

from daad.ir.nodes import Program
from daad.ir.printer import program_text


@dataclass(frozen=True, kw_only=True)
class Shown(Program):
    """A Program that prints and shows itself as its text."""

    @staticmethod
    def of(program: Program) -> Shown:
        return Shown(**{f.name: getattr(program, f.name) for f in fields(Program)})

    def __str__(self) -> str:
        return program_text(self)

    __repr__ = __str__
