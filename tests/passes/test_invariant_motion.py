"""What iterations make anew from the same values is made once, with the same results to the bit."""

from __future__ import annotations

import random
import re
import textwrap

import numpy as np
import pytest

import daad
from daad.ir.nodes import Program
from daad.ir.printer import body_text
from daad.passes import improve
from daad.passes.redundancy.invariant_motion import hoist_invariants
from tests.codegen.generate import random_program
from tests.loops.programs import SHAPES, Generator
from tests.loops.test_random_programs import gradient_program
from tests.passes.checking import check, invalid_nests
from tests.passes.kernels import EACH_KERNEL, naive_joint
from tests.seeds import a_quarter
from tests.texts import program

HOISTED = {
    "a nest": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 8:  u[i] = sin(x[i])
          for i in 0 .. 8:  y[i] += u[i] * y[i]
        """,
        """
        for i in 0 .. 8:  u[i] = sin(x[i])
        loop t = 0 .. 3:
          for i in 0 .. 8:  y[i] += u[i] * y[i]
        """,
    ),
    "out of a loop that it shares": (
        """
        loop t = 0 .. n:
          u[0] = 0.5
          loop j = 1 .. 8:
            u[j] = 2.0 / (3.0 - u[j - 1])
            y[j] = y[j - 1] * u[j - 1] + u[j]
        """,
        """
        u[0] = 0.5
        loop j = 1 .. 8:
          u[j] = 2.0 / (3.0 - u[j - 1])
        loop t = 0 .. n:
          loop j = 1 .. 8:
            y[j] = y[j - 1] * u[j - 1] + u[j]
        """,
    ),
    "out of both loops, one made from the other": (
        """
        loop t = 0 .. 3:
          loop k = 0 .. 4:
            for i in 0 .. 8:  u[i] = x[i] * x[i]
            for i in 0 .. 8:  v[i] = u[-i + 7] + 1.0
            y[k] += v[t] * y[k + 1]
        """,
        """
        for i in 0 .. 8:  u[i] = x[i] * x[i]
        for i in 0 .. 8:  v[i] = u[-i + 7] + 1.0
        loop t = 0 .. 3:
          loop k = 0 .. 4:
            y[k] += v[t] * y[k + 1]
        """,
    ),
    "out of one loop": (
        """
        loop t = 0 .. 3:
          loop k = 0 .. 4:
            for i in 0 .. 8:  u[i] = x[t] * x[i]
            y[k] += u[k] * y[k + 1]
        """,
        """
        loop t = 0 .. 3:
          for i in 0 .. 8:  u[i] = x[t] * x[i]
          loop k = 0 .. 4:
            y[k] += u[k] * y[k + 1]
        """,
    ),
    "read behind the loop, which runs": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 8:  u[i] = sin(x[i])
          y[t] = u[t]
        y[7] = u[7]
        """,
        """
        for i in 0 .. 8:  u[i] = sin(x[i])
        loop t = 0 .. 3:
          y[t] = u[t]
        y[7] = u[7]
        """,
    ),
    "all of it": (
        """
        loop t = 0 .. 3:
          for i in 0 .. 8:  u[i] = sin(x[i])
        y[7] = u[7]
        """,
        """
        for i in 0 .. 8:  u[i] = sin(x[i])
        y[7] = u[7]
        """,
    ),
}
FILL = "for i in 0 .. 8:  u[i] = 0\n"
KEPT = {
    "by the loop's variable": "loop t = 0 .. 3:\n  u[0] = x[t]\n  y[t] = u[0]",
    "to a place that moves": "loop t = 0 .. 3:\n  u[t] = x[0]\n  y[t] = u[t]",
    "of what changes": "loop t = 0 .. 3:\n  u[0] = y[1]\n  y[1] = u[0] * 0.5",
    "of what was there": FILL + "loop t = 0 .. 3:\n  u[0] = u[1] + 1.0\n  u[1] = x[0]\n  y[t] = u[0]",
    "read before it is made": FILL + "loop t = 0 .. 3:\n  y[t] = u[0]\n  u[0] = x[0]",
    "made twice": "loop t = 0 .. 3:\n  u[0] = x[0]\n  y[t] = u[0]\n  u[0] = x[1]\n  y[t] += u[0]",
    "made twice, in a loop": """
        loop t = 0 .. 3:
          loop j = 0 .. 8:
            u[0] = x[j]
            y[j] += u[0] * y[t]
        """,
    "itself": "u[0] = 1.0\nloop t = 0 .. 3:\n  u[0] = u[0] * x[0]\ny[0] = u[0]",
    "itself, unseen": "u[0] = 1.0\nloop t = 0 .. 3:\n  u[0] = u[0] * x[0]\n  y[t] += 1.0",
    "itself, in part": FILL + "loop t = 0 .. 3:\n  loop j = 1 .. 8:\n    u[j] = u[j - 1] + x[0]\ny[0] = u[1]",
    "added to": FILL + "loop t = 0 .. 3:\n  u[0] += x[0]\n  y[t] = u[0]",
    "on a condition": FILL + "loop t = 0 .. 3:\n  if t > 1:\n    u[0] = x[0]\n  y[t] = u[0]",
    "as often as data say": """
        loop t = 0 .. 3:
          loop j = 0 .. int64(y[0]):
            u[j] = x[j]
          y[0] += 0.5
        """,
    "seen though the loop may not run": FILL + "loop t = 0 .. n:\n  u[0] = x[0]\n  y[t] = u[0]\ny[7] = u[0]",
    "by an index that may be out of range": "loop t = 0 .. n:\n  u[0] = x[int64(x[1])]\n  y[t] = u[0]",
    "together with what changes": """
        loop t = 0 .. 3:
          for i in 0 .. 8:
            u[i] = x[i]
            y[i] = y[i] * u[i]
        """,
    "an argument": "loop t = 0 .. 3:\n  y[0] = x[0]\n  x[1] = y[0] + x[1]",
}


def built(source: str) -> Program:
    arrays = "x: float64[8], y: float64[8]"
    return program("hoist", arrays, textwrap.dedent(source), integers="n", local="u: float64[8], v: float64[8]")


def once(p: Program) -> Program:
    return hoist_invariants(p, frozenset(p.parameters))


@pytest.mark.parametrize(("source", "expected"), HOISTED.values(), ids=HOISTED)
def test_hoisted(source: str, expected: str) -> None:
    changed = check(built(source), once, rtol=0)
    assert body_text(changed.body) == textwrap.dedent(expected).strip()
    assert not invalid_nests(changed)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_left_as_it_is(source: str) -> None:
    assert once(built(source)) == built(source)


@pytest.mark.parametrize("name", EACH_KERNEL)
def test_kernels_keep_their_adjoint(name: str) -> None:
    joint = naive_joint(name)
    live = frozenset(joint.results)
    check(improve(joint, live), lambda p: hoist_invariants(p, live), rtol=0)


@pytest.mark.parametrize("start", a_quarter(range(0, 20, 10)))
def test_random_programs_stay_the_same(start: int) -> None:
    for seed in range(start, start + 10):
        made = random_program(seed)
        live = frozenset(sorted(made.arrays)[::2])
        check(made, lambda p, live=live: hoist_invariants(p, live), live)
        joint = gradient_program(Generator(seed).program())
        live = frozenset((*SHAPES, *joint.results))
        check(joint, lambda p, live=live: hoist_invariants(p, live), live)


STATEMENTS = (
    "{a}[{i}] = x[{j}] * 0.5",
    "{a}[{i}] = {b}[{j}] * 0.5 + x[{i}]",
    "{a}[{i}] = {b}[{j}]",
    "{a}[0] = x[2]",
    "{a}[{i}] += x[{j}]",
    "y[{i}] += {a}[{j}] * 0.25",
    "y[{j}] = {a}[{i}] - {b}[{j}]",
    "x[{i}] = {a}[{j}] + y[{i}]",
)
WITHIN = ("{}", "{}", "loop k = 1 .. 6:\n  {}", "loop k = 6 .. 0 down:\n  {}\n  {}", "if t > 0:\n  {}")


def _random(seed: int) -> str:
    """Loops of statements that make local arrays, from others or from themselves, and read them."""
    dice = random.Random(seed)

    def statement(_: object) -> str:
        index = dice.choice(("0", "1", "t", "k", "k", "k - 1", "k + 1"))
        other = dice.choice(("0", "2", "k", "k", "k - 1", "k + 1", "7 - k"))
        text = dice.choice(STATEMENTS).format(a=dice.choice("uv"), b=dice.choice("uv"), i=index, j=other)
        return f"for k in {dice.choice((1, 1, 2))} .. 6:  {text}" if dice.random() < 0.4 else text

    lines = ["for k in 0 .. 8:\n  u[k] = y[k]\n  v[k] = 1.0", "loop t = 0 .. 3:"]
    for _ in range(dice.randint(2, 6)):
        around = dice.choice(WITHIN)
        text = re.sub("{}", statement, around)
        is_loop = around.startswith("loop")
        text = text if is_loop or "for" in text else text.replace("k - 1", "1").replace("k + 1", "2").replace("k", "3")
        lines.append(textwrap.indent(text if not is_loop else _without_nests(text), "  "))
    return "\n".join([*lines, "for k in 0 .. 8:  y[k] += u[k] - v[k]"])


def _without_nests(text: str) -> str:
    return re.sub(r"for .*:  ", "", text)


@pytest.mark.parametrize("start", a_quarter(range(0, 400, 100)))
def test_random_loops(start: int) -> None:
    """Of which some have something that is made once."""
    made = [p for seed in range(start, start + 100) if not invalid_nests(p := built(_random(seed)))]
    changed = [check(p, once, rtol=0) for p in made]
    assert sum(a != b for a, b in zip(made, changed, strict=True)) > 3


def waves(u, v, speed, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        factor = np.sqrt(speed * speed + 1.0)
        damping = np.cumsum(speed) * 0.01
        v[1:-1] += factor[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - damping[1:-1] * v[1:-1]
        u += 0.1 * v
    return np.sum(u * u)


def springs(place, pace, stiffness, times):  # type: ignore[no-untyped-def]
    for _ in range(times):
        pull = np.exp(-stiffness * 0.5)
        drag = np.cumsum(stiffness) * 0.002
        pace[1:-1] += pull[1:-1] * (place[2:] - 2.0 * place[1:-1] + place[:-2]) - drag[1:-1] * pace[1:-1]
        place += 0.05 * pace
    return np.sum(place * place)


@pytest.mark.parametrize("function", [waves, springs])
def test_twins_make_coefficients_once(function) -> None:  # type: ignore[no-untyped-def]
    u, v, speed = np.random.default_rng(0).random((3, 31))
    derivation = daad.grad(function, wrt=(0, 2))._planned(u.copy(), v.copy(), speed, 9).derivation
    text = body_text(derivation.primal.body)
    assert text.index("loop k = 1 .. 31") < text.index("loop t = 0 .. 9")
    assert daad.check(function, (u, v, speed, 9), wrt=(0, 2))
