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

from daad.messages.progress import counted

GRACE = 5.0  # seconds until a process that was killed is gone

Process = subprocess.Popen[bytes]
Ended = tuple[int, str]


def run(commands: Sequence[Sequence[str]], folder: Path, environment: Mapping[str, str | None]) -> list[Ended]:
    """Runs commands at the same time: the exit status of each and all that it printed.

    `environment` changes what the processes find in their own; None removes a variable.
    """
    given = {**os.environ, **environment}
    kept = {name: value for name, value in given.items() if value is not None}
    started: list[Future[Process]] = [Future() for _ in commands]
    options = {"cwd": folder, "env": kept, "process_group": 0, "stdin": subprocess.DEVNULL}
    with _ended(started):
        try:
            for future, command in zip(started, commands, strict=True):
                threading.Thread(target=_start, args=(future, command, options), name="daad.children").start()
            processes = [future.result() for future in started]
        except (OSError, RuntimeError) as error:  # the latter: no thread can be started
            return [(1, f"error: {getattr(error, 'strerror', error)}") for _ in commands]
        outputs = []
        for number, process in enumerate(processes, 1):
            if len(processes) > 1:
                counted("file", number, len(processes))
            outputs.append(process.communicate()[0])
    return [(p.returncode, output.decode(errors="replace")) for p, output in zip(processes, outputs, strict=True)]


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
def _ended(started: Sequence[Future[Process]]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for future in started:
            stack.callback(_end, future)  # each of them, also when a signal's handler raises during another
        yield


def _end(started: Future[Process]) -> None:
    if started.cancel() or started.exception() is not None or started.result().returncode is not None:
        return
    process = started.result()
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
