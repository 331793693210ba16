"""Optimisation with some passes left out: each must be right whatever the others have made of the Program."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest import mock

from daad.passes.loops import index_set_splitting, shifted_fusion
from daad.passes.phases import PASSES
from daad.passes.reductions import prefix_sums, reassociation, reduction_simplification
from tests.passes import leaving_out
from tests.passes.slabbed import everywhere

NAMES = tuple(sorted(PASSES))


def chosen(text: str) -> tuple[str, ...]:
    """The passes that are left out for a program: half of them, all but one, or one; the same for the same text."""
    source = random.Random(text)
    count = source.choice((1, len(NAMES) // 2, len(NAMES) - 1))
    return tuple(sorted(source.sample(NAMES, count)))


@contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """These passes do nothing in the block; programs go in slabs and by rows, sums are shortened and rows padded
    wherever they can, though they are small. Rows are in chunks for threads, if those share other loops too."""
    with (
        everywhere(),
        mock.patch.object(shifted_fusion, "START", float("inf") if "doall" in names else -1.0),
        mock.patch.object(reduction_simplification, "LEAST_POINTS", 1),
        mock.patch.object(reassociation, "BLAS", 0),
        mock.patch.object(prefix_sums, "BLAS", 0),
        mock.patch.object(index_set_splitting, "FEW_POINTS", 1),
        leaving_out.without(*names),
    ):
        yield
