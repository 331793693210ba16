"""Arrays whose rows differ in length: where elements lie in memory when nothing is held beyond the end of a row.

An extent may name the indices of earlier dimensions, as in `#0 + 1`. The dimensions that vary and those that they name
become one dimension in memory: an offset, which is a polynomial of the earlier indices, plus the last index.

Where there are dimensions between the two, as in `x[k, i, j]` with `j < k`, what belongs to one `k` lies together: the
first row of `k` and the last one's fill a row of a fixed length, the second one's and the last but one's, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, prod

from daad.ir.affine import Affine
from daad.ir.symbols import Kind, symbol

Monomial = tuple[str, ...]
Extents = tuple[Affine, ...]


def index_name(dimension: int) -> str:
    """What the index of a dimension is called in the extents of later ones."""
    return symbol(Kind.DIMENSION, dimension)


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials: sorted names, repeated for powers, each with its coefficient, which is not zero."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    @staticmethod
    def build(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
        total: dict[Monomial, Fraction] = {}
        for names, coefficient in terms:
            names = tuple(sorted(names))
            total[names] = total.get(names, Fraction(0)) + coefficient
        return Polynomial(tuple(sorted((n, c) for n, c in total.items() if c)))

    @staticmethod
    def of(form: Affine | int) -> Polynomial:
        form = Affine.of(form)
        return Polynomial.build([((), Fraction(form.const)), *(((n,), Fraction(c)) for n, c in form.terms)])

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial.build((*self.terms, *other.terms))

    def __mul__(self, other: Polynomial) -> Polynomial:
        return Polynomial.build((m + n, a * b) for m, a in self.terms for n, b in other.terms)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value, which is an integer."""
        total = Fraction(0)
        for names, coefficient in self.terms:
            for name in names:
                coefficient *= values[name]
            total += coefficient
        assert total.denominator == 1, f"{self} is no integer at {values}"
        return int(total)

    def summed(self, name: str, stop: Polynomial) -> Polynomial:
        """The sum over `name` = 0, 1, … before `stop`, which is not negative."""
        result = Polynomial(())
        for names, coefficient in self.terms:
            rest = tuple(n for n in names if n != name)
            sums = _power_sum(len(names) - len(rest))
            result += Polynomial.build([(rest, coefficient)]) * _at(sums, stop)
        return result


def _power_sum(power: int) -> list[Fraction]:
    """Coefficients of 1, n, n**2, … in the sum of x**power over x = 0 .. n."""
    known: list[list[Fraction]] = []
    for p in range(power + 1):  # n**(p+1) is the sum of (x+1)**(p+1) - x**(p+1)
        sums = [Fraction(0)] * (p + 1) + [Fraction(1)]
        for lower, coefficients in enumerate(known):
            for k, c in enumerate(coefficients):
                sums[k] -= comb(p + 1, lower) * c
        known.append([c / (p + 1) for c in sums])
    return known[power]


def _at(coefficients: list[Fraction], value: Polynomial) -> Polynomial:
    result = Polynomial(())
    for coefficient in reversed(coefficients):
        result = result * value + Polynomial.build([((), coefficient)])
    return result


HALF = symbol(Kind.HALF)


@dataclass(frozen=True)
class Between:
    """A dimension between one that is folded and the last one: its extent, and how far apart its elements are."""

    dimension: int
    extent: int
    stride: int


@dataclass(frozen=True)
class Layout:
    """How memory holds the array: dimension `group[-1]` is replaced by one in which index `offset + #last` is the
    element, with those of `between` times their strides; the other dimensions of `group` are gone, all others stay.
    `offset` is at least 0 and at most `most` for the elements that the array has; with both as bounds, every index
    within the shape lies in memory. `folded` is the extent of `group[0]` where the offset names `HALF`, otherwise 0."""

    group: tuple[int, ...]
    offset: Polynomial
    most: int
    shape: tuple[int, ...]
    between: tuple[Between, ...] = ()
    folded: int = 0

    @property
    def last(self) -> int:
        return self.group[-1]

    @property
    def named(self) -> tuple[int, ...]:
        """The dimensions from whose indices the offset is made."""
        return tuple(d for d in self.group[:-1] if d not in {b.dimension for b in self.between})


def bounding_shape(extents: Extents) -> tuple[int, ...]:
    """The smallest shape that holds all rows."""
    return tuple(max(0, bound(extent, extents, largest=True)) for extent in extents)


def bound(form: Affine, extents: Extents, largest: bool) -> int:
    """The largest (or the smallest) value over all elements; a bound of it where some rows are empty.

    Ends are put in as forms, so that what names one index in several places cancels, which intervals do not know.
    """
    for d in reversed(range(len(extents))):
        coefficient = form.coefficient(index_name(d))
        if coefficient:
            form = form.substitute({index_name(d): extents[d] - 1 if (coefficient > 0) == largest else Affine(0)})
    return form.const


@lru_cache(maxsize=1024)
def layout_of(extents: Extents) -> Layout:
    """The layout of an array with these extents, of which at least one varies and none is ever negative."""
    varying = [d for d, extent in enumerate(extents) if extent.terms]
    named = [d for d in range(len(extents)) if any(e.coefficient(index_name(d)) for e in extents)]
    group = tuple(sorted({*varying, *named}))
    if len(group) == 2 and group[1] - group[0] > 1 and extents[group[0]].const > 1 and all(bounding_shape(extents)):
        return _folded(extents, *group)
    offset, inner = Polynomial(()), Polynomial.of(1)
    for d in reversed(group):
        if d != group[-1]:
            offset += inner.summed(index_name(d), Polynomial.of(Affine.of(index_name(d))))
        inner = inner.summed(index_name(d), Polynomial.of(extents[d]))
    most = _last_offset(extents, group, offset, inner.evaluate({}))
    hull = bounding_shape(extents)
    shape = tuple(hull[d] + most * (d == group[-1]) for d in range(len(extents)) if d not in group[:-1])
    return Layout(group, offset, most, shape)


def _folded(extents: Extents, first: int, last: int) -> Layout:
    """Each row, from the first one's on, shares memory with the one that is as far from the end."""
    index, folded = Affine.of(index_name(first)), extents[first].const
    mirrored = folded - 1 - index
    opposite = extents[last].substitute({index_name(first): mirrored})
    width = (extents[last] + opposite).const
    hull = bounding_shape(extents)
    between = tuple(Between(d, hull[d], width * prod(hull[d + 1 : last])) for d in range(first + 1, last))
    step, half = width * prod(hull[first + 1 : last]), Polynomial.of(Affine.of(HALF))
    offset = Polynomial.of(index * step) + half * Polynomial.of((mirrored - index) * step + opposite)
    middle = (folded + 1) // 2  # where the second half begins
    most = max(offset.evaluate({index_name(first): i, HALF: 2 * i // folded}) for i in (middle - 1, middle))
    length = most + sum(b.stride * (b.extent - 1) for b in between) + hull[last]
    shape = tuple(length if d == last else hull[d] for d in range(len(extents)) if not first <= d < last)
    return Layout(tuple(range(first, last + 1)), offset, most, shape, between, folded)


def _last_offset(extents: Extents, group: tuple[int, ...], offset: Polynomial, total: int) -> int:
    """The offset of the last row; the number of all elements where there is none in the last place."""
    values: dict[str, int] = {}
    for d in group[:-1]:
        values[index_name(d)] = extents[d].evaluate(values) - 1
        if values[index_name(d)] < 0:
            return total
    return offset.evaluate(values)


def names_earlier(extents: Extents) -> bool:
    """Whether each extent names indices of earlier dimensions only."""
    return all(set(e.names) <= {index_name(k) for k in range(d)} for d, e in enumerate(extents))
