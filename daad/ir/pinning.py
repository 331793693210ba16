"""Int parameters that must be compile-time constants: the signal, and the program for one value of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Index, IndexValue, Loop, Node, Program
from daad.ir.walk import nodes, substitute_node, walk


class Needs(Exception):
    """The program must be read again, for something that only reading tells."""


class NeedsResult(Needs):
    """Somebody looks at a result that could have waited; never seen by users."""


class NeedsPlaces(Needs):
    """Masks that are known must be lists of places, since their length matters; never seen by users."""


class NeedsWorld(Needs):
    """The program communicates: what that begins with comes before all else; never seen by users."""


class NeedsOwn(Needs):
    """An array that is known is written: the program needs one of its own in its place; never seen by users."""

    def __init__(self, array: Any) -> None:
        super().__init__("an array that is known is written")
        self.array = array


class NeedsConstant(Needs):
    """A pass needs the value of the int parameter `name`; never seen by users."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def pinned(program: Program, name: str, value: int) -> Program:
    """The program for this value of the int parameter `name`, which is no parameter any more."""
    values = {name: Affine(value)}
    body = tuple(substitute_node(node, values) for node in program.body)
    return replace(program, integers=tuple(n for n in program.integers if n != name), body=body)


def is_computed_with(program: Program, name: str) -> bool:
    """Whether values are made from the int parameter `name`, which otherwise says only where loops end and what is
    read and written."""
    return any(_enters(value, name) for node in walk(program.body) for value in _values(node))


def _enters(value: Index, name: str) -> bool:
    if isinstance(value, Affine) or name not in value.variables:
        return False
    return any(isinstance(node, IndexValue) and name in node.form.names for node in nodes(value))


def _values(node: Node) -> Iterable[Index]:
    if isinstance(node, Loop):
        return node.header
    if isinstance(node, Branch):
        return (node.condition,)
    return [value for assign in node.assigns for value in (assign.value, *assign.target.index)]
