"""Sums of products with fewer operations: what is the same at many places is summed once, and then spread.

`C[k, j] += A[i, k]` needs no third loop, and neither does `C[k, j] += s[j] * A[i, k]`.

    program f(A: float64[300, 400], C: float64[400, 500])
      for k in 0 .. 400, j in 0 .. 500, i in 0 .. 300:  C[k, j] += A[i, k]

becomes

    program f(A: float64[300, 400], C: float64[400, 500])
      local C_sum: float64[400]
      for k in 0 .. 400:  C_sum[k] = 0
      for k in 0 .. 400, i in 0 .. 300:  C_sum[k] += A[i, k]
      for k in 0 .. 400, j in 0 .. 500:  C[k, j] += C_sum[k]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from daad.ir.affine import Affine
from daad.ir.constructors import const, divide, multiply
from daad.ir.dtypes import is_float
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Expr, Index, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.walk import variables
from daad.passes.definition import Form, Pass, forms

LEAST_POINTS = 1_000  # fewer are done before a further nest has started
BLAS = 16  # multiplications of a product of matrices in the time of one of a sum, which waits for memory


PASS = Pass(
    "reduction-simplification",
    lambda program, goal: simplify_reductions(program),
    "What is the same at many places of a sum is summed once.",
    source="Gautam and Rajopadhye 2006",
    requires=forms(Form.GATHERED),
)


def simplify_reductions(program: Program) -> Program:
    """The program itself where no sum becomes shorter."""
    spreader = Spreader(dict(program.arrays), NameSupply((*program.arrays, *program.integers)))
    body = spreader.body(program.body)
    return program if body == program.body else replace(program, body=body, arrays=spreader.arrays)


class Spreader:
    """Rewrites bodies; `arrays` grows by the arrays of sums."""

    def __init__(self, arrays: dict[str, Array], names: NameSupply) -> None:
        self.arrays, self.names = arrays, names

    def body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(new for node in body for new in self._node(node))

    def _node(self, node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop):
            return (replace(node, body=self.body(node.body)),)
        if isinstance(node, Branch):
            return (replace(node, then=self.body(node.then), orelse=self.body(node.orelse)),)
        return self.nest(node)

    def nest(self, nest: Nest) -> tuple[Nest, ...]:
        """One nest for each sum, and one that spreads it, which may be a sum as well."""
        nest = counted(nest)
        split = best_split(nest)
        if split is None:
            return (nest,)
        assign = nest.assigns[0]
        total = self._array(assign.target.array, split.common, assign.value.dtype if split.apart else "")
        place = tuple(Affine.of(r.var) - r.start for r in split.common)
        dtype = total.dtype
        spread_value = product_of(split.apart, Load(total.name, place, dtype), dtype)
        value = product_of(split.within, None, dtype) if split.apart else assign.value
        return (
            Nest(split.common, (Assign(Access(total.name, place), "=", const(0, dtype)),), nest.at),
            *self.nest(Nest(split.inner, (Assign(Access(total.name, place), "+=", value),), nest.at)),
            *self.nest(Nest(split.around, (Assign(assign.target, "+=", spread_value),), nest.at)),
        )

    def _array(self, target: str, common: tuple[Range, ...], dtype: str) -> Array:
        shape = tuple(r.width.const for r in common)
        array = Array(self.names.new(f"{target}_sum"), shape, dtype or self.arrays[target].dtype)
        self.arrays[array.name] = array
        return array


@dataclass(frozen=True)
class Factor:
    """An operand of a product, or (`divides`) of what it is divided by."""

    value: Expr
    divides: bool = False


@dataclass(frozen=True)
class Split:
    """A sum over the points `inner` of the factors `within`, one for each point of `common`; what is summed `around`
    has the factors `apart` as well."""

    inner: tuple[Range, ...]
    common: tuple[Range, ...]
    around: tuple[Range, ...]
    within: tuple[Factor, ...]
    apart: tuple[Factor, ...]

    @property
    def points(self) -> int:
        """Of all nests together."""
        return points(self.inner) + points(self.around)


def counted(nest: Nest) -> Nest:
    """A sum over what no index names is a multiple."""
    assign = nest.assigns[0]
    if len(nest.assigns) != 1 or assign.op != "+=" or not is_float(assign.value.dtype) or not _is_known(nest):
        return nest
    named = _variables(assign.value, *assign.target.index)
    over = [r for r in nest.domain if r.var not in named]
    if not over or points(nest.domain) < LEAST_POINTS:
        return nest
    value = multiply(const(float(points(over)), assign.value.dtype), assign.value, assign.value.dtype)
    domain = tuple(r for r in nest.domain if r.var in named)
    return replace(nest, domain=domain, assigns=(replace(assign, value=value),))


def best_split(nest: Nest) -> Split | None:
    """The split with the fewest points, None if there is none that has fewer than the nest."""
    if len(nest.assigns) != 1 or nest.assigns[0].op != "+=" or not _is_known(nest):
        return None
    if points(nest.domain) < LEAST_POINTS:
        return None
    smaller = [s for s in splits(nest) if s.points < points(nest.domain)]
    return min(smaller, key=lambda s: s.points, default=None)


def splits(nest: Nest) -> list[Split]:
    """The ways in which a nest of one update may be split; sizes are not asked."""
    assign = nest.assigns[0]
    placed = _variables(*assign.target.index)
    summed = [r.var for r in nest.domain if r.var not in placed]
    factors = factors_of(assign.value)
    found = [_split(nest, factors, frozenset(chosen)) for chosen in (summed, *([s] for s in summed)) if chosen]
    return [s for s in found if s is not None]


def _split(nest: Nest, factors: Sequence[Factor], chosen: frozenset[str]) -> Split | None:
    """Those variables, and others that the same factors alone name, are summed over first."""
    own = {r.var for r in nest.domain}
    placed = _variables(*nest.assigns[0].target.index)
    first = [f for f in factors if variables(f.value) & chosen]
    named = _variables(*(f.value for f in first)) & own
    within = [f for f in factors if f in first or variables(f.value) & own <= named]
    apart = tuple(f for f in factors if f not in within)
    kept = placed | _variables(*(f.value for f in apart))
    gone = (named | chosen) - kept
    if not chosen <= gone:
        return None
    return Split(
        inner=tuple(r for r in nest.domain if r.var in named | gone),
        common=tuple(r for r in nest.domain if r.var in named - gone),
        around=tuple(r for r in nest.domain if r.var not in gone),
        within=tuple(within),
        apart=apart,
    )


def factors_of(value: Expr) -> tuple[Factor, ...]:
    """A product, quotient or negative of floating-point numbers of one kind, operand by operand."""
    return tuple(_factors(value, False))


def _factors(value: Expr, divides: bool) -> Iterator[Factor]:
    is_same = isinstance(value, Op) and all(a.dtype == value.dtype for a in value.args)
    if not isinstance(value, Op) or not is_same or not is_float(value.dtype):
        yield Factor(value, divides)
    elif value.name == "multiply":
        for operand in value.args:
            yield from _factors(operand, divides)
    elif value.name == "divide" and not divides:
        yield from _factors(value.args[0], False)
        yield from _factors(value.args[1], True)
    elif value.name == "negative":
        yield Factor(const(-1, value.dtype))
        yield from _factors(value.args[0], divides)
    else:
        yield Factor(value, divides)


def product_of(factors: Sequence[Factor], last: Expr | None, dtype: str) -> Expr:
    """All factors as one value, and one more behind them."""
    value: Expr = const(1, dtype)
    divisor: Expr = const(1, dtype)
    for factor in factors:
        if factor.divides:
            divisor = multiply(divisor, factor.value, dtype)
        else:
            value = multiply(value, factor.value, dtype)
    value = divide(value, divisor, dtype)
    return value if last is None else multiply(value, last, dtype)


def _is_known(nest: Nest) -> bool:
    return all(r.width.is_const for r in nest.domain)


def _variables(*indices: Index) -> frozenset[str]:
    return frozenset().union(*map(variables, indices))


def points(ranges: Sequence[Range]) -> int:
    """How many points the ranges have together; they have known sizes."""
    return prod(max(r.width.const, 0) for r in ranges)
