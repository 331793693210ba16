"""Names that stand for what has none in a program; neither a user nor a pass gives such names."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Any

from daad.ir.affine import Affine


class Kind(Enum):
    """What a symbol stands for, with its text."""

    AXIS = "${}"
    """An own axis of a value that is being staged."""
    POINT = "%{}"
    """A variable of a domain that has no name yet."""
    SELECTED = "?{}.{}"
    """The extent of what a mask selects of an axis: the number of the mask, and the axis."""
    FORMAL = "?{}"
    """An array or a variable where statements are compared whatever the names are."""
    ELSEWHERE = "{}'"
    """A variable in another execution of the statements that it belongs to."""
    DIMENSION = "#{}"
    """The index of an array's dimension, in the extents of later ones and in where its rows begin."""
    HALF = "#half"
    """In the offset of a row: 1 in the second half of the indices of a dimension that is folded, otherwise 0."""
    STAGED = "{}#{}"
    """An array or a variable of the program under construction: how it would be called, and a number."""
    HIDDEN = "{} of {}"
    """A variable that only daad knows, as a part of the program: how it would be called, and where it is needed."""
    FLAG = "{} {}"
    """Whether something has happened in a part of the program: what, and where."""
    LAST = "{} after {}"
    """What a variable holds at the end of an iteration: its name, and where the loop stands."""
    OPERAND = "&{}"
    """An operand, where what is done with it is to be found out."""


class Symbol(str):
    """A symbol is told by `kind` and `parts`; its text is for people, and orders it among other names."""

    kind: Kind
    parts: tuple[Any, ...]

    def __new__(cls, kind: Kind, *parts: int | str) -> Symbol:
        self = super().__new__(cls, kind.value.format(*parts))
        self.kind, self.parts = kind, parts
        return self

    def __getnewargs__(self) -> tuple[Kind | int | str, ...]:  # type: ignore[override]
        return self.kind, *self.parts


@lru_cache(maxsize=4096)
def symbol(kind: Kind, *parts: int | str) -> Symbol:
    """The same object each time: names are compared often."""
    return Symbol(kind, *parts)


@lru_cache(maxsize=4096)
def form(kind: Kind, *parts: int | str) -> Affine:
    """A symbol as an affine form."""
    return Affine.of(symbol(kind, *parts))


def called(name: str) -> str:
    """How an array or a variable of that name would be called in a program."""
    return called(name.parts[0]) if isinstance(name, Symbol) else name


def parts_of(kind: Kind, name: str) -> tuple[Any, ...] | None:
    """What a symbol of that kind is made of; None for other names."""
    return name.parts if isinstance(name, Symbol) and name.kind is kind else None
