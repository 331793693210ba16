"""What is known of a tasklet besides its C++: its connectors, and what its code needs."""

from __future__ import annotations

from dataclasses import dataclass

from daad.analysis.regular_sections import Box
from daad.codegen.cpp.product import Product
from daad.ir.affine import Affine


@dataclass(frozen=True)
class Connector:
    """What a tasklet reads or writes of an array under a name: a box, by a pointer to its first element, or one
    element."""

    name: str
    array: str
    box: Box
    by_pointer: bool = True

    @staticmethod
    def element(name: str, array: str, index: tuple[Affine, ...]) -> Connector:
        return Connector(name, array, tuple((i, i + 1) for i in index), by_pointer=False)


@dataclass(frozen=True)
class TaskletCode:
    """C++ over its connectors; loops over `Schedule.inner` are part of it. `python`: the same in Python, if it is plain
    arithmetic on elements."""

    text: str
    inputs: tuple[Connector, ...]
    outputs: tuple[Connector, ...]
    result: str = ""  # a further output that is no array of the Program
    product: Product | None = None  # that BLAS computes
    variables: tuple[str, ...] = ()  # of its own loops
    needs: frozenset[str] = frozenset()  # sections of the header
    trips: tuple[int, ...] = ()  # iterations of its own loops that are known
    python: str = ""


@dataclass(frozen=True)
class Operand:
    """A pointer into an array, and how far behind the array's first element it points."""

    pointer: str
    start: Affine
