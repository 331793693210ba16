"""What nobody reads disappears, all else stays."""

from __future__ import annotations

import random

import pytest

from daad.ir.printer import body_text
from daad.passes.redundancy.dead_code import remove_dead
from tests.codegen.generate import random_program
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "overwritten before it is read": (
        """
        for i in 0 .. 4:  a[i] = b[i]
        for i in 0 .. 4:  a[i] = 2.0 * b[i]
        """,
        "for i in 0 .. 4:  a[i] = 2.0 * b[i]",
    ),
    "partly overwritten": (
        """
        for i in 0 .. 4:  a[i] = b[i]
        for i in 1 .. 4:  a[i] = 2.0
        """,
        "for i in 0 .. 4:  a[i] = b[i]\nfor i in 1 .. 4:  a[i] = 2.0",
    ),
    "updates of what nobody reads": (
        """
        loop t = 0 .. 3:
          s += b[t]
          s = s * 2.0
        a[0] = b[1]
        """,
        "a[0] = b[1]",
    ),
    "read in the next iteration": (
        """
        loop t = 0 .. 3:
          a[0] = a[0] + s
          s = b[t]
        """,
        "loop t = 0 .. 3:\n  a[0] = a[0] + s\n  s = b[t]",
    ),
    "only what one side overwrites": (
        """
        s = b[0]
        if b[1] > 0:
          s = b[2]
        a[0] = s
        """,
        "s = b[0]\nif b[1] > 0:\n  s = b[2]\na[0] = s",
    ),
    "an empty domain overwrites nothing": (
        """
        for i in 0 .. 4:  a[i] = b[i]
        for i in 4 .. 4:  a[i] = 0
        """,
        "for i in 0 .. 4:  a[i] = b[i]",
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_dead_assigns_go(source: str, expected: str) -> None:
    built = program("row", "a: float64[4], b: float64[4], s: float64[]", source)
    live = frozenset({"a"})
    assert body_text(check(built, lambda p: remove_dead(p, live), live).body) == expected


def test_unused_locals_go() -> None:
    built = program("row", "a: float64[4]", "s = a[0]\na[1] = 2.0", local="s: float64[]")
    assert set(remove_dead(built, frozenset({"a"})).arrays) == {"a"}


@pytest.mark.parametrize("seed", a_quarter(range(80)))
def test_random_programs_keep_what_is_live(seed: int) -> None:
    built = random_program(seed)
    live = frozenset(random.Random(seed).sample(sorted(built.arrays), 2))
    check(built, lambda p: remove_dead(p, live), live, rtol=0)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_gradients_stay(name: str) -> None:
    built = naive_joint(name)
    live = frozenset(built.results)
    check(built, lambda p: remove_dead(p, live), live, rtol=0)
