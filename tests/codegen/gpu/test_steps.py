"""Nests as steps: points that write places of their own, or one sum; long sums in parts; who computes what."""

from __future__ import annotations

import textwrap

import pytest

from daad.codegen.gpu import long_sums
from daad.codegen.gpu.device_names import device_names
from daad.codegen.gpu.long_sums import in_parts
from daad.codegen.gpu.separate_updates import separated
from daad.codegen.gpu.spread import Team, spread
from daad.codegen.schedule.lowering_context import Context
from daad.ir.nodes import Nest
from daad.ir.printer import body_text
from tests.passes.checking import check
from tests.texts import program

ARRAYS = "A: float64[30, 40], B: float64[30, 40], x: float64[30], y: float64[40], z: float64[69], at: int64[40]"

SEPARATED = {
    "points": (
        "for i in 0 .. 30, j in 0 .. 40:\n  A[i, j] = 2.0 * B[i, j]\n  B[i, j] += A[i, j]",
        "for i in 0 .. 30, j in 0 .. 40:\n  A[i, j] = 2.0 * B[i, j]\n  B[i, j] += A[i, j]",
    ),
    "sums": (
        "for i in 0 .. 30, j in 0 .. 40:\n  x[i] += A[i, j]\n  y[j] max= A[i, j]",
        "for i in 0 .. 30, j in 0 .. 40:  x[i] += A[i, j]\nfor i in 0 .. 30, j in 0 .. 40:  y[j] max= A[i, j]",
    ),
    "a sum between points": (
        "for i in 0 .. 30, j in 0 .. 40:\n  A[i, j] = B[i, j]\n  x[i] += A[i, j]\n  B[i, j] = 0",
        """
        for i in 0 .. 30, j in 0 .. 40:  A[i, j] = B[i, j]
        for i in 0 .. 30, j in 0 .. 40:  x[i] += A[i, j]
        for i in 0 .. 30, j in 0 .. 40:  B[i, j] = 0
        """,
    ),
    "neighbours update one place": (
        "for i in 0 .. 39:\n  y[i] += A[0, i]\n  y[i + 1] += A[1, i]",
        "for i in 0 .. 39:  y[i] += A[0, i]\nfor i in 0 .. 39:  y[i + 1] += A[1, i]",
    ),
    "diagonals": (
        "for i in 0 .. 30, j in 0 .. 40:  z[i + j] += A[i, j]",
        "loop i = 0 .. 30:\n  for j in 0 .. 40:  z[i + j] += A[i, j]",
    ),
    "places that data give": (
        "for j in 0 .. 40:\n  x[at[j]] += y[j]\n  y[j] = 0",
        "for j in 0 .. 40:  x[at[j]] += y[j]\nfor j in 0 .. 40:  y[j] = 0",
    ),
    "rows that data give": (
        "for i in 0 .. 30, j in 0 .. 40:  B[at[i], j] += A[i, j]",
        "for i in 0 .. 30, j in 0 .. 40:  B[at[i], j] += A[i, j]",
    ),
}


@pytest.mark.parametrize(("source", "expected"), SEPARATED.values(), ids=SEPARATED)
def test_separated(source: str, expected: str) -> None:
    built = program("steps", ARRAYS, source)
    changed = check(built, separated, rtol=1e-15)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()


def test_long_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_sums, "PART", 10)
    built = program("long", "x: float64[47], s: float64[]", "for i in 0 .. 47:  s[] += x[i]".replace("[]", ""))
    changed = check(built, in_parts, rtol=1e-14)
    assert (
        body_text(changed.body)
        == textwrap.dedent(
            """
        for i_part in 0 .. 4:  s_parts[i_part] = 0.0
        for i_part in 0 .. 4, i in 0 .. 11:  s_parts[i_part] += x[i + 11*i_part]
        for i in 44 .. 47:  s += x[i]
        for i_part in 0 .. 4:  s += s_parts[i_part]
        """
        ).strip()
    )


def test_parts_follow_from_the_points_that_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_sums, "PARTS", 60)
    monkeypatch.setattr(long_sums, "PART", 4)
    built = program("long", ARRAYS, "for i in 0 .. 30, j in 0 .. 40:  x[i] max= A[i, j]")
    changed = check(built, in_parts, rtol=0)
    assert changed.arrays["x_parts"].shape == (2, 30)


SPREADS = {
    "points": ("for j in 0 .. 40, i in 0 .. 30:  A[i, j] = B[i, j]", "ij", "", Team.THREAD),
    "few terms": ("for i in 0 .. 30, j in 0 .. 30:  x[i] += A[i, j]", "i", "j", Team.THREAD),
    "along rows": ("for i in 0 .. 30, j in 0 .. 40:  x[i] += A[i, j]", "i", "j", Team.WARP),
    "along columns": ("for j in 0 .. 40, i in 0 .. 30:  y[j] += A[i, j]", "j", "i", Team.THREAD),
    "places that data give": ("for j in 0 .. 40:  x[at[j]] += y[j]", "j", "", Team.OWNERS),
    "rows that data give": ("for i in 0 .. 30, j in 0 .. 40:  B[at[i], j] += A[i, j]", "ij", "", Team.OWNERS),
    "one row that data give": ("for j in 0 .. 40:  B[at[3], j] += y[j]", "j", "", Team.THREAD),
    "one number": ("for i in 0 .. 30, j in 0 .. 40:  x[0] += A[i, j]", "", "ij", Team.BLOCK),
}


@pytest.mark.parametrize(("source", "points", "summed", "team"), SPREADS.values(), ids=SPREADS)
def test_spread(source: str, points: str, summed: str, team: Team) -> None:
    built = program("steps", ARRAYS, source)
    (nest,) = built.body
    assert isinstance(nest, Nest)
    found = spread(nest, Context(built, device_names(built)))
    assert ["".join(r.var for r in ranges) for ranges in (found.points, found.summed)] == [points, summed]
    assert found.team is team
