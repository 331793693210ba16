"""The passes in their order: what the compiler runs, before and after differentiation."""

from __future__ import annotations

from daad.ir.memo import remembered
from daad.ir.nodes import Program
from daad.passes.definition import NONE, Form, Goal, Names, Pass, forms
from daad.passes.driver import Phase, Rounds, passes_of, run
from daad.passes.loops import (
    horizontal_fusion,
    index_set_splitting,
    padding,
    rerolling,
    shifted_fusion,
    strip_mining,
    tiling,
    time_skewing,
    vertical_fusion,
)
from daad.passes.memory import (
    array_contraction,
    data_layout,
    dimension_contraction,
    ghost_cells,
    in_place_results,
    packing,
)
from daad.passes.parallel import doall, loop_to_map
from daad.passes.reductions import (
    gather_form,
    prefix_sums,
    reassociation,
    reduction_simplification,
    reordering,
    symmetric_products,
)
from daad.passes.redundancy import (
    array_renaming,
    common_subexpressions,
    copy_propagation,
    dead_code,
    dead_stores,
    fill_forwarding,
    if_conversion,
    initialization,
    invariant_motion,
    sinking,
    value_numbering,
)
from daad.passes.scalar import constant_propagation, simplification
from daad.runtime.processors import Device

FUSED = (vertical_fusion.PASS, simplification.PASS, constant_propagation.PASS, simplification.PASS)
SHORTER_SUMS = Rounds(
    first=(reassociation.PASS, reduction_simplification.PASS, prefix_sums.PASS),
    then=(dead_code.PASS, value_numbering.PASS, initialization.PASS, *FUSED),
    most=8,
)
"""Of shorter sums, each of which may make more of them: as many rounds as there are products in a row."""

PREPARE = Phase(
    "prepare",
    "Before differentiation: one nest per statement, repetition in loops, no copies but with margins, nothing dead.",
    (
        rerolling.PASS,
        dead_code.PASS,
        simplification.PASS,
        copy_propagation.PASS,
        value_numbering.PASS,
        if_conversion.PASS,
        fill_forwarding.PASS,
        ghost_cells.PASS,
        vertical_fusion.PASS,
        loop_to_map.PASS,
        vertical_fusion.PASS,
        loop_to_map.PASS,
        dimension_contraction.PASS,
        invariant_motion.PASS,
        dead_stores.PASS,
        simplification.PASS,
        dead_code.PASS,
        sinking.PASS,
    ),
    given=forms(Form.REVERSIBLE, Form.SERIAL),
    gives=forms(Form.REVERSIBLE),
)
IMPROVE = Phase(
    "improve",
    "After differentiation: gather form, no needless zeros, short sums; one nest per statement.",
    (
        dead_code.PASS,
        common_subexpressions.PASS,
        gather_form.PASS,
        simplification.PASS,
        initialization.PASS,
        horizontal_fusion.JOINING,
        loop_to_map.PASS,
        array_renaming.PASS,
        *FUSED,
        SHORTER_SUMS,
    ),
    given=forms(Form.SCATTERED),
    gives=forms(Form.GATHERED),
)
MERGE = Phase(
    "merge", "Nests over the same elements as one.", (sinking.NUMBERS, horizontal_fusion.PASS, dead_code.PASS)
)
FINISH = Phase(
    "finish",
    "What is compiled: no guards in hot code, products of matrices, rows rather than columns, slabs in caches.",
    (
        simplification.PASS,
        padding.PASS,
        index_set_splitting.PASS,
        reordering.PASS,
        symmetric_products.PASS,
        tiling.PASS,
        dead_code.PASS,
        strip_mining.PASS,
        array_contraction.PASS,
        packing.PASS,
        data_layout.PASS,
    ),
)
SCHEDULE = Phase(
    "schedule",
    "Rows and iterations that go together while they are near, loops that threads share, memory of results.",
    (shifted_fusion.PASS, in_place_results.PASS, doall.PASS, time_skewing.PASS),
)
PHASES = (PREPARE, IMPROVE, MERGE, FINISH, SCHEDULE)
PASSES: dict[str, Pass] = {step.name: step for phase in PHASES for step in passes_of(phase)}
"""By name, in the order in which they are run first."""


def prepare(program: Program, live: Names) -> Program:
    return run(PREPARE, program, Goal(live))


def improve(program: Program, live: Names, recomputed: Names = NONE) -> Program:
    """In the form that people read; for `recomputed` see `Goal`."""
    return merge(improve_apart(program, live, recomputed), live)


def improve_apart(
    program: Program, live: Names, recomputed: Names = NONE, is_spare: bool = False, device: Device = Device.CPU
) -> Program:
    """The same with one nest per statement, before `merge`."""
    return run(IMPROVE, program, Goal(live, recomputed, is_spare=is_spare, device=device))


def merge(program: Program, live: Names) -> Program:
    return run(MERGE, program, Goal(live))


def finish(program: Program, live: Names, is_spare: bool = False, device: Device = Device.CPU) -> Program:
    return run(FINISH, program, Goal(live, is_spare=is_spare, device=device))


@remembered
def schedule(
    program: Program, live: Names, threads: int, is_planned: bool = False, device: Device = Device.CPU
) -> Program:
    return run(SCHEDULE, program, Goal(live, threads=threads, is_planned=is_planned, device=device))
