"""Random Programs full of zero fills, clears, partial updates and shifted reads, in loops of both directions."""

from __future__ import annotations

import random

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
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
from daad.ir.validator import validate

F = "float64"
N = 7
SHAPES: dict[str, tuple[int, ...]] = {"a": (N,), "b": (N,), "c": (N,), "m": (N, N), "s": ()}
RESULTS = ("a", "m")
ZERO = Const(0.0, F)


def clearing_program(seed: int) -> Program:
    """All arrays are cleared at the start; `a` and `m` are the results."""
    return _Generator(random.Random(seed)).program(seed)


class _Generator:
    """Variables stay within 1 .. N-2, so that indices with offsets of one stay within the arrays."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def program(self, seed: int) -> Program:
        start = tuple(self.fill(name) for name in SHAPES)
        body = tuple(self.node(2, ()) for _ in range(self.random.randint(3, 7)))
        arrays = {n: Array(n, shape, F) for n, shape in {**SHAPES, "x": (N,)}.items()}
        built = Program(
            name=f"clearing_{seed}",
            arrays=arrays,
            parameters=("x",),
            integers=("n",),
            results=RESULTS,
            body=(*start, *body),
        )
        return validate(built)

    def fill(self, name: str) -> Nest:
        names = "ij"[: len(SHAPES[name])]
        domain = tuple(Range(v, Affine(0), Affine(N)) for v in names)
        return Nest(domain, (Assign(Access(name, tuple(map(Affine.of, names))), "=", ZERO),))

    def node(self, depth: int, variables: tuple[str, ...]) -> Node:
        draw = self.random.random()
        if depth and draw < 0.4:
            return self.loop(depth, variables)
        if depth and draw < 0.5:
            sides = [tuple(self.node(depth - 1, variables) for _ in range(k)) for k in (1, self.random.randint(0, 1))]
            return Branch(Op("greater", (self.load("x", variables), Const(1.0, F)), "bool"), *sides)
        return self.nest(variables) if draw < 0.9 else self.statement(variables)

    def loop(self, depth: int, variables: tuple[str, ...]) -> Loop:
        var = "tuv"[len(variables)]
        low, high = Affine(1), self.random.choice((Affine(3), Affine(N - 1), Affine.of("n") + 1, Affine(1)))
        if variables and self.random.random() < 0.5:
            outer = Affine.of(variables[-1])
            low, high = self.random.choice(((low, outer), (outer, Affine(N - 1)), (outer + 1, Affine(N - 1))))
        body = tuple(self.node(depth - 1, (*variables, var)) for _ in range(self.random.randint(1, 4)))
        return Loop(var, low, high, 1, body) if self.random.random() < 0.6 else Loop(var, high - 1, low - 1, -1, body)

    def point(self, variables: tuple[str, ...]) -> Affine:
        if variables and self.random.random() < 0.7:
            return Affine.of(self.random.choice(variables)) + self.random.randint(-1, 1)
        return Affine(self.random.randrange(N))

    def load(self, name: str, variables: tuple[str, ...], last: Affine | None = None) -> Load:
        index = [self.point(variables) for _ in {**SHAPES, "x": (N,)}[name]]
        if last is not None and index:
            index[-1] = last
        return Load(name, tuple(index), F)

    def statement(self, variables: tuple[str, ...]) -> Nest:
        target = self.load(self.random.choice(list(SHAPES)), variables)
        op, value = self.random.choice(
            (("=", ZERO), ("=", self.value(variables, None)), ("+=", self.value(variables, None)))
        )
        return Nest((), (Assign(Access(target.array, target.index), op, value),))

    def value(self, variables: tuple[str, ...], point: Affine | None, avoid: str = "") -> Expr:
        names = [n for n in (*SHAPES, "x") if n != avoid]
        parts = [
            self.load(n, variables, point and point + self.random.randint(-1, 1)) for n in self.random.sample(names, 2)
        ]
        value: Expr = Op("add", (Op("multiply", (Const(0.4, F), parts[0]), F), parts[1]), F)
        if point is not None and self.random.random() < 0.4:
            guard = Op("less", (IndexValue(point), Const(self.random.randint(1, N - 1), "int64")), "bool")
            value = Op("where", (guard, *self.random.sample([parts[0], ZERO, value], 2)), F)
        return value

    def nest(self, variables: tuple[str, ...]) -> Nest:
        target = self.random.choice(("a", "b", "c", "m"))
        i = Affine.of("i")
        low, high = self.random.choice(((Affine(1), Affine(N - 1)), (Affine(1), Affine(N - 1)), (Affine(2), Affine(4))))
        if variables and self.random.random() < 0.3:
            high = Affine.of(variables[-1])
        place = self.random.choice((i, i, i, i + 1, i - 1, Affine(N - 1) - i))
        index = (place,) if target != "m" else (self.point(variables), place)
        access = Access(target, index)
        own = Load(target, index, F)
        value = self.value(variables, i, avoid=target)
        op, value = self.random.choice(
            (
                ("=", ZERO),
                ("=", ZERO),
                ("=", value),
                ("+=", value),
                ("+=", value),
                ("=", Op("add", (own, value), F)),
            )
        )
        assigns = [Assign(access, op, value)]
        if self.random.random() < 0.3:
            assigns.append(Assign(access, "=", ZERO))
        return Nest((Range("i", low, high),), tuple(assigns))
