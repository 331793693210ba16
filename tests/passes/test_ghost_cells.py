"""Shifted copies become one copy with a margin, kept once, and mean the same."""

from __future__ import annotations

import random
import runpy
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.memory.ghost_cells import add_ghost_cells
from tests.codegen.generate import random_program
from tests.passes.checking import check
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.passes.leaving_out import without
from tests.seeds import a_quarter
from tests.texts import program

ARRAYS = "h: float64[8], y: float64[8], A: float64[6, 8]"
LOCAL = "u: float64[8], a: float64[8], b: float64[8], c: float64[10], B: float64[6, 8], C: float64[6, 8]"

LEFT = """
a[0] = {0}[7]
for i in 1 .. 8:  a[i] = {0}[i - 1]
"""
RIGHT = """
for i in 0 .. 7:  b[i] = {0}[i + 1]
b[7] = {0}[0]
"""
USE = "for i in 0 .. 8:  y[i] = a[i] * b[i] - {0}[i]"

MERGED = {
    "both neighbours of an argument": (
        LEFT.format("h") + RIGHT.format("h") + USE.format("h"),
        """
        for i_1 in 1 .. 9:  h_halo[i_1] = h[i_1 - 1]
        h_halo[0] = h_halo[8]
        h_halo[9] = h_halo[1]
        for i in 0 .. 8:  y[i] = h_halo[i] * h_halo[i + 2] - h[i]
        """,
    ),
    "of a local array, which is not read any more": (
        "for i in 0 .. 8:  u[i] = 2.0 * h[i]\n" + LEFT.format("u") + RIGHT.format("u") + USE.format("u"),
        """
        for i in 0 .. 8:  u[i] = 2.0 * h[i]
        for i_1 in 1 .. 9:  u_halo[i_1] = u[i_1 - 1]
        u_halo[0] = u_halo[8]
        u_halo[9] = u_halo[1]
        for i in 0 .. 8:  y[i] = u_halo[i] * u_halo[i + 2] - u_halo[i + 1]
        """,
    ),
    "another value at the border": (
        """
        for i in 0 .. 8:  u[i] = 2.0 * h[i]
        for i in 0 .. 8:  c[i + 1] = u[i]
        c[0] = 3.0
        c[9] = u[7]
        h[2] = 0
        for i in 0 .. 8:  u[i] = c[i] * u[i] + c[i + 2]
        for i in 0 .. 8:  y[i] = u[i]
        """,
        """
        for i in 0 .. 8:  u[i] = 2.0 * h[i]
        for i_1 in 1 .. 9:  u_halo[i_1] = u[i_1 - 1]
        u_halo[0] = 3.0
        u_halo[9] = u_halo[8]
        h[2] = 0
        for i in 0 .. 8:  u[i] = u_halo[i] * u_halo[i + 1] + u_halo[i + 2]
        for i in 0 .. 8:  y[i] = u[i]
        """,
    ),
    "a copy of a copy": (
        LEFT.format("h")
        + """
for i in 0 .. 7:  b[i + 1] = a[i]
b[0] = a[7]
for i in 0 .. 8:  y[i] = a[i] * b[i]
""",
        """
        for i_1 in 2 .. 10:  h_halo[i_1] = h[i_1 - 2]
        h_halo[1] = h_halo[9]
        h_halo[0] = h_halo[8]
        for i in 0 .. 8:  y[i] = h_halo[i + 1] * h_halo[i]
        """,
    ),
}

APART = {
    "borders that differ": (
        LEFT.format("h")
        + """
for i in 1 .. 8:  b[i] = h[i - 1]
b[0] = 0
for i in 0 .. 8:  y[i] = a[i] * b[i]
"""
    ),
    "the source changes between": (
        "for i in 1 .. 8:  a[i] = h[i - 1]\nh[7] = 1.0\na[0] = h[7]\n" + "for i in 0 .. 8:  y[i] = a[i]\n"
    ),
    "most of it is border": """
        for i in 0 .. 4:  a[i + 4] = h[i]
        for i in 4 .. 8:  a[i - 4] = h[i]
        for i in 0 .. 8:  y[i] = a[i]
        """,
    "written once more": LEFT.format("h") + "a[3] = 0\nfor i in 0 .. 8:  y[i] = a[i]\n",
}


def haloed(p: Program) -> Program:
    return add_ghost_cells(p, frozenset(p.parameters))


def built(source: str) -> Program:
    return program("copies", ARRAYS, textwrap.dedent(source), local=LOCAL)


@pytest.mark.parametrize(("source", "expected"), MERGED.values(), ids=MERGED)
def test_merged(source: str, expected: str) -> None:
    changed = check(built(source), haloed, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()


@pytest.mark.parametrize("source", APART.values(), ids=APART)
def test_not_merged(source: str) -> None:
    changed = check(built(source), haloed, rtol=0)
    assert "a" in changed.arrays


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: add_ghost_cells(p, live))


def test_random_programs_stay_the_same() -> None:
    for seed in range(30):
        made = random_program(seed)
        live = frozenset(sorted(made.arrays)[::2])
        check(made, lambda p, live=live: add_ghost_cells(p, live), live)


def _random(seed: int) -> str:
    """Statements that shift, change and read rows and columns."""
    dice = random.Random(seed)
    lines, known = [], ["x"]
    for number in range(dice.choice((3, 4, 6, 8))):
        name, source = f"v{number}", dice.choice(known[-3:])
        kind = dice.choice(("roll", "roll", "roll", "pad", "join", "mix", "mix", "change"))
        if kind == "roll":
            lines.append(f"{name} = np.roll({source}, {dice.choice((1, -1, 1, -1, 2, -3))}, {dice.choice((0, 1))})")
        elif kind == "pad":
            mode = dice.choice(("edge", "wrap", "constant"))
            lines.append(f"{name} = np.pad({source}, 1, mode='{mode}')[{dice.choice(('1:-1, 2:', '2:, 1:-1'))}]")
        elif kind == "join":
            lines.append(f"{name} = np.concatenate([{source}[1:], {source}[:1]])")
        elif kind == "mix":
            lines.append(f"{name} = {source} * np.sin({dice.choice(known)}) + 0.5 * {dice.choice(known)}")
        else:
            lines.append(f"{source}[{dice.choice(('2', ':, 1', '1:3'))}] *= 0.5\n{name} = {source} * w")
        known.append(name)
    body = "\n".join(lines) + f"\nx = 0.3 * {known[-1]} + 0.2 * {dice.choice(known)} * x"
    loop = f"for _ in range({dice.choice((1, 2, 3))}):\n{textwrap.indent(body, '    ')}"
    return f"def f(x, w):\n    x = x + 0.0\n{textwrap.indent(loop, '    ')}\n    return np.sum(x * x * w)\n"


@pytest.mark.parametrize("seed", a_quarter(range(40)))
def test_gradients_of_programs_that_shift(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the pass and without it, and as differences say."""
    path = tmp_path / "shifting.py"
    path.write_text("import numpy as np\n\n\n" + _random(seed))
    function = runpy.run_path(str(path))["f"]
    rng = np.random.default_rng(seed)
    x, w = rng.uniform(0.5, 1.5, (5, 6)), rng.uniform(0.5, 1.5, (5, 6))
    found = _gradient(function, x, w)
    for number, own in enumerate(found):
        d, step = rng.standard_normal(x.shape), 1e-5
        ends = [function(*(a + s * step * d * (n == number) for n, a in enumerate((x, w)))) for s in (1, -1)]
        np.testing.assert_allclose(
            np.sum(own * d), (ends[0] - ends[1]) / (2 * step), rtol=1e-6, atol=1e-8 * abs(ends[0])
        )
    with without("ghost-cells"):
        others = _gradient(function, x, w)
    for one, other in zip(found, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def _gradient(function: Callable[..., Any], x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
    found: tuple[np.ndarray, ...] = Gradient(function, Request(wrt=("x", "w")), compiler=Interpreted)(x, w)  # type: ignore[arg-type]
    return found


def laplacian(u, c):  # type: ignore[no-untyped-def]
    for _ in range(4):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        u = u + 0.1 * c * u * (around - 4.0 * u)
    return np.sum(u**2)


def test_all_that_is_kept_is_one_array_with_its_margin() -> None:
    plan = daad.plan(laplacian, (np.ones((30, 40)), np.ones((30, 40))), wrt=("u", "c"))
    assert plan.parts["tape"] == 4 * 32 * 42 * 8
