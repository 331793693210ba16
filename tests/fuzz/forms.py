"""Integers of a random program: affine forms in the loop variables and int arguments, with all values they can take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = Mapping[str, int]
"""One iteration: the values of the loop variables and of the int arguments."""


@dataclass(frozen=True)
class Form:
    """`const` plus multiples of variables."""

    const: int
    terms: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def of(name: str, factor: int = 1) -> Form:
        return Form(0, ((name, factor),))

    def __add__(self, other: Form | int) -> Form:
        other = other if isinstance(other, Form) else Form(other)
        sums = dict(self.terms)
        for name, factor in other.terms:
            sums[name] = sums.get(name, 0) + factor
        terms = tuple((name, factor) for name, factor in sorted(sums.items()) if factor)
        return Form(self.const + other.const, terms)

    def __neg__(self) -> Form:
        return Form(-self.const, tuple((name, -factor) for name, factor in self.terms))

    def __sub__(self, other: Form | int) -> Form:
        return self + -other

    def at(self, point: Point) -> int:
        return self.const + sum(factor * point[name] for name, factor in self.terms)

    def values(self, points: Sequence[Point]) -> list[int]:
        """The values at all points, one for each."""
        return [self.at(p) for p in points] if self.terms else [self.const]

    def is_const(self, value: int) -> bool:
        return not self.terms and self.const == value

    def __str__(self) -> str:
        """Positive terms first, as people write it."""
        ordered = sorted(self.terms, key=lambda term: term[1] < 0)
        text = "".join(_signed(factor, name) for name, factor in ordered)
        if self.const or not text:
            constant = f" {'-' if self.const < 0 else '+'} {abs(self.const)}"
            leads = bool(ordered) and ordered[0][1] < 0 and self.const > 0
            text = constant + text if leads or not text else text + constant
        return text[3:] if text.startswith(" +") else "-" + text[3:]


def _signed(factor: int, name: str) -> str:
    times = "" if abs(factor) == 1 else f"{abs(factor)} * "
    return f" {'-' if factor < 0 else '+'} {times}{name}"


Shape = tuple[Form, ...]


def shape_of(*sizes: int) -> Shape:
    return tuple(map(Form, sizes))
