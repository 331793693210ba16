"""Primal and adjoint as one program: tapes are written where the plan says, then the seeds, then the reversed body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from daad.ilp.plan import Kept, Plan
from daad.ilp.stores import insert, stores_of, with_replays
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Index, Load, Nest, Node, Program
from daad.ir.seed import Seed
from daad.ir.versions import Version
from daad.ir.walk import map_expr, map_node, reads, writes
from daad.loops.replay import replays_of
from daad.loops.reverse import Adjoint


def join(
    adjoint: Adjoint,
    plan: Plan,
    seeds: Sequence[Seed],
    seen: frozenset[str] = frozenset(),
    sums: frozenset[str] = frozenset(),
) -> Program:
    """The primal's parameters, then arrays of seeds; results are the primal's, then the gradients of the inputs.

    Arrays of `seen` are looked at afterwards: where the adjoint writes them (in loops that are run again, or to bring
    back what they held), they end as the primal left them. Adjoints of `sums` begin with what they hold.
    """
    primal = adjoint.primal
    backward = adjoint_program(adjoint, plan, seeds, sums)
    stores = stores_of(adjoint.forwarded, adjoint.body, plan, NameSupply((*backward.arrays, *primal.integers)))
    parameters = (*primal.parameters, *(s.array for s in seeds if s.value is None), *plan.tables)
    again = {name for r in replays_of(adjoint.body) for name in writes(r.again)}
    again |= {name for _, name in adjoint.restored.pieces}
    names = NameSupply.of(primal)
    names.take(*backward.arrays)
    finals, keep, restore = _finals(sorted(again & seen), backward.arrays, names)
    return replace(
        primal,
        name=f"{primal.name}_grad",
        arrays={**backward.arrays, **finals},
        parameters=parameters,
        results=(*primal.results, *backward.results),
        body=(*insert(primal.body, stores, ()), *keep, *backward.body, *restore),
    )


def _finals(
    kept: Sequence[str], arrays: Mapping[str, Array], names: NameSupply
) -> tuple[dict[str, Array], list[Nest], list[Nest]]:
    """Copies of arrays, and the statements that make them and that bring them back."""
    finals: dict[str, Array] = {}
    keep: list[Nest] = []
    restore: list[Nest] = []
    for name in kept:
        final = replace(arrays[name], name=names.new(f"{name}_final"))
        finals[final.name] = final
        domain, index = all_points(final, names)
        for target, source, moves in ((final.name, name, keep), (name, final.name, restore)):
            moves.append(Nest(domain, (Assign(Access(target, index), "=", Load(source, index, final.dtype)),)))
    return finals, keep, restore


def adjoint_program(adjoint: Adjoint, plan: Plan, seeds: Sequence[Seed], sums: frozenset[str] = frozenset()) -> Program:
    """The adjoint alone, with what it reads of the primal as parameters; adjoints of `sums` are not filled."""
    primal = adjoint.primal
    arrays = dict(primal.arrays)
    added = [*adjoint.bars.values(), *adjoint.extra, *plan.tapes]
    added += [t for s in plan.snapshots.values() for t in s.tables.values()]
    added += [replace(arrays[s.output], name=s.array) for s in seeds if s.value is None]
    arrays.update({a.name: a for a in added})
    names = NameSupply((*arrays, *primal.integers))
    seeded = [s for s in seeds if s.output in adjoint.bars]
    fills = {a.name: filled(a, names) for a in adjoint.bars.values() if a.name not in sums}
    start = [fills.pop(name) for name in dict.fromkeys(adjoint.bars[s.output].name for s in seeded)]
    start += [_seed(s, adjoint.bars[s.output], names) for s in seeded]
    body = tuple(map_node(n, lambda e: materialise(e, plan)) for n in with_replays(adjoint.body, plan, names))
    return Program(
        name=f"{primal.name}_adjoint",
        arrays=arrays,
        parameters=tuple(n for n in arrays if n not in {a.name for a in (*adjoint.bars.values(), *adjoint.extra)}),
        integers=primal.integers,
        results=tuple(adjoint.bars[n].name for n in adjoint.ccs.inputs if n in adjoint.bars),
        body=(*start, *_filled(body, fills)),
    )


def _filled(body: tuple[Node, ...], fills: Mapping[str, Nest]) -> tuple[Node, ...]:
    """The adjoint with each array filled just before it is first touched: it takes no memory before that."""
    waiting = dict(fills)
    out: list[Node] = []
    for node in body:
        touched = reads((node,)) | writes((node,))
        out += [waiting.pop(name) for name in [n for n in waiting if n in touched]]
        out.append(node)
    return (*waiting.values(), *out)


def materialise(expr: Expr, plan: Plan) -> Expr:
    """Reads of versions become reads of the array itself or of its tape."""

    def source(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or not isinstance(node.array, Version):
            return None
        if node.array in plan.kept:
            return _from_tape(plan.kept[node.array], node)
        return Load(node.array.array, node.index, node.dtype)

    return map_expr(expr, source)


def _from_tape(kept: Kept, load: Load) -> Load:
    index: list[Index] = []
    for i, span in zip(load.index, kept.spans, strict=True):
        assert isinstance(i, Affine) or span.low == Affine(0), f"a gather from '{load.array}' needs the whole dimension"
        index.append(i - span.low if isinstance(i, Affine) else i)
    return Load(kept.tape.name, (*kept.trips, *index), load.dtype)


def filled(array: Array, names: NameSupply) -> Nest:
    """The statement that makes all elements zero."""
    domain, index = all_points(array, names)
    return Nest(domain, (Assign(Access(array.name, index), "=", const(0, array.dtype)),))


def _seed(seed: Seed, array: Array, names: NameSupply) -> Nest:
    domain, index = all_points(array, names)
    value: Expr = Load(seed.array, index, array.dtype) if seed.value is None else Const(float(seed.value), array.dtype)
    return Nest(domain, (Assign(Access(array.name, index), "+=", value),))
