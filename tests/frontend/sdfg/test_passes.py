"""Inlining of scalars, masks and nests of maps keep what a program computes: random programs, before and after."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from daad.errors import Unsupported
from daad.frontend.sdfg.cleanup.scalar_forwarding import inline_scalars
from daad.frontend.sdfg.lift import finished
from daad.frontend.sdfg.states.maps import ParallelLoop
from daad.frontend.sdfg.symbol_table import Arrays
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.nodes import (
    Access,
    Assign,
    Branch,
    Const,
    Expr,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
)
from daad.ir.printer import body_text
from daad.ir.validator import validate
from daad.ir.walk import walk
from tests.seeds import a_quarter

SCALARS = ("s", "t", "u")
SIZE = 5
Body = tuple[Node, ...]


class Maker:
    """Random bodies over three scalars and the arrays A (read and written) and B (written by index)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, variables: tuple[str, ...], depth: int = 2) -> Expr:
        kind = self.random.choice(("scalar", "array", "constant", "op", "op", "where", "index"))
        if depth == 0 or kind == "constant":
            return Const(self.random.choice((0.5, 1.0, 2.0)), "float64")
        if kind == "scalar":
            return Load(self.random.choice(SCALARS), (), "float64")
        if kind == "array":
            return Load("A", (self.index(variables),), "float64")
        if kind == "index" and variables:
            return Op("cast", (IndexValue(Affine.of(self.random.choice(variables))),), "float64")
        if kind == "where":
            sides = [self.value(variables, depth - 1) for _ in range(2)]
            return Op("where", (self.condition(variables), *sides), "float64")
        name = self.random.choice(("add", "subtract", "multiply"))
        return Op(name, tuple(self.value(variables, depth - 1) for _ in range(2)), "float64")

    def condition(self, variables: tuple[str, ...]) -> Expr:
        return Op("less", (self.value(variables, 1), self.value(variables, 1)), "bool")

    def index(self, variables: tuple[str, ...]) -> Affine:
        if variables and self.random.random() < 0.8:
            return Affine.of(self.random.choice(variables))
        return Affine(self.random.randrange(SIZE))

    def statement(self, variables: tuple[str, ...], depth: int) -> Node:
        kind = self.random.choice(("scalar", "scalar", "array", "sum", "nest", "loop", "map", "branch"))
        if depth == 0 and kind in ("loop", "map", "branch"):
            kind = "scalar"
        make = {
            "scalar": self._scalar,
            "array": self._array,
            "sum": self._sum,
            "nest": self._nest,
            "loop": self._loop,
            "map": self._map,
            "branch": self._branch,
        }[kind]
        return make(variables, depth)

    def body(self, variables: tuple[str, ...], depth: int) -> Body:
        return tuple(self.statement(variables, depth) for _ in range(self.random.randint(1, 4)))

    def _scalar(self, variables: tuple[str, ...], depth: int) -> Node:
        return assign(Access(self.random.choice(SCALARS), ()), self.value(variables))

    def _array(self, variables: tuple[str, ...], depth: int) -> Node:
        return assign(Access(self.random.choice("AB"), (self.index(variables),)), self.value(variables))

    def _sum(self, variables: tuple[str, ...], depth: int) -> Node:
        target = Access(self.random.choice(SCALARS), ()) if self.random.random() < 0.5 else Access("B", (Affine(1),))
        own = f"j{len(variables)}"
        value = Op("multiply", (Load("A", (Affine.of(own),), "float64"), Const(0.5, "float64")), "float64")
        return Nest((Range(own, Affine(0), Affine(SIZE)),), (Assign(target, "+=", value),))

    def _nest(self, variables: tuple[str, ...], depth: int) -> Node:
        own = f"j{len(variables)}"
        value = Op("add", (Load("A", (Affine.of(own),), "float64"), Load("s", (), "float64")), "float64")
        return Nest(
            (Range(own, Affine(0), Affine(SIZE)),), (Assign(Access("B", (Affine.of(own),)), "=", value),)
        )  # fmt: skip

    def _loop(self, variables: tuple[str, ...], depth: int) -> Node:
        own = f"i{len(variables)}"
        return Loop(own, Affine(0), Affine(SIZE), 1, self.body((*variables, own), depth - 1))

    def _map(self, variables: tuple[str, ...], depth: int) -> Node:
        own = f"i{len(variables)}"
        return ParallelLoop(own, Affine(0), Affine(SIZE), 1, self.body((*variables, own), depth - 1), ordered=True)

    def _branch(self, variables: tuple[str, ...], depth: int) -> Node:
        orelse = self.body(variables, depth - 1) if self.random.random() < 0.5 else ()
        return Branch(self.condition(variables), self.body(variables, depth - 1), orelse)


def assign(target: Access, value: Expr) -> Nest:
    return Nest((), (Assign(target, "=", value),))


def initialised(body: Body) -> Body:
    starts = tuple(assign(Access(name, ()), Const(1.5, "float64")) for name in SCALARS)
    return (*starts, *body)


def arrays() -> Arrays:
    declared = Arrays()
    for name in ("A", "B"):
        declared.add(name, (SIZE,), "float64")
    for name in SCALARS:
        declared.add(name, (), "float64")
    return declared


def values(body: Body, declared: Arrays) -> dict[str, np.ndarray]:
    program = Program(name="p", arrays=declared.declared, parameters=("A", "B"), body=body)
    start = np.linspace(0.1, 0.9, SIZE)
    end = run(validate(program), {"A": start, "B": start + 1})
    return {name: end[name] for name in ("A", "B")}


def programs(count: int) -> Iterator[Body]:
    for seed in range(count):
        yield initialised(Maker(seed).body((), 3))


@pytest.mark.parametrize("seed", a_quarter(range(120)))
def test_random_program_computes_the_same_when_finished(seed: int) -> None:
    """`ordered` maps mean what a sequential loop means, so that every random body has a meaning."""
    body = initialised(Maker(seed).body((), 3))
    expected = values(body, arrays())
    declared = arrays()
    result = finished(body, declared, {"A", "B"})
    assert not any(isinstance(node, ParallelLoop) for node in walk(result))
    got = values(result, declared)
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-9, err_msg=f"{body_text(body)}\n->\n{body_text(result)}")


def test_random_programs_are_changed_at_all() -> None:
    changed = sum(len(inline_scalars(b, frozenset(SCALARS))) < len(b) for b in programs(60))
    nests = sum(
        any(isinstance(n, Nest) and n.domain for n in walk(finished(b, arrays(), {"A", "B"}))) for b in programs(60)
    )
    assert changed > 20
    assert nests > 20


def scalar(name: str) -> Load:
    return Load(name, (), "float64")


def at(name: str, index: Affine | int) -> Load:
    return Load(name, (Affine.of(index),), "float64")


I = Affine.of("i")


def map_of(*body: Node) -> Body:
    return (ParallelLoop("i", Affine(0), Affine(SIZE), 1, body),)


TEXTS = {
    "scalars of a point become one expression": (
        map_of(assign(Access("s", ()), at("A", I)), assign(Access("B", (I,)), Op("exp", (scalar("s"),), "float64"))),
        "for i in 0 .. 5:  B[i] = exp(A[i])",
    ),
    "a value that is overwritten is kept": (
        (assign(Access("s", ()), at("A", 0)), assign(Access("A", (Affine(0),)), Const(2.0, "float64")),
         assign(Access("A", (Affine(1),)), scalar("s"))),
        "s = A[0]\nA[0] = 2.0\nA[1] = s",
    ),
    "a costly value is not moved into a nest": (
        (assign(Access("s", ()), Op("exp", (at("A", 0),), "float64")),
         Nest((Range("j", Affine(0), Affine(SIZE)),), (Assign(Access("B", (Affine.of("j"),)), "=", scalar("s")),))),
        "s = exp(A[0])\nfor j in 0 .. 5:  B[j] = s",
    ),
    "a branch in a map becomes a mask": (
        map_of(Branch(Op("less", (at("A", I), Const(0.5, "float64")), "bool"),
                      (assign(Access("B", (I,)), Const(1.0, "float64")),), ())),
        "for i in 0 .. 5:  B[i] = 1.0 if A[i] < 0.5 else B[i]",
    ),
    "a write that may be out of bounds is not masked": (
        map_of(Branch(Op("less", (IndexValue(I), Const(4, "int64")), "bool"),
                      (assign(Access("B", (I + 1,)), Const(1.0, "float64")),), ())),
        "loop i = 0 .. 5:\n  if i < 4:\n    B[i + 1] = 1.0",
    ),
    "scratch of a point gets a dimension": (
        map_of(assign(Access("s", ()), Const(0.0, "float64")),
               Nest((Range("j", Affine(0), Affine(SIZE)),), (Assign(Access("s", ()), "+=", at("A", Affine.of("j"))),)),
               assign(Access("B", (I,)), scalar("s"))),
        "for i in 0 .. 5:  s[i] = 0.0\nfor i in 0 .. 5, j in 0 .. 5:  s[i] += A[j]\nfor i in 0 .. 5:  B[i] = s[i]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_finished_body(name: str) -> None:
    body, text = TEXTS[name]
    assert body_text(finished(body, arrays(), {"A", "B"})) == text


def test_conflict_between_points_of_a_map_is_refused() -> None:
    body = map_of(assign(Access("A", (I,)), at("A", Affine(SIZE - 1) - I)))
    with pytest.raises(Unsupported, match="Points of a map read or write elements of 'A' that other"):
        finished(body, arrays(), {"A", "B"})
