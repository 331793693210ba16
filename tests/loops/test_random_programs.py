"""The adjoint of random programs against central differences, both run by the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ccs.graph import find_ccs
from daad.ccs.question import Question
from daad.ilp import make_plan
from daad.ilp.joint import join
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.printer import program_text
from daad.ir.seed import Seed
from daad.ir.validator import validate
from daad.loops import differentiate
from daad.pipeline import derive
from tests.loops.programs import SHAPES, Generator
from tests.seeds import a_quarter

INPUTS = ("a", "b", "m", "s")
OUTPUTS = ("c", "m", "s", "p")


def gradient_program(program: Program) -> Program:
    ccs = find_ccs(program, INPUTS, OUTPUTS)
    adjoint = differentiate(program, ccs)
    return validate(join(adjoint, make_plan(adjoint), [Seed(o) for o in OUTPUTS]))


def loss(program: Program, arguments: dict[str, np.ndarray]) -> float:
    end = run(program, arguments)
    return float(sum(end[o].sum() for o in OUTPUTS))


def smooth_derivative(program: Program, arguments: dict, direction: dict) -> float | None:
    """The derivative along a direction, None where two steps disagree (a kink is near) or rounding drowns it."""
    found = []
    for h in (1e-5, 3e-6):
        ends = [loss(program, {n: a + s * h * direction.get(n, 0) for n, a in arguments.items()}) for s in (1, -1)]
        found.append((ends[0] - ends[1]) / (2 * h))
    close = abs(found[0] - found[1]) <= 1e-6 * (1 + abs(found[0]))
    return found[1] if close and abs(found[1]) < 1e4 and abs(loss(program, arguments)) < 1e6 else None


@pytest.mark.parametrize("seed", a_quarter(range(200)))
def test_adjoint_matches_central_difference(seed: int) -> None:
    program = validate(Generator(seed).program())
    rng = np.random.default_rng(seed)
    arguments = {n: rng.uniform(0.2, 1.0, shape) for n, shape in SHAPES.items()}
    direction = {n: rng.standard_normal(SHAPES[n]) for n in INPUTS}
    expected = smooth_derivative(program, arguments, direction)
    if expected is None:
        return
    end = run(gradient_program(program), arguments)
    found = sum(float(np.sum(end[f"{n}_bar"] * direction[n])) for n in INPUTS if f"{n}_bar" in end)
    scale = sum(float(np.sum(np.abs(end[f"{n}_bar"] * direction[n]))) for n in INPUTS if f"{n}_bar" in end)
    assert abs(found - expected) <= 1e-5 * (1 + scale), program_text(program)


@pytest.mark.parametrize("seed", [94, 803, 10030, 10788, *a_quarter(range(5000, 5080))])
def test_all_passes_together_keep_the_gradient(seed: int) -> None:
    program = validate(Generator(seed).program())
    rng = np.random.default_rng(seed)
    arguments = {n: rng.uniform(0.2, 1.0, shape) for n, shape in SHAPES.items()}
    direction = {n: rng.standard_normal(SHAPES[n]) for n in INPUTS}
    expected = smooth_derivative(program, arguments, direction)
    if expected is None:
        return
    question = Question(inputs=INPUTS, seeds=tuple(Seed(o) for o in OUTPUTS), keep=True)
    derivation = derive(program, question)
    given = {p: arguments[p.removesuffix("_in")] for p in derivation.joint.parameters}
    end = run(derivation.joint, given)
    bars = {n: end[g] for n, g in zip(INPUTS, derivation.gradients, strict=True) if g is not None}
    found = sum(float(np.sum(bar * direction[n])) for n, bar in bars.items())
    scale = sum(float(np.sum(np.abs(bar * direction[n]))) for n, bar in bars.items())
    assert abs(found - expected) <= 1e-5 * (1 + scale), program_text(program)
