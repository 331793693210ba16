"""Fills of scratch arrays, and statements on numbers, wait for what touches the same; other statements do not."""

from __future__ import annotations

import pytest

from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Assign, Const, Load, Loop, Nest, Node, Program, Range
from daad.passes.redundancy.sinking import sink_fills, sink_numbers

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


def number(target: str, source: str) -> Nest:
    return Nest((), (Assign(Access(target, ()), "=", Load(source, (), "float64")),))


def total(target: str, source: str) -> Nest:
    return Nest(ALL, (Assign(Access(target, ()), "+=", Load(source, I, "float64")),))


NUMBERS = {
    "read by nothing": ([total("s", "x"), number("t", "s"), copy("y", "x")], [0, 2, 1]),
    "in their order": ([number("t", "s"), number("u", "t"), copy("y", "x")], [2, 0, 1]),
    "read by a number that waits": ([number("s", "u"), copy("y", "x"), number("t", "s")], [1, 0, 2]),
    "read by a nest": ([number("t", "s"), copy("y", "x"), total("t", "y")], [0, 1, 2]),
    "overwritten before": ([number("t", "s"), copy("y", "x"), total("s", "y")], [0, 1, 2]),
    "behind a loop": ([number("t", "s"), loop(copy("y", "x"))], [1, 0]),
    "overwritten in a loop": ([number("t", "s"), loop(total("s", "x"))], [0, 1]),
}


@pytest.mark.parametrize(("body", "order"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_wait(body: list[Node], order: list[int]) -> None:
    arrays = {name: Array(name, (4,) if name in "xy" else (), "float64") for name in "xystu"}
    program = Program(name="p", arrays=arrays, parameters=("x", "s", "u"), results=("y", "t"), body=tuple(body))
    assert sink_numbers(program).body == tuple(body[n] for n in order)
