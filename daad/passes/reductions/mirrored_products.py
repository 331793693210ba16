"""Two products with one matrix, of which each is the other with the rows and columns of the matrix exchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from daad.ir.affine import Affine
from daad.ir.nodes import Load, Nest, Range
from daad.ir.walk import substitute, substitute_assign, variables
from daad.passes.reductions.reduction_simplification import Factor, factors_of


@dataclass(frozen=True)
class Mirrored:
    """What both products load: the `matrix`, and what the first one multiplies it with."""

    matrix: Load
    operand: Load


@dataclass(frozen=True)
class Exchange:
    """A row for a column and the other way round: the row of a column is `column + shift`. Arrays that are `private` to
    a row know it without naming it."""

    row: str
    column: str
    shift: Affine
    private: Collection[str] = ()

    @property
    def values(self) -> Mapping[str, Affine]:
        """What stands in the place of each."""
        return {self.row: Affine.of(self.column) + self.shift, self.column: Affine.of(self.row) - self.shift}


def renamed_like(nest: Nest, model: Nest) -> Iterator[Nest]:
    """The nest with the variables of another one that goes through the same ranges, in each order that they have."""
    for domain in permutations(nest.domain) if len(nest.domain) == len(model.domain) else ():
        if all((r.start, r.stop) == (m.start, m.stop) for r, m in zip(domain, model.domain, strict=True)):
            names = {r.var: Affine.of(m.var) for r, m in zip(domain, model.domain, strict=True)}
            yield replace(nest, domain=model.domain, assigns=tuple(substitute_assign(a, names) for a in nest.assigns))


def mirrored(first: Nest, second: Nest, exchange: Exchange) -> Mirrored | None:
    """Two updates with the same variables as such products, if they are that."""
    update, other = first.assigns[0], second.assigns[0]
    if substitute_assign(update, exchange.values).target != other.target:
        return None
    factors, others = Counter(factors_of(update.value)), Counter(factors_of(other.value))
    own = {exchange.row, *(r.var for r in first.domain)}
    for matrix in factors:
        rest = factors - Counter([matrix])
        operands = [f for f in rest if variables(f.value) & own]
        if len(operands) == 1 and others == _exchanged(rest, exchange.values) + Counter([matrix]):
            found, operand = _load(matrix), _load(operands[0])
            if found and operand and _is_matrix(found, exchange, first.domain):
                return Mirrored(found, operand)
    return None


def _load(factor: Factor) -> Load | None:
    return factor.value if isinstance(factor.value, Load) and not factor.divides else None


def _exchanged(factors: Counter[Factor], values: Mapping[str, Affine]) -> Counter[Factor]:
    return Counter({replace(f, value=substitute(f.value, values)): count for f, count in factors.items()})


def _is_matrix(load: Load, exchange: Exchange, domain: Collection[Range]) -> bool:
    """Whether a load knows rows and columns, and nothing of the other ranges."""
    both = {exchange.row, exchange.column}
    own = variables(load) | ({exchange.row} if load.array in exchange.private else set())
    return both <= own and own.isdisjoint({r.var for r in domain} - both)
