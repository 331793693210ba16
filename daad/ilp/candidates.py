"""The model of a program: what its adjoint demands, and the ways to have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import isqrt

from daad.analysis.sites import Path, sites
from daad.ccs.forwarded import Forwarded, Versions
from daad.ccs.hints import Hints
from daad.ilp.folding import factors_in, folded, shallow
from daad.ilp.model import How, Model, Option, Remake, Value
from daad.ilp.plan import Plan, make_plan
from daad.ilp.restoration_costs import Return, undone_in
from daad.ilp.reversal_options import Ways, loop_at
from daad.ilp.statement_times import copy_seconds, seconds
from daad.ir.nodes import Array, Loop, Nest, Node, Program
from daad.ir.walk import reads, walk, writes
from daad.loops.backward_slices import Slicer
from daad.loops.blocked_loops import can_be_blocked
from daad.loops.extrema import compared
from daad.loops.replay import Replayed, is_constant, roots, trip_count
from daad.loops.reverse import Adjoint

Differentiate = Callable[[Hints], Adjoint]
Slots = tuple[tuple[Path, int], ...]
FEW_LOOPS, MOST_LOOPS = 3, 6
FEW_TRIPS = 8
"""Shorter loops are not run again in blocks."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """What candidates are made from: the primal, a way to differentiate it, and the local arrays that the fastest
    joint program has (all others are computed where they are used, and take no memory). `seen` are arrays that somebody
    looks at afterwards; `allow_undo`: updates may be taken back in place."""

    primal: Program
    differentiate: Differentiate
    hints: Hints
    present: frozenset[str]
    fixed: int
    seen: frozenset[str] = frozenset()
    allow_undo: bool = False


def model_of(material: Material) -> Model:
    """Values on the timeline, options for each statement, and what can be made again."""
    base = material.differentiate(material.hints)
    variants, blocked = _variants(material, base), _blocked(material, base)
    options = tuple(_options(material, n, variants, blocked) for n in range(len(material.primal.body)))
    demanded = {name for each in options for o in each for name in (*o.demands, *o.touches)}
    values = _values(material, [*variants, blocked.variant], demanded)
    options = tuple(tuple(_known(o, values) for o in each) for each in options)
    remakes = folded(
        tuple(shallow(_remakes(material, values, demanded, base.groups), material.primal, values)), values, demanded
    )
    return Model(values=values, options=options, remakes=remakes, fixed=material.fixed)


def _known(option: Option, values: Mapping[str, Value]) -> Option:
    demands = frozenset(n for n in option.demands if n in values)
    return replace(option, demands=demands, touches=frozenset(n for n in option.touches if n in values))


def _loops(body: tuple[Node, ...], path: Path) -> Iterator[tuple[Path, Loop]]:
    """Loops that could be run again, outer ones first."""
    for site in sites(body, path):
        if isinstance(site.node, Loop) and is_constant(site.node) and trip_count(site.node) > 1:
            yield site.path, site.node


def _worthwhile(material: Material, base: Adjoint) -> list[list[Path]]:
    """For each statement the loops in it whose iterations leave something for the adjoint."""
    kept = [f.point.container for f in base.forwarded]
    return [
        [
            path
            for path, loop in _loops((node,), ())
            if any(_within((n, *path[1:]), c) for c in kept) and not writes(loop.body) & material.hints.store
        ][:MOST_LOOPS]
        for n, node in enumerate(material.primal.body)
    ]


def _within(path: Path, container: Path) -> bool:
    return container[: len(path)] == path


def _variants(material: Material, base: Adjoint) -> list[tuple[Adjoint, Plan]]:
    """Adjoints in which other loops are run again, such that each statement sees the combinations of its loops."""
    found = [(base, make_plan(base))]
    undone = replace(material.hints, undo_in=frozenset(range(len(material.primal.body))))
    ways = (material.hints, undone) if material.allow_undo else (material.hints,)
    loops = [[(n, *p[1:]) for p in paths] for n, paths in enumerate(_worthwhile(material, base))]
    most = max(map(len, loops), default=0)
    for chosen in ((), *_combinations(most)):
        slots = {p: 1 for paths in loops for bit, p in enumerate(paths) if bit in chosen}
        for hints in ways if chosen else ways[1:]:
            adjoint = material.differentiate(replace(hints, slots=slots))
            found.append((adjoint, make_plan(adjoint)))
    return found


@dataclass(frozen=True)
class _Blocked:
    """An adjoint in which the outermost loop of each statement is run again in blocks of these lengths."""

    lengths: Mapping[Path, int]
    variant: tuple[Adjoint, Plan]


def _blocked(material: Material, base: Adjoint) -> _Blocked:
    outermost = [(n, *paths[0][1:]) for n, paths in enumerate(_worthwhile(material, base)) if paths]
    loops = {path: loop_at(material.primal, path) for path in outermost}
    trips = {path: trip_count(loop) for path, loop in loops.items() if can_be_blocked(loop)}
    lengths = {path: isqrt(n) for path, n in trips.items() if n >= FEW_TRIPS}
    hints = replace(material.hints, slots=dict.fromkeys(lengths, 1), blocks=lengths)
    adjoint = material.differentiate(hints) if lengths else base
    return _Blocked(lengths, (adjoint, make_plan(adjoint)))


def _combinations(loops: int) -> list[tuple[int, ...]]:
    """Which loops are run again: all combinations of a few, of many each, each two neighbours, and all together."""
    if loops <= FEW_LOOPS:
        return [chosen for size in range(1, loops + 1) for chosen in combinations(range(loops), size)]
    return [*((n,) for n in range(loops)), *((n, n + 1) for n in range(loops - 1)), tuple(range(loops))]


def _options(
    material: Material, statement: int, variants: Sequence[tuple[Adjoint, Plan]], blocked: _Blocked
) -> tuple[Option, ...]:
    """The ways to reverse a statement that no other one beats in memory and time."""
    found: dict[tuple[tuple[Path, ...], frozenset[str]], list[Option]] = {}
    for adjoint, plan in variants:
        group = adjoint.groups[statement]
        replays = tuple(r for node in walk(group) if isinstance(node, Replayed) for r in (node.replay,))
        paths = tuple(r.path for r in replays)
        undone = undone_in(adjoint.restored, statement)
        if (paths, undone) in found:
            continue
        counts = [_slot_counts(r.schedule.trips, len(replays)) for r in replays]
        ways = Ways(
            material.primal, plan, group, paths, Return.of(material.primal, material.seen, adjoint.restored, statement)
        )
        found[paths, undone] = [ways.option(dict(zip(paths, slots, strict=True))) for slots in product(*counts)]
    first, *rest = [o for each in found.values() for o in each]
    rest += _options_in_blocks(material, statement, blocked)
    return (first, *_best(first, rest))


def _options_in_blocks(material: Material, statement: int, blocked: _Blocked) -> list[Option]:
    adjoint, plan = blocked.variant
    group = adjoint.groups[statement]
    found: list[Option] = []
    for replay in (r.replay for r in roots(group) if r.replay.path in blocked.lengths and not r.replay.loops):
        ways = Ways(
            material.primal,
            plan,
            group,
            (replay.path,),
            Return.of(material.primal, material.seen, adjoint.restored, statement),
        )
        trips = trip_count(loop_at(material.primal, replay.path))
        for length in _growing(2, trips // 2, 1.3):
            blocks = -(-trips // length)
            share = length / blocked.lengths[replay.path]
            found += [ways.in_blocks(length, blocks, slots, share) for slots in _growing(1, blocks, 1.12)]
    return found


def _growing(first: int, last: int, growth: float) -> list[int]:
    """Numbers in growing steps."""
    numbers = [first]
    while numbers[-1] < last:
        numbers.append(min(last, max(numbers[-1] + 1, int(numbers[-1] * growth))))
    return numbers


def _slot_counts(trips: int, loops: int) -> list[int]:
    """Numbers of slots to choose from: all small ones, then in growing steps; fewer where several loops combine."""
    growth, most = (1.12, 64) if loops == 1 else (1.5, 10) if loops == 2 else (3.0, 4)
    counts = _growing(1, trips, growth)
    return counts if len(counts) <= most else [*counts[: most - 1], trips]


def _best(first: Option, options: list[Option]) -> list[Option]:
    """Options that are not worse than another in every respect."""
    kept: list[Option] = []
    for option in sorted(options, key=lambda o: (o.seconds, o.held + o.work)):
        if all(_saves(option, other) for other in kept):
            kept.append(option)
    return kept


def _saves(option: Option, other: Option) -> bool:
    """Whether the slower option needs less than the other one of anything."""
    return (
        option.held < other.held
        or option.work < other.work
        or not option.demands >= other.demands
        or not option.touches >= other.touches
    )


def _values(material: Material, variants: Sequence[tuple[Adjoint, Plan]], demanded: set[str]) -> dict[str, Value]:
    primal, base = material.primal, variants[0][0]
    found: dict[str, Value] = {}
    outer = {*primal.parameters, *primal.results}
    touched = [reads((node,)) | writes((node,)) for node in primal.body]
    for array in primal.arrays.values():
        at = [n for n, names in enumerate(touched) if array.name in names]
        if at and array.name not in outer and array.shape:
            nbytes = array.nbytes if array.name in material.present else 0
            found[array.name] = Value(array.name, nbytes, at[0], at[-1])
    for number, (adjoint, plan) in enumerate(variants):
        for version in adjoint.forwarded:
            if version.name in demanded and version.name not in found:
                found[version.name] = _tape(version, plan, primal, material.present if number == 0 else None)
    found.update(_adjoint_arrays(material, base))
    return found


def _tape(version: Forwarded, plan: Plan, primal: Program, present: frozenset[str] | None) -> Value:
    tape = plan.kept[version.name].tape
    container = version.point.container
    at = min(container[0] if container else version.point.child, len(primal.body) - 1)
    return Value(version.name, tape.nbytes if present is None or tape.name in present else 0, at, at - 1)


def _adjoint_arrays(material: Material, base: Adjoint) -> Iterator[tuple[str, Value]]:
    """Adjoint arrays that are no results, from their seed or the first adjoint that touches them to the last."""
    count = len(base.groups)
    results = {base.bars[n].name for n in base.ccs.inputs if n in base.bars}
    seeded = {base.bars[n].name for n in base.ccs.outputs if n in base.bars}
    touched = [reads(group) | writes(group) for group in base.groups]
    for array in (*base.bars.values(), *base.extra):
        at = [n for n, names in enumerate(touched) if array.name in names]
        if at and array.shape and array.name not in results and array.name in material.present:
            first = count if array.name in seeded else 2 * count - 1 - at[-1]
            yield array.name, Value(array.name, array.nbytes, first, 2 * count - 1 - at[0])


def _remakes(
    material: Material, values: Mapping[str, Value], demanded: set[str], groups: Iterable[tuple[Node, ...]]
) -> tuple[Remake, ...]:
    """How arrays that adjoints demand can be made again, and those that this takes."""
    primal = material.primal
    slicer = Slicer(primal, Versions(primal.arrays, primal.body, material.hints))
    kept = factors_in(node for group in (primal.body, *groups) for node in group) | compared(primal)
    found: dict[str, list[Remake]] = {}
    pending = [name for name in values if name in demanded]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = list(_remakes_of(name, material, values, slicer, name not in kept))
            pending += [parent for remake in found[name] for parent in remake.parents]
    return tuple(remake for name in sorted(found) for remake in found[name])


def _remakes_of(
    name: str, material: Material, values: Mapping[str, Value], slicer: Slicer, inline: bool
) -> Iterator[Remake]:
    arrays, array = material.primal.arrays, material.primal.arrays.get(name)
    if array is None or not array.nbytes or not values[name].nbytes or name in material.hints.store:
        return
    what = slicer.slice(name)
    parents = frozenset(n for n in what.sources if n in values) if what else frozenset()
    if what is None or any(values[p].birth >= values[name].birth for p in parents):
        return
    again = tuple(material.primal.body[n] for n in what.statements)
    time = seconds(again, arrays, {})
    if inline and _is_elementwise(again, array):
        yield Remake(name, How.INLINE, parents, time)
    scratch = sum(arrays[n].nbytes for n in what.copied if n in material.present)
    yield Remake(name, How.RERUN, parents, time + copy_seconds(array.nbytes) / 2, scratch)


def _is_elementwise(body: tuple[Node, ...], array: Array) -> bool:
    """Whether one assignment makes each element by itself."""
    nest = body[0]
    if len(body) != 1 or not isinstance(nest, Nest) or len(nest.assigns) != 1:
        return False
    assign = nest.assigns[0]
    return assign.op == "=" and len(nest.domain) == sum(n > 1 for n in array.shape)
