"""Which dimensions are mapped, which are loops of the tasklet, which one is vectorised."""

from __future__ import annotations

import pytest

from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.collapsing import flatten
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import schedule_nest
from daad.ir.nodes import Loop, Nest
from tests.texts import program

ARRAYS = (
    "A: float64[200, 300], B: float64[300, 200], C: float64[200, 300], s: float64[], r: float64[200], c: float64[300], "
    "k: int64[200], P: float64[200, 3], L: float64[2000, 3000], M: float64[2000, 3000], T: float64[4, 5, 6000], "
    "W: float64[5, 3], huge: float64[50000, 50000], one: float64[50000], U: float64[4, 5, 6000]"
)
IJ = "i in 0 .. 200, j in 0 .. 300"
LARGE = "i in 0 .. 2000, j in 0 .. 3000"
HUGE = "i in 0 .. 50000, j in 0 .. 50000"
SHORT = "i in 0 .. 4, j in 0 .. 5, l in 0 .. 6000"
# name: (domain, statements, mapped, inner, vector, parallel)
ROWS = {
    "elementwise": (IJ, "C[i, j] = A[i, j] * 2.0", "i j", "", None, False),
    "large elementwise": (LARGE, "M[i, j] = L[i, j] * 2.0", "i j", "", None, True),
    "order by stride": ("j in 0 .. 300, i in 0 .. 200", "C[i, j] = A[i, j] * 2.0", "i j", "", None, False),
    "transpose": (IJ, "B[j, i] = A[i, j]", "i j", "", None, False),
    "sum of everything": (IJ, "s += A[i, j]", "", "i j", "j", False),
    "sum of rows": (IJ, "r[i] += A[i, j]", "i", "j", "j", False),
    "sum of columns": (IJ, "c[j] += A[i, j]", "", "i j", "j", False),
    "maximum of rows": (IJ, "r[i] max= A[i, j]", "i", "j", "j", False),
    "in place": (IJ, "A[i, j] += A[i, 0] * A[0, j]", "i", "j", "j", False),
    "scatter": ("i in 0 .. 200", "r[k[i]] += c[i]", "", "i", "i", False),
    "colliding": ("i in 0 .. 100, j in 0 .. 100", "r[i + j] += A[i, j]", "", "i j", "j", False),
    "coordinates within points": ("i in 0 .. 200, d in 0 .. 3", "P[i, d] = P[i, d] * r[i]", "i d", "", None, False),
    "sum of coordinates": ("i in 0 .. 200, d in 0 .. 3", "r[i] += P[i, d] * P[i, d]", "i", "d", None, False),
    "sum over points": ("i in 0 .. 200, d in 0 .. 3", "c[d] += P[i, d]", "d", "i", "i", False),
    "two rows of one array from many": (
        "j in 1 .. 300", "C[3, j] += A[0, j] * c[j] * r[j - 1]\n  C[4, j] += A[1, j - 1] * B[j, 0]", "", "j", "j", False
    ),
    "divided by one value": (IJ, "C[i, j] = A[i, j] / s", "", "i j", "j", False),
    "rows divided by a value each": (IJ, "C[i, j] = A[i, j] / r[i]", "i", "j", "j", False),
    "much divided by one value": (LARGE, "M[i, j] = L[i, j] / s", "i", "j", "j", True),
    "short outer loops": (SHORT, "T[i, j, l] = exp(U[i, j, l])", "i j l", "", None, True),
    "more elements than an int counts": (HUGE, "huge[i, j] = one[i]", "", "i j", "j", False),
}  # fmt: skip


def context_of(source: str) -> tuple[Nest, Context]:
    made = program("p", ARRAYS, source)
    (nest,) = made.body
    assert isinstance(nest, Nest)
    return nest, Context(made, name_everything(made))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_schedule(row: tuple[str, str, str, str, str | None, bool]) -> None:
    domain, statement, mapped, inner, vector, parallel = row
    nest, context = context_of(f"for {domain}:\n  {statement}")
    made = schedule_nest(nest, context)
    found = [" ".join(r.var for r in made.mapped), " ".join(r.var for r in made.inner), made.vector and made.vector.var]
    assert (*found, made.parallel) == (mapped, inner, vector, parallel)


def test_what_joined_dimensions_update_meets_at_other_points() -> None:
    """The update of `j` and that of `j + 1` have `l` and `d` in common: no two threads may do them."""
    nest, context = context_of("for j in 0 .. 190, l in 0 .. 5, d in 0 .. 3:  P[j + l, d] += W[l, d]")
    joined = flatten(nest, context)
    assert [r.var for r in joined.domain] == ["j", "d"]
    made = schedule_nest(joined, context)
    assert made.mapped == ()
    assert not schedule_nest(nest, context).mapped[1:]


def test_few_iterations_outside_share_one_parallel_loop() -> None:
    nest, context = context_of("for i in 0 .. 4, j in 0 .. 5, l in 0 .. 6000:  T[i, j, l] = exp(U[i, j, l])")
    assert schedule_nest(nest, context).collapse == 2


@pytest.mark.parametrize(
    ("source", "dimensions"),
    [
        ("for i in 0 .. 200, d in 0 .. 3:  P[i, d] = P[i, d] * 2.0", {"d": 600}),
        ("for i in 1 .. 200, d in 0 .. 3:  s += P[i, d]", {"d": 600}),
        ("for i in 0 .. 200, d in 0 .. 3:  P[i, d] = P[i, d] * r[i]", {"i": 200, "d": 3}),
        ("for i in 0 .. 200, d in 0 .. 3:  P[i, d] = P[i, d] * d", {"i": 200, "d": 3}),
        ("for i in 0 .. 200, d in 0 .. 2:  P[i, d] = P[i, d] * 2.0", {"i": 200, "d": 2}),
        ("for i in 0 .. 200, j in 0 .. 300:  C[i, j] = A[i, j] * 2.0", {"i": 200, "j": 300}),
    ],
)
def test_short_inner_dimensions_are_joined(source: str, dimensions: dict[str, int]) -> None:
    nest, context = context_of(source)
    assert {r.var: r.stop.const for r in flatten(nest, context).domain} == dimensions


def test_a_row_longer_than_usual_meets_the_next_one() -> None:
    """`j` has five values on average, and nine at most, so that points of several `k` update one element."""
    built = program("p", "P: float64[600], W: float64[100, 9]", """
        loop i = 0 .. 10:
          for k in 0 .. 100, j in 0 .. i:  P[j + 5*k] += W[k, j]
    """)  # fmt: skip
    loop = built.body[0]
    assert isinstance(loop, Loop)
    nest = loop.body[0]
    assert isinstance(nest, Nest)
    made = schedule_nest(nest, Context(built, name_everything(built)).inside_loop(loop))
    assert len(made.mapped) < 2
    assert not made.mapped or not made.independent
