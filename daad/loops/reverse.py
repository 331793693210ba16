"""The adjoint of a program, statement by statement, backwards; loops and branches keep their shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daad.analysis.sites import ORELSE, THEN, Path, Piece, Reader, Site
from daad.ccs.forwarded import Forwarded, Versions
from daad.ccs.graph import CCS, maskable
from daad.ccs.hints import NO_HINTS, Hints
from daad.ccs.restorable_values import NOTHING, Restored, restorable
from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.name_supply import NameSupply, bar
from daad.ir.nodes import Array, Branch, Expr, Index, IndexValue, Loop, Nest, Node, Op, Program
from daad.loops.backward_slices import Slicer
from daad.loops.custom_adjoints import reverse_rule
from daad.loops.endings import is_begun
from daad.loops.online import Online
from daad.loops.replay import (
    Replay,
    Replayed,
    first_value,
    is_constant,
    read_before_written,
    replays_of,
    trip_count,
)
from daad.loops.rerun import Rerun
from daad.loops.restoration import Remaking, entering, take_back
from daad.loops.restoration_choice import require_undone, require_useful, useless
from daad.loops.schedule import Schedule, binomial
from daad.loops.second_run import Again, inside
from daad.loops.statement_adjoints import Bars, reverse_nest
from daad.loops.tape_sharing import reading, together, versions_of
from daad.loops.unchanged_arrays import still_held
from daad.loops.zero_adjoints import without_zeros
from daad.rules.flatness import flat_arrays
from daad.rules.own_rules import is_reversed_now, is_rule
from daad.rules.pullback import Facts
from daad.rules.undefined import undefined_arrays


@dataclass(frozen=True, kw_only=True)
class Adjoint:
    """The reversed statements, which read arrays of the primal as it leaves them, and `forwarded` versions by name.

    `bars` maps each active array to its adjoint array, which must hold the seeds (else zeros) when the body starts;
    at its end the adjoint of a parameter is the gradient with respect to its value on entry. `groups` are the adjoints
    of the primal's statements, in the primal's order; the body runs them last to first. `restored` are arrays of the
    primal that they bring back on the way, `relied` who reads what of these.
    """

    primal: Program
    ccs: CCS
    bars: Mapping[str, Array]
    extra: tuple[Array, ...]
    forwarded: tuple[Forwarded, ...]
    groups: tuple[tuple[Node, ...], ...]
    restored: Restored = NOTHING
    relied: frozenset[tuple[Piece | None, Piece]] = frozenset()

    @property
    def kept(self) -> tuple[Forwarded, ...]:
        """All versions that are kept, also between an iteration that is run again and its reversal."""
        return (*self.forwarded, *(f for r in replays_of(self.body) for f in r.forwarded))

    @property
    def body(self) -> tuple[Node, ...]:
        return tuple(node for group in reversed(self.groups) for node in group)


def differentiate(program: Program, ccs: CCS, hints: Hints = NO_HINTS) -> Adjoint:
    """Reverse mode for all arrays that the CCS calls active; `hints` bind where values are taken from."""
    restored = restorable(program, hints)
    adjoint = _differentiate(program, ccs, hints, restored)
    while fewer := useless(adjoint.kept, adjoint.restored, adjoint.relied):
        if hints.strict:
            require_useful(adjoint.kept, program, fewer, hints)
        adjoint = _differentiate(program, ccs, hints, adjoint.restored.without(fewer))
    if hints.strict and hints.undo:
        require_undone(adjoint.kept, program, hints)
    return adjoint


def _differentiate(program: Program, ccs: CCS, hints: Hints, restored: Restored) -> Adjoint:
    names = NameSupply.of(program)
    bars = {n: _bar_array(program.arrays[n], names) for n in program.arrays if n in ccs.active}
    versions = Versions(program.arrays, program.body, hints, restored=restored)
    reversal = Bars(
        program=program,
        supply=names,
        names={n: a.name for n, a in bars.items()},
        versions=versions,
        maskable=maskable(program),
        facts=Facts(flat_arrays(program), undefined_arrays(program), hints.again),
    )
    inner = frozenset(array.name for name, array in bars.items() if name not in (*ccs.inputs, *ccs.outputs))
    groups = without_zeros(_reverse_groups(program.body, reversal, (), ())[::-1], inner)
    again = Rerun(Slicer(program, versions), names)
    for what in again.slices([n for n in program.arrays if n in hints.rerun]):
        groups = again.insert(what, groups)
    served = together(versions.forwarded.values(), versions.writes, program.arrays)
    changed = {name: one for name, one in served.items() if one.version.name != name}
    return Adjoint(
        primal=program,
        ccs=ccs,
        bars=bars,
        extra=(*reversal.extra.values(), *again.copies.values()),
        forwarded=versions_of(served),
        groups=tuple(tuple(reading(node, changed) for node in group) for group in groups),
        restored=restored,
        relied=frozenset(versions.relied),
    )


def _bar_array(array: Array, names: NameSupply) -> Array:
    return Array(names.new(bar(array.name)), array.shape, array.dtype)


def _reverse_body(
    body: tuple[Node, ...], bars: Bars, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> tuple[Node, ...]:
    return tuple(node for group in _reverse_groups(body, bars, path, loops) for node in group)


def _reverse_groups(
    body: tuple[Node, ...], bars: Bars, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> list[tuple[Node, ...]]:
    """The adjoints of the statements of a body, last to first, each with what has to be brought back for it."""
    remaking = Remaking(body, path, loops, bars)
    groups = []
    for at, node in reversed(list(enumerate(body))):
        adjoint = _reverse_node(Site(node, (*path, at), loops, Reader((*path, at))), bars)
        groups.append((*remaking.before(at), *adjoint))
    return groups


def _reverse_node(site: Site, bars: Bars) -> Sequence[Node]:
    node = site.node
    if isinstance(node, Nest):
        return (*take_back(site, bars), *reverse_nest(node, site, bars))
    site = entering(site)
    return _reverse_loop(node, site, bars) if isinstance(node, Loop) else _reverse_branch(node, site, bars)


def _reverse_loop(loop: Loop, site: Site, bars: Bars) -> list[Node]:
    """Same values of the variable, last to first."""
    slots = bars.versions.hints.slots.get(site.path)
    if slots is not None and is_constant(loop) and trip_count(loop):
        return _replayed_loop(loop, site, bars, slots)
    inner = _reverse_body(loop.body, bars, site.path, inside(site))
    if not inner:
        return []
    first = _last(loop, site, bars) if loop.ending else _shifted(bars.resolve_index(site, loop.stop), -loop.step)
    end = _shifted(bars.resolve_index(site, loop.start), -loop.step)
    return [Loop(loop.var, first, end, -loop.step, inner, loop.at)]


def _last(loop: Loop, site: Site, bars: Bars) -> Index:
    """The variable in the last iteration that was begun, of a loop that data end."""
    assert loop.ending is not None, f"nothing but its bounds ends the loop over '{loop.var}'"
    assert isinstance(loop.stop, Affine), "a loop that data end has a bound"
    *container, child = site.path
    begun = bars.versions.resolve(replace(site, path=(*container, child + 1)), loop.ending.begun)
    return _shifted(Op("minimum", (IndexValue(loop.stop), begun), "int64"), -1)


def _replayed_loop(loop: Loop, site: Site, bars: Bars, slots: int) -> list[Node]:
    """Each iteration is run again from a kept state and reversed at once: its values are needed for that long only."""
    outer = bars.versions
    within = Site(loop, site.path, inside(site))
    versions = Versions(outer.arrays, outer.body, outer.hints, within, outer, outer.restored, outer.relied)
    inner = _reverse_body(loop.body, replace(bars, versions=versions), site.path, within.loops)
    if not inner:
        return []
    forwarded = tuple(sorted(versions.forwarded.values(), key=lambda f: (f.point, f.array)))
    state = read_before_written(within, versions.writes)
    others = {*state, *(f.array for f in forwarded)}
    is_simple = not outer.restored and not any(replays_of(inner))
    replay = Replay(
        path=site.path,
        var=loop.var,
        loops=site.loops_around(site.path)[len(outer.around) :],
        around=outer.around,
        primal=_rerun(loop.body, versions, site.path, within.loops),
        first=first_value(loop),
        direction=loop.step,
        state=state,
        forwarded=forwarded,
        schedule=_schedule(loop, slots),
        held=still_held(within, versions.writes, outer.writes, others) if is_simple else frozenset(),
        origin=loop.origin,
    )
    return [_replayed(loop, inner, replay)]


def _schedule(loop: Loop, slots: int) -> Schedule | Online:
    """For a loop that data end, its trip count is the most iterations that it may take."""
    trips = trip_count(loop)
    return binomial(trips, slots) if loop.ending is None else Online(trips, max(1, min(slots, trips)))


def _replayed(loop: Loop, body: tuple[Node, ...], replay: Replay) -> Replayed:
    return Replayed(
        var=loop.var, start=loop.start, stop=loop.stop, step=loop.step, body=body, at=loop.at, replay=replay
    )


def _rerun(
    body: tuple[Node, ...], versions: Versions, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> tuple[Node, ...]:
    """The statements as they are run again: what the loop does not write comes from where the adjoint can have it."""

    return Again(lambda site, load: versions.from_outside(entering(site), load)).body(body, path, loops)


def _shifted(index: Index, by: int) -> Index:
    return index + by if isinstance(index, Affine) else Op("add", (index, const(by, index.dtype)), index.dtype)


def _reverse_branch(branch: Branch, site: Site, bars: Bars) -> list[Node]:
    if is_rule(branch):
        return reverse_rule(branch, site, bars) if is_reversed_now(branch) else []
    then = _reverse_body(branch.then, bars, (*site.path, THEN), site.loops)
    orelse = _reverse_body(branch.orelse, bars, (*site.path, ORELSE), site.loops)
    if not then and not orelse:
        return []
    if is_begun(branch, site):
        return list(then)
    condition: Expr = bars.versions.resolve(site, branch.condition)
    return [Branch(condition, then, orelse, branch.at)]
