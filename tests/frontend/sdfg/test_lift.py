"""What the lift returns: texts, parameters in the user's order, pinned integers, values of symbols."""

from __future__ import annotations

import copy

import dace
import numpy as np
import pytest
from dace import Memlet

from daad.frontend.sdfg import Parameter, lift
from daad.frontend.sdfg.states.copies import refined
from daad.frontend.sdfg.states.library_nodes import matmul_letters
from daad.ir.printer import program_text
from tests.frontend.sdfg import programs, sdfgs
from tests.frontend.sdfg.compare import check_lift
from tests.frontend.sdfg.programs import N, numbers

T = dace.symbol("T")


@dace.program
def steps_by_symbol(A: dace.float64[N]):
    for t in range(T):
        A[1:-1] = A[1:-1] * (0.5 + t)


def steps_by_symbol_reference(A):
    A[1:-1] *= 0.5 * 1.5 * 2.5


@dace.program
def continues(A: dace.float64[N]):
    for i in range(N):
        if A[i] > 0.6:
            continue
        A[i] = 2.0


def continues_reference(A):
    A[A <= 0.6] = 2.0


class Model:
    """Its attributes are constants of the program: numbers in the text, arrays as hidden parameters."""

    def __init__(self) -> None:
        self.weights = numbers(3, 4)
        self.factor = 2.5

    @dace.method
    def step(self, A: dace.float64[4]):  # type: ignore[no-untyped-def]
        for i in range(4):
            A[i] = A[i] * self.factor + self.weights[i]
        return A * self.weights


def test_method_takes_its_object_along() -> None:
    model = Model()

    def reference(A: np.ndarray) -> np.ndarray:
        A[:] = A * 2.5 + model.weights
        return A * model.weights

    lifted = check_lift(model.step, reference, (numbers(1, 4),))
    assert lifted.program.parameters == ("A", "self_weights")
    assert lifted.constants["self_weights"] is model.weights


def test_integer_for_a_float_parameter_is_no_constant() -> None:
    row = next(row for row in programs.ROWS if row.name == "gemm")
    lifted = lift(programs.gemm, (2, 1, *row.arguments()[2:]))
    assert lifted.program.parameters == ("alpha", "beta", "C", "A", "B")
    assert lifted.pinned == {"N": 4, "M": 5, "K": 3}


def text_of(row) -> str:  # type: ignore[no-untyped-def]
    program = row.program if hasattr(row, "program") else row.build()
    return program_text(lift(program, row.arguments()).program)


GOLDEN = {
    "jacobi": """\
program jacobi(A: float64[5, 6], B: float64[5, 6])
  local B_slice_plus_B_slice: float64[3, 4], B_slice_B_slice_plus_B_slice: float64[3, 4], \
B_slice_B_slice_B_slice_plus_B_slice: float64[3, 4], B_slice_B_slice_B_slice_B_slice_plus_B_slice: float64[3, 4]
  loop t = 1 .. 4:
    for i in 1 .. 4, j in 1 .. 5:  B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
    for i0 in 0 .. 3, i1 in 0 .. 4:  B_slice_plus_B_slice[i0, i1] = B[i0 + 1, i1 + 1] + B[i0 + 1, i1]
    for i0 in 0 .. 3, i1 in 0 .. 4:  B_slice_B_slice_plus_B_slice[i0, i1] = \
B_slice_plus_B_slice[i0, i1] + B[i0 + 1, i1 + 2]
    for i0 in 0 .. 3, i1 in 0 .. 4:  B_slice_B_slice_B_slice_plus_B_slice[i0, i1] = \
B_slice_B_slice_plus_B_slice[i0, i1] + B[i0 + 2, i1 + 1]
    for i0 in 0 .. 3, i1 in 0 .. 4:  B_slice_B_slice_B_slice_B_slice_plus_B_slice[i0, i1] = \
B_slice_B_slice_B_slice_plus_B_slice[i0, i1] + B[i0, i1 + 1]
    for i0 in 0 .. 3, i1 in 0 .. 4:  A[i0 + 1, i1 + 1] = 0.2 * B_slice_B_slice_B_slice_B_slice_plus_B_slice[i0, i1]""",
    "conditions_in_loops": """\
program conditions_in_loops(A: float64[8], B: float64[8], c: float64[])
  loop i = 1 .. 7:
    if A[i] > 0.5:
      B[i] = A[i - 1] * c
    else:
      if A[i + 1] > c and i > 2:
        B[i] = -A[i]
      else:
        B[i] = 0.0
    if i == 3:
      A[i] = B[i]""",
    "scalars": """\
program scalars(a: float64[], A: float64[6])
  local s: float64[], result: float64[1]
  s = a * a
  loop i = 0 .. 4:
    s = s + A[i] * i
    s = s * 0.5
  result[0] = s
  return result""",
    "gather": """\
program gather(A: float64[7], idx: int64[5], B: float64[5], count: int64[1])
  loop i = 0 .. 5:
    B[i] = A[idx[i]] * A[i]
  for i in 0 .. 5:  B[i] += A[idx[i]]
  loop i = 0 .. count[0]:
    B[i] = B[i] + 1.0""",
    "tasklet_with_condition": """\
program tasklet_with_condition(A: float64[4, 6], B: float64[6, 4])
  for i in 0 .. 4, j in 1 .. 5:  B[j, i] = A[i, j] * A[i, j - 1] + sqrt(A[i, j]) if A[i, j] > A[i, j - 1] \
else (A[i, j] * A[i, j - 1] - 1.0 if A[i, j] > 0.5 else A[i, j - 1])""",
    "nested_sdfg": """\
program nested_sdfg(A: float64[5, 4], B: float64[5, 4])
  local s: float64[], B_new: float64[]
  loop i = 0 .. 5:
    s = 0.0
    loop k = 0 .. 4:
      B_new = (A[i, k] + s) * (A[i, k] + s)
      s = A[i, k] + s
      B[i, k] = B_new""",
    "views": """\
program views(A: float64[4, 6], B: float64[2], C: float64[4, 6])
  local flat: float64[24]
  for i in 0 .. 2:  B[i] = A[i + 2, 2]
  for i in 0 .. 4, j in 0 .. 6:  flat[6*i + j] = C[i, j]
  for i in 5 .. 9:  flat[i] = B[1] * i
  for i in 0 .. 4, j in 0 .. 6:  C[i, j] = flat[6*i + j]""",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_text_of_lifted_program(name: str) -> None:
    row = next(row for row in (*programs.ROWS, *sdfgs.ROWS) if row.name == name)
    assert text_of(row) == GOLDEN[name]


def test_parameters_come_in_calling_order_with_integers_pinned() -> None:
    lifted = lift(programs.scalars, (0.5, 4, True, numbers(1, 6)))
    assert lifted.parameters == (
        Parameter("a", "a"),
        Parameter("n", None, 4),
        Parameter("flag", None, True),
        Parameter("A", "A"),
    )
    assert lifted.program.parameters == ("a", "A")
    assert lifted.results == ("result",)
    assert lifted.pinned == {"n": 4, "flag": 1, "N": 6}


def test_arguments_by_keyword_are_bound_like_python_does() -> None:
    A = numbers(1, 6)
    lifted = lift(programs.scalars, (0.5,), {"A": A, "n": 2, "flag": False})
    assert [p.name for p in lifted.parameters] == ["a", "n", "flag", "A"]


def test_symbol_that_is_no_size_is_given_by_keyword() -> None:
    check_lift(steps_by_symbol, steps_by_symbol_reference, (numbers(1, 5),), {"T": 3})


def test_continue_becomes_a_branch() -> None:
    check_lift(continues, continues_reference, (numbers(1, 7),))


def test_specialised_symbol_keeps_its_value() -> None:
    sdfg = sdfgs.sdfg_of("specialised", {"A": (8,)})
    sdfg.add_symbol("K", dace.int64)
    sdfg.add_state().add_mapped_tasklet(
        "scale", {"i": "0:K"}, {"a": Memlet("A[i]")}, "b = a * K", {"b": Memlet("A[i]")}, external_edges=True
    )
    sdfg.specialize({"K": 3})

    def reference(A: np.ndarray) -> None:
        A[:3] *= 3

    check_lift(sdfg, reference, (numbers(1, 8),))


def test_window_of_a_nested_sdfg_is_offset() -> None:
    """DaCe 1 passed a part of a container, which the nested SDFG sees from 0 on."""
    inner = sdfgs.sdfg_of("row", {"x": (4,), "y": (4,)})
    inner.add_state().add_mapped_tasklet(
        "t", {"j": "0:4"}, {"a": Memlet("x[j]")}, "b = a * a", {"b": Memlet("y[3 - j]")}, external_edges=True
    )
    sdfg = sdfgs.sdfg_of("rows", {"A": (5, 4), "B": (5, 4)})
    state = sdfg.add_state()
    entry, exit_ = state.add_map("rows", {"i": "0:5"})
    node = state.add_nested_sdfg(inner, {"x": None}, {"y": None})
    state.add_memlet_path(state.add_read("A"), entry, node, dst_conn="x", memlet=Memlet("A[i, 0:4]"))
    state.add_memlet_path(node, exit_, state.add_write("B"), src_conn="y", memlet=Memlet("B[4 - i, 0:4]"))

    def reference(A: np.ndarray, B: np.ndarray) -> None:
        B[::-1, ::-1] = A * A

    check_lift(sdfg, reference, (numbers(1, 5, 4), numbers(2, 5, 4)))


def test_program_object_of_the_user_stays_as_it_is() -> None:
    before = {k: copy.copy(v) for k, v in vars(programs.gemm).items() if k != "global_vars"}
    annotations = dict(programs.gemm.f.__annotations__)
    row = next(row for row in programs.ROWS if row.name == "gemm")
    lift(programs.gemm, row.arguments())
    after = vars(programs.gemm)
    assert all(after[k] == v for k, v in before.items() if k not in ("_cache", "signature"))
    assert programs.gemm.f.__annotations__ == annotations


def test_lift_twice_gives_the_same_text() -> None:
    row = next(row for row in programs.ROWS if row.name == "nested_calls")
    assert text_of(row) == text_of(row)


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        ((12,), (3, 4), (3, 4)),
        ((2, 6), (3, 4), None),
        ((2, 6), (4, 3), (2, 2, 3)),
        ((4, 1, 3), (2, 6), (2, 2, 3)),
        ((1,), (1, 1), ()),
    ],
)
def test_common_refinement_of_two_shapes(first, second, common) -> None:  # type: ignore[no-untyped-def]
    assert refined(first, second) == common


@pytest.mark.parametrize(
    ("left", "right", "letters"),
    [
        (2, 2, ("ik", "kj", "ij")),
        (2, 1, ("ik", "k", "i")),
        (1, 2, ("k", "kj", "j")),
        (1, 1, ("k", "k", "")),
        (3, 3, ("bik", "bkj", "bij")),
        (3, 2, ("bik", "kj", "bij")),
    ],
)
def test_letters_of_a_matrix_product(left: int, right: int, letters: tuple[str, str, str]) -> None:
    assert matmul_letters(left, right, False, False) == letters
