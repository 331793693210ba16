"""Scripts that misbehave: `daad grad SCRIPT` answers, or says what the script did."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.hostile.fault import fault, row
from tests.hostile.processes import command

GROUP = "Scripts"
RIGHT = "the right gradient"
ITS_OWN = "exit code 2; the script's own traceback"

HEAD = "import numpy as np\n"
F = "def f(x):\n    return np.sum(x * x)\n"
CALL = "f(np.arange(4.0))\n"
GRADIENT = [0.0, 2.0, 4.0, 6.0]


@dataclass(frozen=True)
class Script:
    """A script, what it is given, and what comes of it: the gradient, or words on stderr."""

    text: str | bytes
    code: int = 0
    said: str = ""
    stdin: str = ""
    arguments: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)


NEIGHBOUR = {"neighbour.py": f"{HEAD}{F}", "package/__init__.py": "", "package/inner.py": "from . import other\n"}
THREAD = """
import threading, time
ended = threading.Event()
threading.Thread(target=ended.wait).start()
"""
POOL = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    list(pool.map(f, [np.arange(4.0)] * 3))
"""
ASYNC = """
import asyncio
async def main():
    await asyncio.sleep(0)
    f(np.arange(4.0))
asyncio.run(main())
"""
MULTI = """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(f, [np.arange(4.0)] * 3))
"""
GRAB = """
class Grab:
    def __enter__(self): return self
    def __exit__(self, *_): return True
while True:
    with Grab():
        f(np.arange(4.0))
    break
print("after")
"""

FINE: dict[str, Script] = {
    "calls sys.exit afterwards": Script(f"{HEAD}{F}{CALL}import sys\nsys.exit(7)\n"),
    "raises afterwards": Script(f"{HEAD}{F}{CALL}raise ValueError\n"),
    "calls os._exit afterwards": Script(f"{HEAD}{F}{CALL}import os\nos._exit(3)\n"),
    "changes the working directory": Script(f"{HEAD}import os\nos.chdir('/')\n{F}{CALL}"),
    "deletes its working directory": Script(
        f"{HEAD}import os\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\n{F}{CALL}"
    ),
    "reads stdin": Script(f"{HEAD}{F}f(np.arange(float(input())))\n", stdin="4\n"),
    "takes arguments": Script(f"{HEAD}import sys\n{F}f(np.arange(float(sys.argv[2])))\n", arguments=("--n", "4")),
    "parses arguments": Script(
        f"{HEAD}import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=float)\n{F}"
        "f(np.arange(p.parse_args().n))\n",
        arguments=("--n", "4"),
    ),
    "prints a megabyte": Script(f"{HEAD}print('x' * 1_000_000)\n{F}{CALL}"),
    "prints from a process of its own": Script(f"{HEAD}import os\nos.system('echo noise')\n{F}{CALL}"),
    "starts a thread that never ends": Script(f"{HEAD}{THREAD}{F}{CALL}ended.set()\n"),
    "calls the function in a pool of threads": Script(f"{HEAD}{F}{POOL}"),
    "calls the function in a coroutine": Script(f"{HEAD}{F}{ASYNC}"),
    "modifies sys.path and sys.argv": Script(f"{HEAD}import sys\nsys.path.clear()\nsys.argv.clear()\n{F}{CALL}"),
    "replaces sys.stdout": Script(f"{HEAD}import sys, io\nsys.stdout = sys.stderr = io.StringIO()\n{F}{CALL}"),
    "closes sys.stdout": Script(f"{HEAD}import sys\nsys.stdout.close()\n{F}{CALL}"),
    "closes all streams by their numbers": Script(f"{HEAD}import os\nos.close(0)\nos.close(1)\nos.close(2)\n{F}{CALL}"),
    "closes stdin": Script(f"{HEAD}import sys\nsys.stdin.close()\n{F}{CALL}"),
    "turns NumPy's errors into exceptions": Script(f"{HEAD}np.seterr(all='raise')\n{F}{CALL}"),
    "turns warnings into exceptions": Script(f"{HEAD}import warnings\nwarnings.simplefilter('error')\n{F}{CALL}"),
    "ignores Ctrl-C": Script(f"{HEAD}import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n{F}{CALL}"),
    "changes how arrays print": Script(f"{HEAD}np.set_printoptions(precision=1, threshold=2)\n{F}{CALL}"),
    "has an `if __name__ == '__main__'` guard": Script(f"{HEAD}{F}if __name__ == '__main__':\n    {CALL}"),
    "imports a neighbour": Script(f"{HEAD}from neighbour import f\n{CALL}", files=NEIGHBOUR),
    "is written in Latin-1, and says so": Script(f"# coding: latin-1\n# Größe\n{HEAD}{F}{CALL}".encode("latin-1")),
    "begins with a byte order mark": Script(f"\ufeff{HEAD}{F}{CALL}".encode()),
    "has lines that end as on Windows": Script(f"{HEAD}{F}{CALL}".replace("\n", "\r\n").encode()),
    "has no newline at its end": Script(f"{HEAD}{F}{CALL}".rstrip()),
    "has Greek names": Script(f"{HEAD}def f(α):\n    β = α * α\n    return np.sum(β)\n{CALL}"),
    "collects garbage never": Script(f"{HEAD}import gc\ngc.disable()\n{F}{CALL}"),
    "swallows every exception": Script(f"{HEAD}{F}try:\n    {CALL}except:\n    pass\n"),
    "swallows exceptions by a context manager": Script(f"{HEAD}{F}{GRAB}"),
    "sets a low limit of recursion": Script(f"{HEAD}import sys\nsys.setrecursionlimit(200)\n{F}{CALL}"),
}

FAILING: dict[str, Script] = {
    "raises": Script(f"{HEAD}1 / 0\n{F}{CALL}", 2, "ZeroDivisionError: division by zero"),
    "raises no Exception": Script(f"{HEAD}class Odd(BaseException): pass\nraise Odd('odd')\n{F}{CALL}", 2, "Odd: odd"),
    "calls sys.exit": Script(f"{HEAD}import sys\nsys.exit(0)\n{F}{CALL}", 2, "The script exited without a call of 'f'"),
    "never calls the function": Script(f"{HEAD}{F}", 2, "The script ended without a call of 'f'"),
    "has a syntax error": Script(f"{HEAD}{F}f(\n", 2, "SyntaxError"),
    "is empty": Script("", 2, "has no function 'f'"),
    "is not UTF-8": Script(b"# \xff\n" + f"{HEAD}{F}{CALL}".encode(), 2, "SyntaxError"),
    "holds a null byte": Script(b"\0" + f"{HEAD}{F}{CALL}".encode(), 2, "null byte"),
    "imports its neighbour as in a package": Script(
        f"{HEAD}from .neighbour import f\n{CALL}", 2, "attempted relative import", files=NEIGHBOUR
    ),
    "imports what does not exist": Script(f"{HEAD}import no_such_module\n{F}{CALL}", 2, "ModuleNotFoundError"),
    "reads stdin that is empty": Script(f"{HEAD}{F}f(np.arange(float(input())))\n", 2, "EOFError"),
    "does not know its arguments": Script(
        f"{HEAD}import argparse\nargparse.ArgumentParser().parse_args()\n{F}{CALL}",
        2,
        "unrecognized",
        arguments=("-z",),
    ),
    "runs the function in other processes": Script(
        f"{HEAD}{F}{MULTI}", 2, "Call it in the script, and in its own process"
    ),
    "is nested too deeply": Script("(" * 500 + ")" * 500, 2, "too many nested parentheses"),
    "raises an exception that cannot be shown": Script(
        f"{HEAD}class Bad(Exception):\n    def __str__(self): 1 / 0\nraise Bad\n{F}{CALL}",
        2,
        "Bad: <exception str() failed>",
    ),
}


def written(folder: Path, script: Script) -> str:
    for name, text in script.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    text = script.text.encode() if isinstance(script.text, str) else script.text
    (folder / "script.py").write_bytes(text)
    return "script.py"


def table(scripts: dict[str, Script], answer: str) -> list[Any]:
    return [row(GROUP, f"a script that {what}", answer, script) for what, script in scripts.items()]


@pytest.mark.parametrize("script", table(FINE, RIGHT))
def test_script_is_answered(script: Script, tmp_path: Path) -> None:
    rest = ["--", *script.arguments] if script.arguments else []
    options = ["--save", "found.npz", "-o", "module.py", "--json"]
    said = command("grad", written(tmp_path, script), "-f", "f", *options, *rest, folder=tmp_path, stdin=script.stdin)
    assert said.code == 0, said
    (saved,) = np.load(tmp_path / "found.npz").values()
    np.testing.assert_array_equal(saved, GRADIENT)
    assert json.loads(said.out)["value"] == 14.0
    assert (tmp_path / "module.py").exists()


@pytest.mark.parametrize("script", table(FAILING, ITS_OWN))
def test_script_fails(script: Script, tmp_path: Path) -> None:
    rest = ["--", *script.arguments] if script.arguments else []
    said = command("grad", written(tmp_path, script), "-f", "f", *rest, folder=tmp_path, stdin=script.stdin)
    assert (said.code, script.said in said.err) == (script.code, True), said
    assert "daad/cli" not in said.err, said


@fault(GROUP, "a script that calls os._exit before the function", "ends with the script's exit code, as under Python")
def test_script_ends_the_process(tmp_path: Path) -> None:
    script = Script(f"{HEAD}import os\nos._exit(7)\n{F}{CALL}")
    assert command("grad", written(tmp_path, script), "-f", "f", folder=tmp_path).code == 7


PATHS = {
    "a folder": ("folder", "'folder' is a folder"),
    "a device": ("/dev/null", "'/dev/null' is no file that can be read"),
    "a file that does not exist": ("scirpt.py", "Did you mean 'script.py'?"),
    "a file below a file": ("script.py/x", "does not exist"),
    "a name that is too long": ("x" * 5000, "does not exist"),
    "a link to itself": ("loop.py", "does not exist"),
    "an empty name": ("", "is a folder"),
}


@pytest.mark.parametrize(
    ("path", "said"), [row(GROUP, f"{what} for a script", "exit code 2; what it is", *w) for what, w in PATHS.items()]
)
def test_path_of_a_script(path: str, said: str, tmp_path: Path) -> None:
    written(tmp_path, Script(f"{HEAD}{F}{CALL}"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    found = command("grad", path, "-f", "f", folder=tmp_path)
    assert (found.code, said in found.err) == (2, True), found


@fault(GROUP, "a script that may not be read", "exit code 2; why")
def test_unreadable_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, Script(f"{HEAD}{F}{CALL}"))
    if os.getuid() == 0:  # nothing is forbidden to root
        monkeypatch.setattr(Path, "read_bytes", forbidden)
    else:
        (tmp_path / "script.py").chmod(0)
    found = command("grad", "script.py", "-f", "f", folder=tmp_path)
    assert (found.code, "Permission denied" in found.err) == (2, True), found


def forbidden(_: Path) -> bytes:
    raise PermissionError(13, "Permission denied")


SHARED = f"""{HEAD}
def f(x, y):
    x *= 2.0
    return np.sum(x * y)
a = np.arange(8.0)
"""


@fault(GROUP, "a script that passes one array twice, overwritten", "exit code 2: BadArgument")
def test_shared_arguments(tmp_path: Path) -> None:
    for call in ("f(a[:4], a[2:6])", "f(a[::2], a[::2])"):
        found = command("grad", written(tmp_path, Script(f"{SHARED}{call}\n")), "-f", "f", folder=tmp_path)
        assert (found.code, "share memory" in found.err) == (2, True), found


@fault(GROUP, "a script that passes views that are apart", RIGHT)
def test_views_that_are_apart(tmp_path: Path) -> None:
    script = written(tmp_path, Script(f"{SHARED}f(a[::2], a[1::2])\n"))
    found = command("grad", script, "-f", "f", "--json", "--check", folder=tmp_path)
    assert found.code == 0, found
