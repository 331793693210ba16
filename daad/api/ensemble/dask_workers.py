"""Members on the workers of a Dask cluster: batches are tasks, so are sums of them, and Dask replays what is lost."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from threading import Semaphore
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from daad.api.ensemble import member_calls
from daad.api.ensemble.lying_members import as_future, is_of_dask, light_enough
from daad.api.ensemble.members import Batch, batch, iterated, require_tuple
from daad.api.ensemble.pairwise_sum import PairwiseSum
from daad.api.ensemble.shipment import Prepared, Shipment, by_value, of_worker, prepared
from daad.api.gradient import Gradient
from daad.errors import BadArgument

LONG, EACH = 0.05, 0.001
"""Seconds that a task should take so that what Dask does for it does not matter, and for each thread of all workers,
since the scheduler has so much to do for a task."""
MOST = 256
"""Members of a batch."""
AHEAD = 4
"""Tasks in flight for each thread of a worker, so that none waits."""
OFTEN = 1.0
"""Seconds after which workers are counted again: jobs begin when the queue lets them."""
LARGE = 2**20
"""Bytes of results from which on few of them are added up by one task."""


@dataclass(frozen=True)
class Fold:
    """Sums of `2 ** fan` neighbours are tasks, so are sums of these, `depth` times; then the client gets them."""

    fan: int
    depth: int

    @staticmethod
    def of(nbytes: int) -> Fold:
        return Fold(2, 4) if nbytes > LARGE else Fold(5, 1)


def threads_of(client: Any) -> int:
    """Of all workers that there are."""
    return max(1, sum(client.nthreads().values()))


def require_client(client: Any) -> None:
    """Refuses what is no client of Dask's, or one whose calls return coroutines."""
    if not all(hasattr(client, name) for name in ("submit", "gather", "scheduler_info")):
        message = f"The client is of type '{type(client).__name__}'."
        raise BadArgument(message, hint="Pass a dask.distributed.Client, or None for this machine's cores.")
    if getattr(client, "asynchronous", False):
        raise BadArgument("The client is asynchronous.", hint="Pass one made without asynchronous=True.")


@dataclass
class Ensemble:
    """The tasks of one call. Roots are parts of the sum, in order, that the client gets when they are done."""

    client: Any
    name: str
    code: Any
    is_summed: bool
    fold: Fold
    threads: int
    room: Semaphore = field(init=False)
    asked: float = field(default_factory=time.monotonic)
    run: str = field(default_factory=lambda: uuid4().hex[:12])
    failed: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.room = Semaphore(AHEAD * self.threads)

    def _await_room(self) -> None:
        """Until another task may be in flight; workers that have come meanwhile bring room for their own."""
        while True:
            if time.monotonic() >= self.asked + OFTEN:
                threads, self.asked = threads_of(self.client), time.monotonic()
                if threads > self.threads:
                    self.room.release(AHEAD * (threads - self.threads))
                    self.threads = threads
            if self.room.acquire(timeout=OFTEN):
                return

    def batches(self, members: Iterator[Any], most: int) -> Iterator[tuple[Batch, Any]]:
        """Submits the members, as many at once as there is room for."""
        first = 0
        while True:
            self._await_room()
            if self.failed or (found := batch(members, first, most)) is None:
                self._raise_failed()
                return
            first = found.stop
            future = self.client.submit(
                _members,
                self.code,
                _sent(self.client, found),
                found.first,
                self.is_summed,
                key=(f"{self.name}-members-{self.run}", found.first),
            )
            future.add_done_callback(self._done)
            yield found, future

    def _done(self, future: Any) -> None:
        if future.status != "finished":
            self.failed.append(future)
        self.room.release()

    def _raise_failed(self) -> None:
        if self.failed:
            self.failed[0].result()

    def added(self, nodes: list[tuple[int, Any]], number: int, depth: int) -> Any:
        """The sum of neighbours, as a task."""
        key = (f"{self.name}-sums-{self.run}", depth, number)
        return self.client.submit(_sum, [level for level, _ in nodes], [node for _, node in nodes], key=key)

    def roots(self, members: Iterator[Any], most: int) -> Iterator[tuple[int, Any]]:
        """Sums of as many batches as a root has, each with its level; then what is left over."""
        waiting: list[list[tuple[int, Any]]] = [[] for _ in range(self.fold.depth + 1)]
        for found, future in self.batches(members, most):
            waiting[0].append((found.level, future))
            for depth in range(self.fold.depth):
                if len(waiting[depth]) < 1 << self.fold.fan:
                    break
                level = waiting[depth][0][0] + self.fold.fan
                waiting[depth + 1].append((level, self.added(waiting[depth], found.first, depth)))
                waiting[depth].clear()
            yield from waiting[-1]
            waiting[-1].clear()
        yield from (node for nodes in reversed(waiting) for node in nodes)

    def total(self, members: Iterator[Any], most: int) -> tuple[Any, int]:
        """The sum of all."""
        found, waiting = PairwiseSum(), deque[tuple[int, Any]]()
        counted = _Counted(members)
        for root in self.roots(counted, most):
            waiting.append(root)
            while len(waiting) > AHEAD:
                _take(waiting, found)
        while waiting:
            _take(waiting, found)
        return (found.total() if counted.number else None), counted.number

    def all(self, members: Iterator[Any], most: int) -> list[Any]:
        """The results themselves."""
        found: list[Any] = []
        waiting = deque[Any]()
        for _, future in self.batches(members, most):
            waiting.append(future)
            while waiting and waiting[0].done():
                found += waiting.popleft().result()
        while waiting:
            found += waiting.popleft().result()
        return found


class _Counted(Iterator[Any]):
    """Members, and how many there have been."""

    def __init__(self, members: Iterator[Any]) -> None:
        self._members, self.number = members, 0

    def __next__(self) -> Any:
        found = next(self._members)
        self.number += 1
        return found


def _take(waiting: deque[tuple[int, Any]], found: PairwiseSum) -> None:
    level, future = waiting.popleft()
    found.add(future.result(), level)


def summed(client: Any, gradient: Gradient, members: Any) -> tuple[Any, int]:
    """The sum over the members, and how many there are."""
    return _told(_summed, client, gradient, members)


def each(client: Any, gradient: Gradient, members: Any) -> list[Any]:
    """The results of all members."""
    return _told(_each, client, gradient, members)


def _summed(client: Any, gradient: Gradient, members: Any) -> tuple[Any, int]:
    found = _with_code(client, gradient, members, True)
    return (None, 0) if found is None else found[0].total(*found[1:])


def _each(client: Any, gradient: Gradient, members: Any) -> list[Any]:
    found = _with_code(client, gradient, members, False)
    return [] if found is None else found[0].all(*found[1:])


def _told(method: Any, *args: Any) -> Any:
    """What Dask raises is told by daad where it is about workers."""
    try:
        return method(*args)
    except Exception as error:
        known = of_worker(error)
        if known is None:
            raise
        raise known from None


def _with_code(
    client: Any, gradient: Gradient, members: Any, is_summed: bool
) -> tuple[Ensemble, Iterator[Any], int] | None:
    """The ensemble with compiled code on a worker, all its members, and how many make a batch."""
    coming = iterated(members)
    start = next(coming, None)
    if start is None:
        return None
    first = [start, *islice(coming, 1)]
    code, facts = _code(client, gradient, start)
    threads = threads_of(client)
    most = _size(facts, light_enough(client, first, members), members, threads)
    name = facts.shipment.name.strip("<>")
    ensemble = Ensemble(client, name, code, is_summed, Fold.of(facts.nbytes), threads)
    return ensemble, chain(first, coming), most


_known: WeakKeyDictionary[Gradient, dict[Any, tuple[Any, Prepared]]] = WeakKeyDictionary()
"""The code that clusters hold, by client and program."""


def _code(client: Any, gradient: Gradient, member: Any) -> tuple[Any, Prepared]:
    """Compiled code as a future, and what is known of it: compiled by a worker, unless the cluster still has it."""
    shipment = Shipment.of(gradient)
    key = client.id, shipment.token
    kept = _known.setdefault(gradient, {})
    found = kept.get(key)
    if found is None or found[0].status != "finished":
        kept.clear()
        name = f"{shipment.name.strip('<>')}-compile-{shipment.token}-{uuid4().hex[:8]}"
        future = client.submit(_prepared, shipment, _sent(client, Batch(0, 0, (member,))), key=name)
        found = kept[key] = future, future.result()
    return found


def _size(facts: Prepared, light: int, members: Any, threads: int) -> int:
    """Members of a batch, of which so many are light enough: a power of two."""
    long_enough = int(max(LONG, EACH * threads) / max(facts.seconds, 1e-9))
    many = min(MOST, long_enough, light)
    if hasattr(members, "__len__"):
        many = min(many, len(members) // (AHEAD * threads))
    return 1 << (max(1, many).bit_length() - 1)


def _sent(client: Any, found: Batch) -> Any:
    """The members as a task takes them: in one piece, unless workers hold some of it."""
    given = [as_future(client, member) for member in found.members]
    if any(is_of_dask(member) for member in given):
        return given
    for number, member in enumerate(given, found.first):
        require_tuple(member, number)
    try:
        return by_value.dumps(given)
    except Exception as error:
        raise BadArgument(f"Workers cannot be sent {found}: {error}.", hint="Give what can be pickled.") from None


def _loaded(sent: Any) -> Any:
    return pickle.loads(sent) if isinstance(sent, bytes) else sent


def _prepared(shipment: Shipment, sent: Any) -> Prepared:
    return prepared(shipment, _loaded(sent)[0])


def _members(code: Prepared, sent: Any, first: int, is_summed: bool) -> Any:
    return member_calls.results(code.gradient(), _loaded(sent), first, is_summed)


def _sum(levels: list[int], nodes: list[Any]) -> Any:
    found = PairwiseSum()
    for level, node in zip(levels, nodes, strict=True):
        found.add(node, level)
    return found.total()
