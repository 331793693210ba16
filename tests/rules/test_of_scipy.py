"""The slopes of SciPy's functions against central differences of the functions, at points of their domains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from daad.errors import Unsupported
from daad.ir.constructors import instantiate
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Op, Program
from daad.ir.operations.of_scipy import OPERANDS, SPECIAL, UNKNOWN
from daad.rules.pullback import Guarded, pull_back
from daad.runtime.c_functions import exists

F = "float64"
VALUES = (0.2, 0.35, 0.45, 0.6, 0.8, 1.3, 1.7, 2.4, 3.0, -0.6, 2.0, 5.0, 4.0, 1.0)
POINTS, TRIED = 6, 400
INACCURATE = frozenset(("itairy_0", "itairy_2"))
"""SciPy computes these to seven digits."""
CASES = [
    (name, place)
    for name, row in SPECIAL.items()
    for place, slope in enumerate(row.slopes)
    if slope not in (None, UNKNOWN) and name not in INACCURATE and exists(row.function)
]


def value(name: str, point: tuple[float, ...]) -> float:
    """SciPy's, NaN where it raises."""
    try:
        return float(SPECIAL[name].function(*point))
    except OverflowError:
        return float("nan")


def differences(name: str, place: int, point: tuple[float, ...], h: float) -> float:
    def at(shift: float) -> float:
        return value(name, tuple(x + shift * (k == place) for k, x in enumerate(point)))

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def points(name: str, place: int) -> Iterator[tuple[tuple[float, ...], float]]:
    """Points at which the function is smooth, with its slope; tolerances are none, and no two operands are equal."""
    random = np.random.default_rng(0)
    count = len(SPECIAL[name].slopes)
    found = 0
    for _ in range(TRIED):
        point = tuple(float(x) for x in random.choice(VALUES, count, replace=False))
        point = (*point[:-1], 1e-15) if name.startswith("lambertw") else point
        h = 1e-5 * max(1.0, abs(point[place]))
        one, other = differences(name, place, point, h), differences(name, place, point, h / 2)
        here = value(name, point)
        is_bent = abs(differences(name, place, (*point[:place], point[place] + 4 * h, *point[place + 1 :]), h) - one)
        if is_bent > 0.1 * abs(one):
            continue
        if np.isfinite(here) and abs(one - other) < 1e-6 * abs(one) and abs(one) > max(1e-12, 1e-8 * abs(here)):
            yield point, one
            found += 1
        if found == POINTS:
            return


def slope(name: str, place: int, point: tuple[float, ...]) -> float:
    operands = OPERANDS[: len(point)]
    arrays = {n: Array(n, (), F) for n in (*operands, "r", "v")}
    text = SPECIAL[name].slopes[place]
    assert text is not None, "only slopes are asked for"
    expr = instantiate(text, {n: Load(n, (), F) for n in (*operands, "r")}, F)
    body = (Nest((), (Assign(Access("v", ()), "=", expr),)),)
    program = Program(name="slope", arrays=arrays, parameters=(*operands, "r"), body=body)
    given = {**dict(zip(operands, point, strict=True)), "r": value(name, point)}
    return float(run(program, given)["v"])


@pytest.mark.parametrize(("name", "place"), CASES)
def test_slope_matches_central_differences(name: str, place: int) -> None:
    found = [(point, slope(name, place, point), expected) for point, expected in points(name, place)]
    assert found, "no point is in the domain"
    wrong = [row for row in found if not np.isclose(row[1], row[2], rtol=2e-5, atol=0)]
    assert wrong == []


def test_slope_without_a_closed_form_is_refused() -> None:
    a, b = Load("a", (), F), Load("b", (), F)
    expr, seed = Op("smirnov", (a, b), F), Guarded(Load("v", (), F))
    message = "The derivative of 'scipy.special.smirnov' in its argument 1 has no closed form."
    with pytest.raises(Unsupported, match=message):
        pull_back(expr, seed, lambda load: load == a)
    assert [part.load for part in pull_back(expr, seed, lambda load: load == b)] == [b]


EXACT = {
    "psi": (
        (0.3, 12.24536454610773),
        (0.5, 4.9348022005446793),
        (1.75, 0.7641018698938287),
        (12.5, 0.08328522460157837),
        (-0.3, 13.9451602678057),
        (-20.25, 19.691025351008711),
    ),
    "i0e": (
        (0.3, -0.64520306454270905),
        (-7.5, 0.0102746185288413),
        (19.875, -0.0022958706850143),
        (20.125, -0.0022526510792851),
        (-1e5, 6.30785495963956e-9),
    ),
}
"""With 60 digits, rounded."""


@pytest.mark.parametrize("name", EXACT)
def test_slope_that_is_a_series_is_exact(name: str) -> None:
    assert [slope(name, 0, (a,)) for a, _ in EXACT[name]] == pytest.approx([x for _, x in EXACT[name]], rel=2e-14)
