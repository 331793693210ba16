"""Other processes: forked ones, which have everything imported, and new ones with surroundings of their own."""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 60.0
CHUNK = 65536


@dataclass
class Forked:
    """A child that does some work; `result` is what the work returned."""

    pid: int
    pipe: int

    def result(self, limit: float = LIMIT) -> Any:
        """Fails if the child raises, dies, or takes longer than `limit` seconds."""
        content, deadline = b"", time.monotonic() + limit
        try:
            while select.select([self.pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                chunk = os.read(self.pipe, CHUNK)
                if not chunk:
                    break
                content += chunk
            else:
                raise AssertionError(f"the child hangs: no answer after {limit} seconds")
        finally:
            self.kill()
        assert content, "the child died"
        done, value = pickle.loads(content)
        assert done, value
        return value

    def kill(self) -> None:
        """By SIGKILL, unless it has ended."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self.pipe)
            self.pid = 0


def fork(work: Callable[[], Any]) -> Forked:
    """Starts the work in a forked child."""
    mine, its = os.pipe()
    pid = os.fork()
    if pid:
        os.close(its)
        return Forked(pid, mine)
    try:
        os.close(mine)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.callbacks.clear()  # JAX has one, and what a signal's handler raises in it is lost
        answer: tuple[bool, Any] = (True, work())
    except BaseException:
        answer = (False, traceback.format_exc())
    try:
        with os.fdopen(its, "wb") as file:
            pickle.dump(answer, file)
    finally:
        os._exit(0)


def run(
    command: Sequence[str | Path],
    cwd: Path | None = None,
    stdin: str = "",
    without: Sequence[str] = (),
    limit: float = LIMIT,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """A new process; its surroundings are those of this one with changes."""
    given = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd or ROOT,
        env={name: value for name, value in given.items() if name not in without},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=limit,
        errors="replace",
    )


ASK = "from tests.hostile.subjects import weigh_gradient; print('right', weigh_gradient().is_cached)"


def ask(
    *options: str, cwd: Path | None = None, without: Sequence[str] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """A new Python asks for the gradient of `weigh`, checks it, and says whether it came from the cache."""
    return run([sys.executable, *options, "-c", ASK], cwd=cwd, without=without, **environment)


def namespace(setup: str, command: str) -> list[str]:
    """A command after a setup that only a mount namespace of its own allows."""
    return ["unshare", "-rm", "sh", "-c", f"{setup} && {command}"]


def can_mount() -> bool:
    """Whether this machine lets users have such namespaces."""
    try:
        return run(namespace("mount -t tmpfs tmpfs /mnt", "true")).returncode == 0
    except OSError:
        return False


@dataclass(frozen=True)
class Said:
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


def command(*arguments: str | Path, folder: Path, stdin: str = "", limit: float = LIMIT) -> Said:
    """The command `daad`, run by a forked child in a folder, with streams of its own."""
    (folder / ".stdin").write_text(stdin)
    child = fork(lambda: _command([str(word) for word in arguments], folder))
    deadline = time.monotonic() + limit
    while not (status := os.waitpid(child.pid, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            child.kill()
            raise AssertionError(f"the command hangs after {limit} seconds: {(folder / '.stdout').read_text()}")
        time.sleep(0.02)
    os.close(child.pipe)
    out, err = ((folder / name).read_text(errors="replace") for name in (".stdout", ".stderr"))
    return Said(os.waitstatus_to_exitcode(status[1]), out, err)


def _command(arguments: list[str], folder: Path) -> None:
    """Ends the process as Python ends: threads are waited for, then its streams are written."""
    os.chdir(folder)
    for number, (name, mode) in enumerate({".stdin": "r", ".stdout": "w", ".stderr": "w"}.items()):
        file = open(name, mode)  # noqa: SIM115 (it stays open as long as the process lives)
        os.dup2(file.fileno(), number)
        setattr(sys, name[1:], open(number, mode, closefd=False))  # noqa: SIM115
    from daad.cli import main

    try:
        main(arguments, prog_name="daad")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 99
    threading._shutdown()  # type: ignore[attr-defined]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(code)
