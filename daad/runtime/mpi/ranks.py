"""The ranks of a program: whether it has others, what they have together, and how all end."""

from __future__ import annotations

import sys
import time
from typing import Any


def mpi() -> Any:
    """mpi4py's module, if the program has imported it."""
    return sys.modules.get("mpi4py.MPI")


def passes_messages(value: Any) -> bool:
    """Whether it is mpi4py's module, or a communicator."""
    module = mpi()
    return module is not None and (value is module or isinstance(value, module.Comm))


def over_ranks(value: float, how: str = "SUM") -> float:
    """The sum, or the largest, of what all ranks have."""
    return float(mpi().COMM_WORLD.allreduce(float(value), getattr(mpi(), how)))


PASSING_ON = 0.5
"""Seconds in which `mpiexec` passes on what a rank has said: it drops the rest when a rank ends all."""


def abort_all_on_errors() -> None:
    """From now on an exception that nobody catches ends all ranks, after its message."""
    hook = sys.excepthook
    if getattr(hook, "aborts_all_ranks", False):
        return

    def show_and_abort(kind: Any, error: Any, trace: Any) -> None:
        hook(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        if mpi().COMM_WORLD.Get_size() > 1 and not mpi().Is_finalized():
            time.sleep(PASSING_ON)
            mpi().COMM_WORLD.Abort(1)

    show_and_abort.aborts_all_ranks = True  # type: ignore[attr-defined]
    sys.excepthook = show_and_abort
