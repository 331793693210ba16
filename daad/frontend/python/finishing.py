"""The finished Program: names that read like the user's instead of internal ones, nothing that is never used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from daad.frontend.numpy import split_digits
from daad.frontend.staging.builder import Stage
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Ending,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Program,
    Range,
)
from daad.ir.walk import map_expr, nests, node_loads, walk


@dataclass(frozen=True)
class Names:
    """Final names: `arrays` by internal name, `variables` of the loops around."""

    arrays: Mapping[str, str]
    variables: Mapping[str, Affine]
    supply: NameSupply


def finish(stage: Stage, name: str, results: Sequence[str]) -> tuple[Program, dict[str, str]]:
    """The Program, and the final name of each array."""
    body = split_digits(tuple(stage.blocks[0].nodes))
    used = _used(body) | set(stage.parameters) | set(results)
    arrays, supply = _array_names(stage, used)
    names = Names(arrays, {}, supply)
    kept = {final: replace(stage.arrays[internal], name=final) for internal, final in arrays.items()}
    constants = [arrays[c] for c in (*stage.constants, *stage.drawn.arrays) if c in arrays]
    program = Program(
        name=name if name.isidentifier() else "function",
        arrays=dict(_ordered(kept, [arrays[p] for p in stage.parameters] + constants)),
        parameters=(*(arrays[p] for p in stage.parameters), *constants),
        integers=tuple(stage.integers),
        results=tuple(dict.fromkeys(arrays[r] for r in results)),
        body=tuple(_renamed(node, names, stage.preferred) for node in body),
    )
    return program, arrays


def _used(body: tuple[Node, ...]) -> set[str]:
    loaded = {load.array for node in walk(body) for load in node_loads(node)}
    return loaded | {assign.target.array for nest in nests(body) for assign in nest.assigns}


def _array_names(stage: Stage, used: set[str]) -> tuple[dict[str, str], NameSupply]:
    """Parameters keep their names; then locals in the order in which they were made."""
    names = {p: p for p in stage.parameters}
    supply = NameSupply((*names, *stage.integers))
    for internal in stage.arrays:
        if internal not in names and internal in used:
            names[internal] = supply.new(stage.preferred[internal])
    return names, supply


def _ordered(arrays: Mapping[str, Array], first: Iterable[str]) -> list[tuple[str, Array]]:
    order = dict.fromkeys((*first, *arrays))
    return [(name, arrays[name]) for name in order]


def _renamed(node: Node, names: Names, preferred: Mapping[str, str]) -> Node:
    if isinstance(node, Nest):
        return _renamed_nest(node, names)
    if isinstance(node, Branch):
        then = tuple(_renamed(n, names, preferred) for n in node.then)
        orelse = tuple(_renamed(n, names, preferred) for n in node.orelse)
        return replace(node, condition=_expr(node.condition, names), then=then, orelse=orelse)
    assert isinstance(node, Loop), f"unknown node {node!r}"
    supply = names.supply.within(())
    variable = supply.new(preferred[node.var])
    inner = Names(names.arrays, {**names.variables, node.var: Affine.of(variable)}, supply)
    body = tuple(_renamed(n, inner, preferred) for n in node.body)
    start, stop = _index(node.start, names), _index(node.stop, names)
    ending = node.ending and Ending(_expr(node.ending.goes_on, names), _expr(node.ending.begun, names))
    return replace(node, var=variable, start=start, stop=stop, body=body, ending=ending)


def _renamed_nest(nest: Nest, names: Names) -> Nest:
    variables = names.supply.axes(len(nest.domain))
    own = {r.var: Affine.of(v) for r, v in zip(nest.domain, variables, strict=True)}
    inner = Names(names.arrays, {**names.variables, **own}, names.supply)
    domain = tuple(
        Range(v, r.start.substitute(names.variables), r.stop.substitute(names.variables))
        for r, v in zip(nest.domain, variables, strict=True)
    )
    assigns = tuple(
        Assign(_access(assign.target, inner), assign.op, _expr(assign.value, inner)) for assign in nest.assigns
    )
    return Nest(domain, assigns, nest.at)


def _access(access: Access, names: Names) -> Access:
    return Access(names.arrays[access.array], tuple(_index(i, names) for i in access.index))


def _index(index: Index, names: Names) -> Index:
    return index.substitute(names.variables) if isinstance(index, Affine) else _expr(index, names)


def _expr(expr: Expr, names: Names) -> Expr:
    def leaf(node: Expr) -> Expr | None:
        if isinstance(node, Load):
            return Load(names.arrays[node.array], node.index, node.dtype)
        return IndexValue(node.form) if isinstance(node, IndexValue) else None

    return map_expr(expr, leaf, lambda form: form.substitute(names.variables))
