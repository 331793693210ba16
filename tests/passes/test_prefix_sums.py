"""Sums over triangles as running sums: in all directions, of what is known to be constant too, and the rest stays."""

from __future__ import annotations

import itertools
import random
import textwrap

import pytest

from daad.ir.affine import Affine
from daad.ir.nodes import Program, Range
from daad.ir.printer import body_text
from daad.passes.reductions.triangular_sums import pairs
from daad.passes.redundancy.dead_stores import remove_dead_stores
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.slabbed import with_running_sums
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = (
    "x: float64[20], y: float64[20], z: float64[20], a: float64[20, 30], b: float64[20, 30], m: float64[20, 20], "
    "n: int64[20], s: float64[]"
)

ROWS = {
    "of rows": (
        """
        loop i = 0 .. 20:
          for k in 0 .. i, j in 0 .. 30:  b[i, j] += x[i] * a[k, j]
        """,
        """
        for j in 0 .. 30:  b_sum[j] = 0
        loop i = 1 .. 20:
          for j in 0 .. 30:  b_sum[j] += a[i - 1, j]
          for j in 0 .. 30:  b[i, j] += x[i] * b_sum[j]
        """,
    ),
    "to rows, counted from the diagonal": (
        """
        loop i = 18 .. -1 down:
          for k in 0 .. -i + 19, j in 0 .. 30:  b[i + k + 1, j] += a[i, j] / s
        """,
        """
        for j in 0 .. 30:  b_sum[j] = 0
        loop k = 0 .. 19:
          for j in 0 .. 30:  b_sum[j] += a[k, j]
          for j in 0 .. 30:  b[k + 1, j] += 1.0 / s * b_sum[j]
        """,
    ),
    "some before the first and after the last": (
        """
        loop i = 3 .. 8:
          for k in 0 .. i + 1:  y[i] += x[k]
        loop i = 3 .. 8:
          for k in i .. 12:  z[k] += x[i]
        """,
        """
        y_sum = 0
        for k in 0 .. 3:  y_sum += x[k]
        loop i = 3 .. 8:
          y_sum += x[i]
          y[i] += y_sum
        z_sum = 0
        loop k = 3 .. 8:
          z_sum += x[k]
          z[k] += z_sum
        for k in 8 .. 12:  z[k] += z_sum
        """,
    ),
    "what is summed as well": (
        """
        loop i = 0 .. 20:
          for k in 0 .. i, j in 0 .. 30, l in 0 .. 20:  y[i] += m[i, l] * a[k, j] * z[l]
        """,
        """
        y_sum = 0
        loop i = 1 .. 20:
          for j in 0 .. 30:  y_sum += a[i - 1, j]
          for l in 0 .. 20:  y[i] += m[i, l] * z[l] * y_sum
        """,
    ),
    "times a constant, which the loop writes": (
        """
        loop i = 0 .. 20:
          for k in i .. 20:  x[k - i] = 2.0
          for k in i .. 20, j in 0 .. 30:  b[i, j] += x[k - i] * a[k, j]
        """,
        """
        loop i = 0 .. 20:
          for k in i .. 20:  x[k - i] = 2.0
        for j in 0 .. 30:  b_sum[j] = 0
        loop i = 19 .. -1 down:
          for j in 0 .. 30:  b_sum[j] += a[i, j]
          for j in 0 .. 30:  b[i, j] += 2.0 * b_sum[j]
        """,
    ),
    "times constants, one of them of the diagonal alone": (
        """
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        loop i = 0 .. 20:
          for k in 0 .. -i + 20:  x[k] = m[i, i + k] / s
          for k in 1 .. -i + 20:  x[k] += m[i + k, i] / s
          for k in 0 .. -i + 20, j in 0 .. 30:  b[i, j] += x[k] * a[i + k, j]
        """,
        """
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        loop i = 0 .. 20:
          for k in 0 .. -i + 20:  x[k] = m[i, i + k] / s
          for k in 1 .. -i + 20:  x[k] += m[i + k, i] / s
        for i in 0 .. 20, k in 0 .. 1, j in 0 .. 30:  b[i, j] += 1.0 / s * a[i + k, j]
        for j in 0 .. 30:  b_sum[j] = 0
        loop i = 18 .. -1 down:
          for j in 0 .. 30:  b_sum[j] += a[i + 1, j]
          for j in 0 .. 30:  b[i, j] += (1.0 / s + 1.0 / s) * b_sum[j]
        """,
    ),
    "of rows that no iteration before has changed": (
        """
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        loop i = 19 .. -1 down:
          for k in 0 .. i + 1, j in 0 .. 30:  b[i, j] += m[i, k] * a[k, j]
          for k in 0 .. i + 1:  m[i, k] = m[i, k] * s
        """,
        """
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        loop i = 19 .. -1 down:
          for k in 0 .. i + 1:  m[i, k] = m[i, k] * s
        for j in 0 .. 30:  b_sum[j] = 0
        loop i = 0 .. 20:
          for j in 0 .. 30:  b_sum[j] += a[i, j]
          for j in 0 .. 30:  b[i, j] += b_sum[j]
        """,
    ),
    "two at once": (
        """
        loop i = 0 .. 20:
          for k in 0 .. i + 1:
            y[k] += x[i] * s
            z[i] += x[k]
        """,
        """
        y_sum = 0
        loop k = 19 .. -1 down:
          y_sum += x[k]
          y[k] += s * y_sum
        z_sum = 0
        loop i = 0 .. 20:
          z_sum += x[i]
          z[i] += z_sum
        """,
    ),
    "rows that are the same for all columns": (
        """
        loop i = 18 .. -1 down:
          for j in 0 .. 30, k in i + 1 .. 20:  b[k, j] += s * m[k, i]
        """,
        """
        for k in 1 .. 20:  b_sum[k - 1] = 0
        loop i = 0 .. 19:
          for k in i + 1 .. 20:  b_sum[k - 1] += s * m[k, i]
        for j in 0 .. 30, k in 1 .. 20:  b[k, j] += b_sum[k - 1]
        """,
    ),
    "rows that are the same for all of a triangle": (
        """
        loop i = 0 .. 20:
          for j in 0 .. 30, k in i + 1 .. 20:  m[k, i] += a[k, j] * x[i] * s
        """,
        """
        for k in 1 .. 20:  m_sum[k - 1] = 0
        for j in 0 .. 30, k in 1 .. 20:  m_sum[k - 1] += a[k, j] * s
        loop i = 0 .. 20:
          for k in i + 1 .. 20:  m[k, i] += x[i] * m_sum[k - 1]
        """,
    ),
    "columns, of which some have no row": (
        """
        loop i = 2 .. 20:
          for j in 0 .. 30, k in 2*i .. 20:  m[k, i] += a[i, j]
        """,
        """
        for i in 2 .. 10:  m_sum[i - 2] = 0
        for i in 2 .. 10, j in 0 .. 30:  m_sum[i - 2] += a[i, j]
        loop i = 2 .. 20:
          for k in 2*i .. 20:  m[k, i] += m_sum[i - 2]
        """,
    ),
    "of rows that no iteration before has changed, for all columns": (
        """
        for i in 0 .. 20, j in 0 .. 30:  b[i, j] = 1.5
        loop i = 19 .. -1 down:
          for j in 0 .. 30, k in i + 1 .. 20:  b[k, j] += b[i, j] * m[k, i]
          for j in 0 .. 20, k in i + 1 .. 20:  a[k, i] += b[i, j] * z[j] * x[k]
        """,
        """
        for i in 0 .. 20, j in 0 .. 30:  b[i, j] = 1.5
        for k in 1 .. 20:  b_sum[k - 1] = 0
        loop i = 0 .. 20:
          for k in i + 1 .. 20:  b_sum[k - 1] += 1.5 * m[k, i]
        for j in 0 .. 30, k in 1 .. 20:  b[k, j] += b_sum[k - 1]
        a_sum = 0
        for j in 0 .. 20:  a_sum += 1.5 * z[j]
        loop i = 0 .. 20:
          for k in i + 1 .. 20:  a[k, i] += x[k] * a_sum
        """,
    ),
    "an element of each row": (
        """
        loop i = 0 .. 19:
          for k in i .. i + 1, j in 0 .. 30:  b[i, j] += a[k, j]
        """,
        "for i in 0 .. 19, k in 0 .. 1, j in 0 .. 30:  b[i, j] += a[i + k, j]",
    ),
}

STAY = {
    "a product": """
        loop i = 0 .. 20:
          for k in 0 .. i, j in 0 .. 30:  b[i, j] += m[i, k] * a[k, j]
        """,
    "a window": """
        loop i = 0 .. 15:
          for k in i .. 2*i:  y[i] += x[k]
        """,
    "a window for all columns": """
        loop i = 0 .. 10:
          for j in 0 .. 30, k in i .. 2*i:  b[k, j] += m[k, i]
        """,
    "what changes meanwhile": """
        loop i = 0 .. 20:
          for k in 0 .. i:  y[i] += x[k]
          x[i] = s
        """,
    "what is read meanwhile": """
        loop i = 0 .. 20:
          for k in 0 .. i:  y[i] += x[k]
          z[i] = y[3]
        """,
    "what is overwritten meanwhile": """
        loop i = 0 .. 20:
          for k in 0 .. i:  y[i] += x[k]
          y[0] = s
        """,
    "where an index changes": """
        loop i = 0 .. 20:
          for k in 0 .. i:  y[n[i]] += x[k]
          n[i] = 2
        """,
    "the largest": """
        loop i = 0 .. 20:
          for k in 0 .. i:  y[i] max= x[k]
        """,
    "no constant: it changes in the next iteration": """
        for i in 0 .. 20:  z[i] = 3.0
        loop i = 0 .. 20:
          for k in 0 .. i, j in 0 .. 30:  b[i, j] += z[k] * a[i, j] * x[i]
          z[i] = s
        """,
    "no constant: an iteration before has changed it": """
        for i in 0 .. 20, j in 0 .. 20:  m[i, j] = 1.0
        loop i = 0 .. 20:
          for k in 0 .. i + 1, j in 0 .. 30:  b[i, j] += m[i, k] * a[k, j]
          for k in 0 .. 20:  m[k, i] = m[k, i] * s
        """,
    "a bound that another loop moves": """
        loop l = 1 .. 20:
          loop i = 0 .. 20:
            for k in i .. l:  y[i] += x[k]
        """,
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_sums_run(source: str, expected: str) -> None:
    changed = check(program("row", ARRAYS, source), with_running_sums)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", STAY.values(), ids=STAY)
def test_others_stay(source: str) -> None:
    built = program("row", ARRAYS, source)
    assert with_running_sums(built) is built


BOUNDS = ("i + 2 .. 20", "i - 4 .. 20", "0 .. i - 3", "0 .. i + 4", "17 - i .. 20", "22 - i .. 20", "0 .. 15 - i",
          "0 .. 23 - i")  # fmt: skip
LOOPS = ("4 .. 9", "8 .. 3 down", "0 .. 20", "13 .. 20")
KINDS = ("y[i] += z[i] * x[{k}]", "y[{k}] += z[i] * x[{k}]")


@pytest.mark.parametrize(("bounds", "loop", "kind"), [*itertools.product(BOUNDS, LOOPS, KINDS)])
def test_all_triangles(bounds: str, loop: str, kind: str) -> None:
    """Arrays are long enough for indices that no point reaches."""
    source = f"""
        loop i = {loop}:
          for k in {bounds}:  {kind.format(k="k + 10")}
    """
    built = program("row", "x: float64[40], y: float64[40], z: float64[40]", source)
    check(built, with_running_sums)


WIDE = (
    "b[{k}, j] += z[j] * m[{k}, i] * s",
    "m[{k}, i] += b[{k}, j] * z[i]",
    "m[i, {k}] += b[i, j] * z[{k}]",
    "b[i, j] += m[{k}, i]",
    "z[j] += m[i, {k}]",
    "s += m[i, {k}] * b[i, j] * b[{k}, 1]",
)


@pytest.mark.parametrize(("bounds", "loop", "kind"), [*itertools.product((*BOUNDS, "2*i .. 20"), LOOPS, WIDE)])
def test_all_triangles_with_columns(bounds: str, loop: str, kind: str) -> None:
    source = f"""
        loop i = {loop}:
          for k in {bounds}, j in 0 .. 4:  {kind.format(k="k + 10")}
    """
    built = program("row", "b: float64[40, 4], m: float64[40, 40], z: float64[40], s: float64[]", source)
    check(built, with_running_sums)


@pytest.mark.parametrize(("first", "last"), [(0, 9), (3, 4), (5, 17)])
@pytest.mark.parametrize("slope", [-3, -1, 0, 1, 2])
def test_pairs_are_counted(first: int, last: int, slope: int) -> None:
    inner = Range("k", Affine(2), Affine(7) + slope * Affine.of("i"))
    by_one = sum(max(5 + slope * i, 0) for i in range(first, last))
    assert pairs(Range("i", Affine(first), Affine(last)), inner) == by_one


SOURCES = {"random": random_program, "adjoint": lambda seed: gradient_program(Generator(seed).program())}


@pytest.mark.parametrize("seed", a_quarter(range(40)))
@pytest.mark.parametrize("source", SOURCES)
def test_random_programs_stay_the_same(source: str, seed: int) -> None:
    built = SOURCES[source](seed)
    check(built, with_running_sums, [*SHAPES, *built.results] if source == "adjoint" else None)


RANGES = ("i .. 12", "i + 1 .. 12", "0 .. i", "0 .. i + 1", "11 - i .. 12", "0 .. 12 - i")
PLACES = ("i, k", "k, i", "i, 11 - k", "11 - k, i", "i + 1, k", "k, i + 1", "11 - i, k", "k, 11 - i")


def with_constants(seed: int) -> str:
    """A sum over a triangle of what was constant before the loop, and is not where iterations write."""
    dice = random.Random(seed)
    to, of = dice.choice((("i", "k"), ("k", "i")))
    nests = [
        f"k in {dice.choice(RANGES)}, j in 0 .. 5",
        *(f"k in {dice.choice(RANGES)}" for _ in range(dice.randrange(3))),
    ]
    assigns = [f"b[{to}, j] += m[{dice.choice(PLACES)}] * a[{of}, j]"]
    for _ in nests[1:]:
        value = dice.choice(("2.0", "s", "z[k]", "1.0", "z[i]"))
        assigns.append(f"m[{dice.choice(PLACES)}] {dice.choice(('=', '+='))} {value}")
    body = [f"  for {n}:  {a}\n" for n, a in zip(nests, assigns, strict=True)]
    dice.shuffle(body)
    loop = f"loop i = {dice.choice(('0 .. 12', '11 .. -1 down', '2 .. 9'))}:\n"
    return "for i in 0 .. 13, j in 0 .. 13:  m[i, j] = 1.0\n" + loop + "".join(body)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_constants_are_those_that_are_there(seed: int) -> None:
    arrays = "m: float64[13, 13], a: float64[13, 5], b: float64[13, 5], z: float64[13], s: float64[]"
    check(program("row", arrays, with_constants(seed)), with_running_sums)


TRIMMED = {
    "the diagonal of both halves": (
        """
        loop i = 0 .. 20:
          for k in i .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[i, k] = x[k] * z[i]
        """,
        """
        loop i = 0 .. 20:
          for k in i + 1 .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[i, k] = x[k] * z[i]
        """,
    ),
    "the other end, counted down": (
        """
        loop i = 19 .. -1 down:
          for k in 0 .. i + 1:  m[i - k, i] = x[k] * z[i]
          for k in 0 .. i + 1:  m[i, i - k] = x[k] * z[i]
        """,
        """
        loop i = 19 .. -1 down:
          for k in 1 .. i + 1:  m[i - k, i] = x[k] * z[i]
          for k in 0 .. i + 1:  m[i, i - k] = x[k] * z[i]
        """,
    ),
    "not what is read in between": (
        """
        loop i = 0 .. 20:
          for k in i .. 20:  m[k, i] = x[k] * z[i]
          y[i] = m[i, i]
          for k in i .. 20:  m[i, k] = x[k] + z[i]
        """,
        """
        loop i = 0 .. 20:
          for k in i .. 20:  m[k, i] = x[k] * z[i]
          y[i] = m[i, i]
          for k in i .. 20:  m[i, k] = x[k] + z[i]
        """,
    ),
    "not what is added to": (
        """
        loop i = 0 .. 20:
          for k in i .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[k, i] += 1.0
          for k in i .. 20:  m[i, k] += x[k] * z[i]
        """,
        """
        loop i = 0 .. 20:
          for k in i .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[k, i] += 1.0
          for k in i .. 20:  m[i, k] += x[k] * z[i]
        """,
    ),
    "not the middle": (
        """
        loop i = 3 .. 17:
          for k in i - 3 .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[i, k] = x[k] * z[i]
        """,
        """
        loop i = 3 .. 17:
          for k in i - 3 .. 20:  m[k, i] = x[k] * z[i]
          for k in i .. 20:  m[i, k] = x[k] * z[i]
        """,
    ),
}


@pytest.mark.parametrize(("source", "expected"), TRIMMED.values(), ids=TRIMMED)
def test_ends_of_triangles_are_written_once(source: str, expected: str) -> None:
    built = program("row", ARRAYS, source)
    live = frozenset(built.arrays)

    def change(p: Program) -> Program:
        return remove_dead_stores(p, live)

    assert body_text(check(built, change).body) == textwrap.dedent(expected).strip()
