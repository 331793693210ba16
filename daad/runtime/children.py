"""The processes of a build: each starts a group of its own, which ends with the build, whatever ends that."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

GRACE = 5.0  # seconds until a process that was killed is gone


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str | None]) -> tuple[int, str]:
    """The exit status of a command and all that it printed.

    `environment` changes what the process finds in its own; None removes a variable.
    """
    given = {**os.environ, **environment}
    kept = {name: value for name, value in given.items() if value is not None}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=kept,
            process_group=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        return 1, f"error: {error.strerror}"
    with _ended(process):
        output, _ = process.communicate()
    return process.returncode, output.decode(errors="replace")


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
