"""Members on this machine's cores: processes that share what there is at the moment of the fork."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from daad.api.ensemble.member_calls import results, timed
from daad.api.ensemble.members import Batch, batch, iterated
from daad.api.gradient import Gradient
from daad.errors import BadArgument, DaadError
from daad.runtime.memory import machine_memory
from daad.runtime.processors import threads_at_hand

SOON = 0.05
"""Seconds within which a process does all alone."""
LONG = 0.02
"""Seconds that a batch should take, so that sending it does not matter."""
MOST = 1024
MEMORY = 0.6
"""The share of the machine's memory that processes may hold together."""


def answers(gradient: Gradient, members: Any, is_summed: bool) -> Iterator[tuple[Batch, Any]]:
    """Batches in order, each with its result; the first ones from this process, which compiles for all."""
    coming, first = iterated(members), 0
    seconds, spent = 0.0, 0.0
    while not first or spent < SOON or processes(gradient) < 2:
        found = batch(coming, first, size(seconds) if first else 1)
        if found is None:
            return
        if first:
            start = time.perf_counter()
            yield found, results(gradient, found.members, first, is_summed)
            spent += time.perf_counter() - start
        else:
            seconds, one = timed(gradient, found.members[0])
            spent += seconds
            yield found, one if is_summed else [one]
        first = found.stop
    at_hand = members if isinstance(members, list | tuple) else None
    yield from _by_others(gradient, coming, first, is_summed, at_hand, size(seconds))


def size(seconds: float) -> int:
    """How many members of so many seconds a batch holds: a power of two."""
    many = max(1, min(MOST, int(LONG / max(seconds, 1e-9))))
    return 1 << (many.bit_length() - 1)


def processes(gradient: Gradient) -> int:
    """As many as there are cores, and as the machine has memory for."""
    held = int(gradient._current.memory.modelled)
    return max(1, min(threads_at_hand(), int(MEMORY * machine_memory()) // max(1, held)))


def _by_others(
    gradient: Gradient,
    coming: Iterator[Any],
    first: int,
    is_summed: bool,
    at_hand: Sequence[Any] | None,
    most: int,
) -> Iterator[tuple[Batch, Any]]:
    count = processes(gradient)
    waiting: deque[tuple[Batch, Future[Any]]] = deque()
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context("fork"), initializer=_begin, initargs=(gradient, at_hand, is_summed)
    )
    try:
        while True:
            while len(waiting) < 3 * count and (found := batch(coming, first, most)) is not None:
                waiting.append((found, _submit(pool, found, at_hand is not None)))
                first = found.stop
            if not waiting:
                return
            asked, future = waiting.popleft()
            yield asked, _result(asked, future)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, found: Batch, is_at_hand: bool) -> Future[Any]:
    sent = None if is_at_hand else _pickled(found)
    with warnings.catch_warnings():  # newer Pythons warn of threads, none of which a process that computes waits for
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        try:
            return pool.submit(_work, found.first, found.stop, sent)
        except BrokenProcessPool as error:  # told when it is this batch's turn: an earlier one may have been the first
            broken: Future[Any] = Future()
            broken.set_exception(error)
            return broken


def _pickled(found: Batch) -> bytes:
    try:
        return pickle.dumps(found.members, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        message = f"A process cannot be sent {found}: {error}."
        raise BadArgument(message, hint="Give the members in a list, which processes share.") from None


def _result(asked: Batch, future: Future[Any]) -> Any:
    try:
        return future.result()
    except BrokenProcessPool:
        raise DaadError(
            f"A process died while {asked} and those behind were computed.",
            hint="It may have run out of memory: give the gradient a memory_limit.",
        ) from None


_mine: list[Any] = []
"""Of a process that computes: the gradient, the members that it shares, whether they are summed."""


def _begin(*shared: Any) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    _mine[:] = shared


def _work(first: int, stop: int, sent: bytes | None) -> Any:
    gradient, at_hand, is_summed = _mine
    members = at_hand[first:stop] if sent is None else pickle.loads(sent)
    return results(gradient, members, first, is_summed)
