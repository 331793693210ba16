"""Random small Programs (loops of both directions, triangular ones, overwriting, branches) as a source of questions."""

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
    Index,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
)

F = "float64"
N = 6
SHAPES = {"a": (N,), "b": (N,), "c": (N,), "m": (N, N), "s": (), "p": ()}


class Generator:
    """Draws one Program; every index is in range because variables stay in 1 .. N-2 and offsets in -1 .. 1."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> Program:
        body = tuple(self.node(2, ()) for _ in range(self.random.randint(2, 5)))
        arrays = {n: Array(n, shape, F) for n, shape in SHAPES.items()}
        return Program(name="random", arrays=arrays, parameters=tuple(SHAPES), body=body)

    def node(self, depth: int, variables: tuple[str, ...]) -> Node:
        draw = self.random.random()
        if depth and draw < 0.45:
            return self.loop(depth, variables)
        if depth and draw < 0.55:
            sides = [tuple(self.node(depth - 1, variables) for _ in range(self.random.randint(k, 2))) for k in (1, 0)]
            threshold = Op("greater", (self.scalar_load(variables), Const(0.3, F)), "bool")
            return Branch(threshold, *sides)
        return self.random.choice(
            (self.statement, self.statement, self.nest, self.nest, self.reduction, self.extremum)
        )(variables)

    def loop(self, depth: int, variables: tuple[str, ...]) -> Loop:
        var = "tuvw"[len(variables)]
        body = tuple(self.node(depth - 1, (*variables, var)) for _ in range(self.random.randint(1, 3)))
        low, high = Affine(1), Affine(self.random.choice((1, 3, 4, N - 1)))
        if variables and self.random.random() < 0.5:
            low, high = self.random.choice(((low, Affine.of(variables[-1])), (Affine.of(variables[-1]), Affine(N - 1))))
        return Loop(var, low, high, 1, body) if self.random.random() < 0.6 else Loop(var, high - 1, low - 1, -1, body)

    def index(self, variables: tuple[str, ...]) -> Index:
        if variables and self.random.random() < 0.8:
            return Affine.of(self.random.choice(variables)) + self.random.randint(-1, 1)
        return Affine(self.random.randrange(N))

    def scalar_load(self, variables: tuple[str, ...]) -> Load:
        name = self.random.choice(list(SHAPES))
        return Load(name, tuple(self.index(variables) for _ in SHAPES[name]), F)

    def value(self, operands: list[Expr]) -> Expr:
        a, b = self.random.choice(operands), self.random.choice(operands)
        kind = self.random.choice(("multiply", "multiply", "add", "subtract", "sin", "tanh", "divide", "where", "exp"))
        if kind == "divide":
            return Op("divide", (a, Op("add", (Const(2.0, F), Op("multiply", (b, b), F)), F)), F)
        if kind == "where":
            return Op("where", (Op("less", (a, b), "bool"), Op("multiply", (a, a), F), b), F)
        if kind == "exp":
            return Op("exp", (Op("sin", (a,), F),), F)
        if kind in ("sin", "tanh"):
            return Op("multiply", (Const(0.9, F), Op(kind, (Op("add", (a, b), F),), F)), F)
        return Op("multiply", (Const(0.7, F), Op(kind, (a, b), F)), F)

    def statement(self, variables: tuple[str, ...]) -> Nest:
        load = self.scalar_load(variables)
        op = self.random.choice(("=", "=", "+="))
        operands = [self.scalar_load(variables), self.scalar_load(variables), Load(load.array, load.index, F)]
        return Nest((), (Assign(Access(load.array, load.index), op, self.value(operands)),))

    def nest(self, variables: tuple[str, ...]) -> Nest:
        target = self.random.choice(("a", "b", "c", "m"))
        i = Affine.of("i")
        place: tuple[Index, ...] = (i,) if target != "m" else (self.index(variables), i)
        others = [n for n in ("a", "b", "c", "m", "s", "p") if n != target]
        operands: list[Expr] = []
        for name in self.random.sample(others, 2):
            last = i + self.random.randint(-1, 1)
            operands.append(Load(name, {0: (), 1: (last,), 2: (self.index(variables), last)}[len(SHAPES[name])], F))
        op = self.random.choice(("=", "=", "+="))
        operands.append(Load(target, place, F))
        high = self.random.choice((Affine(N - 1), Affine(N - 1), Affine.of(variables[-1]) if variables else Affine(3)))
        return Nest((Range("i", Affine(1), high),), (Assign(Access(target, place), op, self.value(operands)),))

    def reduction(self, variables: tuple[str, ...]) -> Nest:
        i, j = Affine.of("i"), Affine.of("j")
        target, place = self.random.choice((("s", ()), ("p", ()), ("c", (i,))))
        operands: list[Expr] = [Load("a", (j,), F), Load("m", (i, j), F), Load("b", (i,), F)]
        domain = (Range("i", Affine(1), Affine(4)), Range("j", Affine(0), Affine(N)))
        value = Op("multiply", (Const(0.2, F), self.value(operands)), F)
        return Nest(domain, (Assign(Access(target, place), "+=", value),))

    def extremum(self, variables: tuple[str, ...]) -> Nest:
        op = self.random.choice(("max=", "min="))
        value = self.value([Load("a", (Affine.of("i"),), F), Load("m", (Affine(2), Affine.of("i")), F)])
        return Nest((Range("i", Affine(0), Affine(N)),), (Assign(Access("p", ()), op, value),))
