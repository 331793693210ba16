"""Is a system of affine integer constraints feasible? 'No' is a proof; 'yes' may be a rational solution only."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd

from daad.ir.affine import Affine

MAX_CONSTRAINTS = 400


def feasible(equalities: Iterable[Affine], inequalities: Iterable[Affine]) -> bool:
    """False only if no integers make every equality 0 and every inequality >= 0 (Fourier-Motzkin, tightened by gcd)."""
    return _is_feasible(tuple(equalities), tuple(inequalities))


@lru_cache(maxsize=2**14)
def _is_feasible(equalities: tuple[Affine, ...], inequalities: tuple[Affine, ...]) -> bool:
    """Kept: statements of one form ask the same of different arrays."""
    reduced = _solve_equalities(list(equalities), list(inequalities))
    if reduced is None:
        return False
    rows = _normalise(reduced)
    while rows is not None and (names := {n for row in rows for n in row.names}):
        if len(rows) > MAX_CONSTRAINTS:
            return True
        rows = _normalise(_eliminate(rows, _cheapest(rows, names)))
    return rows is not None


def _solve_equalities(equalities: list[Affine], inequalities: list[Affine]) -> list[Affine] | None:
    """The inequalities after substitution of variables with coefficient 1 or -1; other equalities become pairs."""
    while equalities:
        form = equalities.pop()
        divisor = gcd(*(c for _, c in form.terms)) if form.terms else 0
        if not form.terms:
            if form.const:
                return None
            continue
        if form.const % divisor:
            return None
        form = Affine(form.const // divisor, tuple((n, c // divisor) for n, c in form.terms))
        unit = next(((n, c) for n, c in form.terms if abs(c) == 1), None)
        if unit is None:
            inequalities += [form, -form]
            continue
        name, sign = unit
        value = {name: (form - Affine.of(name) * sign) * -sign}
        equalities = [e.substitute(value) for e in equalities]
        inequalities = [e.substitute(value) for e in inequalities]
    return inequalities


def _normalise(rows: list[Affine]) -> list[Affine] | None:
    """Divides by the gcd and rounds down, keeps the tightest of parallel rows; None if a row is negative."""
    tightest: dict[tuple[tuple[str, int], ...], int] = {}
    for row in rows:
        if not row.terms:
            if row.const < 0:
                return None
            continue
        divisor = gcd(*(c for _, c in row.terms))
        terms = tuple((n, c // divisor) for n, c in row.terms)
        const = row.const // divisor
        tightest[terms] = min(const, tightest.get(terms, const))
    return [Affine(const, terms) for terms, const in tightest.items()]


def _cheapest(rows: list[Affine], names: set[str]) -> str:
    def cost(name: str) -> tuple[int, str]:
        signs = [row.coefficient(name) for row in rows]
        return sum(s > 0 for s in signs) * sum(s < 0 for s in signs), name

    return min(names, key=cost)


def _eliminate(rows: list[Affine], name: str) -> list[Affine]:
    lower = [(row, row.coefficient(name)) for row in rows if row.coefficient(name) > 0]
    upper = [(row, -row.coefficient(name)) for row in rows if row.coefficient(name) < 0]
    kept = [row for row in rows if not row.coefficient(name)]
    return kept + [low * b + high * a for low, a in lower for high, b in upper]
