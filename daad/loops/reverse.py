"""The adjoint of a program, statement by statement, backwards; loops and branches keep their shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from daad.ccs.forwarded import Forwarded, Versions
from daad.ccs.graph import CCS, maskable
from daad.ccs.hints import NO_HINTS, Hints
from daad.ccs.sites import ORELSE, THEN, Path, Site
from daad.loops.statements import Bars, reverse_nest
from daad.program.affine import Affine
from daad.program.names import bar, fresh
from daad.program.nodes import Array, Branch, Expr, Index, Loop, Nest, Node, Op, Program
from daad.rules.build import const


@dataclass(frozen=True, kw_only=True)
class Adjoint:
    """The reversed statements, which read arrays of the primal as it leaves them, and `forwarded` versions by name.

    `bars` maps each active array to its adjoint array, which must hold the seeds (else zeros) when the body starts;
    at its end the adjoint of a parameter is the gradient with respect to its value on entry.
    """

    primal: Program
    ccs: CCS
    bars: Mapping[str, Array]
    extra: tuple[Array, ...]
    forwarded: tuple[Forwarded, ...]
    body: tuple[Node, ...]


def differentiate(program: Program, ccs: CCS, hints: Hints = NO_HINTS) -> Adjoint:
    """Reverse mode for all arrays that the CCS calls active; `hints` bind where values are taken from."""
    taken = {*program.arrays, *program.integers}
    bars = {n: _bar_array(program.arrays[n], taken) for n in program.arrays if n in ccs.active}
    versions = Versions(program.arrays, program.body, hints)
    reversal = Bars(
        program=program, names={n: a.name for n, a in bars.items()}, versions=versions, maskable=maskable(program)
    )
    body = _reverse_body(program.body, reversal, (), ())
    forwarded = tuple(sorted(versions.forwarded.values(), key=lambda f: (f.point, f.array)))
    return Adjoint(
        primal=program, ccs=ccs, bars=bars, extra=tuple(reversal.extra.values()), forwarded=forwarded, body=body
    )


def _bar_array(array: Array, taken: set[str]) -> Array:
    return Array(fresh(bar(array.name), taken), array.shape, array.dtype)


def _reverse_body(
    body: tuple[Node, ...], bars: Bars, path: Path, loops: tuple[tuple[int, Loop], ...]
) -> tuple[Node, ...]:
    out: list[Node] = []
    for position in reversed(range(len(body))):
        node, here = body[position], (*path, position)
        site = Site(node, here, loops)
        if isinstance(node, Nest):
            out.extend(reverse_nest(node, site, bars))
        elif isinstance(node, Loop):
            inner = _reverse_body(node.body, bars, here, (*loops, (len(here), node)))
            out.extend([_reverse_loop(node, inner, site, bars)] if inner else [])
        else:
            out.extend(_reverse_branch(node, site, bars))
    return tuple(out)


def _reverse_loop(loop: Loop, body: tuple[Node, ...], site: Site, bars: Bars) -> Loop:
    """Same values of the variable, last to first."""
    first = _shifted(bars.resolve_index(site, loop.stop), -loop.step)
    end = _shifted(bars.resolve_index(site, loop.start), -loop.step)
    return Loop(loop.var, first, end, -loop.step, body, loop.at)


def _shifted(index: Index, by: int) -> Index:
    return index + by if isinstance(index, Affine) else Op("add", (index, const(by, index.dtype)), index.dtype)


def _reverse_branch(branch: Branch, site: Site, bars: Bars) -> list[Node]:
    then = _reverse_body(branch.then, bars, (*site.path, THEN), site.loops)
    orelse = _reverse_body(branch.orelse, bars, (*site.path, ORELSE), site.loops)
    if not then and not orelse:
        return []
    condition: Expr = bars.versions.resolve(site, branch.condition)
    return [Branch(condition, then, orelse, branch.at)]
