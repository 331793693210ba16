"""Names that passes make; all follow from the program, so the same program gives the same text."""

from __future__ import annotations

from collections.abc import Iterable

from daad.ir.nodes import Program
from daad.ir.walk import variable_names

AXES = "ijklmn"


def bar(name: str) -> str:
    """The adjoint of an array."""
    return f"{name}_bar"


def dot(name: str) -> str:
    """The tangent of an array."""
    return f"{name}_dot"


class NameSupply:
    """Gives names that are not taken: `x`, or the first of `x_1`, `x_2`, … (it remembers how far it came).

    What it gives as `new` is taken from then on; a `free` name may be given again, as variables of nests are that stand
    beside each other. Within a part of a program further names are taken, of which the rest of it knows nothing.
    """

    def __init__(self, taken: Iterable[str] = (), outer: NameSupply | None = None) -> None:
        self._taken = set(taken)
        self._outer = outer
        self._reached: dict[str, int] = {}

    @staticmethod
    def of(program: Program) -> NameSupply:
        """Of arrays, int parameters and variables all are taken."""
        return NameSupply((*program.arrays, *program.integers, *variable_names(program.body)))

    def __contains__(self, name: str) -> bool:
        return name in self._taken or (self._outer is not None and name in self._outer)

    def free(self, name: str) -> str:
        """A name that is not taken."""
        number = self._start(name)
        while (found := f"{name}_{number}" if number else name) in self:
            number += 1
        self._reached[name] = number
        return found

    def _start(self, name: str) -> int:
        found = self._reached.get(name)
        return found if found is not None else self._outer._start(name) if self._outer else 0

    def new(self, name: str) -> str:
        """A name that is not taken until now."""
        found = self.free(name)
        self._taken.add(found)
        return found

    def take(self, *names: str) -> None:
        self._taken.update(names)

    def within(self, names: Iterable[str]) -> NameSupply:
        """The supply for a part of the program in which these are taken as well."""
        return NameSupply(names, self)

    def axes(self, count: int) -> list[str]:
        """Free names for the variables of a domain: i, j, k, …"""
        own = self.within(())
        return [own.new(AXES[axis % len(AXES)]) for axis in range(count)]
