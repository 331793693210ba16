"""A gradient on its way to workers: the program by value, its text, and the compiled code for machines of one kind."""

from __future__ import annotations

import linecache
import pickle
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any

from daad.api.ensemble.member_calls import timed
from daad.api.gradient import Gradient
from daad.codegen.fingerprint import environment
from daad.errors import BadArgument, DaadError
from daad.frontend import structures
from daad.runtime.cache import watched
from daad.runtime.lazy_import import later
from daad.runtime.shipped_entries import Entries

by_value = later("daad.api.ensemble.by_value")

HELD = 256 * 2**20
"""Bytes of a worker that hold no data: Python, NumPy, daad."""
SHARE = 0.6
"""Of its memory limit a worker keeps so much in memory; Dask writes to disk what is beyond that."""


@dataclass(frozen=True)
class Shipment:
    """`name` is the program's, `pickled` the gradient, `texts` are the sources that workers have no file of."""

    name: str
    pickled: bytes
    texts: Mapping[str, str]

    @staticmethod
    def of(gradient: Gradient) -> Shipment:
        """What workers need to make the same gradient."""
        name = gradient._subject.name
        try:
            return Shipment(name, by_value.dumps(gradient), dict(_texts()))
        except Exception as error:
            message = f"The gradient of '{name}' cannot be sent to workers: {error}."
            raise BadArgument(message, at=gradient._subject.at, hint="Pass what it holds as arguments.") from None

    @property
    def token(self) -> str:
        """Another one for another program."""
        return sha256(self.pickled + repr(sorted(self.texts.items())).encode()).hexdigest()[:16]

    def opened(self, limit: int | None) -> Gradient:
        """The gradient, in a process that may hold so many bytes."""
        for name, text in self.texts.items():
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        try:
            gradient: Gradient = pickle.loads(self.pickled)
        except (ImportError, AttributeError) as error:
            message = f"A worker cannot load the gradient of '{self.name}': {error}."
            hint = "Install the module where workers run, or send it by 'client.upload_file'."
            raise BadArgument(message, hint=hint) from None
        own = gradient._asked.request.memory_limit
        limits = [bound for bound in (own, limit) if bound is not None]
        return gradient._with(memory_limit=min(limits)) if limits else gradient


def _texts() -> Iterator[tuple[str, str]]:
    """Of the script that runs, and of what has been typed: functions of these are sent by value."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    typed = [name for name, entry in linecache.cache.items() if len(entry) == 4 and entry[1] is None]
    for name in {*typed, *([main] if main else [])}:
        lines = linecache.getlines(name)
        if lines:
            yield name, "".join(lines)


@dataclass
class Prepared:
    """A shipment with code that a worker has compiled, and what one member took there.

    Each worker opens it once; `member` is what another one compiles for if it must.
    """

    shipment: Shipment
    entries: Entries
    seconds: float = 0.0
    nbytes: int = 0
    _lock: Any = field(default_factory=Lock)
    _opened: Gradient | None = None

    def gradient(self) -> Gradient:
        """The one of this process."""
        with self._lock:
            if self._opened is None:
                self.entries.install(kind())
                self._opened = self.shipment.opened(worker_limit())
            return self._opened

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_opened": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())


def prepared(shipment: Shipment, member: Any) -> Prepared:
    """By a worker, which compiles for this member."""
    gradient = shipment.opened(worker_limit())
    with watched() as used:
        seconds, found = timed(gradient, member)
    nbytes = sum(_nbytes(found))
    return Prepared(shipment, Entries.of(used, kind()), seconds, nbytes, _opened=gradient)


def _nbytes(found: Any) -> Iterator[int]:
    inner = structures.inner(found)
    if inner is None:
        yield int(getattr(found, "nbytes", 8))
    for _, item in inner or ():
        yield from _nbytes(item)


def kind() -> str:
    """Of this machine: where it is the same, so is compiled code."""
    return sha256(repr(environment()).encode()).hexdigest()


def worker_limit() -> int | None:
    """Bytes that a call may hold in this worker; None where nobody says."""
    from distributed import get_worker

    try:
        limit = get_worker().memory_manager.memory_limit
    except (ValueError, AttributeError):
        return None
    return max(int(SHARE * limit) - HELD, int(SHARE * limit) // 4) if limit else None


def of_worker(error: BaseException) -> DaadError | None:
    """daad's sentence for what Dask says of workers; None for any other exception."""
    name = type(error).__name__
    if name == "KilledWorker":
        last = str(getattr(getattr(error, "last_worker", None), "address", "unknown"))
        return DaadError(
            f"Workers died while they computed '{getattr(error, 'task', '')}', the last one at {last}.",
            hint="They may have run out of memory: give them more, or the gradient a memory_limit.",
        )
    if name in ("FutureCancelledError", "CancelledError"):
        return DaadError("The cluster was restarted, or lost, during the call.", hint="Call again.")
    return None
