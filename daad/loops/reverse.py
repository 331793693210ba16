"""The adjoint of a program, statement by statement, backwards; loops and branches keep their shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daad.ccs.forwarded import Forwarded, Versions
from daad.ccs.graph import CCS, maskable
from daad.ccs.hints import NO_HINTS, Hints
from daad.ccs.sites import ORELSE, THEN, Path, Site
from daad.loops.again import Again, inside
from daad.loops.replay import Replay, Replayed, first_value, is_constant, read_before_written, trip_count
from daad.loops.rerun import Rerun
from daad.loops.schedule import binomial
from daad.loops.slices import Slicer
from daad.loops.statements import Bars, reverse_nest
from daad.program.affine import Affine
from daad.program.names import bar, fresh
from daad.program.nodes import Array, Branch, Expr, Index, Loop, Nest, Node, Op, Program
from daad.rules.build import const


@dataclass(frozen=True, kw_only=True)
class Adjoint:
    """The reversed statements, which read arrays of the primal as it leaves them, and `forwarded` versions by name.

    `bars` maps each active array to its adjoint array, which must hold the seeds (else zeros) when the body starts;
    at its end the adjoint of a parameter is the gradient with respect to its value on entry. `groups` are the adjoints
    of the primal's statements, in the primal's order; the body runs them last to first.
    """

    primal: Program
    ccs: CCS
    bars: Mapping[str, Array]
    extra: tuple[Array, ...]
    forwarded: tuple[Forwarded, ...]
    groups: tuple[tuple[Node, ...], ...]

    @property
    def body(self) -> tuple[Node, ...]:
        return tuple(node for group in reversed(self.groups) for node in group)


def differentiate(program: Program, ccs: CCS, hints: Hints = NO_HINTS) -> Adjoint:
    """Reverse mode for all arrays that the CCS calls active; `hints` bind where values are taken from."""
    taken = {*program.arrays, *program.integers}
    bars = {n: _bar_array(program.arrays[n], taken) for n in program.arrays if n in ccs.active}
    versions = Versions(program.arrays, program.body, hints)
    reversal = Bars(
        program=program, names={n: a.name for n, a in bars.items()}, versions=versions, maskable=maskable(program)
    )
    groups = [
        tuple(_reverse_node(Site(node, (n,), ()), reversal)) for n, node in reversed(list(enumerate(program.body)))
    ][::-1]
    taken |= {a.name for a in (*bars.values(), *reversal.extra.values())}
    again = Rerun(Slicer(program, versions), taken)
    for what in again.slices([n for n in program.arrays if n in hints.rerun]):
        groups = again.insert(what, groups)
    forwarded = tuple(sorted(versions.forwarded.values(), key=lambda f: (f.point, f.array)))
    return Adjoint(
        primal=program,
        ccs=ccs,
        bars=bars,
        extra=(*reversal.extra.values(), *again.copies.values()),
        forwarded=forwarded,
        groups=tuple(groups),
    )


def _bar_array(array: Array, taken: set[str]) -> Array:
    return Array(fresh(bar(array.name), taken), array.shape, array.dtype)


def _reverse_body(
    body: tuple[Node, ...], bars: Bars, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> tuple[Node, ...]:
    places = reversed(list(enumerate(body)))
    return tuple(n for at, node in places for n in _reverse_node(Site(node, (*path, at), loops), bars))


def _reverse_node(site: Site, bars: Bars) -> Sequence[Node]:
    node = site.node
    if isinstance(node, Nest):
        return reverse_nest(node, site, bars)
    return _reverse_loop(node, site, bars) if isinstance(node, Loop) else _reverse_branch(node, site, bars)


def _reverse_loop(loop: Loop, site: Site, bars: Bars) -> list[Node]:
    """Same values of the variable, last to first."""
    slots = bars.versions.hints.slots.get(site.path)
    if slots is not None and is_constant(loop):
        return _replayed_loop(loop, site, bars, slots)
    inner = _reverse_body(loop.body, bars, site.path, inside(site))
    if not inner:
        return []
    first = _shifted(bars.resolve_index(site, loop.stop), -loop.step)
    end = _shifted(bars.resolve_index(site, loop.start), -loop.step)
    return [Loop(loop.var, first, end, -loop.step, inner, loop.at)]


def _replayed_loop(loop: Loop, site: Site, bars: Bars, slots: int) -> list[Node]:
    """Each iteration is run again from a kept state and reversed at once: its values are needed for that long only."""
    outer = bars.versions
    within = Site(loop, site.path, inside(site))
    versions = Versions(outer.arrays, outer.body, outer.hints, within, outer)
    inner = _reverse_body(loop.body, replace(bars, versions=versions), site.path, within.loops)
    if not inner:
        return []
    replay = Replay(
        path=site.path,
        var=loop.var,
        loops=site.loops_around(site.path)[len(outer.around) :],
        around=outer.around,
        primal=_rerun(loop.body, versions, site.path, within.loops),
        first=first_value(loop),
        direction=loop.step,
        state=read_before_written(within, versions.writes),
        forwarded=tuple(sorted(versions.forwarded.values(), key=lambda f: (f.point, f.array))),
        schedule=binomial(trip_count(loop), slots),
    )
    return [_replayed(loop, inner, replay)]


def _replayed(loop: Loop, body: tuple[Node, ...], replay: Replay) -> Replayed:
    return Replayed(
        var=loop.var, start=loop.start, stop=loop.stop, step=loop.step, body=body, at=loop.at, replay=replay
    )


def _rerun(
    body: tuple[Node, ...], versions: Versions, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> tuple[Node, ...]:
    """The statements as they are run again: what the loop does not write comes from where the adjoint can have it."""

    return Again(versions.from_outside).body(body, path, loops)


def _shifted(index: Index, by: int) -> Index:
    return index + by if isinstance(index, Affine) else Op("add", (index, const(by, index.dtype)), index.dtype)


def _reverse_branch(branch: Branch, site: Site, bars: Bars) -> list[Node]:
    then = _reverse_body(branch.then, bars, (*site.path, THEN), site.loops)
    orelse = _reverse_body(branch.orelse, bars, (*site.path, ORELSE), site.loops)
    if not then and not orelse:
        return []
    condition: Expr = bars.versions.resolve(site, branch.condition)
    return [Branch(condition, then, orelse, branch.at)]
