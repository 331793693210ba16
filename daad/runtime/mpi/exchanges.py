"""Messages of MPI that compiled code passes through Python: what is done, what its adjoint is, and in which order.

A program's communications are a chain: each takes the number that the one before gave, its adjoint goes on from the
number that the adjoint of the one after it gave. So none is left out or moved, and one that is computed again, by
whatever plan, has the result of its number, which a run has once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from daad.errors import Location
from daad.runtime.mpi.ranks import mpi
from daad.runtime.mpi.run_log import Log, Values, log_of
from daad.runtime.python_calls import Frame

Type = tuple[tuple[int, ...], np.dtype[Any]]


@dataclass(frozen=True)
class Exchange:
    """A communication of a program: `sent` and `received` are the shapes and dtypes of its buffers."""

    kind: str
    comm: Any
    at: Location | None
    sent: tuple[Type, ...] = ()
    received: tuple[Type, ...] = ()
    root: int = 0
    counts: tuple[int, ...] | None = None

    @property
    def is_root(self) -> bool:
        return bool(self.comm.Get_rank() == self.root)

    def forward(self, frame: Frame, world: float, *given: Any) -> Values:
        """The next number, and what the call gives."""
        run = log_of(frame)

        def first() -> Values:
            _require_exact(given)
            return KINDS[self.kind].forward(self, run, *given)

        return run.once(world, (self, "forward"), first)

    def tangent(self, frame: Frame, given: Sequence[Any], dots: Sequence[Any]) -> tuple[Values, Values]:
        """The next number and what the call gives, and the tangents of these."""
        run, (world, *values) = log_of(frame), given

        def first() -> Values:
            _require_exact(values)
            return KINDS[self.kind].tangent(self, run, values, dots[1:])

        number, found, pushed = run.once(world, (self, "tangent"), first)
        return [number, *found], [0.0, *pushed]

    def backward(self, frame: Frame, given: Values, found: Values, bars: Values) -> Values:
        """The next number, and the adjoints of what has been sent."""
        run, (world, *others) = log_of(frame), bars
        bars = [
            zeros(t) if bar is None else np.asarray(bar, t[1]) for bar, t in zip(others, self.received, strict=True)
        ]
        return run.once(world, (self, "backward"), lambda: KINDS[self.kind].backward(self, run, given, found, bars))


def zeros(kind: Type) -> np.ndarray:
    return np.zeros(*kind)


def _row(value: Any, kind: Type) -> np.ndarray:
    """A buffer for MPI."""
    return np.ascontiguousarray(value, kind[1])


def _later(tag: Any) -> int:
    """The tag of an adjoint, which no message of the program has."""
    if tag < 0:
        return int(tag)
    half = mpi().COMM_WORLD.Get_attr(mpi().TAG_UB) // 2
    if tag >= half:
        raise ValueError(f"tags of programs that are differentiated are below {half}")
    return int(tag) + half


def _checked(status: Any, buffer: np.ndarray, source: int) -> np.ndarray:
    """Where a message has come from, and its tag."""
    size, wanted = status.Get_count(mpi().BYTE), buffer.nbytes
    if source == mpi().PROC_NULL:
        raise ValueError("the source is MPI.PROC_NULL, which nobody knew while the program was read")
    if size != wanted:
        raise ValueError(f"a message of {size} bytes has come for a buffer of {wanted} bytes")
    return np.array([status.Get_source(), status.Get_tag()])


def _send(on: Exchange, _run: Log, x: Any, dest: int, tag: int) -> Values:
    on.comm.Send(_row(x, on.sent[0]), int(dest), int(tag))
    return []


def _send_back(on: Exchange, _run: Log, given: Values, _found: Values, _bars: Values) -> Values:
    _, dest, tag = given
    bar = zeros(on.sent[0])
    on.comm.Recv(bar, int(dest), _later(tag))
    return [bar]


def _recv(on: Exchange, _run: Log, source: int, tag: int) -> Values:
    y, status = zeros(on.received[0]), mpi().Status()
    on.comm.Recv(y, int(source), int(tag), status)
    return [y, _checked(status, y, source)]


def _recv_back(on: Exchange, _run: Log, _given: Values, found: Values, bars: Values) -> Values:
    (source, tag), y_bar = found[1], bars[0]
    on.comm.Send(y_bar, int(source), _later(tag))
    return []


def _sendrecv(on: Exchange, _run: Log, x: Any, dest: int, sendtag: int, source: int, recvtag: int) -> Values:
    y, status = zeros(on.received[0]), mpi().Status()
    on.comm.Sendrecv(_row(x, on.sent[0]), int(dest), int(sendtag), y, int(source), int(recvtag), status)
    return [y, _checked(status, y, source)]


def _sendrecv_back(on: Exchange, _run: Log, given: Values, found: Values, bars: Values) -> Values:
    _, dest, sendtag, *_ = given
    (source, tag), x_bar = found[1], zeros(on.sent[0])
    on.comm.Sendrecv(bars[0], int(source), _later(tag), x_bar, int(dest), _later(sendtag))
    return [x_bar]


def _isend(on: Exchange, run: Log, x: Any, dest: int, tag: int) -> Values:
    buffer, key = _row(x, on.sent[0]), run.next or 0
    run.begin(key, on.comm.Isend(buffer, int(dest), int(tag)), buffer)
    return [np.int64(key)]


def _isend_back(_on: Exchange, run: Log, _given: Values, found: Values, _bars: Values) -> Values:
    return [run.end(("adjoint", int(found[0])))]


def _isend_wait(_on: Exchange, run: Log, key: int, _dest: int, _tag: int) -> Values:
    run.end(int(key))
    return []


def _isend_wait_back(on: Exchange, run: Log, given: Values, _found: Values, _bars: Values) -> Values:
    key, dest, tag = given
    bar = zeros(on.sent[0])
    run.begin(("adjoint", int(key)), on.comm.Irecv(bar, int(dest), _later(tag)), bar)
    return []


def _irecv(on: Exchange, run: Log, source: int, tag: int) -> Values:
    buffer, key = zeros(on.sent[0]), run.next or 0
    run.begin(key, on.comm.Irecv(buffer, int(source), int(tag)), buffer)
    return [np.int64(key)]


def _irecv_back(_on: Exchange, run: Log, _given: Values, found: Values, _bars: Values) -> Values:
    run.end(("adjoint", int(found[0])))
    return []


def _irecv_wait(_on: Exchange, run: Log, key: int, source: int, _tag: int) -> Values:
    status = mpi().Status()
    buffer = run.end(int(key), status)
    return [buffer, _checked(status, buffer, source)]


def _irecv_wait_back(on: Exchange, run: Log, given: Values, found: Values, bars: Values) -> Values:
    (source, tag), y_bar = found[1], bars[0].copy()
    run.begin(("adjoint", int(given[0])), on.comm.Isend(y_bar, int(source), _later(tag)), y_bar)
    return []


def _bcast(on: Exchange, _run: Log, x: Any) -> Values:
    y = np.array(x, on.sent[0][1])
    on.comm.Bcast(y, on.root)
    return [y]


def _bcast_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0])
    on.comm.Reduce(bars[0], x_bar if on.is_root else None, mpi().SUM, on.root)
    return [x_bar]


def _reduced(name: str) -> Callable[..., Values]:
    def run(on: Exchange, _run: Log, x: Any) -> Values:
        y = zeros(on.sent[0])
        on.comm.Reduce(_row(x, on.sent[0]), y if on.is_root else None, getattr(mpi(), name), on.root)
        return [y] if on.received else []

    return run


def _sum_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = bars[0].copy() if on.is_root else zeros(on.sent[0])
    on.comm.Bcast(x_bar, on.root)
    return [x_bar]


def _extremum_back(on: Exchange, _run: Log, given: Values, found: Values, bars: Values) -> Values:
    """Those that tie have equal shares."""
    both = np.array([found[0], bars[0]]) if on.is_root else np.zeros((2, *on.sent[0][0]), on.sent[0][1])
    on.comm.Bcast(both, on.root)
    return [_shared(on, given[0], both[0], both[1])]


def _shared(on: Exchange, x: Any, y: Any, total: np.ndarray) -> np.ndarray:
    attains = np.asarray(x == y, on.sent[0][1])
    count = zeros(on.sent[0])
    on.comm.Allreduce(attains, count, mpi().SUM)
    return attains * total / np.maximum(count, 1.0)


def _allreduced(name: str) -> Callable[..., Values]:
    def run(on: Exchange, _run: Log, x: Any) -> Values:
        y = zeros(on.sent[0])
        on.comm.Allreduce(_row(x, on.sent[0]), y, getattr(mpi(), name))
        return [y]

    return run


def _allsum_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0])
    on.comm.Allreduce(bars[0], x_bar, mpi().SUM)
    return [x_bar]


def _allextremum_back(on: Exchange, _run: Log, given: Values, found: Values, bars: Values) -> Values:
    """The same; the sum of the adjoints and the number of those that tie come at once."""
    attains = np.asarray(given[0] == found[0], on.sent[0][1])
    mine = np.array([bars[0], attains])
    both = np.zeros_like(mine)
    on.comm.Allreduce(mine, both, mpi().SUM)
    return [attains * both[0] / np.maximum(both[1], 1.0)]


def _counted(on: Exchange, buffer: Any) -> Any:
    """A buffer with the numbers of elements of all ranks."""
    return buffer if on.counts is None or buffer is None else [buffer, list(on.counts)]


def _by_counts(on: Exchange, name: str) -> Any:
    return getattr(on.comm, name if on.counts is None else f"{name}v")


def _gather(on: Exchange, _run: Log, x: Any) -> Values:
    y = zeros(on.received[0]) if on.is_root else None
    _by_counts(on, "Gather")(_row(x, on.sent[0]), _counted(on, y), on.root)
    return [y] if on.is_root else []


def _gather_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0])
    _by_counts(on, "Scatter")(_counted(on, bars[0]) if on.is_root else None, x_bar, on.root)
    return [x_bar]


def _scatter(on: Exchange, _run: Log, *x: Any) -> Values:
    y = zeros(on.received[0])
    _by_counts(on, "Scatter")(_counted(on, _row(x[0], on.sent[0])) if on.is_root else None, y, on.root)
    return [y]


def _scatter_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0]) if on.is_root else None
    _by_counts(on, "Gather")(bars[0], _counted(on, x_bar), on.root)
    return [x_bar] if on.is_root else []


def _allgather(on: Exchange, _run: Log, x: Any) -> Values:
    y = zeros(on.received[0])
    _by_counts(on, "Allgather")(_row(x, on.sent[0]), _counted(on, y))
    return [y]


def _allgather_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0])
    if on.counts is None:
        on.comm.Reduce_scatter_block(bars[0], x_bar, mpi().SUM)
    else:
        on.comm.Reduce_scatter(bars[0], x_bar, on.counts, mpi().SUM)
    return [x_bar]


def _alltoall(on: Exchange, _run: Log, x: Any) -> Values:
    y = zeros(on.received[0])
    on.comm.Alltoall(_row(x, on.sent[0]), y)
    return [y]


def _alltoall_back(on: Exchange, _run: Log, _given: Values, _found: Values, bars: Values) -> Values:
    x_bar = zeros(on.sent[0])
    on.comm.Alltoall(bars[0], x_bar)
    return [x_bar]


def _barrier(on: Exchange, _run: Log) -> Values:
    on.comm.Barrier()
    return []


def _barrier_back(on: Exchange, run: Log, *_: Any) -> Values:
    return _barrier(on, run)


def _pushed(on: Exchange, run: Log, given: Values, dots: Values) -> Values:
    """What is linear is done once more, with tangents; sources are those that the values came from."""
    found = KINDS[on.kind].forward(on, run, *given)
    again = [one if np.asarray(one).dtype.kind in "biu" else dot for one, dot in zip(given, dots, strict=True)]
    if on.kind in ("Recv", "Sendrecv"):
        again[-2:] = found[1]
    if on.kind == "Irecv" and mpi().ANY_SOURCE in given:
        raise ValueError("a tangent of a message from anywhere cannot be told from others")
    run.of_tangents = True
    pushed = KINDS[on.kind].forward(on, run, *again)
    run.of_tangents = False
    return [found, [np.zeros_like(one) if np.asarray(one).dtype.kind in "biu" else one for one in pushed]]


def _pushed_extremum(on: Exchange, run: Log, given: Values, dots: Values) -> Values:
    """The mean of the tangents of those that tie."""
    name, (x, x_dot) = on.kind[-3:], (given[0], dots[0])
    (y,) = _allreduced(name)(on, run, x)
    attains = np.asarray(x == y, on.sent[0][1])
    mine = np.array([attains * x_dot, attains])
    both = np.zeros_like(mine)
    on.comm.Allreduce(mine, both, mpi().SUM)
    dot = (both[0] / both[1]).astype(on.sent[0][1])
    return [[y], [dot]] if on.received else [[], []]


class Kind(NamedTuple):
    """How a call runs, its adjoint and its tangent; `keeps` says whether the adjoint asks for what has been sent and
    received."""

    forward: Callable[..., Values]
    backward: Callable[..., Values]
    keeps: bool = False
    tangent: Callable[..., Values] = _pushed


KINDS: dict[str, Kind] = {
    "Send": Kind(_send, _send_back),
    "Recv": Kind(_recv, _recv_back),
    "Sendrecv": Kind(_sendrecv, _sendrecv_back),
    "Isend": Kind(_isend, _isend_back),
    "Wait of Isend": Kind(_isend_wait, _isend_wait_back),
    "Irecv": Kind(_irecv, _irecv_back),
    "Wait of Irecv": Kind(_irecv_wait, _irecv_wait_back),
    "Bcast": Kind(_bcast, _bcast_back),
    "Reduce of SUM": Kind(_reduced("SUM"), _sum_back),
    "Reduce of MAX": Kind(_reduced("MAX"), _extremum_back, keeps=True, tangent=_pushed_extremum),
    "Reduce of MIN": Kind(_reduced("MIN"), _extremum_back, keeps=True, tangent=_pushed_extremum),
    "Allreduce of SUM": Kind(_allreduced("SUM"), _allsum_back),
    "Allreduce of MAX": Kind(_allreduced("MAX"), _allextremum_back, keeps=True, tangent=_pushed_extremum),
    "Allreduce of MIN": Kind(_allreduced("MIN"), _allextremum_back, keeps=True, tangent=_pushed_extremum),
    "Gather": Kind(_gather, _gather_back),
    "Scatter": Kind(_scatter, _scatter_back),
    "Allgather": Kind(_allgather, _allgather_back),
    "Alltoall": Kind(_alltoall, _alltoall_back),
    "Barrier": Kind(_barrier, _barrier_back),
}


def _require_exact(values: Sequence[Any]) -> None:
    """Refuses integers that a float64 does not hold."""
    for value in values:
        is_array = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iu"
        if is_array and np.any(np.abs(np.asarray(value, float)) >= 2.0**53):
            raise ValueError("integers of 54 bits and more are not supported")
