"""The Gauss-Newton product: tangents pushed forward beside the values, and pulled back as seeds, in one program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from daad.ccs.graph import find_ccs
from daad.ccs.question import Question
from daad.ilp.joint import adjoint_program, filled
from daad.ilp.stores import insert, stores_of
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Program
from daad.loops.batch import batched
from daad.loops.tangents import push
from daad.pipeline import NO_NUMBERS, Derivation, derive, keep_parameters, optimize_joint
from daad.products.separate_adjoint import within


def derive_gauss_newton(
    program: Program, question: Question, limit: int | None = None, numbers: Mapping[str, int] = NO_NUMBERS
) -> Derivation:
    """Differentiates and plans as for a gradient; within `limit` bytes, tangents included."""
    return within(
        limit,
        lambda asked: _with_tangents(derive(program, question, asked, numbers), question),
        lambda found: found.nbytes,
    )


def _with_tangents(derivation: Derivation, question: Question) -> Derivation:
    adjoint, plan, primal = derivation.adjoint, derivation.plan, derivation.primal
    backward = adjoint_program(adjoint, plan, derivation.seeds)
    stores = stores_of(adjoint.forwarded, adjoint.body, plan, NameSupply((*backward.arrays, *primal.integers)))
    forward = replace(
        primal,
        arrays=backward.arrays,
        parameters=(*primal.parameters, *plan.tables),
        body=insert(primal.body, stores, ()),
    )
    pushed = push(forward, find_ccs(forward, question.inputs, question.outputs), question.tangents)
    arrays, names = pushed.program.arrays, NameSupply.of(pushed.program)
    seeds = (_seed(arrays[s.array], pushed.dots.get(s.output), names) for s in derivation.seeds)
    joined = replace(
        pushed.program,
        name=f"{primal.name}_gauss_newton",
        results=tuple(dict.fromkeys((*question.wanted, *backward.results))),
        body=(*pushed.program.body, *seeds, *backward.body),
    )
    joined = keep_parameters(joined) if question.keep else joined
    if question.batch is not None:
        joined = batched(joined, question.tangents, question.batch)
    hints = replace(derivation.hints, recompute=frozenset())
    serial, apart = optimize_joint(joined, hints)
    return replace(derivation, joined=joined, serial=serial, apart=apart, hints=hints)


def _seed(seed: Array, tangent: str | None, names: NameSupply) -> Nest:
    """The tangent of an output becomes its seed."""
    if tangent is None:
        return filled(seed, names)
    domain, index = all_points(seed, names)
    return Nest(domain, (Assign(Access(seed.name, index), "=", Load(tangent, index, seed.dtype)),))
