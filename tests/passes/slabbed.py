"""Slabs, common rows and sweeps wherever they may be, of a given size, local arrays of any size, two threads for any
work: the programs of tests are small."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from daad.analysis.execution_time import Traffic
from daad.ir.nodes import Program
from daad.passes import arrange, pack, running, share, slabs, stagger, sweeps

MODULE = sys.modules[slabs.__module__]
LAYOUT = sys.modules[arrange.__module__]
RUNNING = sys.modules[running.__module__]
PACK = sys.modules[pack.__module__]
SHARE = sys.modules[share.__module__]
STAGGER = sys.modules[stagger.__module__]
SWEEPS = sys.modules[sweeps.__module__]
TRAFFIC = sys.modules[Traffic.__module__]


@contextmanager
def everywhere(size: int | None = None) -> Iterator[None]:
    """No cache or array is too small and slabs always pay; all have `size` coordinates, or what seems best."""
    sizes = MODULE._sizes if size is None else lambda run: [size]
    with (
        mock.patch.object(TRAFFIC, "CACHE", 0),
        mock.patch.object(LAYOUT, "LEAST_BYTES", 0),
        mock.patch.object(PACK, "SHARE", 0),
        mock.patch.object(SHARE, "LEAST", 0),
        mock.patch("daad.pipeline.threads", return_value=2),
        mock.patch.object(TRAFFIC, "FIRST", 0),
        mock.patch.object(STAGGER, "GAIN", float("inf")),
        mock.patch.object(STAGGER, "LEAST_ROWS", 0),
        mock.patch.object(STAGGER, "LEAST", 0),
        mock.patch.object(STAGGER, "START", -1.0),
        mock.patch.object(STAGGER, "CHUNKS", ((2, float("inf")),)),
        mock.patch.object(SWEEPS, "COMMON", 0),
        mock.patch.object(SWEEPS, "MOST_FINDING", float("inf")),
        mock.patch.object(MODULE, "GAIN", float("inf")),
        mock.patch.object(MODULE, "GROWTH", 100),
        mock.patch.object(MODULE, "_sizes", sizes),
    ):
        yield


def in_slabs(program: Program, live: frozenset[str], size: int | None = None) -> Program:
    with everywhere(size):
        return slabs(program, live)


def packed(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return pack(program, live)


def shared(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return share(program, live, 2)


def by_rows(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return stagger(program, live)


def in_chunks(program: Program, live: frozenset[str]) -> Program:
    """Four chunks of rows, with what threads share."""
    with everywhere():
        return share(stagger(program, live, 2), live, 2)


def in_sweeps(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return sweeps(program, live)


def in_order(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return arrange(program, live)


def with_running_sums(program: Program) -> Program:
    """Running sums wherever there may be some."""
    with mock.patch.object(RUNNING, "BLAS", 0):
        return running(program)
