"""Primal and adjoint as one program: tapes are written where the plan says, then the seeds, then the reversed body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daad.ccs.sites import ORELSE, THEN, Path, Point
from daad.ilp.plan import Kept, Plan
from daad.loops.reverse import Adjoint
from daad.program.affine import Affine
from daad.program.nodes import Access, Array, Assign, Branch, Const, Expr, Index, Load, Loop, Nest, Node, Program, Range
from daad.program.points import all_points, axes
from daad.program.walk import map_expr, map_node
from daad.rules.build import const


@dataclass(frozen=True)
class Seed:
    """What an output's adjoint starts with: a number for every element, or (None) the parameter `array`."""

    output: str
    value: float | None = 1.0
    array: str = ""


def join(adjoint: Adjoint, plan: Plan, seeds: Sequence[Seed]) -> Program:
    """The primal's parameters, then arrays of seeds; results are the primal's, then the gradients of the inputs."""
    primal = adjoint.primal
    backward = adjoint_program(adjoint, plan, seeds)
    stores = _stores(plan, backward.arrays, primal.integers)
    parameters = (*primal.parameters, *(s.array for s in seeds if s.value is None))
    return replace(
        primal,
        name=f"{primal.name}_grad",
        arrays=backward.arrays,
        parameters=parameters,
        results=(*primal.results, *backward.results),
        body=(*_insert(primal.body, stores, ()), *backward.body),
    )


def adjoint_program(adjoint: Adjoint, plan: Plan, seeds: Sequence[Seed]) -> Program:
    """The adjoint alone, with what it reads of the primal as parameters."""
    primal = adjoint.primal
    arrays = dict(primal.arrays)
    added = [*adjoint.bars.values(), *adjoint.extra, *(k.tape for k in plan.kept.values())]
    added += [replace(arrays[s.output], name=s.array) for s in seeds if s.value is None]
    arrays.update({a.name: a for a in added})
    names = {*arrays, *primal.integers}
    start = [_fill(a, names) for a in adjoint.bars.values()]
    start += [_seed(s, adjoint.bars[s.output], names) for s in seeds if s.output in adjoint.bars]
    body = tuple(map_node(n, lambda e: _materialise(e, plan)) for n in adjoint.body)
    return Program(
        name=f"{primal.name}_adjoint",
        arrays=arrays,
        parameters=tuple(n for n in arrays if n not in {a.name for a in (*adjoint.bars.values(), *adjoint.extra)}),
        integers=primal.integers,
        results=tuple(adjoint.bars[n].name for n in adjoint.ccs.inputs if n in adjoint.bars),
        body=(*start, *body),
    )


def _materialise(expr: Expr, plan: Plan) -> Expr:
    """Reads of versions become reads of the array itself or of its tape."""

    def source(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or "@" not in node.array:
            return None
        if node.array in plan.kept:
            return _from_tape(plan.kept[node.array], node)
        return Load(node.array.partition("@")[0], node.index, node.dtype)

    return map_expr(expr, source)


def _from_tape(kept: Kept, load: Load) -> Load:
    trips = kept.place(tuple(Affine(0) for _ in load.index))[: len(kept.forwarded.loops)]
    index: list[Index] = []
    for i, span in zip(load.index, kept.spans, strict=True):
        assert isinstance(i, Affine) or span.low == Affine(0), f"a gather from '{load.array}' needs the whole dimension"
        index.append(i - span.low if isinstance(i, Affine) else i)
    return Load(kept.tape.name, (*trips, *index), load.dtype)


def _fill(array: Array, taken: set[str]) -> Nest:
    domain, index = all_points(array, taken)
    return Nest(domain, (Assign(Access(array.name, index), "=", const(0, array.dtype)),))


def _seed(seed: Seed, array: Array, taken: set[str]) -> Nest:
    domain, index = all_points(array, taken)
    value: Expr = Load(seed.array, index, array.dtype) if seed.value is None else Const(float(seed.value), array.dtype)
    return Nest(domain, (Assign(Access(array.name, index), "+=", value),))


def _stores(plan: Plan, arrays: Mapping[str, Array], integers: Sequence[str]) -> dict[Point, list[Nest]]:
    stores: dict[Point, list[Nest]] = {}
    for kept in plan.kept.values():
        stores.setdefault(kept.forwarded.point, []).append(_store(kept, {*arrays, *integers}))
    return stores


def _store(kept: Kept, names: set[str]) -> Nest:
    taken = names | {loop.var for loop in kept.forwarded.loops}
    index: list[Affine] = []
    domain: list[Range] = []
    for var, span in zip(axes(len(kept.spans), taken), kept.spans, strict=True):
        if (span.high - span.low) == Affine(1):
            index.append(span.low)
            continue
        index.append(Affine.of(var))
        domain.append(Range(var, span.low, span.high))
    value = Load(kept.forwarded.array, tuple(index), kept.forwarded.dtype)
    return Nest(tuple(domain), (Assign(Access(kept.tape.name, kept.place(tuple(index))), "=", value),))


def _insert(body: tuple[Node, ...], stores: Mapping[Point, list[Nest]], path: Path) -> tuple[Node, ...]:
    out: list[Node] = []
    for child in range(len(body) + 1):
        out.extend(stores.get(Point(path, child), ()))
        if child < len(body):
            out.append(_insert_below(body[child], stores, (*path, child)))
    return tuple(out)


def _insert_below(node: Node, stores: Mapping[Point, list[Nest]], path: Path) -> Node:
    if isinstance(node, Loop):
        return replace(node, body=_insert(node.body, stores, path))
    if isinstance(node, Branch):
        then, orelse = _insert(node.then, stores, (*path, THEN)), _insert(node.orelse, stores, (*path, ORELSE))
        return replace(node, then=then, orelse=orelse)
    return node
