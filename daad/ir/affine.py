"""Affine integer expressions: constant + sum of coefficient * name; the indices and bounds of a Program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple


class Affine(NamedTuple):
    """`const + sum(c * name)`; `terms` is sorted by name and holds no zero coefficient.

    A tuple, since there are many, and tuples are made, compared and hashed fastest.
    """

    const: int
    terms: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def of(value: int | str | Affine) -> Affine:
        """An int, a name or an Affine as an Affine."""
        if isinstance(value, Affine):
            return value
        if isinstance(value, str):
            return _made((0, ((value, 1),)))
        return Affine(int(value))

    @staticmethod
    def build(const: int, terms: Mapping[str, int]) -> Affine:
        return _made((const, tuple(sorted([(n, c) for n, c in terms.items() if c]))))

    def __add__(self, other: int | Affine) -> Affine:  # type: ignore[override]
        if isinstance(other, int):
            return _made((self.const + other, self.terms))
        if not other.terms:
            return _made((self.const + other.const, self.terms))
        if not self.terms:
            return _made((self.const + other.const, other.terms))
        terms = dict(self.terms)
        for name, coefficient in other.terms:
            terms[name] = terms.get(name, 0) + coefficient
        return Affine.build(self.const + other.const, terms)

    def __radd__(self, other: int) -> Affine:
        return self + other

    def __neg__(self) -> Affine:
        return _made((-self.const, tuple([(n, -c) for n, c in self.terms])))

    def __sub__(self, other: int | Affine) -> Affine:
        if isinstance(other, int):
            return _made((self.const - other, self.terms))
        if not other.terms:
            return _made((self.const - other.const, self.terms))
        if self.terms == other.terms:
            return _made((self.const - other.const, ()))
        terms = dict(self.terms)
        for name, coefficient in other.terms:
            terms[name] = terms.get(name, 0) - coefficient
        return Affine.build(self.const - other.const, terms)

    def __rsub__(self, other: int) -> Affine:
        return (-self) + other

    def __mul__(self, factor: int) -> Affine:  # type: ignore[override]
        if factor == 0:
            return Affine(0)
        return _made((self.const * factor, tuple([(n, c * factor) for n, c in self.terms])))

    def __rmul__(self, factor: int) -> Affine:  # type: ignore[override]
        return self * factor

    def __str__(self) -> str:
        text = ""
        for name, coefficient in sorted(self.terms, key=lambda t: (t[1] < 0, t[0])):
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            text += sign + (name if abs(coefficient) == 1 else f"{abs(coefficient)}*{name}")
        if not text:
            return str(self.const)
        if self.const:
            text += f" {'-' if self.const < 0 else '+'} {abs(self.const)}"
        return text

    @property
    def is_const(self) -> bool:
        return not self.terms

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([n for n, _ in self.terms])

    def coefficient(self, name: str) -> int:
        """The factor of `name`, 0 where it does not occur."""
        for own, coefficient in self.terms:
            if own == name:
                return coefficient
        return 0

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """Replaces names by affine expressions, all at once."""
        if len(self.terms) <= 1:
            return self._substitute_only(values)
        const, terms = self.const, dict[str, int]()
        for name, coefficient in self.terms:
            value = values.get(name)
            if value is None:
                terms[name] = terms.get(name, 0) + coefficient
                continue
            const += coefficient * value.const
            for inner, factor in value.terms:
                terms[inner] = terms.get(inner, 0) + coefficient * factor
        return Affine.build(const, terms)

    def _substitute_only(self, values: Mapping[str, Affine]) -> Affine:
        """The same for a form of at most one term, as most are."""
        for name, coefficient in self.terms:
            if (value := values.get(name)) is not None:
                terms = value.terms if coefficient == 1 else tuple([(n, coefficient * c) for n, c in value.terms])
                return _made((self.const + coefficient * value.const, terms))
        return self

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The integer at the given values of its names (arrays of integers broadcast)."""
        result = self.const
        for name, coefficient in self.terms:
            result = result + coefficient * values[name]
        return result


_made: Callable[[tuple[int, tuple[tuple[str, int], ...]]], Affine] = partial(tuple.__new__, Affine)


def interval(form: Affine, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int] | None:
    """The smallest and largest value over `ranges` (name -> inclusive bounds); None if a name has none."""
    if any(name not in ranges for name, _ in form.terms):
        return None
    low, high = span(form.terms, ranges)
    return form.const + low, form.const + high


def span(terms: Iterable[tuple[str, int]], ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The smallest and largest sum of terms, where names without a range are 0."""
    low = high = 0
    for name, coefficient in terms:
        first, last = ranges.get(name, (0, 0))
        low += coefficient * (first if coefficient > 0 else last)
        high += coefficient * (last if coefficient > 0 else first)
    return low, high


def names_of(forms: Iterable[Affine]) -> set[str]:
    """All names that occur in the forms."""
    return {name for form in forms for name, _ in form.terms}
