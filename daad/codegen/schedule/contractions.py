"""Nests that a BLAS function computes: products of two accesses summed over what the target does not name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product

from daad.analysis.context import Scope
from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.strides import position
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Const, Expr, Load, Nest, Op, Range
from daad.ir.walk import variables


class Kind(Enum):
    """C += A B and y += A x; outer and inner products are as fast as plain loops."""

    GEMM = "gemm"
    GEMV = "gemv"


@dataclass(frozen=True)
class Dimension:
    """`size` points; how far apart they lie in the two factors and in the target (in elements)."""

    size: Affine
    left: int
    right: int
    target: int
    most: int  # the size is never larger
    typical: int

    @property
    def role(self) -> tuple[bool, bool, bool]:
        return bool(self.left), bool(self.right), bool(self.target)

    def swapped(self) -> Dimension:
        """The same with the factors exchanged."""
        return Dimension(self.size, self.right, self.left, self.target, self.most, self.typical)


ABSENT = Dimension(Affine(1), 0, 0, 0, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Contraction:
    """`target += factors * left * right`, where the target is row-major if it is a matrix.

    `rows` and `columns` are the target's dimensions, `summed` the inner one, ABSENT where there is none; the call is
    repeated over `around`. `bases` are the positions of the first elements of left, right and target.
    """

    kind: Kind
    left: str
    right: str
    target: str
    dtype: str
    bases: tuple[Affine, Affine, Affine]
    rows: Dimension
    columns: Dimension
    summed: Dimension
    around: tuple[Dimension, ...]
    negative: bool
    factors: tuple[Expr, ...]
    divisors: tuple[Expr, ...]

    @property
    def work(self) -> int:
        """Multiplications of one call."""
        return self.rows.typical * self.columns.typical * self.summed.typical

    @property
    def scale(self) -> Expr:
        """What each product is multiplied by."""
        value: Expr = Const(-1.0 if self.negative else 1.0, self.dtype)
        for factor in self.factors:
            value = Op("multiply", (value, factor), self.dtype)
        for divisor in self.divisors:
            value = Op("divide", (value, divisor), self.dtype)
        return value


ROLES = {
    (True, False, True): "rows",
    (False, True, True): "columns",
    (True, True, False): "summed",
    (True, True, True): "around",
}


@dataclass(frozen=True)
class Factored:
    """A value as sign, factors and divisors."""

    negative: bool
    factors: tuple[Expr, ...]
    divisors: tuple[Expr, ...]


def find_contraction(nest: Nest, arrays: Mapping[str, Array], known: Scope) -> Contraction | None:
    """The BLAS call that a nest amounts to, if it is one `+=` of a product; large enough or not."""
    if len(nest.assigns) != 1 or nest.assigns[0].op != "+=":
        return None
    assign = nest.assigns[0]
    dtype = arrays[assign.target.array].dtype
    own = {r.var for r in nest.domain}
    value = factored(assign.value, dtype)
    pair = [f for f in value.factors if variables(f) & own]
    if dtype not in ("float64", "float32") or len(pair) != 2 or any(variables(d) & own for d in value.divisors):
        return None
    left, right = pair
    if not isinstance(left, Load) or not isinstance(right, Load) or {left.dtype, right.dtype} != {dtype}:
        return None
    scalars = tuple(f for f in value.factors if not variables(f) & own)
    return _match(nest, (left, right, assign.target), arrays, known, Factored(value.negative, scalars, value.divisors))


def factored(expr: Expr, dtype: str) -> Factored:
    """The factors of a value of this type."""
    if isinstance(expr, Op) and expr.dtype == dtype and expr.name in ("multiply", "divide", "negative"):
        parts = [factored(a, dtype) for a in expr.args]
        negative = sum(p.negative for p in parts) % 2 == 1
        if expr.name == "negative":
            return Factored(not negative, parts[0].factors, parts[0].divisors)
        if expr.name == "multiply":
            return Factored(negative, parts[0].factors + parts[1].factors, parts[0].divisors + parts[1].divisors)
        if not parts[1].divisors:
            return Factored(negative, parts[0].factors, parts[0].divisors + parts[1].factors)
    return Factored(False, (expr,), ())


def _match(
    nest: Nest, operands: tuple[Load, Load, Access], arrays: Mapping[str, Array], known: Scope, scale: Factored
) -> Contraction | None:
    positions = [position(o, arrays[o.array]) for o in operands]
    starts = {r.var: r.start for r in nest.domain}
    if any(p is None for p in positions):
        return None
    left, right, target = (p for p in positions if p is not None)
    dimensions = [
        Dimension(
            r.width,
            left.coefficient(r.var),
            right.coefficient(r.var),
            target.coefficient(r.var),
            _most(r, operands, arrays, known),
            extent(r, known),
        )
        for r in nest.domain
    ]
    if any(d.role not in ROLES or min(d.left, d.right, d.target) < 0 for d in dimensions):
        return None
    found = [
        Contraction(
            kind=kind,
            left=operands[0].array if not swap else operands[1].array,
            right=operands[1].array if not swap else operands[0].array,
            target=operands[2].array,
            dtype=arrays[operands[2].array].dtype,
            bases=_swap((left.substitute(starts), right.substitute(starts), target.substitute(starts)), swap),
            rows=rows,
            columns=columns,
            summed=summed,
            around=around,
            negative=scale.negative,
            factors=scale.factors,
            divisors=scale.divisors,
        )
        for swap in (False, True)
        for kind, rows, columns, summed, around in _choices([d.swapped() if swap else d for d in dimensions])
    ]
    return max(found, key=lambda c: c.work, default=None)


def _swap(bases: tuple[Affine, Affine, Affine], swap: bool) -> tuple[Affine, Affine, Affine]:
    return (bases[1], bases[0], bases[2]) if swap else bases


def _most(r: Range, operands: tuple[Load, Load, Access], arrays: Mapping[str, Array], known: Scope) -> int:
    """An upper bound of the range's size: known from its bounds, or from an array's extent that it runs along."""
    bounds = known.range(r.width)
    sizes = [bounds[1]] if bounds else []
    for operand in operands:
        for index, size in zip(operand.index, arrays[operand.array].shape, strict=True):
            if isinstance(index, Affine) and abs(index.coefficient(r.var)) == 1:
                sizes.append(size)
    return min(sizes, default=2**62)


Choice = tuple[Kind, Dimension, Dimension, Dimension, tuple[Dimension, ...]]


def _choices(dimensions: list[Dimension]) -> Iterator[Choice]:
    """Every way to take one dimension of each role that BLAS's storage rules allow."""
    merged = _merged(dimensions)
    by_role: dict[str, list[Dimension]] = {name: [] for name in ROLES.values()}
    for d in merged:
        by_role[ROLES[d.role]].append(d)
    present = tuple(bool(by_role[name]) for name in ("rows", "columns", "summed"))
    if present not in KINDS:
        return
    kind = KINDS[present]
    options = [by_role[name] or [ABSENT] for name in ("rows", "columns", "summed")]
    for rows, columns, summed in product(*options):
        if FITS[kind](rows, columns, summed):
            around = tuple(d for d in merged if not any(d is used for used in (rows, columns, summed)))
            yield kind, rows, columns, summed, around


KINDS = {
    (True, True, True): Kind.GEMM,
    (True, False, True): Kind.GEMV,
}


def is_matrix(major: int, minor: int, most: int) -> bool:
    """Is this the storage of a matrix with contiguous lines of at most `most` elements?"""
    return minor == 1 and major >= max(1, most)


def _fits_gemm(rows: Dimension, columns: Dimension, summed: Dimension) -> bool:
    left = is_matrix(rows.left, summed.left, summed.most) or is_matrix(summed.left, rows.left, rows.most)
    right = is_matrix(summed.right, columns.right, columns.most) or is_matrix(columns.right, summed.right, summed.most)
    return left and right and is_matrix(rows.target, columns.target, columns.most)


def _fits_gemv(rows: Dimension, columns: Dimension, summed: Dimension) -> bool:
    return is_matrix(rows.left, summed.left, summed.most) or is_matrix(summed.left, rows.left, rows.most)


FITS: dict[Kind, Callable[[Dimension, Dimension, Dimension], bool]] = {
    Kind.GEMM: _fits_gemm,
    Kind.GEMV: _fits_gemv,
}


def _merged(dimensions: list[Dimension]) -> list[Dimension]:
    """Joins dimensions that run through memory as one, as the leading axes in `A[i, j, k] * B[k, l]`."""
    for outer, inner in product(dimensions, dimensions):
        if outer is inner or not (outer.size.is_const and inner.size.is_const):
            continue
        n = inner.size.const
        steps = ((outer.left, inner.left), (outer.right, inner.right), (outer.target, inner.target))
        if n > 0 and all(far == n * near for far, near in steps):
            total = max(0, outer.size.const) * n
            joined = Dimension(Affine(total), inner.left, inner.right, inner.target, total, total)
            return _merged([d for d in dimensions if d is not outer and d is not inner] + [joined])
    return dimensions
