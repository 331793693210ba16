"""Worker processes under a time and a memory cap; whatever one of them does, the harness goes on."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import npbench_runs
from npbench_runs.resident import machine_bytes, members
from npbench_runs.results import Status

POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0
GIB = 2**30
# Below this part of the machine's memory, Linux would choose the process that it kills.
LAST_PART = 0.04


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one worker may take: seconds over all its answers, bytes of it and its children, cores; and where gradients
    run, on the "cpu" or a "gpu"."""

    seconds: float
    memory: int
    threads: int
    device: str = "cpu"


class Ended(Exception):
    """A worker's request failed, and the worker is no more: the row's status and reason."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Process:
    """A module that serves requests, in a session and a folder of its own; dead after its first failure."""

    def __init__(self, module: str, limits: Limits) -> None:
        self.limits, self.left = limits, limits.seconds
        self.folder = tempfile.TemporaryDirectory(prefix="daad-bench-")
        self.log = Path(self.folder.name, "stderr.txt")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder.name,
                env=environment(limits.threads, self.folder.name, limits.device),
                start_new_session=True,
            )
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(self.process.pid, sorted(os.sched_getaffinity(0))[: limits.threads])

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def ask(self, request: str, **content: Any) -> dict[str, Any]:
        """The answer; raises `Ended` on a failure, at the end of the time that is left, or over the memory cap."""
        start = time.monotonic()
        try:
            self._write({"request": request, **content})
            answer = json.loads(self._read(start + self.left))
            status = Status(answer.pop("status"))
            if status is not Status.RIGHT:
                raise Ended(status, answer["reason"])
        except BaseException:
            self.kill()
            raise
        self.left -= time.monotonic() - start
        return answer

    def kill(self) -> None:
        """Ends the worker and all that it started, and removes its folder; once is enough."""
        self.process.kill()
        for pid, _ in members(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self.folder.cleanup()

    def _write(self, content: Mapping[str, Any]) -> None:
        # A worker that is dead already is noticed when its answer is read.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(content).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self, until: float) -> bytes:
        """A line of the worker's; between looks at its memory, the harness sleeps."""
        text = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not text.endswith(b"\n"):
                if selector.select(min(POLL_SECONDS, max(0.0, until - time.monotonic()))):
                    part = os.read(self.process.stdout.fileno(), 1 << 16)
                    if not part:
                        raise Ended(Status.FAILED, self._death())
                    text += part
                    continue
                if time.monotonic() >= until:
                    raise Ended(Status.TIMEOUT, f"took more than {self.limits.seconds:g} seconds")
                self._check_memory()
        return text

    def _check_memory(self) -> None:
        taken = sum(size for _, size in members(self.process.pid))
        if taken > self.limits.memory:
            raise Ended(Status.MEMORY, f"took more than {self.limits.memory / GIB:.3g} GiB")
        if machine_bytes("MemAvailable") < LAST_PART * machine_bytes():
            raise Ended(Status.MEMORY, f"took {taken / GIB:.3g} GiB, the last of the machine's memory")

    def _death(self) -> str:
        """How the process ended, and its last words."""
        try:
            code = self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "stopped answering"
        how = f"exited with code {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"
        words = self.log.read_text(errors="replace").strip().splitlines()
        return f"the process {how}" + (f": {words[-1][:200]}" if words else "")


def environment(threads: int, folder: str, device: str = "cpu") -> dict[str, str]:
    """The same for all engines: threads, and caches without programs, so that compiling is measured whole.

    cmake and ninja may be wheels beside Python; what DaCe keeps of the compiler itself is shared, as it is by default.
    """
    paths = [str(Path(npbench_runs.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    own = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "DAAD_CACHE": os.path.join(folder, "daad"),
        "DACE_default_build_folder": os.path.join(folder, "dacecache"),
        "DACE_BUILD_CACHE_DIR": tempfile.gettempdir(),
        "JAX_PLATFORMS": "cpu" if device == "cpu" else "cuda",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
    return {**os.environ, **own}
