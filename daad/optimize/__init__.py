"""Passes from Program to Program that change how things are computed, never what."""

from __future__ import annotations

from daad.ir.memo import remembered
from daad.ir.nodes import Program
from daad.optimize.associate import associate
from daad.optimize.constants import propagate
from daad.optimize.contract import contract
from daad.optimize.copies import copies
from daad.optimize.dead import remove_dead
from daad.optimize.delay import delay
from daad.optimize.fuse import fuse
from daad.optimize.gather import gather
from daad.optimize.halo import halo
from daad.optimize.hoist import hoist
from daad.optimize.layout import arrange
from daad.optimize.merge import join_updates, merge_nests
from daad.optimize.once import once
from daad.optimize.overwritten import trim
from daad.optimize.pack import pack
from daad.optimize.pad import pad
from daad.optimize.parallel import loops_to_nests
from daad.optimize.peel import peel
from daad.optimize.reuse import reuse
from daad.optimize.running import running
from daad.optimize.same import same
from daad.optimize.share import share
from daad.optimize.simplify import simplify
from daad.optimize.slabs import slabs
from daad.optimize.spread import spread
from daad.optimize.stagger import stagger
from daad.optimize.sweeps import sweeps
from daad.optimize.tile import tile
from daad.optimize.told import told
from daad.optimize.turn import turn
from daad.optimize.uniform import uniform
from daad.optimize.versions import versions
from daad.optimize.zeros import zeros

Names = frozenset[str]
ROUNDS = 8  # of shorter sums, each of which may make more of them: as many as there are products in a row


for _pass in (
    associate,
    propagate,
    contract,
    copies,
    remove_dead,
    delay,
    fuse,
    gather,
    halo,
    hoist,
    arrange,
    join_updates,
    merge_nests,
    once,
    trim,
    pack,
    pad,
    loops_to_nests,
    peel,
    reuse,
    running,
    same,
    share,
    simplify,
    slabs,
    spread,
    stagger,
    sweeps,
    tile,
    turn,
    uniform,
    versions,
    zeros,
):
    globals()[_pass.__name__] = told(_pass)


def prepare(program: Program, live: Names) -> Program:
    """Before differentiation: one nest per statement, no copies but with margins, nothing dead, fills where they are
    needed."""
    program = halo(same(copies(simplify(remove_dead(program, live)), live), live), live)
    for _ in range(2):
        program = loops_to_nests(fuse(program, live))
    program = trim(hoist(uniform(program, live), live), live)
    return delay(remove_dead(simplify(program), live), live)


def improve(program: Program, live: Names, recomputed: Names = frozenset()) -> Program:
    """After differentiation: gather form, no needless zeros, in the form that people read; see `fuse`."""
    return merge(improve_apart(program, live, recomputed), live)


def improve_apart(program: Program, live: Names, recomputed: Names = frozenset(), is_spare: bool = False) -> Program:
    """The same with one nest per statement, before `merge`; `is_spare`: without arrays for what is computed `once`."""
    program = remove_dead(program, live)
    program = zeros(simplify(gather(program if is_spare else once(program))), live)
    program = versions(loops_to_nests(join_updates(program)), live | recomputed)
    program = _fused(program, live, recomputed)
    for _ in range(ROUNDS):
        shorter = running(spread(associate(program, live)))
        if shorter is program:
            break
        program = _fused(zeros(same(remove_dead(shorter, live), live), live), live, recomputed)
    return program


def _fused(program: Program, live: Names, recomputed: Names) -> Program:
    return simplify(propagate(simplify(fuse(program, live, recomputed))))


def merge(program: Program, live: Names) -> Program:
    """Nests over the same elements as one."""
    return remove_dead(merge_nests(program), live)


def finish(program: Program, live: Names) -> Program:
    """The form that is compiled: hot code without guards, products of matrices, rows rather than columns, slabs that
    stay in the cache, local arrays as small as iterations need them and in the order of the loops, parts of others."""
    program = remove_dead(tile(turn(peel(pad(simplify(program), live))), live), live)
    return arrange(pack(contract(slabs(program, live), live), live), live)


@remembered
def schedule(program: Program, live: Names, threads: int, is_planned: bool = False) -> Program:
    """Rows that go through several statements or iterations while they are near, loops that threads share, and, unless
    what memory holds is planned, memory of results for what comes before them."""
    program = stagger(program, live, threads)
    program = share(program if is_planned else reuse(program, live), live, threads)
    return sweeps(program, live, threads)


__all__ = [
    "arrange",
    "associate",
    "contract",
    "copies",
    "delay",
    "finish",
    "fuse",
    "gather",
    "halo",
    "hoist",
    "improve",
    "improve_apart",
    "join_updates",
    "loops_to_nests",
    "merge",
    "merge_nests",
    "once",
    "pack",
    "pad",
    "peel",
    "prepare",
    "propagate",
    "remove_dead",
    "reuse",
    "running",
    "same",
    "schedule",
    "share",
    "simplify",
    "slabs",
    "spread",
    "stagger",
    "sweeps",
    "tile",
    "trim",
    "turn",
    "uniform",
    "versions",
    "zeros",
]
