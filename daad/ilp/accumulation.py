"""Gradients that are added to what the caller's arrays hold: without a temporary array where the adjoint is a sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Program
from daad.ir.walk import written_parameters
from daad.loops import Adjoint


def own_sums(adjoint: Adjoint) -> frozenset[str]:
    """Adjoints of inputs that nothing is done to but adding: the program neither writes the input nor returns it."""
    primal, ccs = adjoint.primal, adjoint.ccs
    changed = {*written_parameters(primal), *ccs.outputs}
    return frozenset(adjoint.bars[name].name for name in ccs.inputs if name in adjoint.bars and name not in changed)


def accumulated(
    joint: Program, gradients: Sequence[str | None], sums: frozenset[str]
) -> tuple[Program, tuple[str | None, ...]]:
    """The program with one more parameter for each gradient, to which it is added, and their names.

    Those of `sums` are parameters themselves, which the program does not fill; others are added at the end.
    """
    names: list[str | None] = []
    for gradient in gradients:
        if gradient is None or gradient in sums:
            names.append(gradient)
            continue
        supply = NameSupply.of(joint)
        total = replace(joint.arrays[gradient], name=supply.new(f"{gradient}_sum"))
        body = (*joint.body, _addition(total, gradient, supply))
        joint = replace(joint, arrays={**joint.arrays, total.name: total}, body=body)
        names.append(total.name)
    added = [name for name in names if name is not None]
    replaced = {*gradients, *added}
    results = (*(name for name in joint.results if name not in replaced), *added)
    return replace(joint, parameters=(*joint.parameters, *added), results=results), tuple(names)


def _addition(total: Array, gradient: str, names: NameSupply) -> Nest:
    domain, index = all_points(total, names)
    return Nest(domain, (Assign(Access(total.name, index), "+=", Load(gradient, index, total.dtype)),))
