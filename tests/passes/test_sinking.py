"""Fills of scratch arrays wait for what touches the array, other statements do not."""

from __future__ import annotations

import pytest

from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Assign, Const, Load, Loop, Nest, Node, Program, Range
from daad.passes.redundancy.sinking import sink_fills

ALL = (Range("i", Affine(0), Affine(4)),)
I = (Affine.of("i"),)


def clear(name: str) -> Nest:
    return Nest(ALL, (Assign(Access(name, I), "=", Const(0.0, "float64")),))


def copy(target: str, source: str) -> Nest:
    return Nest(ALL, (Assign(Access(target, I), "+=", Load(source, I, "float64")),))


def loop(*body: Node) -> Loop:
    return Loop("t", Affine(0), Affine(3), 1, body)


# Statements, and their numbers in the order in which they run afterwards.
BODIES = {
    "read later": ([clear("a"), copy("y", "x"), copy("y", "a")], [1, 0, 2]),
    "written later": ([clear("a"), copy("y", "x"), copy("a", "x"), copy("y", "a")], [1, 0, 2, 3]),
    "used in a loop": ([clear("a"), copy("y", "x"), loop(copy("a", "x")), copy("y", "a")], [1, 0, 2, 3]),
    "two for one": ([clear("a"), clear("b"), copy("y", "x"), copy("a", "b")], [2, 1, 0, 3]),
    "cleared twice": ([clear("a"), copy("y", "x"), clear("a"), copy("y", "a")], [1, 0, 2, 3]),
    "a result": ([clear("y"), copy("a", "x"), copy("y", "a")], [0, 1, 2]),
    "no fill": ([copy("a", "x"), copy("y", "x"), copy("y", "a")], [0, 1, 2]),
    "never used": ([clear("a"), copy("y", "x")], [0, 1]),
}


@pytest.mark.parametrize(("body", "order"), BODIES.values(), ids=BODIES)
def test_fills_wait(body: list[Node], order: list[int]) -> None:
    arrays = {name: Array(name, (4,), "float64") for name in "xyab"}
    program = Program(name="p", arrays=arrays, parameters=("x",), results=("y",), body=tuple(body))
    assert sink_fills(program, frozenset("y")).body == tuple(body[n] for n in order)
