"""The processes of a build: each starts a group of its own, and all of them end with the build, whatever ends it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

GRACE = 5.0  # seconds until a process that was killed is gone


class Children:
    """Stands for the module `subprocess` where DaCe starts processes."""

    def __init__(self, environment: Mapping[str, str | None]) -> None:
        self._environment = environment
        self._running: list[subprocess.Popen[Any]] = []
        self._ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def Popen(self, command: Any, **options: Any) -> subprocess.Popen[Any]:
        """As `subprocess.Popen`; nothing starts any more once the build has ended."""
        if self._ended:
            raise subprocess.SubprocessError("The build has ended.")
        given = {**os.environ, **self._environment}
        environment = {name: value for name, value in given.items() if value is not None}
        process = subprocess.Popen(
            command, **{"stdin": subprocess.DEVNULL, **options}, env=environment, process_group=0
        )
        self._running.append(process)
        return process

    def run(
        self,
        command: Any,
        *,
        input: str | None = None,
        capture_output: bool = False,
        timeout: float | None = None,
        check: bool = False,
        **options: Any,
    ) -> subprocess.CompletedProcess[Any]:
        """As `subprocess.run`."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if capture_output else {}
        stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
        process = self.Popen(command, stdin=stdin, **pipes, **options)
        out, err = process.communicate(input, timeout=timeout)
        if check and process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, out, err)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def kill(self) -> None:
        """Ends the groups of all that still run; safe in a signal's handler."""
        self._ended = True
        for process in self._running:
            if process.returncode is None:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """As `kill`; afterwards none is left."""
        self.kill()
        for process in self._running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)


@contextlib.contextmanager
def children(modules: tuple[Any, ...], environment: Mapping[str, str | None]) -> Iterator[None]:
    """Modules that start processes by `subprocess` start them here; an interrupt ends them before it is raised.

    `environment` changes what the processes find in theirs; None removes a variable.
    """
    started = Children(environment)
    before = [module.subprocess for module in modules]
    for module in modules:
        module.subprocess = started
    try:
        with _interrupts_end(started):
            yield
    finally:
        for module, original in zip(modules, before, strict=True):
            module.subprocess = original
        started.close()


@contextlib.contextmanager
def _interrupts_end(started: Children) -> Iterator[None]:
    """DaCe waits for its compilers in threads, which would keep Ctrl-C waiting for them."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        try:
            previous(number, frame)
        except BaseException:
            started.kill()
            raise

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
