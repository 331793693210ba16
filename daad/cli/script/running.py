"""Running a user's script as Python itself would: as `__main__`, with its own arguments and import path."""

from __future__ import annotations

import ast
import contextlib
import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import Any

from daad.cli.exit_codes import ScriptFailed
from daad.cli.script.streams import output_streams, working_directory
from daad.cli.script.threads import threads_noted
from daad.errors import BadArgument
from daad.messages.suggestions import suggest


@dataclass(frozen=True)
class Script:
    """A script that exists and parses; `shown` is its path as the user wrote it, `path` the absolute one."""

    shown: str
    path: str
    tree: ast.Module


def read_script(path: str) -> Script:
    """Read and parse, or say what to do about a wrong path."""
    content = _content(path)
    absolute = str(Path(path).resolve())
    try:
        decode_source(content)  # as strictly as Python reads a file, also in comments
        return Script(path, absolute, ast.parse(content, filename=absolute))
    except UnicodeDecodeError as error:
        raise ScriptFailed(f'  File "{absolute}"\nSyntaxError: (unicode error) {error}\n') from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ScriptFailed("".join(traceback.format_exception_only(error))) from None


def _content(path: str) -> bytes:
    file = Path(path)
    if file.suffix == ".ipynb" and file.is_file():
        hint = f"Write it as a script: jupyter nbconvert --to script {path}."
        raise BadArgument(f"'{path}' is a notebook.", hint=hint)
    try:
        if file.is_file():
            return file.read_bytes()
        kind = "a folder" if file.is_dir() else "no file that can be read" if file.exists() else ""
        near = suggest(file.name, [f.name for f in file.parent.glob("*.py")] if file.parent.is_dir() else [])
    except (OSError, RuntimeError, ValueError) as error:
        kind, near = "", None
        if isinstance(error, PermissionError):
            message = f"The file '{path}' cannot be read: {error.strerror}."
            raise BadArgument(message, hint="Check the permissions of the file and its folder.") from None
    if kind:
        raise BadArgument(f"'{path}' is {kind}.", hint="Give the path of a Python script.")
    raise BadArgument(f"The file '{path}' does not exist.", hint=near or "Give the path of a Python script.")


@contextlib.contextmanager
def as_main(script: Script, arguments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The namespace of a fresh `__main__`; imports, `sys.argv` and pickles work as in the script's own process."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=script.path, __builtins__=__builtins__, __cached__=None)
    with _restored(), output_streams(), working_directory(), threads_noted():
        sys.argv, sys.path[:0] = [script.shown, *arguments], [str(Path(script.path).parent)]
        sys.modules["__main__"] = module
        yield module.__dict__


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    saved = sys.argv, sys.path, sys.path[:], sys.modules.get("__main__"), sys.stdin
    try:
        yield
    finally:
        sys.argv, sys.path, sys.path[:], main, sys.stdin = saved
        if main is not None:
            sys.modules["__main__"] = main


class Stop(BaseException):
    """Leaves the script; no `except Exception` of the script holds it up."""


def execute(tree: ast.Module, path: str, namespace: dict[str, Any]) -> bool:
    """Run statements of the script; False when it ended itself with `sys.exit`."""
    own = sys.path[:]
    try:
        exec(compile(tree, path, "exec", dont_inherit=True), namespace)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return False
    except (KeyboardInterrupt, Stop):
        raise
    except BaseException as error:
        raise ScriptFailed(_own_traceback(error, path)) from None
    finally:
        sys.path += [folder for folder in own if folder not in sys.path]  # what is left to do must be found
    return True


def _own_traceback(error: BaseException, path: str) -> str:
    """The traceback as Python would show it without daad around the script."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename != path:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))
