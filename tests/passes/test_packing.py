"""Rows that a loop takes element by element lie as columns in local arrays, with the same results."""

from __future__ import annotations

import random
import sys
import textwrap

import numpy as np
import pytest

import daad
from daad.analysis.cost.execution_time import Traffic
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes.memory.packing import pack
from tests.codegen.running import assert_agrees
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.slabbed import in_slabs, packed
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[8, 4, 9], B: float64[8, 4, 9], x: float64[9], n: int64[], m: float64[8, 9]"

PACKED = {
    "a recurrence along the last axis": (
        """
        loop j = 0 .. 4:
          loop k = 1 .. 9:
            for i in 0 .. 7:  A[i, j, k] = A[i, j, k - 1] * A[i + 1, j, k - 1]
        """,
        """
        loop j = 0 .. 4:
          for A_part_0 in 0 .. 8, A_part_2 in 0 .. 9:  A_part[A_part_2, A_part_0] = A[A_part_0, j, A_part_2]
          loop k = 1 .. 9:
            for i in 0 .. 7:  A_part[k, i] = A_part[k - 1, i] * A_part[k - 1, i + 1]
          for A_part_0 in 0 .. 8, A_part_2 in 0 .. 9:  A[A_part_0, j, A_part_2] = A_part[A_part_2, A_part_0]
        """,
    ),
    "written before it is read": (
        """
        loop j = 0 .. 4:
          for i in 0 .. 8:  A[i, j, 8] = 1.0
          loop k = 7 .. -1 down:
            for i in 0 .. 8:  A[i, j, k] = A[i, j, k + 1] * x[k]
        """,
        """
        loop j = 0 .. 4:
          for i in 0 .. 8:  A_part[8, i] = 1.0
          loop k = 7 .. -1 down:
            for i in 0 .. 8:  A_part[k, i] = A_part[k + 1, i] * x[k]
          for A_part_0 in 0 .. 8, A_part_2 in 0 .. 9:  A[A_part_0, j, A_part_2] = A_part[A_part_2, A_part_0]
        """,
    ),
    "only read, and less than there is": (
        """
        loop j = 1 .. 4:
          loop k = 2 .. 6:
            for i in 3 .. 7:  B[0, j, 0] += A[i, j - 1, k] * A[i, j - 1, k + 1]
        """,
        """
        loop j = 1 .. 4:
          for A_part_0 in 0 .. 4, A_part_2 in 0 .. 5:  A_part[A_part_2, A_part_0] = A[A_part_0 + 3, j - 1, A_part_2 + 2]
          loop k = 2 .. 6:
            for i in 3 .. 7:  B[0, j, 0] += A_part[k - 2, i - 3] * A_part[k - 1, i - 3]
        """,
    ),
    "rows of a slab": (
        """
        loop s = 0 .. 2:
          loop k = 1 .. 9:
            for i in 4*s .. 4*s + 4:  m[i, k] = m[i, k - 1] * m[i, k]
        """,
        """
        loop s = 0 .. 2:
          for m_part_0 in 0 .. 4, m_part_1 in 0 .. 9:  m_part[m_part_1, m_part_0] = m[m_part_0 + 4*s, m_part_1]
          loop k = 1 .. 9:
            for i in 4*s .. 4*s + 4:  m_part[k, i - 4*s] = m_part[k - 1, i - 4*s] * m_part[k, i - 4*s]
          for m_part_0 in 0 .. 4, m_part_1 in 0 .. 9:  m[m_part_0 + 4*s, m_part_1] = m_part[m_part_1, m_part_0]
        """,
    ),
}

AS_THEY_ARE = {
    "along memory": """
        loop j = 0 .. 4:
          loop i = 1 .. 8:
            for k in 0 .. 9:  A[i, j, k] = A[i - 1, j, k]
        """,
    "both ways": """
        loop j = 0 .. 4:
          loop k = 0 .. 8:
            for i in 0 .. 8:  B[i, j, k] = A[i, j, k] * A[i, j, k + 1]
          loop i = 0 .. 8:
            for k in 0 .. 9:
              B[i, j, k] += A[i, j, k]
              A[i, j, k] = 2.0
              B[i, j, k] += x[k]
        """,
    "once, there and back": """
        loop j = 0 .. 4:
          loop k = 0 .. 9:
            for i in 0 .. 8:  A[i, j, k] += x[k]
        """,
    "no loop along it": """
        loop j = 0 .. 4:
          for i in 0 .. 8:  A[i, j, 3] = A[i, j, 4] * A[i, j, 5]
        """,
    "an index from an array": """
        loop j = 0 .. 4:
          loop k = 1 .. 9:
            for i in 0 .. 8:  A[i, j, k] = A[i, j, k - 1] * A[n, j, k - 1] * A[i, j, k]
        """,
    "another row in each iteration": """
        loop j = 0 .. 4:
          loop k = 1 .. 9:
            for i in 0 .. 8:  A[i, j, k] = A[i, j, k - 1] * A[i, -j + 3, k - 1]
        """,
    "as many as the loop says": """
        loop j = 0 .. 4:
          loop k = 1 .. 2*j + 2:
            for i in 0 .. 8:  A[i, j, k] = A[i, j, k - 1] * A[i, j, k]
        """,
    "by what a branch looks at": """
        loop j = 0 .. 4:
          loop k = 1 .. 9:
            if A[0, j, k] > 1.0:
              for i in 0 .. 8:  A[i, j, k] = A[i, j, k - 1] * A[i, j, k]
        """,
}


def everywhere(p: Program) -> Program:
    return packed(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("packed", ARRAYS, source)


@pytest.mark.parametrize(("source", "expected"), PACKED.values(), ids=PACKED)
def test_packed(source: str, expected: str) -> None:
    changed = check(built(source), everywhere)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_left_as_it_is(source: str) -> None:
    assert everywhere(built(source)) == built(source)


def test_local_arrays_are_few_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    made = built(next(iter(PACKED.values()))[0])
    assert pack(made, frozenset(made.parameters)) == made, "a part of A is more than a sixteenth of all"
    monkeypatch.setattr(sys.modules[pack.__module__], "CACHE", 8 * 9 * 8 - 1)
    assert everywhere(made) == made


def random_source(seed: int) -> str:
    """Loops up and down the last axis over nests across the first, with offsets, conditions, sums and fills."""
    draw = random.Random(seed)

    def index(array: str, i: int, k: int) -> str:
        return f"{array}[i + {i}, j, k + {k}]"

    def statement() -> str:
        target, k = draw.choice("ABC"), draw.choice((-1, 0, 1))
        others = [name for name in "ABC" if name != target]
        loads = [index(draw.choice(others), draw.choice((-1, 0, 1)), draw.choice((-1, 0, 1))) for _ in range(2)]
        before = draw.choice([step for step in (-1, 0, 1) if step != k])
        loads.append(index(target, draw.choice((-1, 0, 1)), before))
        value = f"{loads[1]} if {loads[0]} > 1.0 else 0.5 * {loads[2]}" if draw.random() < 0.3 else " + ".join(loads)
        return f"{index(target, 0, k)} {draw.choice(('=', '+=', '='))} 0.3 * ({value})"

    lines = ["loop j = 0 .. 4:"]
    for _ in range(draw.randint(1, 4)):
        low, high = draw.choice((1, 2)), draw.choice((6, 8))
        if draw.random() < 0.3:
            lines.append(f"  for i in 0 .. 8, k in 0 .. 9:  {draw.choice('ABC')}[i, j, k] = 0.25")
        ways = f"{high - 1} .. {low - 1} down" if draw.random() < 0.5 else f"{low} .. {high}"
        lines.append(f"  loop k = {ways}:\n    for i in {draw.choice((1, 2))} .. 7:  {statement()}")
    return "\n".join(lines)


@pytest.mark.parametrize("start", a_quarter(range(0, 120, 40)))
def test_random_recurrences_stay_the_same(start: int) -> None:
    arrays = "A: float64[8, 4, 9], B: float64[8, 4, 9], C: float64[8, 4, 9]"
    changed = 0
    for seed in range(start, start + 40):
        made = program("recurrences", arrays, random_source(seed))
        after = check(made, everywhere)
        assert not invalid_nests(after)
        changed += after != made
    assert changed > 10


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(in_slabs(joint, live, 1), lambda p: packed(p, live))


def test_compiled_columns_compute_the_same() -> None:
    assert_agrees(
        everywhere(
            program("recurrences", "A: float64[8, 4, 9], B: float64[8, 4, 9], C: float64[8, 4, 9]", random_source(3))
        )
    )


def columns(field, weight):  # type: ignore[no-untyped-def]
    for k in range(1, field.shape[2]):
        field[:, :, k] = weight[:, :, k] * field[:, :, k - 1] / (1.0 + field[:, :, k] ** 2)
    return np.sum(field)


def ledgers(accounts, rate):  # type: ignore[no-untyped-def]
    first, last = accounts.shape[2] - 1, -1
    for month in range(first - 1, last, -1):
        accounts[:, :, month] = rate[:, :, month] * accounts[:, :, month + 1] / (2.0 + accounts[:, :, month] ** 2)
    return np.sum(accounts)


@pytest.mark.parametrize(("function", "shape"), [(columns, (40, 48, 60)), (ledgers, (36, 56, 50))])
def test_twins_are_packed(function, shape, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(sys.modules[Traffic.__module__], "CACHE", 2**16)
    rng = np.random.default_rng(0)
    names = function.__code__.co_varnames[:2]
    made = daad.grad(function, wrt=names, on_inputs="keep")
    made._planned(rng.random(shape), rng.random(shape))
    local = made._planned(rng.random(shape), rng.random(shape)).derivation.joint.arrays
    assert f"{names[1]}_part" in local and f"{names[1]}_bar_part" in local
