"""Slabs, common rows and sweeps wherever they may be, of a given size, local arrays of any size, two threads for any
work: the programs of tests are small."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from daad.analysis.cost.execution_time import Traffic
from daad.ir.nodes import Program
from daad.passes.loops import shifted_fusion, strip_mining, time_skewing
from daad.passes.memory import data_layout, packing
from daad.passes.parallel import doall
from daad.passes.reductions import prefix_sums

TRAFFIC = sys.modules[Traffic.__module__]


@contextmanager
def everywhere(size: int | None = None) -> Iterator[None]:
    """No cache or array is too small and slabs always pay; all have `size` coordinates, or what seems best."""
    sizes = strip_mining._sizes if size is None else lambda run: [size]
    with (
        mock.patch.object(TRAFFIC, "CACHE", 0),
        mock.patch.object(data_layout, "LEAST_BYTES", 0),
        mock.patch.object(packing, "SHARE", 0),
        mock.patch.object(doall, "WORTH_THREADS_SECONDS", 0),
        mock.patch("daad.pipeline.threads", return_value=2),
        mock.patch.object(TRAFFIC, "NEAREST", 0),
        mock.patch.object(shifted_fusion, "GAIN", float("inf")),
        mock.patch.object(shifted_fusion, "LEAST_ROWS", 0),
        mock.patch.object(shifted_fusion, "WORTH_THREADS_SECONDS", 0),
        mock.patch.object(shifted_fusion, "START", -1.0),
        mock.patch.object(shifted_fusion, "CHUNKS", ((2, float("inf")),)),
        mock.patch.object(time_skewing, "COMMON", 0),
        mock.patch.object(time_skewing, "MOST_FINDING", float("inf")),
        mock.patch.object(strip_mining, "GAIN", float("inf")),
        mock.patch.object(strip_mining, "GROWTH", 100),
        mock.patch.object(strip_mining, "_sizes", sizes),
    ):
        yield


def in_slabs(program: Program, live: frozenset[str], size: int | None = None) -> Program:
    with everywhere(size):
        return strip_mining.strip_mine(program, live)


def packed(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return packing.pack(program, live)


def shared(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return doall.mark_doall(program, live, 2)


def by_rows(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return shifted_fusion.fuse_shifted(program, live)


def in_chunks(program: Program, live: frozenset[str]) -> Program:
    """Four chunks of rows, with what threads share."""
    with everywhere():
        return doall.mark_doall(shifted_fusion.fuse_shifted(program, live, 2), live, 2)


def in_sweeps(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return time_skewing.skew_time(program, live)


def in_order(program: Program, live: frozenset[str]) -> Program:
    with everywhere():
        return data_layout.lay_out(program, live)


def with_running_sums(program: Program) -> Program:
    """Running sums wherever there may be some."""
    with mock.patch.object(prefix_sums, "BLAS", 0):
        return prefix_sums.to_prefix_sums(program)
