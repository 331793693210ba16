"""Where a Python function stands: its syntax tree with true positions, and what its names mean."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from daad.errors import BadArgument, Location
from daad.frontend import unsupported
from daad.frontend.installed_code import is_library
from daad.frontend.python.syntax.bytecode import text_of_bytecode
from daad.frontend.python.syntax.counting_loops import Counted
from daad.frontend.python.syntax.decorators import is_transparent
from daad.frontend.python.syntax.kept_texts import SHARED, kept_texts, named
from daad.frontend.python.syntax.private_names import mangle
from daad.runtime.at_work import deeper


@dataclass(frozen=True)
class FunctionSource:
    """A function to be read: `node` carries the line and column numbers of `filename`.

    `globals` and `closure` hold the live objects that the body's free names stand for; `closure` comes first.
    `receiver` holds what a bound method passes before its arguments: its object. `function` is the live function, if
    there is one; `scope` the call that the definition stands in, if that is read, too.
    """

    node: ast.FunctionDef | ast.Lambda
    filename: str
    globals: Mapping[str, Any]
    closure: Mapping[str, Any]
    defaults: tuple[Any, ...]
    kwdefaults: Mapping[str, Any]
    name: str
    receiver: tuple[Any, ...] = ()
    function: types.FunctionType | None = None
    scope: Any = None


SOURCE_ATTRIBUTE = "__daad_source__"  # carried by functions that were made from a tree, not read from a file


def function_source(f: Any) -> FunctionSource:
    """The source of a live function object, seen through decorators that do not change what it computes.

    A wrapper that changes arguments or result is itself the function; the wrapped one is in its closure.
    """
    made: FunctionSource | None = getattr(f, "__dict__", {}).get(SOURCE_ATTRIBUTE)
    if made is not None:
        return made
    inner = undecorated(f)
    source = _source(inner)
    wrapped = _wrapped_in(source, inner)
    return source if wrapped is None else function_source(wrapped)


def callable_source(f: Any) -> FunctionSource:
    """The source of what the user wants to differentiate: also of bound methods and of objects with a `__call__`."""
    call = inspect.getattr_static(type(f), "__call__", None)
    if isinstance(call, types.FunctionType) and not isinstance(f, type | np.vectorize):
        f = f.__call__
    receiver = (f.__self__,) if isinstance(f, types.MethodType) else ()
    source = function_source(f)
    if receiver and not (source.node.args.posonlyargs or source.node.args.args):
        raise BadArgument(f"{describe(f)} has no parameter for its object.", hint="Name the first parameter 'self'.")
    if is_library(source.globals.get("__name__"), source.filename):
        raise BadArgument(f"{describe(f)} is a function of Python's or NumPy's own.", hint=WRAP)
    return replace(source, receiver=receiver)


WRAP = "Wrap it in a function of your own, such as 'lambda x: np.sum(x)'."


def undecorated(f: Any) -> types.FunctionType:
    """The Python function inside a method or a compiler's decorator object (`py_func`, `__wrapped__`, `func`)."""
    if isinstance(f, types.FunctionType):
        return f
    if isinstance(f, functools.partial):
        raise BadArgument(
            "A 'functools.partial' object has no source of its own.", hint="Pass the function that it calls."
        )
    inner = next((getattr(f, name) for name in INNER if _is_function_like(getattr(f, name, None))), None)
    if inner is None or isinstance(f, type):
        hint = WRAP if callable(f) and not isinstance(f, type) else "Pass a function written in Python."
        raise BadArgument(f"{describe(f)} is not a Python function.", hint=hint)
    return undecorated(inner)


INNER = ("__func__", "py_func", "__wrapped__", "func")


def describe(f: Any) -> str:
    """What an object is called in a message."""
    name = getattr(f, "__name__", None)
    return f"'{name}'" if name and not isinstance(f, np.vectorize) else f"An object of type '{type(f).__name__}'"


def _is_function_like(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _source(f: types.FunctionType) -> FunctionSource:
    text = _module_text(f)
    node = find_node(text.code, parse(text.text))
    if isinstance(node, ast.AsyncFunctionDef):
        raise unsupported.refusal(node, Location.of(node, text.filename))
    if node is None:
        raise _changed(f)
    return FunctionSource(
        node=node,
        filename=text.filename,
        globals=f.__globals__,
        closure=Cells(f),
        defaults=f.__defaults__ or (),
        kwdefaults=f.__kwdefaults__ or {},
        name=f.__name__,
        function=f,
    )


class Cells(Mapping[str, Any]):
    """The variables around a function as they are now; one that is not bound is left out."""

    def __init__(self, f: types.FunctionType) -> None:
        self._cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

    def __getitem__(self, name: str) -> Any:
        try:
            return self._cells[name].cell_contents
        except ValueError:
            raise KeyError(name) from None

    def cell(self, name: str) -> types.CellType:
        """What holds the variable, also where it is bound again."""
        return self._cells[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._cells if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class ModuleText(NamedTuple):
    """A text that a function is compiled from, and the function's code with the lines of that text."""

    text: str
    code: types.CodeType
    filename: str


def _module_text(f: types.FunctionType) -> ModuleText:
    """From its file, or where else its text is kept, or from its bytecode."""
    code, in_file = f.__code__, _text_of_file(f)
    if in_file is not None and _is_compiled_from(f, in_file):
        return ModuleText(in_file, code, code.co_filename)
    text = kept_text(f)
    if text is not None:
        return ModuleText(text, code, named(text, code.co_filename))
    decompiled = text_of_bytecode(f)
    if decompiled is not None:
        return ModuleText(*decompiled, named(decompiled[0], f"bytecode of '{f.__name__}'"))
    if in_file is not None and code.co_filename not in SHARED:
        raise _changed(f)
    raise BadArgument(
        f"The source text of '{f.__name__}' is not available.",
        hint="Write the function in a file, or install 'daad[bytecode]': text given to 'exec', piped into Python, or "
        "typed before Python 3.13 is kept nowhere.",
    )


def _text_of_file(f: types.FunctionType) -> str | None:
    try:
        lines, _ = inspect.findsource(f)
        if _joined.get(f.__code__.co_filename, ((), ""))[0] is not lines:
            _joined[f.__code__.co_filename] = lines, "".join(lines)
        text = _joined[f.__code__.co_filename][1]
        parse(text)
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    return text


_joined: dict[str, tuple[Sequence[str], str]] = {}
"""The text of a file, for the lines that Python keeps while the file stays as it is."""


def _changed(f: types.FunctionType) -> BadArgument:
    message = f"The source text of '{f.__name__}' has changed since it was loaded."
    return BadArgument(message, hint="Start the program again.")


def kept_text(f: types.FunctionType) -> str | None:
    """The text in no file that a function is compiled from, where somebody still has it."""
    if f not in _kept:
        found = next((text for text in kept_texts(f) if _makes(text, f.__code__)), None)
        if found is None:
            return None
        _kept[f] = found
    return _kept[f]


_kept: WeakKeyDictionary[types.FunctionType, str] = WeakKeyDictionary()


def _makes(text: str, code: types.CodeType) -> bool:
    try:
        return code in codes_of(text, code.co_flags & FUTURES)
    except (SyntaxError, ValueError):
        return False


FEATURES = (getattr(__future__, name) for name in __future__.all_feature_names)
FUTURES = functools.reduce(int.__or__, (feature.compiler_flag for feature in FEATURES))


@functools.lru_cache(maxsize=256)
def parse(text: str | bytes) -> ast.Module:
    """The tree of a module's text, with loops that count as `for` and private names as Python knows them; the caller
    must not change it."""
    with deeper():
        tree: ast.Module = Counted().visit(ast.parse(text))
        mangle(tree)
    return tree


def _is_compiled_from(f: types.FunctionType, text: str) -> bool:
    """Whether the file still says what was loaded; unknown, and taken for granted, where the import rewrites code."""
    is_certain = f.__code__.co_filename in SHARED or type(f.__globals__.get("__loader__")) is SourceFileLoader
    return not is_certain or _makes(text, f.__code__)


@functools.lru_cache(maxsize=256)
def codes_of(text: str, flags: int = 0) -> frozenset[types.CodeType]:
    """All code that a module's text compiles to."""
    found, waiting = set(), [compile(text, "", "exec", flags, dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found.add(code)
        waiting += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return frozenset(found)


def find_node(code: types.CodeType, module: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """The definition that `code` was compiled from, or None when the text is another one by now."""
    if code.co_name == "<lambda>":
        return _find_lambda(code, module)
    starting = _functions(module).get(code.co_firstlineno, ())
    return next((node for node in starting if node.name.endswith(code.co_name)), None)  # a private name has grown


@functools.lru_cache(maxsize=256)
def _functions(module: ast.Module) -> dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """All functions of a module, by the lines in which they begin."""
    found: dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(_first_line(node), []).append(node)
    return found


@functools.lru_cache(maxsize=256)
def _lambdas(module: ast.Module) -> dict[int, list[ast.Lambda]]:
    """All lambdas of a module, by the lines in which they begin."""
    found: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _find_lambda(code: types.CodeType, module: ast.Module) -> ast.Lambda | None:
    """Several lambdas may stand on one line: the one whose body is as wide as the code's own positions."""
    names = code.co_varnames[: code.co_argcount]
    starting = _lambdas(module).get(code.co_firstlineno, ())
    fitting = [n for n in starting if tuple(a.arg for a in (*n.args.posonlyargs, *n.args.args)) == names]
    span = _span(code)
    if span is None:
        return fitting[0] if len(fitting) == 1 else None
    return min((node for node in fitting if _encloses(node.body, span)), key=_width, default=None)


Position = tuple[int, int]


def _span(code: types.CodeType) -> tuple[Position, Position] | None:
    """First and last position of the code's instructions, where the interpreter kept columns."""
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None or column == end_column:
            continue
        starts.append((line, column))
        ends.append((end_line, end_column))
    return (min(starts), max(ends)) if starts else None


def _encloses(body: ast.expr, span: tuple[Position, Position]) -> bool:
    start = (body.lineno, body.col_offset)
    end = (body.end_lineno or body.lineno, body.end_col_offset or 0)
    return start <= span[0] and span[1] <= end


def _width(node: ast.Lambda) -> tuple[int, int]:
    return (node.end_lineno or node.lineno) - node.lineno, (node.end_col_offset or 0) - node.col_offset


def _wrapped_in(source: FunctionSource, f: types.FunctionType) -> Callable[..., Any] | None:
    """What a decorator's wrapper passes everything on to, when that is all it does."""
    wrapped = getattr(f, "__wrapped__", None)
    if wrapped is None:
        return None
    names = [name for name, value in source.closure.items() if value is wrapped]
    passes_on = len(names) == 1 and isinstance(source.node, ast.FunctionDef) and is_transparent(source.node, names[0])
    return wrapped if passes_on else None
