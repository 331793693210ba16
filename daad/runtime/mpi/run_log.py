"""What a run has exchanged: each communication once, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from daad.errors import BadArgument
from daad.runtime.mpi.ranks import mpi
from daad.runtime.python_calls import Frame

Values = list[Any]


@dataclass(eq=False)
class Log:
    """What has been exchanged in a run, by numbers, and what has begun and not ended."""

    done: dict[int, tuple[Any, Values]] = field(default_factory=dict)
    next: int | None = None
    pending: dict[Any, tuple[Any, np.ndarray]] = field(default_factory=dict)
    of_tangents: bool = False

    def once(self, world: float, what: tuple[Any, str], run: Callable[[], Values]) -> Values:
        """The result of the communication of this number."""
        number, exchange = int(world), what[0]
        if number not in self.done:
            if self.next not in (None, number):
                raise RuntimeError(f"Communication {number} is asked for before {self.next}: please report this.")
            try:
                self.done[number] = what, run()
            except (mpi().Exception, ValueError) as error:
                text = str(error).rstrip(".")
                hint = "Give both sides buffers of the same size and dtype."
                raise BadArgument(f"'{exchange.kind}' fails: {text}.", at=exchange.at, hint=hint) from error
            self.next = number + 1
        known, found = self.done[number]
        if known != what:
            raise RuntimeError(f"Communication {number} is asked for twice: please report this.")
        return [float(number + 1), *found]

    def begin(self, key: Any, request: Any, buffer: np.ndarray) -> None:
        self.pending[self.of_tangents, key] = request, buffer

    def end(self, key: Any, status: Any = None) -> np.ndarray:
        """What has begun under this key is waited for."""
        if (self.of_tangents, key) not in self.pending:
            raise ValueError("its request is waited for twice, or never")
        request, buffer = self.pending.pop((self.of_tangents, key))
        request.Wait(status)
        return buffer


_logs: WeakKeyDictionary[Frame, Log] = WeakKeyDictionary()


def log_of(frame: Frame) -> Log:
    """That of a run."""
    if frame not in _logs:
        _logs[frame] = Log()
    return _logs[frame]


def finished(frame: Frame, world: float) -> float:
    """A zero for the results of a program, when it has communicated for the last time."""
    if log_of(frame).pending:
        raise BadArgument("A request has not been waited for.", hint="Call its 'Wait', or 'MPI.Request.Waitall'.")
    return 0.0
