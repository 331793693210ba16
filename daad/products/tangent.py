"""From a Program to one that computes its outputs and their tangents; no tape, no plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from daad.ccs.graph import find_ccs
from daad.ccs.question import Question
from daad.ir.nodes import Program
from daad.ir.pinning import NeedsConstant, is_computed_with, pinned
from daad.loops.batch import batched
from daad.loops.tangents import push
from daad.messages.progress import stage
from daad.pipeline import NO_NUMBERS, Finished, keep_parameters, optimize_joint, optimize_primal
from daad.products.transposition import with_formulas
from daad.runtime.processors import threads


def derive_tangent(program: Program, question: Question, numbers: Mapping[str, int] = NO_NUMBERS) -> Finished:
    """Pushes tangents forward beside the values, and optimises; of `numbers`, values of int parameters, those take the
    place of the parameters that shapes of scratch need."""
    with stage(f"differentiating '{program.name}' forwards"):
        while True:
            try:
                return _derive(program, question)
            except NeedsConstant as needed:
                name = needed.name
                if name not in numbers or is_computed_with(program, name):
                    raise
            program = pinned(program, name, numbers[name])


def _derive(program: Program, question: Question) -> Finished:
    primal = optimize_primal(with_formulas(program))
    ccs = find_ccs(primal, question.inputs, question.outputs)
    pushed = push(primal, ccs, question.tangents)
    dots = tuple(pushed.dots.get(name) for name in question.outputs)
    results = dict.fromkeys((*question.wanted, *(name for name in dots if name is not None)))
    joined = replace(pushed.program, results=tuple(results))
    joined = keep_parameters(joined) if question.keep else joined
    if question.batch is not None:
        joined = batched(joined, question.tangents, question.batch)
    serial, apart = optimize_joint(joined, question.hints)
    return Finished(
        primal=primal,
        ccs=ccs,
        joined=joined,
        serial=serial,
        apart=apart,
        hints=question.hints,
        gradients=dots,
        threads=threads(),
    )
