"""Passes from Program to Program that change how things are computed, never what."""

from __future__ import annotations

from daad.ir.memo import remembered
from daad.ir.nodes import Program
from daad.passes.loops.horizontal_fusion import join_updates, merge_nests
from daad.passes.loops.index_set_splitting import peel
from daad.passes.loops.padding import pad
from daad.passes.loops.shifted_fusion import stagger
from daad.passes.loops.strip_mining import slabs
from daad.passes.loops.tiling import tile
from daad.passes.loops.time_skewing import sweeps
from daad.passes.loops.vertical_fusion import fuse
from daad.passes.memory.array_contraction import contract
from daad.passes.memory.data_layout import arrange
from daad.passes.memory.dimension_contraction import uniform
from daad.passes.memory.ghost_cells import halo
from daad.passes.memory.in_place_results import reuse
from daad.passes.memory.packing import pack
from daad.passes.parallel.doall import share
from daad.passes.parallel.loop_to_map import loops_to_nests
from daad.passes.reductions.gather_form import gather
from daad.passes.reductions.prefix_sums import running
from daad.passes.reductions.reassociation import associate
from daad.passes.reductions.reduction_simplification import spread
from daad.passes.reductions.reordering import turn
from daad.passes.redundancy.array_renaming import versions
from daad.passes.redundancy.common_subexpressions import once
from daad.passes.redundancy.copy_propagation import copies
from daad.passes.redundancy.dead_code import remove_dead
from daad.passes.redundancy.dead_stores import trim
from daad.passes.redundancy.initialization import zeros
from daad.passes.redundancy.invariant_motion import hoist
from daad.passes.redundancy.sinking import delay
from daad.passes.redundancy.value_numbering import same
from daad.passes.remarks import told
from daad.passes.scalar.constant_propagation import propagate
from daad.passes.scalar.simplification import simplify

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
