"""Functions whose text nobody keeps, read from their bytecode by depyo where it is installed (`daad[bytecode]`).

A decompiler may be wrong, so its text counts only where Python compiles it to the very instructions that the function
has.
"""

from __future__ import annotations

import ast
import functools
import marshal
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, find_spec
from itertools import product
from pathlib import Path
from typing import Any

from daad.runtime.at_work import deeper

Compiled = tuple[str, types.CodeType]
NESTED = 0x10
"""The flag of code that stands within a function."""
SECONDS = 60.0


def text_of_bytecode(f: types.FunctionType) -> Compiled | None:
    """A text that makes the same instructions, with the code that has its lines; None where there is none."""
    if find_spec("depyo") is None:
        return None
    modules = (name for name, value in [*f.__globals__.items()] if isinstance(value, types.ModuleType))
    return _text(f.__code__, tuple(sorted(modules)))


@functools.lru_cache(maxsize=256)
def _text(code: types.CodeType, modules: tuple[str, ...]) -> Compiled | None:
    with suppress(SyntaxError, ValueError, RecursionError), deeper():
        return next(_compiled(code, modules), None)
    return None


def _compiled(code: types.CodeType, modules: tuple[str, ...]) -> Iterator[Compiled]:
    """Python calls functions of a module that the same text imports by other instructions."""
    found = _definition(ast.parse(_decompiled(code)), code)
    if found is None:
        return
    imports = ast.Import([ast.alias(name) for name in modules if name.isidentifier()])
    for body, before in product(_bodies(found, code), ([imports], []) if imports.names else ([],)):
        around = _around(code, body)
        text = ast.unparse(ast.Module([*before, *around.body], []))
        made = _code_within(compile(text, "", "exec", code.co_flags & ~0xFFFF, dont_inherit=True), code.co_name)
        if _instructions(made) == _instructions(code):
            yield text, made


def _decompiled(code: types.CodeType) -> str:
    """What depyo makes of a module that defines the function."""
    module = compile(ast.unparse(_around(code, None)), "", "exec", dont_inherit=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "function.pyc"
        path.write_bytes(MAGIC_NUMBER + bytes(12) + marshal.dumps(_with_code(module, code)))
        command = [sys.executable, "-m", "depyo", "--out", str(path)]
        with suppress(subprocess.SubprocessError, OSError):
            return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder).stdout
    return ""


def _around(code: types.CodeType, body: Any) -> ast.Module:
    """A module with a function of this signature, and around it a function that has its free variables."""
    free = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in code.co_freevars]
    used = ast.Tuple([ast.Name(name, ast.Load()) for name in code.co_freevars], ast.Load())
    inner: ast.stmt
    if code.co_name == "<lambda>":
        inner = ast.Expr(ast.Lambda(_arguments(code), used if body is None else body))
    else:
        inner = ast.FunctionDef(code.co_name, _arguments(code), [ast.Expr(used)] if body is None else body, [])
    nothing = ast.arguments([], [], None, [], [], None, [])
    outer: ast.stmt = ast.FunctionDef("around", nothing, [*free, inner], []) if free else inner
    return ast.fix_missing_locations(ast.Module([outer], []))


def _arguments(code: types.CodeType) -> ast.arguments:
    """With None where there may be a default: which it is the live function knows."""
    names = iter(ast.arg(name) for name in code.co_varnames)
    positional = [next(names) for _ in range(code.co_argcount)]
    keywords = [next(names) for _ in range(code.co_kwonlyargcount)]
    rest = next(names) if code.co_flags & 0x4 else None
    others = next(names) if code.co_flags & 0x8 else None
    before, none = code.co_posonlyargcount, ast.Constant(None)
    defaults: list[ast.expr | None] = [none] * len(keywords)
    return ast.arguments(
        positional[:before], positional[before:], rest, keywords, defaults, others, [none] * len(positional)
    )


def _with_code(module: types.CodeType, code: types.CodeType) -> types.CodeType:
    """A module with the code in the place of the function of its name."""

    def placed(constant: Any) -> Any:
        if not isinstance(constant, types.CodeType):
            return constant
        return code if constant.co_name == code.co_name else _with_code(constant, code)

    return module.replace(co_consts=tuple(map(placed, module.co_consts)))


def _code_within(module: types.CodeType, name: str) -> types.CodeType:
    inner = [constant for constant in module.co_consts if isinstance(constant, types.CodeType)]
    return next((one for one in inner if one.co_name == name), inner[0] if len(inner) == 1 else module)


def _definition(module: ast.Module, code: types.CodeType) -> ast.FunctionDef | ast.Lambda | None:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            return node
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
            return node
    return None


def _bodies(found: ast.FunctionDef | ast.Lambda, code: types.CodeType) -> Iterator[Any]:
    """As it came, and with the text of documentation, which decompilers leave out."""
    yield found.body
    if isinstance(found, ast.FunctionDef) and code.co_consts and isinstance(code.co_consts[0], str):
        yield [ast.Expr(ast.Constant(code.co_consts[0])), *found.body]


def _instructions(code: types.CodeType) -> tuple[Any, ...]:
    """What Python does, without lines and names of files."""
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~NESTED
    return code.co_code, names, counts, code.co_exceptiontable, tuple(map(_constant, code.co_consts))


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return _instructions(value)
    if isinstance(value, frozenset):
        return tuple(sorted(map(repr, value)))
    return type(value), repr(value)
