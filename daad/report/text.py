"""Programs that print as text."""

from dataclasses import dataclass, fields

from daad.ir.nodes import Program
from daad.ir.parser import parse as program_of
from daad.ir.printer import program_text
from daad.report.markup import plain_block


@dataclass(frozen=True, kw_only=True)
class Shown(Program):
    """A Program that prints and shows itself as its text."""

    @staticmethod
    def of(program: Program) -> "Shown":
        return Shown(**{f.name: getattr(program, f.name) for f in fields(Program)})

    def __str__(self) -> str:
        return program_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return plain_block(str(self))


def parse(text: str) -> Program:
    """The program that has this text, as `print` shows it; a BadArgument names the line that cannot be read.

        >>> import daad
        >>> print(daad.parse("program double(x: float64[3])\\n  for i in 0 .. 3:  x[i] = 2.0 * x[i]"))
        program double(x: float64[3])
          for i in 0 .. 3:  x[i] = 2.0 * x[i]

    It equals the program that was printed, such as `gradient.joint`, but for the lines of the source.
    """
    return Shown.of(program_of(text))
