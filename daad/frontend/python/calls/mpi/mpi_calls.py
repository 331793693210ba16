"""Methods of mpi4py's communicators and requests: what each sends and receives, by its signature."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from daad.frontend.python.calls.mpi.call_site import SIZES, Buffer, Site
from daad.frontend.python.calls.mpi.communications import INTEGER
from daad.frontend.python.calls.static_calls import run_now
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.values import ArrayValue
from daad.runtime.mpi.ranks import mpi

WHERE = 2
"""Numbers that say where a message has come from: its source and its tag."""


@dataclass(eq=False)
class Pending:
    """A request of the program; `ends` reads the wait for it."""

    ends: Callable[[], None]

    def Wait(self, status: Any = None) -> None: ...

    def wait(self, status: Any = None) -> None: ...

    def Test(self) -> None: ...

    test = Cancel = Free = cancel = free = Test


def concerns(function: Any) -> bool:
    """Whether it is a method of a communicator, of a request or of a window."""
    module, owner = mpi(), getattr(function, "__self__", None)
    if isinstance(owner, Pending):
        return True
    if module is None or owner is None:
        return False
    kinds = (module.Comm, module.Request, module.Win, module.File, module.Message, module.Status, module.Op)
    return isinstance(owner, kinds) or (isinstance(owner, type) and issubclass(owner, (*kinds,)))


def called(reader: Reader, node: ast.Call, call: Any, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What the method does in the program."""
    owner, name = function.__self__, function.__name__
    if isinstance(owner, Pending):
        if name not in ("Wait", "wait"):
            reader.stage.refuse(f"A request is asked for '{ast.unparse(node.func)}'.", "Wait for it.")
        return _wait(reader, owner, *args, **keywords)
    if owner is mpi().Request and name in ("Waitall", "waitall"):
        return _wait_all(reader, *args, **keywords)
    if isinstance(owner, mpi().Comm) and name in PURE:
        return run_now(reader, node, function, args, keywords)
    if not isinstance(owner, mpi().Comm) or name not in METHODS:
        return reader.stage.refuse(*_refusal(owner, name))
    site = Site(reader, node, call, owner, name)
    try:
        return METHODS[name](site, *args, **keywords)
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        return site.refuse(f"This call of '{name}' fails: it has other arguments.", "Pass what mpi4py asks for.")


def _refusal(owner: Any, name: str) -> tuple[str, str]:
    if isinstance(owner, mpi().Win) or owner is mpi().Win:
        return "One-sided communication is not supported.", "Send and receive instead."
    if isinstance(owner, mpi().Op) or owner is mpi().Op:
        return "Operations of MPI that a program defines are not supported.", "Use MPI.SUM, MPI.MAX or MPI.MIN."
    if name.startswith(MAKING) or name in ("Dup", "Clone", "Free", "Disconnect", "Idup"):
        return f"'{name}' makes or ends a communicator.", "Do that outside of the function, which may use it."
    upper = name[:1].upper() + name[1:]
    if name[:1].islower() and upper in METHODS:
        return f"'{name}' sends objects of Python.", f"Send arrays by '{upper}'."
    return f"The method '{name}' of MPI is not supported.", f"There are {', '.join(sorted(METHODS))}, Wait, Waitall."


MAKING = ("Create", "Split", "Sub", "Spawn", "Accept", "Connect", "Merge")
PURE = frozenset(
    ("Get_rank", "Get_size", "Get_coords", "Get_cart_rank", "Shift", "Get_topo", "Get_dim", "Get_name", "Is_inter",
     "Is_intra", "Get_topology", "Get_remote_size", "Get_attr")
)  # fmt: skip
"""What only says how ranks lie."""


def _send(on: Site, buf: Any, dest: Any, tag: Any = 0) -> None:
    on.exchange("Send", [on.buffer(buf).value], [on.integer(dest), on.integer(tag)], [])


def _recv(on: Site, buf: Any, source: Any = None, tag: Any = None, status: Any = None) -> None:
    on.no_status(status)
    numbers, target = _from(on, source, tag), on.target(buf).value
    if not _is_nobody(numbers[0]):
        on.exchange("Recv", [], numbers, [target], [_where()])


def _where() -> Any:
    return type(INTEGER)((WHERE,), INTEGER.dtype)


def _is_nobody(rank: Any) -> bool:
    return not isinstance(rank, ArrayValue) and rank == mpi().PROC_NULL


def _from(on: Site, source: Any, tag: Any) -> list[Any]:
    """The source and the tag of what is received; one of them is known at least."""
    source = mpi().ANY_SOURCE if source is None else on.integer(source)
    tag = mpi().ANY_TAG if tag is None else on.integer(tag)
    known = [number for number in (source, tag) if isinstance(number, int)]
    if len(known) == 2 and source == mpi().ANY_SOURCE and tag == mpi().ANY_TAG:
        on.refuse(
            f"'{on.name}' receives any message from anywhere, an adjoint among them.",
            "Give it the source or the tag.",
        )
    return [source, tag]


def _sendrecv(
    on: Site, sendbuf: Any, dest: Any, sendtag: Any = 0, recvbuf: Any = None, source: Any = None, recvtag: Any = None,
    status: Any = None,
) -> None:  # fmt: skip
    on.no_status(status)
    sent, numbers = on.buffer(sendbuf).value, [on.integer(dest), on.integer(sendtag), *_from(on, source, recvtag)]
    if _is_nobody(numbers[2]):
        on.exchange("Send", [sent], numbers[:2], [])
        return
    on.exchange("Sendrecv", [sent], numbers, [on.target(recvbuf).value], [_where()])


def _sendrecv_replace(
    on: Site, buf: Any, dest: Any, sendtag: Any = 0, source: Any = None, recvtag: Any = None, status: Any = None
) -> None:
    _sendrecv(on, buf, dest, sendtag, buf, source, recvtag, status)


def _isend(on: Site, buf: Any, dest: Any, tag: Any = 0) -> Pending:
    sent, numbers = on.buffer(buf).value, [on.integer(dest), on.integer(tag)]
    (key,) = on.exchange("Isend", [sent], numbers, [], [INTEGER])
    return Pending(lambda: _isend_ends(on, sent, [key, *numbers]))


def _isend_ends(on: Site, sent: Any, given: list[Any]) -> None:
    on.exchange("Wait of Isend", [], given, [], beside=[sent])


def _irecv(on: Site, buf: Any, source: Any = None, tag: Any = None) -> Pending:
    numbers, target = _from(on, source, tag), on.target(buf).value
    if _is_nobody(numbers[0]):
        return Pending(lambda: None)
    (key,) = on.exchange("Irecv", [], numbers, [], [INTEGER], beside=[target])
    return Pending(lambda: _irecv_ends(on, target, [key, *numbers]))


def _irecv_ends(on: Site, target: Any, given: list[Any]) -> None:
    on.exchange("Wait of Irecv", [], given, [target], [_where()])


def _wait(reader: Reader, pending: Pending, status: Any = None) -> None:
    if status is not None:
        reader.stage.refuse("The status of a request is not supported.", "Leave it out.")
    pending.ends()


def _wait_all(reader: Reader, requests: Any, statuses: Any = None) -> None:
    for one in list(requests):
        if not isinstance(one, Pending):
            reader.stage.refuse("A request that was made outside is waited for.", "Make it in the function.")
        _wait(reader, one, statuses)


def _bcast(on: Site, buf: Any, root: Any = 0) -> None:
    target = on.target(buf).value
    on.exchange("Bcast", [target], [], [target], root=on.root(root))


def _operation(on: Site, op: Any) -> str:
    for name in ("SUM", "MAX", "MIN"):
        if op is None or op == getattr(mpi(), name):
            return name
    return str(on.refuse(f"The operation of '{on.name}' is not supported.", "Use MPI.SUM, MPI.MAX or MPI.MIN."))


def _reduce(on: Site, sendbuf: Any, recvbuf: Any, op: Any = None, root: Any = 0) -> None:
    root, kind = on.root(root), f"Reduce of {_operation(on, op)}"
    if on.comm.Get_rank() != root:
        on.exchange(kind, [on.buffer(sendbuf).value], [], [], root=root)
        return
    target = on.target(recvbuf).value
    on.exchange(kind, [_sent_to(on, sendbuf, target)], [], [target], root=root)


def _allreduce(on: Site, sendbuf: Any, recvbuf: Any, op: Any = None) -> None:
    target = on.target(recvbuf).value
    sent = _sent_to(on, sendbuf, target)
    on.exchange(f"Allreduce of {_operation(on, op)}", [sent], [], [target])


def _sent_to(on: Site, sendbuf: Any, target: Any) -> Any:
    """What a rank has for a reduction into the target, which may hold it."""
    is_in_place = isinstance(sendbuf, type(mpi().IN_PLACE)) and sendbuf == mpi().IN_PLACE
    return target if is_in_place else on.like(on.buffer(sendbuf).value, target)


def _gather(on: Site, sendbuf: Any, recvbuf: Any, root: Any = 0) -> None:
    sent, root = on.buffer(sendbuf).value, on.root(root)
    targets, counts = _of_root(on, root, lambda: on.target(recvbuf), sent, gathers=True)
    on.exchange("Gather", [sent], [], targets, root=root, counts=counts)


def _scatter(on: Site, sendbuf: Any, recvbuf: Any, root: Any = 0) -> None:
    target, root = on.target(recvbuf).value, on.root(root)
    sent, counts = _of_root(on, root, lambda: on.buffer(sendbuf), target, gathers=False)
    on.exchange("Scatter", sent, [], [target], root=root, counts=counts)


def _of_root(
    on: Site, root: int, whole: Callable[[], Buffer], part: Any, gathers: bool
) -> tuple[list[Any], tuple[int, ...] | None]:
    """What only the root has: all parts in one array, and how many elements each rank's part has."""
    if on.comm.Get_rank() != root:
        return [], _numbers(on, None, is_known=False)
    found = whole()
    on.require(found.value, part, found.counts, gathers)
    return [found.value], _numbers(on, found.counts, is_known=True)


def _numbers(on: Site, counts: tuple[int, ...] | None, is_known: bool) -> tuple[int, ...] | None:
    """Those of a call by numbers, which not all ranks know."""
    if not on.name.endswith("v"):
        return counts
    if counts is None and is_known:
        on.refuse(f"'{on.name}' does not say how many elements each rank has.", "Pass [array, numbers].")
    return counts or ()


def _allgather(on: Site, sendbuf: Any, recvbuf: Any) -> None:
    sent, target = on.buffer(sendbuf).value, on.target(recvbuf)
    on.require(target.value, sent, target.counts, gathers=True)
    on.exchange("Allgather", [sent], [], [target.value], counts=_numbers(on, target.counts, is_known=True))


def _alltoall(on: Site, sendbuf: Any, recvbuf: Any) -> None:
    target = on.target(recvbuf).value
    sent = on.like(on.buffer(sendbuf).value, target)
    if on.size(target) % on.comm.Get_size():
        on.refuse(f"'{on.name}' sends {on.size(target)} elements to {on.comm.Get_size()} ranks.", SIZES)
    on.exchange("Alltoall", [sent], [], [target])


def _barrier(on: Site) -> None:
    on.exchange("Barrier", [], [], [])


METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("Send", "Ssend"), _send),
    "Recv": _recv,
    "Sendrecv": _sendrecv,
    "Sendrecv_replace": _sendrecv_replace,
    "Isend": _isend,
    "Irecv": _irecv,
    "Bcast": _bcast,
    "Reduce": _reduce,
    "Allreduce": _allreduce,
    **dict.fromkeys(("Gather", "Gatherv"), _gather),
    **dict.fromkeys(("Scatter", "Scatterv"), _scatter),
    **dict.fromkeys(("Allgather", "Allgatherv"), _allgather),
    "Alltoall": _alltoall,
    **dict.fromkeys(("Barrier", "barrier"), _barrier),
}
