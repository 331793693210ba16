"""The processes of a build: each starts a group of its own, which ends with the build, whatever ends that."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

GRACE = 5.0  # seconds until a process that was killed is gone

Process = subprocess.Popen[bytes]


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str | None]) -> tuple[int, str]:
    """The exit status of a command and all that it printed.

    `environment` changes what the process finds in its own; None removes a variable.
    """
    given = {**os.environ, **environment}
    kept = {name: value for name, value in given.items() if value is not None}
    started: Future[Process] = Future()
    options = {"cwd": folder, "env": kept, "process_group": 0, "stdin": subprocess.DEVNULL}
    with _ended(started):
        try:
            threading.Thread(target=_start, args=(started, command, options), name="daad.runtime.children").start()
            process = started.result()
        except (OSError, RuntimeError) as error:  # the latter: no thread can be started
            return 1, f"error: {getattr(error, 'strerror', error)}"
        output, _ = process.communicate()
    return process.returncode, output.decode(errors="replace")


def _start(started: Future[Process], command: Sequence[str], options: Mapping[str, Any]) -> None:
    """Starts a process, unless that was cancelled.

    In a thread of its own: a signal's handler may raise at any moment of the main thread, also when the process has
    started and `Popen` has not returned, and then nobody would know which one to end.
    """
    if started.set_running_or_notify_cancel():
        try:
            started.set_result(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options))
        except BaseException as error:
            started.set_exception(error)


@contextlib.contextmanager
def _ended(started: Future[Process]) -> Iterator[None]:
    try:
        yield
    finally:
        if not started.cancel() and started.exception() is None and started.result().returncode is None:
            process = started.result()
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
