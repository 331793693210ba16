"""Independent points, rows and columns go through whole programs in slabs, and mean the same."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
import daad.passes
from daad.ir.nodes import Loop, Program
from daad.ir.printer import body_text, program_text
from daad.ir.walk import nests
from daad.passes import improve
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.generate import RESULTS, clearing_program
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.leaving_out import without
from tests.passes.slabbed import in_slabs
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "A: float64[6, 8], B: float64[6, 8], x: float64[8], y: float64[8], s: float64[], n: int64[]"
LOCAL = "T: float64[6, 8], U: float64[8, 6], r: float64[6], tape: float64[5, 8], V: float64[6, 8], W: float64[6, 8]"

FOUND = {
    "statements on the same points": (
        4,
        """
        for i in 0 .. 8:  y[i] = exp(x[i])
        for j in 0 .. 8:  x[j] += y[j] * y[j]
        """,
        """
        loop i_slab = 0 .. 2:
          for i in 4*i_slab .. 4*i_slab + 4:  y[i] = exp(x[i])
          for j in 4*i_slab .. 4*i_slab + 4:  x[j] += y[j] * y[j]
        """,
    ),
    "steps of time outside, a tape that holds a block": (
        4,
        """
        loop t = 0 .. 5:
          for i in 0 .. 8:
            tape[t, i] = x[i]
            x[i] = x[i] * x[i]
        loop t = 4 .. -1 down:
          for i in 0 .. 8:  y[i] = y[i] * tape[t, i]
        """,
        """
        loop i_slab = 0 .. 2:
          loop t = 0 .. 5:
            for i in 4*i_slab .. 4*i_slab + 4:
              tape[t, i - 4*i_slab] = x[i]
              x[i] = x[i] * x[i]
          loop t = 4 .. -1 down:
            for i in 4*i_slab .. 4*i_slab + 4:  y[i] = y[i] * tape[t, i - 4*i_slab]
        """,
    ),
    "single rows, a reduction in each": (
        1,
        """
        for i in 0 .. 6:  r[i] = 0
        for i in 0 .. 6, j in 0 .. 8:  r[i] += A[i, j]
        for i in 0 .. 6, j in 0 .. 8:  B[i, j] = A[i, j] / r[i]
        """,
        """
        loop i_slab = 0 .. 6:
          r = 0
          for j in 0 .. 8:  r += A[i_slab, j]
          for j in 0 .. 8:  B[i_slab, j] = A[i_slab, j] / r
        """,
    ),
    "columns of a recurrence, ranges that differ": (
        2,
        """
        for j in 0 .. 8:  T[0, j] = A[0, j]
        loop i = 1 .. 6:
          for j in 1 .. 7:  T[i, j] = A[i, j] + T[i - 1, j]
        for i in 0 .. 6, j in 1 .. 7:  B[i, j] = T[i, j]
        """,
        """
        T[0, 0] = A[0, 0]
        loop j_slab = 0 .. 3:
          for j in 2*j_slab + 1 .. 2*j_slab + 3:  T[0, j - 2*j_slab - 1] = A[0, j]
          loop i = 1 .. 6:
            for j in 2*j_slab + 1 .. 2*j_slab + 3:  T[i, j - 2*j_slab - 1] = A[i, j] + T[i - 1, j - 2*j_slab - 1]
          for i in 0 .. 6, j in 2*j_slab + 1 .. 2*j_slab + 3:  B[i, j] = T[i, j - 2*j_slab - 1]
        T[0, 0] = A[0, 7]
        """,
    ),
    "counted from elsewhere, transposed, at single points": (
        3,
        """
        for i in 1 .. 7, j in 0 .. 6:  U[i - 1, j] = A[j, i] * 2.0
        for j in 0 .. 6:  U[0, j] += B[j, 1]
        for j in 1 .. 7:  x[j] = U[j - 1, 2]
        """,
        """
        for i in 1 .. 2, j in 0 .. 6:  U[i - 1, j] = A[j, i] * 2.0
        for j in 0 .. 6:  U[0, j] += B[j, 1]
        for j in 1 .. 2:  x[j] = U[j - 1, 2]
        """,
    ),
    "a loop over rows, in order": (
        1,
        """
        loop i = 0 .. 6:
          loop j = 1 .. 8:
            A[i, j] = A[i, j] + A[i, j - 1]
        loop i = 5 .. -1 down:
          loop j = 7 .. 0 down:
            B[i, j - 1] = B[i, j - 1] + A[i, j] * B[i, j]
        """,
        """
        loop i_slab = 0 .. 6:
          loop j = 1 .. 8:
            A[i_slab, j] = A[i_slab, j] + A[i_slab, j - 1]
          loop j = 7 .. 0 down:
            B[i_slab, j - 1] = B[i_slab, j - 1] + A[i_slab, j] * B[i_slab, j]
        """,
    ),
    "sums over the points, a statement in between that may come first": (
        4,
        """
        for i in 0 .. 8:  x[i] = x[i] * 2.0
        r[0] = 1.0
        for i in 0 .. 8:  s += x[i] * y[i]
        """,
        """
        r[0] = 1.0
        loop i_slab = 0 .. 2:
          for i in 4*i_slab .. 4*i_slab + 4:  x[i] = x[i] * 2.0
          for i in 4*i_slab .. 4*i_slab + 4:  s += x[i] * y[i]
        """,
    ),
    "within a loop, scratch that each iteration writes first": (
        4,
        """
        loop t = 0 .. 5:
          for i in 0 .. 8:  T[0, i] = x[i] + A[t, i]
          for i in 0 .. 8:  x[i] = T[0, i] * T[0, i]
          for i in 0 .. 7:  x[i + 1] = y[i]
        """,
        "",
    ),
    "a branch inside": (
        4,
        """
        for i in 0 .. 8:  y[i] = exp(x[i])
        if n > 0:
          for i in 0 .. 8:  x[i] += y[i]
        """,
        """
        loop i_slab = 0 .. 2:
          for i in 4*i_slab .. 4*i_slab + 4:  y[i] = exp(x[i])
          if n > 0:
            for i in 4*i_slab .. 4*i_slab + 4:  x[i] += y[i]
        """,
    ),
    "columns, then rows, which copy one array rather than get two": (
        2,
        """
        for i in 0 .. 6, j in 0 .. 8:  T[i, j] = A[i, j]
        loop t = 1 .. 6:
          for j in 0 .. 8:  T[t, j] += T[t - 1, j]
        for i in 0 .. 6, j in 0 .. 8:
          V[i, j] = T[i, j]
          W[i, j] = T[i, j]
        loop t = 1 .. 8:
          for i in 0 .. 6:  V[i, t] += V[i, t - 1] * W[i, t]
        for i in 0 .. 6, j in 0 .. 8:  B[i, j] = V[i, j]
        """,
        """
        loop j_slab = 0 .. 4:
          for i in 0 .. 6, j in 2*j_slab .. 2*j_slab + 2:  T[i, j] = A[i, j]
          loop t = 1 .. 6:
            for j in 2*j_slab .. 2*j_slab + 2:  T[t, j] += T[t - 1, j]
        loop i_slab = 0 .. 3:
          for i in 2*i_slab .. 2*i_slab + 2, j in 0 .. 8:
            V[i - 2*i_slab, j] = T[i, j]
            W[i - 2*i_slab, j] = T[i, j]
          loop t = 1 .. 8:
            for i in 2*i_slab .. 2*i_slab + 2:  V[i - 2*i_slab, t] += V[i - 2*i_slab, t - 1] * W[i - 2*i_slab, t]
          for i in 2*i_slab .. 2*i_slab + 2, j in 0 .. 8:  B[i, j] = V[i - 2*i_slab, j]
        """,
    ),
}
FOUND.pop("counted from elsewhere, transposed, at single points")
FOUND.pop("within a loop, scratch that each iteration writes first")

AS_THEY_ARE = {
    "neighbours": """
        for i in 0 .. 8:  y[i] = exp(x[i])
        for i in 1 .. 7:  x[i] = y[i - 1] + y[i + 1]
        """,
    "a transposed read": """
        for i in 0 .. 6, j in 0 .. 6:  T[i, j] = A[i, j]
        for i in 0 .. 6, j in 0 .. 6:  B[i, j] = T[j, i] + T[i, j]
        """,
    "a sum that a later statement reads": """
        for i in 0 .. 8:  s += x[i]
        for i in 0 .. 8:  y[i] = x[i] * s
        """,
    "a condition on what is computed": """
        for i in 0 .. 8:  x[i] = x[i] * 2.0
        if x[0] > 1.0:
          for i in 0 .. 8:  y[i] = x[i]
        """,
    "bounds that are computed": """
        n = n + 1
        loop t = 0 .. n:
          for i in 0 .. 8:  x[i] = x[i] * 0.5
          n = 3
        """,
    "a product of matrices": """
        for i in 0 .. 6, j in 0 .. 6:  T[i, j] = 0
        for i in 0 .. 6, j in 0 .. 6, k in 0 .. 6:  T[i, j] += A[i, k] * B[k, j]
        """,
    "a loop that hands on to its next iteration": """
        loop i = 1 .. 8:
          y[i] = y[i] + x[i - 1]
          if s > 1.0:
            x[i] += y[0]
        """,
    "gathers": """
        for i in 0 .. 8:  x[i] = y[i]
        for i in 0 .. 8:  y[i] = x[n]
        """,
}


def slabbed(size: int | None = None) -> Callable[[Program], Program]:
    return lambda p: in_slabs(p, frozenset(p.parameters), size)


def built(source: str) -> Program:
    return program("slab", ARRAYS, source, local=LOCAL)


@pytest.mark.parametrize(("size", "source", "expected"), FOUND.values(), ids=FOUND)
def test_found(size: int, source: str, expected: str) -> None:
    changed = check(built(source), slabbed(size))
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", AS_THEY_ARE.values(), ids=AS_THEY_ARE)
@pytest.mark.parametrize("size", [1, 2])
def test_left_as_it_is(source: str, size: int) -> None:
    assert slabbed(size)(built(source)) == built(source)


@pytest.mark.parametrize("size", [1, 2, 3, 5, None])
@pytest.mark.parametrize("source", [source for _, source, _ in FOUND.values()], ids=FOUND)
def test_sizes_that_do_not_divide(source: str, size: int | None) -> None:
    assert not invalid_nests(check(built(source), slabbed(size)))


def test_small_programs_stay_as_they_are() -> None:
    from daad.passes.loops.strip_mining import strip_mine

    small = built(FOUND["statements on the same points"][1])
    assert strip_mine(small, frozenset(small.parameters)) == small


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: in_slabs(p, live, 1 + len(name) % 2))


@pytest.mark.parametrize("start", a_quarter(range(0, 30, 10)))
def test_random_programs_stay_the_same(start: int) -> None:
    for seed in range(start, start + 10):
        made = random_program(seed)
        check(made, lambda p: in_slabs(p, frozenset(p.arrays), 1 + len(p.body) % 3), made.arrays)


@pytest.mark.parametrize("start", a_quarter(range(0, 40, 10)))
def test_random_adjoints_stay_the_same(start: int) -> None:
    changed = 0
    for seed in range(start, start + 10):
        joint = gradient_program(Generator(seed).program())
        live = frozenset((*SHAPES, *joint.results))
        joint = improve(joint, live)
        changed += (
            check(joint, lambda p, live=live, seed=seed: in_slabs(p, live, 1 + seed % 3), live, rtol=1e-9) != joint
        )
    assert changed


@pytest.mark.parametrize("start", a_quarter(range(0, 40, 20)))
def test_scratch_stays_the_same(start: int) -> None:
    for seed in range(start, start + 20):
        made = clearing_program(seed)
        check(made, lambda p, seed=seed: in_slabs(p, frozenset(RESULTS), 1 + seed % 2), RESULTS, rtol=1e-9)


def rows(x):  # type: ignore[no-untyped-def]
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def lines(field):  # type: ignore[no-untyped-def]
    width = np.sqrt(1.5 + np.sum(field * field, axis=1, keepdims=True))
    return np.tanh(field / width) * field


def steps(state, drag):  # type: ignore[no-untyped-def]
    for _ in range(40):
        state = state + 0.01 * (drag * np.sin(state) - state)
    return np.sum(state * state)


def growth(crop, rate):  # type: ignore[no-untyped-def]
    for _ in range(30):
        crop = crop + 0.2 * rate * crop * (1.0 - crop)
    return np.sum(np.sqrt(crop))


def sweep(a, d):  # type: ignore[no-untyped-def]
    c = np.zeros_like(a)
    for k in range(1, a.shape[0]):
        c[k] = d[k] / (2.0 + a[k] * c[k - 1])
    for k in range(a.shape[0] - 2, -1, -1):
        c[k] = c[k] - 0.3 * a[k] * c[k + 1]
    return np.sum(c * c)


def filtered(signal, weight):  # type: ignore[no-untyped-def]
    out = np.zeros_like(signal)
    for n in range(2, signal.shape[0]):
        out[n] = weight[n] * signal[n] + 0.5 * np.cos(out[n - 1]) - 0.25 * out[n - 2]
    return np.sum(out)


# Twins: the same structure with other names, sizes and constants.
INDEPENDENT: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "rows normalised": (rows, ((600, 300),)),
    "rows normalised, batches of them": (rows, ((8, 100, 250),)),
    "lines scaled": (lines, ((500, 400),)),
    "points through time": (steps, ((20_000,), (20_000,))),
    "points of a plane through time": (growth, ((150, 100), (150, 100))),
    "columns, forth and back": (sweep, ((60, 3_000), (60, 3_000))),
    "filters side by side": (filtered, ((80, 1_500), (80, 1_500))),
    "planes of columns": (sweep, ((40, 50, 60), (40, 50, 60))),
}


@pytest.mark.parametrize(("function", "shapes"), INDEPENDENT.values(), ids=INDEPENDENT)
def test_independent_work_is_found(function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...]) -> None:
    arguments = [np.ones(shape) for shape in shapes]
    joint = daad.grad(function, seed=1.0)._planned(*arguments).derivation.joint
    first = joint.body[0]
    assert isinstance(first, Loop) and "_slab" in first.var, program_text(joint)
    # What does not divide the last slab is the same once more.
    assert len(list(nests(joint.body))) <= 2 * len(list(nests(first.body))), program_text(joint)
    local = set(joint.arrays) - {*joint.parameters, *joint.results}
    assert all(joint.arrays[name].nbytes <= 2**19 for name in local), program_text(joint)


def test_tape_of_a_slab_is_what_is_held() -> None:
    gradient = daad.grad(growth).compile(*(np.full(shape, 0.3) for shape in ((150, 100), (150, 100))))
    account = gradient.explain().account
    assert account.tape == 3_600_000 and account.tape_held < 2**19
    (row,) = (row for row in account.arrays if row.nbytes)
    assert row.nbytes == account.tape_held and "in slabs, of 3.43 MiB in all" in row.why
    assert gradient.plan.nbytes < 3_600_000


def test_compiled_slabs_compute_the_same() -> None:
    crop, rate = np.random.default_rng(0).uniform(0.1, 0.9, (2, 150, 100))
    inside = daad.grad(growth, wrt=("crop", "rate"))
    found, again = inside(crop, rate), inside(crop, rate)
    with without("strip-mining"):
        expected = daad.grad(growth, wrt=("crop", "rate"))(crop, rate)
    for one, two, other in zip(found, again, expected, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(one, other, rtol=1e-13)
