"""First contributions assign, clears that nobody needs go, and everything visible stays."""

# ruff: noqa: E501 (texts of programs)
from __future__ import annotations

import importlib
import textwrap

import pytest

from daad.ir.nodes import Loop, Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.loops.index_set_splitting import split_index_sets
from daad.passes.redundancy.initialization import remove_initialization
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check
from tests.passes.generate import clearing_program
from tests.passes.kernels import EACH_KERNEL, naive_adjoint, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

ROWS = {
    "a first contribution assigns": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 20:  x[i] += y[i]
        """,
        "for i in 0 .. 20:  x[i] = y[i]",
    ),
    "a first contribution to zeros of which somebody may ask for the sign": (
        """
        for i in 0 .. 20:  x[i] = 0.0
        for i in 0 .. 20:  x[i] += y[i]
        """,
        "for i in 0 .. 20:  x[i] = 0.0 + y[i]",
    ),
    "a first contribution to rows that are counted through": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 5, j in 0 .. 4:  x[4*i + j] += y[i] * y[j]
        """,
        "for i in 0 .. 5, j in 0 .. 4:  x[4*i + j] = y[i] * y[j]",
    ),
    "rows with elements between them": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 5, j in 0 .. 3:  x[4*i + j] += y[i] * y[j]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 5, j in 0 .. 3:  x[4*i + j] = y[i] * y[j]
        """,
    ),
    "rows that overlap": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 5, j in 0 .. 4:  x[3*i + j] += y[i] * y[j]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 5, j in 0 .. 4:  x[3*i + j] += y[i] * y[j]
        """,
    ),
    "a first contribution to a part": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 4 .. 20:  x[i - 1] += y[i]
        for i in 4 .. 20:  x[i] += y[i]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 4 .. 20:  x[i - 1] = y[i]
        for i in 4 .. 20:  x[i] += y[i]
        """,
    ),
    "first contributions to parts apart": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 10:
          x[i] += y[i]
          x[i + 10] += y[i + 10]
        """,
        """
        for i in 0 .. 10:
          x[i] = y[i]
          x[i + 10] = y[i + 10]
        """,
    ),
    "contributions to parts that overlap": (
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 10:
          x[i] += y[i]
          x[i + 9] += y[i + 9]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        for i in 0 .. 10:
          x[i] += y[i]
          x[i + 9] += y[i + 9]
        """,
    ),
    "parts that are cleared row by row": (
        """
        for i in 0 .. 20:  x[i] = y[i]
        for i in 0 .. 5, j in 0 .. 4:  x[4*i + j] = 0
        for i in 0 .. 20:  x[i] += y[i] * y[i]
        """,
        "for i in 0 .. 20:  x[i] = y[i] * y[i]",
    ),
    "all but a frame": (
        """
        for i in 1 .. 19:  x[i] = 0
        for i in 0 .. 20:  x[-i + 19] += y[i]
        """,
        "for i in 0 .. 20:  x[-i + 19] = (0 if i >= 1 and i < 19 else x[-i + 19]) + y[i]",
    ),
    "a reduction keeps its zero": (
        """
        s = 0
        for i in 1 .. 19:  s += y[i]
        x[0] = s
        """,
        """
        s = 0
        for i in 1 .. 19:  s += y[i]
        x[0] = s
        """,
    ),
    "zero in every iteration": (
        """
        s = 0
        loop t = 0 .. n:
          s += y[t]
          x[t] = s * 2.0
          s = 0
        """,
        """
        loop t = 0 .. n:
          s = y[t]
          x[t] = s * 2.0
        """,
    ),
    "cleared behind the loop": (
        """
        for i in 0 .. 20:  x[i] = 0
        loop t = 0 .. n:
          for i in 0 .. 20:  x[i] += y[i] + t
          y[0] = x[3]
          for i in 0 .. 20:  x[i] = 0
        """,
        """
        loop t = 0 .. n:
          for i in 0 .. 20:  x[i] = y[i] + t
          y[0] = x[3]
        for i in 0 .. 20:  x[i] = 0
        """,
    ),
    "one element after the other": (
        """
        for i in 0 .. 20:  x[i] = 0
        loop t = 19 .. -1 down:
          x[t] += y[t]
        """,
        """
        loop t = 19 .. -1 down:
          x[t] = y[t]
        """,
    ),
    "cleared one after the other": (
        """
        for i in 0 .. 20:  x[i] = y[i]
        loop t = 0 .. 18:
          x[t + 1] += x[t]
          x[t + 2] += x[t]
          x[t] = 0
        x[18] = 0
        x[19] = 0
        for i in 0 .. 20:  x[i] += y[i]
        """,
        "for i in 0 .. 20:  x[i] = y[i]",
    ),
    "cleared too early": (
        """
        for i in 0 .. 20:  x[i] = y[i]
        loop t = 1 .. 20:
          x[t] = 0
          x[t - 1] += y[t]
        x[0] = 0
        for i in 0 .. 20:  x[i] += y[i]
        """,
        """
        for i in 0 .. 20:  x[i] = y[i]
        loop t = 1 .. 20:
          x[t] = 0
          x[t - 1] += y[t]
        x[0] = 0
        for i in 0 .. 20:  x[i] += y[i]
        """,
    ),
    "an element that the next iteration reads": (
        """
        for i in 0 .. 20:  x[i] = 0
        loop t = 1 .. 20:
          x[t] += y[t]
          x[t - 1] += x[t]
        """,
        """
        for i in 0 .. 20:  x[i] = 0
        loop t = 1 .. 20:
          x[t] = y[t]
          x[t - 1] += x[t]
        """,
    ),
    "not zero on one side": (
        """
        s = 0
        if y[0] > 1.0:
          s = y[1]
        s += y[2]
        x[0] = s
        """,
        """
        s = 0
        if y[0] > 1.0:
          s = y[1]
        s += y[2]
        x[0] = s
        """,
    ),
}


@pytest.mark.parametrize(("source", "expected"), ROWS.values(), ids=ROWS)
def test_zeros(source: str, expected: str) -> None:
    arrays, local = "x: float64[20], y: float64[20]", "s: float64[]"
    built = program("row", arrays, source, integers="n", local=local, results="x")
    live = frozenset({"x", "y"})
    assert (
        body_text(check(built, lambda p: remove_initialization(p, live), live, rtol=0).body)
        == textwrap.dedent(expected).strip()
    )


ADJOINTS = {
    "jacobi_1d": """
        for i in 0 .. 40:  A_bar[i] = 1.0
        for i in 0 .. 40:  B_bar[i] = 0
        loop t = T - 1 .. 0 down:
          for i in 0 .. 40:  B_bar[i] = (0 if i >= 1 and i < 39 else B_bar[i]) + 0.3 * ((A_bar[i - 1] if i >= 2 else 0) + (A_bar[i] if i >= 1 and i < 39 else 0) + (A_bar[i + 1] if i < 38 else 0))
          for i in 0 .. 40:  A_bar[i] = (0 if i >= 1 and i < 39 else A_bar[i]) + 0.3 * ((B_bar[i - 1] if i >= 2 else 0) + (B_bar[i] if i >= 1 and i < 39 else 0) + (B_bar[i + 1] if i < 38 else 0))
        for i in 1 .. 39:  B_bar[i] = 0
        """,
    "sweep": """
        for i in 0 .. 20, j in 0 .. 20:  A_bar[i, j] = 1.0
        loop t = T - 1 .. -1 down:
          loop i = 18 .. 0 down:
            loop j = 18 .. 0 down:
              do:
                A_bar[i + 1, j + 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i + 1, j] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i + 1, j - 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i, j + 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i, j - 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i - 1, j + 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i - 1, j] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i - 1, j - 1] += 0.1111111111111111 * A_bar[i, j]
                A_bar[i, j] = 0.1111111111111111 * A_bar[i, j]
        """,
    "lu": """
        for i in 0 .. 20, j in 0 .. 20:  A_bar[i, j] = 1.0
        loop i = 19 .. -1 down:
          loop j = 19 .. i - 1 down:
            s_bar = -A_bar[i, j]
            for k in 0 .. i:
              A_bar[k, j] += s_bar * A[i, k]
              A_bar[i, k] += s_bar * A[k, j]
          loop j = i - 1 .. -1 down:
            do:
              A_bar[j, j] += -(A_bar[i, j] * (A[i, j] / A[j, j]))
              A_bar[i, j] = A_bar[i, j] / A[j, j]
              s_bar = -A_bar[i, j]
            for k in 0 .. j:
              A_bar[k, j] += s_bar * A[i, k]
              A_bar[i, k] += s_bar * A[k, j]
        """,
    "seidel_2d": """
        for i in 0 .. 20, j in 0 .. 20:  A_bar[i, j] = 1.0
        loop t = T - 2 .. -1 down:
          loop i = 18 .. 0 down:
            loop j = 18 .. 0 down:
              do:
                A_bar[i, j] = 0.1111111111111111 * A_bar[i, j]
                A_bar[i, j - 1] += A_bar[i, j]
            for j in 1 .. 19:  r_bar[j] = A_bar[i, j]
            for j in 0 .. 20:
              A_bar[i + 1, j] += (r_bar[j - 1] if j >= 2 else 0) + (r_bar[j] if j >= 1 and j < 19 else 0) + (r_bar[j + 1] if j < 18 else 0)
              A_bar[i - 1, j] += (r_bar[j - 1] if j >= 2 else 0) + (r_bar[j] if j >= 1 and j < 19 else 0) + (r_bar[j + 1] if j < 18 else 0)
            for j in 1 .. 19:  A_bar[i, j + 1] += r_bar[j]
        """,
}


@pytest.mark.parametrize("name", ADJOINTS)
def test_adjoints(name: str) -> None:
    adjoint = naive_adjoint(name)
    improved = improve(adjoint, frozenset(adjoint.results))
    assert body_text(improved.body) == textwrap.dedent(ADJOINTS[name]).strip()


def test_hot_code_of_jacobi() -> None:
    adjoint = naive_adjoint("jacobi_1d")
    improved = split_index_sets(improve(adjoint, frozenset(adjoint.results)))
    expected = """
        for i in 0 .. 40:  A_bar[i] = 1.0
        for i in 0 .. 40:  B_bar[i] = 0
        loop t = T - 1 .. 0 down:
          B_bar[0] = B_bar[0] + 0.3 * A_bar[1]
          B_bar[1] = 0.3 * (A_bar[1] + A_bar[2])
          for i in 2 .. 38:  B_bar[i] = 0.3 * (A_bar[i - 1] + A_bar[i] + A_bar[i + 1])
          B_bar[38] = 0.3 * (A_bar[37] + A_bar[38])
          B_bar[39] = B_bar[39] + 0.3 * A_bar[38]
          A_bar[0] = A_bar[0] + 0.3 * B_bar[1]
          A_bar[1] = 0.3 * (B_bar[1] + B_bar[2])
          for i in 2 .. 38:  A_bar[i] = 0.3 * (B_bar[i - 1] + B_bar[i] + B_bar[i + 1])
          A_bar[38] = 0.3 * (B_bar[37] + B_bar[38])
          A_bar[39] = A_bar[39] + 0.3 * B_bar[38]
        for i in 1 .. 39:  B_bar[i] = 0
        """
    assert body_text(improved.body) == textwrap.dedent(expected).strip()


def test_clears_that_stay_are_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = range(8)
    locals_ = ", ".join(f"moved_{k}: float64[20], stays_{k}: float64[20]" for k in names)
    clear = "for i in 0 .. 20:  {0} = 0\n"
    use = "for i in 0 .. 20:  moved_{0}[i] = y[i]\nfor i in 0 .. 20:  x[i] += moved_{0}[i] * stays_{0}[i]\n"
    before = "".join(clear.format(f"{kind}_{k}[i]") for k in names for kind in ("moved", "stays"))
    inside = "".join(
        use.format(k)
        + "".join(clear.format(f"{kind}_{k}[i]") for kind in ("moved", "stays"))
        + f"stays_{k}[3] = y[0]\n"
        for k in names
    )
    source = before + "loop t = 0 .. n:\n" + textwrap.indent(inside, "  ")
    built = program("many", "x: float64[20], y: float64[20]", source, integers="n", local=locals_, results="x")
    module = importlib.import_module("daad.passes.redundancy.initialization")
    examined: list[str] = []
    real = module._without

    def counted(loop: Loop, position: int, number: int, *rest: object) -> Loop | None:
        found: Loop | None = real(loop, position, number, *rest)
        examined.append("stays" if found is None else "moved")
        return found

    monkeypatch.setattr(module, "_without", counted)
    remove_initialization(built, frozenset(built.arrays))
    assert (examined.count("moved"), examined.count("stays")) == (8, 8)


def _zeros(live: frozenset[str]):  # type: ignore[no-untyped-def]
    return lambda p: remove_initialization(p, live)


@pytest.mark.parametrize("seed", a_quarter(range(200)))
def test_random_clears(seed: int) -> None:
    built = clearing_program(seed)
    check(built, _zeros(frozenset(built.results)), built.results)


@pytest.mark.parametrize("seed", a_quarter(range(60)))
def test_random_programs_stay_the_same(seed: int) -> None:
    built = random_program(seed)
    check(built, _zeros(frozenset(built.arrays)), built.arrays)


@pytest.mark.parametrize("seed", a_quarter(range(80)))
def test_random_adjoints_stay_the_same(seed: int) -> None:
    joint = gradient_program(Generator(seed).program())
    live = frozenset((*SHAPES, *joint.results))
    check(joint, lambda p: split_index_sets(improve(p, live)), live, rtol=1e-9)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint: Program = naive_joint(name)
    live = frozenset(joint.results)
    check(joint, lambda p: split_index_sets(improve(p, live)), live)
