"""Small programs built as large ones: with threads, calls of BLAS, blocks of sums, tiles, slabs, stores past caches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from daad.codegen.schedule import collapsing, nest_schedule, recurrences, streaming_stores
from daad.codegen.sdfg import blas, blocked_reductions
from daad.passes.loops import index_set_splitting, tiling
from daad.passes.reductions import prefix_sums, reassociation, reduction_simplification, reordering
from tests.passes.slabbed import everywhere

LOWERED = {
    nest_schedule: {"WORTH_THREADS": 1, "ENOUGH_FOR_THREADS": 2, "OFTEN": 2},
    blas: {"LEAST_GEMM": 1, "LEAST_GEMV_ROWS": 1, "LEAST_GEMV_COLUMNS": 1, "LEAST_SHARED": 1},
    blocked_reductions: {"BLOCK": 4, "COLUMNS": 2, "FEWEST": 2, "SMALLEST": 1},
    streaming_stores: {"LARGE": 64, "FAR": 64, "STRIP": 8, "SHORTEST": 16},
    collapsing: {"SHORT": 2},
    recurrences: {"BLOCKS": 1},
    tiling: {
        "ROWS": 2,
        "FEW_ROWS": 2,
        "LEAST_ROWS": 3,
        "LEAST_WORK": 0,
        "MUCH_WORK": 8,
    },
    reordering: {"LEAST_POINTS": 0},
    reduction_simplification: {"LEAST_POINTS": 1, "BLAS": 0},
    reassociation: {"BLAS": 0},
    prefix_sums: {"BLAS": 0},
    index_set_splitting: {"FEW_POINTS": 1},
}


@contextmanager
def lowered() -> Iterator[None]:
    """In the block, whatever is done for large arrays only is done for small ones."""
    with ExitStack() as stack:
        stack.enter_context(everywhere())
        for module, values in LOWERED.items():
            stack.enter_context(mock.patch.multiple(module, **values))
        yield
