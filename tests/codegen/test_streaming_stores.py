"""Large arrays that are written once go to memory past the caches, in strips; what comes out is the same."""

from __future__ import annotations

import pytest

from daad.codegen.safe_names import name_everything
from daad.codegen.schedule import streaming_stores
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.streaming_stores import streams_of
from daad.codegen.sdfg.nests import add_nest
from daad.ir.nodes import Nest, Program
from tests.codegen.running import assert_agrees
from tests.texts import program

ARRAYS = "A: float64[90, 1300], B: float64[90, 1300], x: float64[1300], F: float32[90, 1300], T: float64[9, 10, 1300]"
# name: (source, what is written past the caches)
ROWS = {
    "a row of all": ("for i in 0 .. 90, j in 0 .. 1300:  A[i, j] = x[j]", {"A"}),
    "whatever the names": ("for row in 0 .. 90, m in 0 .. 1300:  B[row, m] = 2.0 * x[m] - 1.0", {"B"}),
    "several": ("for i in 0 .. 90, j in 0 .. 1300:\n  A[i, j] = x[j]\n  F[i, j] = B[i, j]", {"A", "F"}),
    "updated": ("for i in 0 .. 90, j in 0 .. 1300:  A[i, j] += x[j]", set()),
    "read, too": ("for i in 0 .. 90, j in 0 .. 1299:  A[i, j] = x[j] + A[i, j]", set()),
    "a part": ("for i in 0 .. 9, j in 0 .. 1300:  A[i, j] = x[j]", set()),
    "twice": ("for i in 0 .. 90, j in 0 .. 1300:\n  A[i, j] = x[j]\n  A[i, j] = 3.0", set()),
    "a tape": (
        """
        loop t = 0 .. 9:
          for i in 0 .. 10, j in 0 .. 1300:  T[t, i, j] = B[i, j]
          for i in 0 .. 10, j in 0 .. 1300:  B[i, j] = T[0, 0, j] * 0.5
        """,
        set(),
    ),
    "a tape that is read later": (
        """
        loop t = 0 .. 9:
          for i in 0 .. 10, j in 0 .. 1300:  T[t, i, j] = B[i, j]
          for i in 0 .. 10, j in 0 .. 1300:  B[i, j] += x[j]
        loop t = 8 .. -1 down:
          for i in 0 .. 10, j in 0 .. 1300:  A[i, j] += T[t, i, j]
        """,
        {"T"},
    ),
    "the same in each iteration": (
        "loop t = 0 .. 9:\n  for i in 0 .. 90, j in 0 .. 1300:  A[i, j] = x[j]",
        set(),
    ),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming_stores, "LARGE", 400_000)
    monkeypatch.setattr(streaming_stores, "FAR", 10**6)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_is_written_past_the_caches(row: tuple[str, set[str]]) -> None:
    source, expected = row
    assert {target.array for target in streams_of(program("p", ARRAYS, source))} == expected


def test_caches_are_not_passed_by_where_they_hold_all() -> None:
    assert not streams_of(program("p", "A: float64[60, 1000]", "for i in 0 .. 60, j in 0 .. 1000:  A[i, j] = 1.0"))


def code(made: Program) -> str:
    """The tasklet of the first nest."""
    import dace

    from daad.codegen.sdfg.arrays import descriptor_shape

    context = Context(made, name_everything(made), streams=streams_of(made))
    sdfg = dace.SDFG("p")
    for array in made.arrays.values():
        sdfg.add_array(context.names[array.name], descriptor_shape(array), getattr(dace, array.dtype))
    state = sdfg.add_state("s")
    assert isinstance(made.body[0], Nest)
    add_nest(state, made.body[0], context)
    (tasklet,) = (node for node in state.nodes() if isinstance(node, dace.nodes.Tasklet))
    return tasklet.code.as_string


STRIPS = """
for (int64_t j__first = 0; j__first < 1300; j__first += 512) {
    const int64_t j__last = j__first + 512 < 1300 ? j__first + 512 : 1300;
    alignas(64) double strip__v0[512];
    #pragma GCC ivdep
    for (int64_t j = j__first; j < j__last; ++j) {
        strip__v0[j - j__first] = (x__in[j] * 2.0);
    }
    const int64_t j = j__first;
    daad::stream(&A__out[j], strip__v0, j__last - j__first);
}
daad::end_streams();
"""


def test_a_row_is_made_strip_by_strip() -> None:
    made = program("p", ARRAYS, "for i in 0 .. 90, j in 0 .. 1300:  A[i, j] = x[j] * 2.0")
    assert code(made).strip() == STRIPS.strip()


def test_short_rows_stay_in_the_caches() -> None:
    made = program("p", "A: float64[1300, 100]", "for i in 0 .. 1300, j in 0 .. 100:  A[i, j] = 2.0")
    assert streams_of(made)
    assert "stream" not in code(made)


ALL = """
for i in 0 .. 90, j in 0 .. 1300:
  A[i, j] = x[j] * B[i, j]
  F[i, j] = B[i, j]
  n[i, j] = 3:int64
loop t = 0 .. 9:
  for i in 0 .. 10, j in t .. 1299:  T[t, i, j + 1] = A[i, j] + A[i + t, j]
for i in 0 .. 90, j in 0 .. 1300:  s += A[i, j] * F[i, j]
"""


def test_the_same_comes_out() -> None:
    """Rows begin anywhere in a line of memory, and are of several types."""
    assert_agrees(program("all", f"{ARRAYS}, n: int32[90, 1300], s: float64[]", ALL))


SUMS = """
for i in 0 .. 90, j in 0 .. 1300:
  y[i] += B[i, j] * x[j]
  A[i, j] = B[i, j]
for i in 0 .. 10, j in 0 .. 1300, t in 0 .. 9:
  x[j] += T[t, i, j]
  C[t, i, j] = T[t, i, j]
"""


def test_sums_beside_copies_stay_the_same() -> None:
    assert_agrees(program("sums", f"{ARRAYS}, C: float64[9, 10, 1300], y: float64[90]", SUMS), rtol=1e-12)


def test_the_memory_before_and_after_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming_stores, "FAR", 400_000)
    made = program("part", "A: float64[90, 1300]", "for i in 1 .. 89, j in 3 .. 1290:  A[i, j] = 2.0")
    assert streams_of(made)
    assert_agrees(made)
