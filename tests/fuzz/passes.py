"""Optimisation with some passes left out: each must be right whatever the others have made of the Program."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import daad.passes
from daad.ir.nodes import Program
from tests.passes.slabbed import STAGGER, everywhere

SUMS = (daad.passes.spread, daad.passes.associate, daad.passes.running)
SPREAD, ASSOCIATE, RUNNING = (sys.modules[change.__module__] for change in SUMS)
PEEL = sys.modules[daad.passes.peel.__module__]
COMPOSED = {"prepare", "improve", "improve_apart", "merge", "finish", "schedule"}
PASSES = tuple(sorted(set(daad.passes.__all__) - COMPOSED))


def chosen(text: str) -> tuple[str, ...]:
    """The passes that are left out for a program: half of them, all but one, or one; the same for the same text."""
    source = random.Random(text)
    count = source.choice((1, len(PASSES) // 2, len(PASSES) - 1))
    return tuple(sorted(source.sample(PASSES, count)))


@contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """These passes do nothing in the block; programs go in slabs and by rows, sums are shortened and rows padded
    wherever they can, though they are small. Rows are in chunks for threads, if those share other loops too."""
    nothing: Callable[..., Program] = _unchanged
    with (
        everywhere(),
        mock.patch.object(STAGGER, "START", float("inf") if "share" in names else -1.0),
        mock.patch.object(SPREAD, "LEAST_POINTS", 1),
        mock.patch.object(ASSOCIATE, "BLAS", 0),
        mock.patch.object(RUNNING, "BLAS", 0),
        mock.patch.object(PEEL, "FEW_POINTS", 1),
        mock.patch.multiple(daad.passes, **dict.fromkeys(names, nothing)),
    ):
        yield


def _unchanged(program: Program, *rest: Any) -> Program:
    return program
