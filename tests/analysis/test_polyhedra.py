"""`feasible` against enumeration: it may say yes too often, never no."""

from __future__ import annotations

import itertools
import random

import pytest

from daad.analysis.polyhedra import feasible
from daad.ir.affine import Affine
from tests.seeds import a_quarter

BOX = range(-3, 4)
NAMES = ("x", "y", "z")


def random_form(rng: random.Random) -> Affine:
    return Affine.build(rng.randint(-4, 4), {n: rng.randint(-2, 2) for n in NAMES})


def in_box() -> list[Affine]:
    return [form for n in NAMES for form in (Affine.of(n) + 3, 3 - Affine.of(n))]


@pytest.mark.parametrize("seed", a_quarter(range(200)))
def test_no_is_a_proof(seed: int) -> None:
    rng = random.Random(seed)
    equal = [random_form(rng) for _ in range(rng.randint(0, 2))]
    unequal = [random_form(rng) for _ in range(rng.randint(0, 3))]
    solved = any(
        all(e.evaluate(v) == 0 for e in equal) and all(u.evaluate(v) >= 0 for u in unequal)
        for v in (dict(zip(NAMES, point, strict=True)) for point in itertools.product(BOX, repeat=3))
    )
    answer = feasible(equal, [*unequal, *in_box()])
    assert answer or not solved


X, Y = Affine.of("x"), Affine.of("y")
DECIDED = [
    ("parity", [X * 2 - Y * 2 - 1], [], False),
    ("order", [X - Y], [X - Y - 1], False),
    ("gap", [], [X * 2 - 1, 1 - X * 2], False),
    ("open", [], [X - Y, Y - X], True),
]


@pytest.mark.parametrize(("name", "equal", "unequal", "answer"), DECIDED, ids=lambda v: v if isinstance(v, str) else "")
def test_decides(name: str, equal: list[Affine], unequal: list[Affine], answer: bool) -> None:
    assert feasible(equal, unequal) is answer
