"""Large products of matrices in the form in which cuBLAS takes them: scaled by one number that lies in memory.

`C[i, j] += alpha * A[i, k] * B[k, j] / beta` becomes `scale = alpha / beta` and `C[i, j] += scale * A[i, k] * B[k, j]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daad.analysis.context import Scope, map_scoped_leaves
from daad.codegen.schedule.contractions import Contraction, Kind, factored, find_contraction
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Load, Nest, Node, Number, Op, Program

LEAST = 1 << 21
"""Multiplications from which a call of cuBLAS pays."""
LARGEST = 2**31 - 1
"""Sizes and distances are C's int."""


@dataclass(frozen=True)
class ScaledProduct:
    """`target += scale * left * right`, with the `scale` and the number `one` in memory."""

    contraction: Contraction
    scale: str
    one: str


@dataclass(frozen=True)
class Scaled:
    """A program, and the numbers by which its products are scaled: `ones` by their type."""

    program: Program
    ones: Mapping[str, str]

    def product(self, nest: Nest, known: Scope) -> ScaledProduct | None:
        """The product that a nest is, if it is one for cuBLAS."""
        found = large_product(nest, self.program.arrays, known)
        if found is None or found.dtype not in self.ones or found.negative or found.divisors:
            return None
        one = self.ones[found.dtype]
        scales = [f.array for f in found.factors if isinstance(f, Load) and not f.index]
        if len(found.factors) > 1 or len(scales) < len(found.factors):
            return None
        return ScaledProduct(found, scales[0] if scales else one, one)


def large_product(nest: Nest, arrays: Mapping[str, Array], known: Scope) -> Contraction | None:
    """The product of matrices that a nest is, if it is large."""
    found = find_contraction(nest, arrays, known)
    if found is None or found.kind is not Kind.GEMM or found.work < LEAST:
        return None
    dimensions = (found.rows, found.columns, found.summed, *found.around)
    largest = max(max(d.most, d.left, d.right, d.target) for d in dimensions)
    return found if largest <= LARGEST else None


def scaled(program: Program) -> Scaled:
    """The program in which the scale of each large product is a number in memory, or one."""
    scaler = _Scaler(dict(program.arrays), NameSupply.of(program))
    body = map_scoped_leaves(program.body, scaler.nest, Scope())
    starts = [
        Nest((), (Assign(Access(name, ()), "=", Const(value, dtype)),))
        for (value, dtype), name in scaler.numbers.items()
    ]
    ones = {dtype: name for (value, dtype), name in scaler.numbers.items() if value == 1.0}
    return Scaled(replace(program, arrays=scaler.arrays, body=(*starts, *body)), ones)


@dataclass
class _Scaler:
    """Adds scalars to `arrays`; `numbers` are those that are the same throughout the program."""

    arrays: dict[str, Array]
    names: NameSupply
    numbers: dict[tuple[Number, str], str] = field(default_factory=dict)

    def nest(self, nest: Nest, known: Scope) -> tuple[Node, ...]:
        found = large_product(nest, self.arrays, known)
        if found is None:
            return (nest,)
        (assign,) = nest.assigns
        factors = [f for f in factored(assign.value, found.dtype).factors if _is_element(f, nest)]
        self._number(1.0, found.dtype)
        if found.negative and not found.factors and not found.divisors:
            return (self._with_scale(nest, factors, self._number(-1.0, found.dtype), found.dtype),)
        if not found.factors and not found.divisors:
            return (nest,)
        scale = self._scalar(f"{found.target}_scale", found.dtype)
        value = Assign(Access(scale, ()), "=", found.scale)
        return (Nest((), (value,), nest.at), self._with_scale(nest, factors, scale, found.dtype))

    def _with_scale(self, nest: Nest, factors: list[Expr], scale: str, dtype: str) -> Nest:
        (assign,) = nest.assigns
        left, right = factors
        value = Op("multiply", (Load(scale, (), dtype), Op("multiply", (left, right), dtype)), dtype)
        return replace(nest, assigns=(replace(assign, value=value),))

    def _number(self, value: Number, dtype: str) -> str:
        key = (value, dtype)
        if key not in self.numbers:
            self.numbers[key] = self._scalar("one" if value == 1.0 else "minus_one", dtype)
        return self.numbers[key]

    def _scalar(self, name: str, dtype: str) -> str:
        found = self.names.new(name)
        self.arrays[found] = Array(found, (), dtype)
        return found


def _is_element(value: Expr, nest: Nest) -> bool:
    return not value.variables.isdisjoint(r.var for r in nest.domain)
