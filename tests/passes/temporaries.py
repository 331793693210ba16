"""Random Programs in which local arrays are defined, read once or more, summed into and overwritten."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

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
N = 8


def temporaries_program(seed: int) -> Program:
    """`x`, `y` and `m` are parameters and visible; `t0`, `t1`, … are local."""
    return _Generator(random.Random(seed)).program(seed)


@dataclass
class _Generator:
    """Every local array is defined on 0 .. N before it is read; nests read at points 1 .. N-2, plus or minus one."""

    random: random.Random
    arrays: dict[str, Array] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)

    def program(self, seed: int) -> Program:
        for name, shape in (("x", (N,)), ("y", (N,)), ("m", (N, N)), ("p", ())):
            self.arrays[name] = Array(name, shape, F)
        body = self.body(2, (), 6)
        return validate(
            Program(name=f"temporaries_{seed}", arrays=self.arrays, parameters=("x", "y", "m", "p"), body=body)
        )

    def body(self, depth: int, variables: tuple[str, ...], length: int) -> tuple[Node, ...]:
        known = len(self.lines), len(self.scalars)
        out: list[Node] = []
        for _ in range(length):
            out.extend(self.nodes(depth, variables))
        del self.lines[known[0] :], self.scalars[known[1] :]
        return tuple(out)

    def nodes(self, depth: int, variables: tuple[str, ...]) -> list[Node]:
        draw = self.random.random()
        if depth and draw < 0.15:
            var = "tuv"[len(variables)]
            low = Affine.of(variables[-1]) if variables and self.random.random() < 0.5 else Affine(1)
            body = self.body(depth - 1, (*variables, var), 4)
            return [Loop(var, low, Affine(4), 1, body) if draw < 0.1 else Loop(var, Affine(3), low - 1, -1, body)]
        if depth and draw < 0.2:
            test = Op("greater", (self.element(variables), Const(1.0, F)), "bool")
            return [Branch(test, self.body(depth - 1, variables, 2), self.body(depth - 1, variables, 1))]
        return self.random.choice((self.line, self.line, self.scalar, self.sum, self.sums, self.use, self.use))(
            variables
        )

    def fresh(self, shape: tuple[int, ...]) -> str:
        name = f"t{len(self.arrays) - 4}"
        self.arrays[name] = Array(name, shape, F)
        return name

    def line(self, variables: tuple[str, ...]) -> list[Node]:
        """A local array on all points, by shifts or in reverse."""
        name, i = self.fresh((N,)), Affine.of("i")
        point = self.random.choice((i, Affine(N - 1) - i))
        value = self.value([Load(n, (point,), F) for n in ("x", "y", *self.lines)], variables)
        self.lines.append(name)
        return [Nest((Range("i", Affine(0), Affine(N)),), (Assign(Access(name, (i,)), "=", value),))]

    def scalar(self, variables: tuple[str, ...]) -> list[Node]:
        name = self.fresh(())
        value = self.value([self.element(variables), Load("p", (), F)], variables)
        self.scalars.append(name)
        return [Nest((), (Assign(Access(name, ()), "=", value),))]

    def sum(self, variables: tuple[str, ...]) -> list[Node]:
        """`s = 0; s += …; X = X ± s`."""
        name, k = self.fresh(()), Affine.of("k")
        rows = [Load("m", (self.point(variables), k), F), Load("x", (k,), F), Load("y", (k,), F)]
        summand = Op("multiply", (self.random.choice(rows), self.value(rows, variables)), F)
        domain = (Range("k", Affine(0), Affine(self.random.choice((3, N)))),)
        access = self.random.choice(
            (Access("p", ()), Access("x", (self.point(variables),)), Access("m", (self.point(variables), Affine(2))))
        )
        return [
            Nest((), (Assign(Access(name, ()), "=", Const(0.0, F)),)),
            Nest(domain, (Assign(Access(name, ()), "+=", summand),)),
            *self.between(variables),
            Nest((), (self.added(access, Load(name, (), F)),)),
        ]

    def sums(self, variables: tuple[str, ...]) -> list[Node]:
        """The same for each row of a matrix."""
        name, i, j = self.fresh((N,)), Affine.of("i"), Affine.of("j")
        summand = Op("multiply", (Load("m", self.random.choice(((i, j), (j, i))), F), Load("y", (j,), F)), F)
        rows, columns = Range("i", Affine(0), Affine(N)), Range("j", Affine(0), Affine(N))
        var = self.random.choice("ij")
        use = Affine.of(var)
        access = Access(self.random.choice("xy"), (self.random.choice((use, Affine(N - 1) - use)),))
        return [
            Nest((rows,), (Assign(Access(name, (i,)), "=", Const(0.0, F)),)),
            Nest((rows, columns), (Assign(Access(name, (i,)), "+=", summand),)),
            *self.between(variables),
            Nest((Range(var, Affine(0), Affine(N)),), (self.added(access, Load(name, (use,), F)),)),
        ]

    def between(self, variables: tuple[str, ...]) -> list[Node]:
        return self.use(variables) if self.random.random() < 0.3 else []

    def added(self, access: Access, load: Load) -> Assign:
        own = Load(access.array, access.index, F)
        return self.random.choice(
            (
                Assign(access, "=", Op("subtract", (own, load), F)),
                Assign(access, "=", Op("add", (load, own), F)),
                Assign(access, "+=", Op("negative", (load,), F)),
                Assign(access, "=", load),
                Assign(access, "=", Op("multiply", (Const(0.1, F), load), F)),
            )
        )

    def use(self, variables: tuple[str, ...]) -> list[Node]:
        """Something visible, at inner points."""
        i = Affine.of("i")
        target = self.random.choice(("x", "y", "m"))
        names = [n for n in ("x", "y", *self.lines) if n != target]
        chosen = [self.random.choice(names[-3:]) for _ in range(2)]
        operands: list[Expr] = [Load(n, (i + self.random.randint(-1, 1),), F) for n in chosen]
        operands += [Load(n, (), F) for n in self.scalars[-1:]]
        value = self.value(operands, variables)
        if self.random.random() < 0.3:
            guard = Op("less", (IndexValue(i), Const(4, "int64")), "bool")
            value = Op("where", (guard, value, operands[0]), F)
        index = (i,) if target != "m" else (self.point(variables), i)
        op = self.random.choice(("=", "+="))
        return [Nest((Range("i", Affine(1), Affine(N - 1)),), (Assign(Access(target, index), op, value),))]

    def point(self, variables: tuple[str, ...]) -> Affine:
        if variables and self.random.random() < 0.7:
            return Affine.of(self.random.choice(variables)) + self.random.randint(-1, 1)
        return Affine(self.random.randrange(N))

    def element(self, variables: tuple[str, ...]) -> Expr:
        if self.scalars and self.random.random() < 0.4:
            return Load(self.random.choice(self.scalars), (), F)
        return Load(self.random.choice(("x", "y", *self.lines)), (self.point(variables),), F)

    def value(self, operands: list[Expr], variables: tuple[str, ...]) -> Expr:
        a, b = self.random.choice(operands[-3:]), self.random.choice(operands)
        kind = self.random.choice(("copy", "scale", "add", "multiply", "tanh", "divide"))
        if kind == "copy":
            return a
        if kind == "scale":
            return Op("multiply", (Const(0.5, F), a), F)
        if kind == "tanh":
            return Op("tanh", (Op("add", (a, b), F),), F)
        if kind == "divide":
            return Op("divide", (a, Op("add", (Const(2.0, F), Op("absolute", (b,), F)), F)), F)
        return Op("multiply", (Const(0.4, F), Op(kind, (a, b), F)), F)
