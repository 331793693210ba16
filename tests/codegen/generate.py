"""Random Programs that keep the rules of a nest: seeded, small, many statements each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Const,
    Expr,
    Index,
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

SMOOTH = ("sin", "tanh", "arctan", "cos")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "hypot", "arctan2")
GATHERED = 3  # values of the integer array are below


def random_program(seed: int, statements: int = 8) -> Program:
    """A valid Program with loops, branches, nests of all kinds; the same for the same seed."""
    return _Generator(np.random.default_rng(seed)).program(f"random_{seed}", statements)


@dataclass
class _Generator:
    rng: np.random.Generator
    arrays: dict[str, Array] = field(default_factory=dict)
    variables: int = 0

    def program(self, name: str, statements: int) -> Program:
        dtype = "float32" if self.rng.random() < 0.15 else "float64"
        for i in range(5):
            shape = tuple(int(n) for n in self.rng.integers(4, 8, size=self.rng.integers(1, 4)))
            self.arrays[f"A{i}"] = Array(f"A{i}", shape, dtype)
        self.arrays["s"] = Array("s", (), dtype)
        self.arrays["K"] = Array("K", (7,), "int64")
        body = tuple(self.node({"n": (4, 4)}, 2) for _ in range(statements))
        built = Program(name=name, arrays=self.arrays, parameters=tuple(self.arrays), integers=("n",), body=body)
        return validate(built)

    def pick(self, options: tuple | list):  # type: ignore[no-untyped-def]
        return options[int(self.rng.integers(len(options)))]

    def fresh(self) -> str:
        self.variables += 1
        return f"i{self.variables}"

    def node(self, ranges: dict[str, tuple[int, int]], depth: int) -> Node:
        roll = self.rng.random()
        if depth and roll < 0.25:
            return self.loop(ranges, depth)
        if depth and roll < 0.4:
            return self.branch(ranges, depth)
        return self.elementwise(ranges) if roll < 0.7 else self.reduction(ranges)

    def loop(self, ranges: dict[str, tuple[int, int]], depth: int) -> Node:
        var, step = self.fresh(), self.pick((1, -1))
        low, high = self.bounds(ranges, 5)
        start, stop = (low, high) if step > 0 else (high - 1, low - 1)
        reach = (_reach(low, ranges)[0], _reach(high, ranges)[1] - 1)
        inner = {**ranges, var: reach}
        return Loop(var, start, stop, step, tuple(self.node(inner, depth - 1) for _ in range(2)))

    def branch(self, ranges: dict[str, tuple[int, int]], depth: int) -> Node:
        test: Expr
        if self.rng.random() < 0.5:
            test = Op("less", (IndexValue(Affine.of(self.pick(sorted(ranges)))), Const(2, "int64")), "bool")
        else:
            test = Op("greater", (self.load("A0", ranges), Const(0.1, "float64")), "bool")
        other = (self.node(ranges, depth - 1),) if self.rng.random() < 0.5 else ()
        return Branch(test, (self.node(ranges, depth - 1),), other)

    def bounds(self, ranges: dict[str, tuple[int, int]], limit: int) -> tuple[Affine, Affine]:
        """A range within 0 .. limit, that may depend on a variable and may be empty."""
        usable = [n for n, (low, high) in sorted(ranges.items()) if low >= 0 and high < limit and n != "n"]
        if usable and self.rng.random() < 0.5:
            var = Affine.of(self.pick(usable))
            return self.pick(((var, Affine(limit)), (Affine(0), var + 1), (var + 1, Affine(limit)), (Affine(0), var)))
        low = int(self.rng.integers(0, 2))
        return Affine(low), Affine(int(self.rng.integers(low + 1, limit + 1)))

    def elementwise(self, ranges: dict[str, tuple[int, int]]) -> Node:
        domain: list[Range] = []
        assigns: list[Assign] = []
        target = self.pick([n for n in self.arrays if n.startswith("A")])
        inner = dict(ranges)
        index: list[Index] = []
        for extent in self.arrays[target].shape:
            var = self.fresh()
            low, high = self.bounds(ranges, extent)
            domain.append(Range(var, low, high))
            inner[var] = (_reach(low, ranges)[0], _reach(high, ranges)[1] - 1)
            place = Affine.of(var)
            index.append(place if self.rng.random() < 0.7 else Affine(extent - 1) - place)
        if self.rng.random() < 0.3:  # one point of one line
            fixed = domain.pop(int(self.rng.integers(len(domain))))
            at = {fixed.var: Affine(1)}
            index = [i.substitute(at) if isinstance(i, Affine) else i for i in index]
            inner.pop(fixed.var)
        access = Access(target, tuple(index))
        own = Load(target, access.index, self.arrays[target].dtype)
        for _ in range(int(self.rng.integers(1, 3))):
            value = self.value(inner, 3, forbidden=target)
            if self.rng.random() < 0.5:
                value = Op("add", (Op("multiply", (own, Const(0.5, own.dtype)), own.dtype), value), value.dtype)
            assigns.append(Assign(access, self.pick(("=", "=", "+=", "max=")), self.damped(value, own.dtype)))
        self.rng.shuffle(domain)  # type: ignore[arg-type]
        return Nest(tuple(domain), tuple(assigns))

    def reduction(self, ranges: dict[str, tuple[int, int]]) -> Node:
        domain, inner = [], dict(ranges)
        for _ in range(int(self.rng.integers(1, 4))):
            var = self.fresh()
            low, high = self.bounds(ranges, 6)
            domain.append(Range(var, low, high))
            inner[var] = (_reach(low, ranges)[0], _reach(high, ranges)[1] - 1)
        targets = [n for n in self.arrays if n != "K"]
        assigns: list[Assign] = []
        for target in dict.fromkeys(self.pick(targets) for _ in range(int(self.rng.integers(1, 3)))):
            shape = self.arrays[target].shape
            access = Access(target, tuple(self.index(extent, inner) for extent in shape))
            assigns.append(Assign(access, self.pick(("+=", "+=", "max=", "min=")), Const(0.0, "float64")))
        written = tuple(a.target.array for a in assigns)
        return Nest(
            tuple(domain),
            tuple(
                Assign(a.target, a.op, self.damped(self.value(inner, 3, *written), self.arrays[a.target.array].dtype))
                for a in assigns
            ),
        )

    def damped(self, value: Expr, dtype: str) -> Expr:
        """Keeps numbers near one."""
        small = Op("multiply", (Op("tanh", (value,), value.dtype), Const(0.5, value.dtype)), value.dtype)
        return small if value.dtype == dtype else Op("cast", (small,), dtype)

    def index(self, extent: int, ranges: dict[str, tuple[int, int]]) -> Index:
        """An index within 0 .. extent."""
        roll = self.rng.random()
        if roll < 0.12 and extent >= GATHERED:
            return Load("K", (self.affine(7, ranges),), "int64")
        return self.affine(extent, ranges)

    def affine(self, extent: int, ranges: dict[str, tuple[int, int]]) -> Affine:
        fitting = [
            (n, sign, offset)
            for n, (low, high) in sorted(ranges.items())
            for sign in (1, -1)
            for offset in range(-2, extent + 2)
            if low <= high
            and min(sign * low, sign * high) + offset >= 0
            and max(sign * low, sign * high) + offset < extent
        ]
        if not fitting or self.rng.random() < 0.1:
            return Affine(int(self.rng.integers(extent)))
        name, sign, offset = self.pick(fitting)
        return Affine.of(name) * sign + offset

    def load(self, array: str, ranges: dict[str, tuple[int, int]]) -> Load:
        made = self.arrays[array]
        return Load(array, tuple(self.index(extent, ranges) for extent in made.shape), made.dtype)

    def value(self, ranges: dict[str, tuple[int, int]], depth: int, *forbidden_: str, forbidden: str = "") -> Expr:
        banned = {*forbidden_, forbidden}
        roll = self.rng.random()
        if depth == 0 or roll < 0.2:
            readable = [n for n in self.arrays if n not in banned and n != "K"]
            if self.rng.random() < 0.15 or not readable:
                return Op("cast", (IndexValue(self.affine(6, ranges)),), "float64")
            return self.load(self.pick(readable), ranges)
        if roll < 0.35:
            child = self.value(ranges, depth - 1, *banned)
            return Op(self.pick(SMOOTH), (child,), child.dtype)
        if roll < 0.5:
            return self.guarded(ranges, depth, banned)
        sides = tuple(self.value(ranges, depth - 1, *banned) for _ in range(2))
        return Op(self.pick(BINARY), sides, str(np.result_type(*(s.dtype for s in sides))))

    def guarded(self, ranges: dict[str, tuple[int, int]], depth: int, banned: set[str]) -> Expr:
        """A 'where' whose first side may lie outside of its array where it is not taken."""
        other = self.value(ranges, depth - 1, *banned)
        lines = [n for n, a in self.arrays.items() if len(a.shape) == 1 and n not in banned and n != "K"]
        if not lines:
            return other
        array = self.arrays[self.pick(lines)]
        form = Affine.of(self.pick(sorted(ranges))) + int(self.rng.integers(-3, 3))
        tests = tuple(
            Op(name, (IndexValue(form), Const(bound, "int64")), "bool")
            for name, bound in (("greater_equal", 0), ("less", array.shape[0]))
        )
        inside = Load(array.name, (form,), array.dtype)
        dtype = str(np.result_type(inside.dtype, other.dtype))
        return Op("where", (Op("logical_and", tests, "bool"), inside, other), dtype)


def _reach(form: Affine, ranges: dict[str, tuple[int, int]]) -> tuple[int, int]:
    low = high = form.const
    for name, coefficient in form.terms:
        ends = [coefficient * bound for bound in ranges[name]]
        low, high = low + min(ends), high + max(ends)
    return low, high
