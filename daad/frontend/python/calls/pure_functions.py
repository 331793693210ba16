"""Functions of which the result depends on the arguments alone, as far as their text tells.

Nothing is looked up that may change between two calls, nothing is done that anybody sees but by the result.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import itertools
import types
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.frontend.python.reading.scope import declared
from daad.frontend.python.syntax.source import FunctionSource, function_source
from daad.frontend.python.values.objects import is_generated
from daad.frontend.staging.container_items import CHANGING

LIBRARIES = frozenset({"numpy", "math", "cmath", "scipy", "operator"})
"""Modules of which functions and constants may be asked for."""
BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bool", "divmod", "enumerate", "float", "int", "len", "list", "max", "min", "pow"),
        *("range", "reversed", "round", "sorted", "sum", "tuple", "zip", "True", "False", "None", "object", "complex"),
        *("ArithmeticError", "AssertionError", "ValueError", "TypeError", "ZeroDivisionError"),
    )
)
SEEN = frozenset(
    (
        *("random", "base", "flags", "ctypes", "data", "strides", "setflags", "resize", "as_strided"),
        *("shares_memory", "may_share_memory", "errstate", "seterr", "save", "load", "tofile", "dump", "print"),
        *("loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap", "savetxt", "savez", "savez_compressed"),
        *("io", "rvs", "default_rng", "set_printoptions", "seterrcall", "setbufsize"),
    )
)
"""Attributes that tell more of an array than its elements, or do more than to compute something."""
UNKNOWN = object()
PLAIN = (bool, int, float, str, type(None))
CONSTANT = (bool, int, float, complex, str, bytes, type(None), np.generic, np.ndarray, np.dtype, np.ufunc)
SIMPLE = (
    *(ast.arguments, ast.arg, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Constant),
    *(ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.Expr, ast.Pass, ast.Raise, ast.Assert),
    *(
        ast.Break,
        ast.Continue,
        ast.JoinedStr,
        ast.FormattedValue,
        ast.BoolOp,
        ast.BinOp,
        ast.UnaryOp,
        ast.IfExp,
        ast.Compare,
        ast.Call,
    ),
    *(ast.keyword, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Name, ast.Attribute, ast.Starred),
)
"""What such a function may consist of."""
REPEATING = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.comprehension)
RUN = frozenset((*SIMPLE, *REPEATING))
"""What it may consist of where it is not read, but runs."""
SAID = frozenset((("print",),))
"""What it may call there, as long as that does not happen."""
MAX_SIZE = 2**20
"""Elements of an array that is computed while the program is read."""


Assigned = Mapping[tuple[int, str], Any]
"""Global names that functions of the program assign, by where they stand."""


@dataclass(frozen=True)
class Member:
    """A function of those that one calls, with what its global names stand for."""

    source: FunctionSource
    names: Mapping[str, Any]
    is_repeating: bool

    @property
    def arrays(self) -> list[np.ndarray]:
        return [value for value in self.names.values() if isinstance(value, np.ndarray)]


def is_pure(source: FunctionSource, assigned: Assigned) -> bool:
    """Whether it is such a function."""
    return _members(source, assigned, frozenset(SIMPLE), frozenset()) is not None


def repeating(source: FunctionSource, assigned: Assigned) -> tuple[Member, ...]:
    """Such a function that repeats something, and those that it calls; none if it is another one."""
    spec = source.node.args
    if spec.vararg or spec.kwarg or spec.posonlyargs:
        return ()
    members = _members(source, assigned, RUN, SAID) or ()
    return members if any(member.is_repeating for member in members) else ()


def result_of(members: tuple[Member, ...], values: Mapping[str, Any]) -> Any:
    """What the first of the functions gives for numbers; `UNKNOWN` where it has to be read. It runs among copies of
    the arrays around it: nobody sees what it does to them."""
    world = _world(members) if all(type(value) in PLAIN for value in values.values()) else None
    if not world:
        return UNKNOWN
    said = io.StringIO()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(said):
            warnings.simplefilter("ignore")
            found = world[id(members[0].source.node)](**values)
    except Exception:  # it fails where it is read, too, and is refused there
        return UNKNOWN
    around = [world[id(member.source.node)].__globals__ for member in members]
    is_kept = not said.getvalue() and all(map(_is_kept, [member.names for member in members], around))
    return found if is_kept and _is_result(found) and _is_apart(found, around) else UNKNOWN


def _world(members: tuple[Member, ...]) -> dict[int, types.FunctionType] | None:
    """The functions, by their nodes, with global names of their own."""
    world: dict[int, types.FunctionType] = {}
    for member in members:
        function: Any = member.source.function
        if function is None or function.__code__.co_freevars:
            return None
        made = types.FunctionType(function.__code__, {}, function.__name__, function.__defaults__)
        made.__kwdefaults__ = function.__kwdefaults__
        world[id(member.source.node)] = made
    for member in members:
        for name, value in member.names.items():
            inner = _read(value) if isinstance(value, types.FunctionType) and not _is_of_library(value) else None
            own = world[id(inner.node)] if inner is not None else value
            world[id(member.source.node)].__globals__[name] = own.copy() if isinstance(own, np.ndarray) else own
    return world


def _is_kept(names: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether the arrays among the names hold what they did before the call."""
    arrays = ((after[name], value) for name, value in names.items() if isinstance(value, np.ndarray))
    return all(now.tobytes() == before.tobytes() for now, before in arrays)


def _is_apart(found: Any, around: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a result is none of the arrays around the functions, nor a part of one."""
    made = [item for item in (found if type(found) is tuple else (found,)) if isinstance(item, np.ndarray)]
    held = [value for names in around for value in names.values() if isinstance(value, np.ndarray)]
    return not any(np.may_share_memory(one, other) for one, other in itertools.product(made, held))


def _is_result(value: Any) -> bool:
    """Whether this is a number or an array that can be taken for the result of a call, or a tuple of them."""
    if type(value) is tuple:
        arrays = [item for item in value if isinstance(item, np.ndarray)]
        return all(_is_result(item) and type(item) is not tuple for item in value) and not any(
            np.shares_memory(one, other) for one, other in itertools.combinations(arrays, 2)
        )
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufc" and value.size <= MAX_SIZE
    return type(value) in (*PLAIN, complex) or (isinstance(value, np.generic) and value.dtype.kind in "biufc")


def _members(
    source: FunctionSource, assigned: Assigned, allowed: frozenset[type], more: frozenset[tuple[str, ...]]
) -> tuple[Member, ...] | None:
    """The function and those that it calls, if all are such functions; `more` may be looked up, too."""
    seen, todo = {id(source.node)}, [source]
    members: list[Member] = []
    while todo:
        one = todo.pop()
        facts = _facts(one.node, allowed)
        given = (*one.defaults, *one.kwdefaults.values())
        if facts is None or one.receiver or one.closure or not all(type(value) in PLAIN for value in given):
            return None
        is_repeating = any(isinstance(n, REPEATING) for n in ast.walk(one.node))
        for path in facts:
            value = _value(one, path, assigned)
            inner = _read(value) if isinstance(value, types.FunctionType) and not _is_of_library(value) else None
            if inner is None and not _is_fixed(value) and path not in more:
                return None
            if inner is not None and id(inner.node) not in seen:
                seen.add(id(inner.node))
                todo.append(inner)
        names = {path[0]: one.globals[path[0]] for path in facts if path[0] in one.globals}
        members.append(Member(one, names, is_repeating))
    return tuple(members)


@lru_cache(maxsize=1000)
def _facts(node: ast.FunctionDef | ast.Lambda, allowed: frozenset[type]) -> tuple[tuple[str, ...], ...] | None:
    """What the function asks of its surroundings: names, with the attributes that follow; None if it is not pure."""
    own, outer, shared = declared(node)
    if not isinstance(node, ast.FunctionDef) or outer or shared:
        return None
    parts = [n for statement in node.body for n in ast.walk(statement)]
    if not all(isinstance(n, tuple(allowed)) and _is_harmless(n) for n in parts):
        return None
    inside = {id(n.value) for n in parts if isinstance(n, ast.Attribute)}
    paths = [_path(n) for n in parts if isinstance(n, ast.Name | ast.Attribute) and id(n) not in inside]
    return tuple(path for path in dict.fromkeys(paths) if path and path[0] not in own)


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr not in SEEN and not node.attr.startswith("__") and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Compare):
        sides = zip(node.ops, node.comparators, strict=True)
        return all(isinstance(b, ast.Constant) for op, b in sides if isinstance(op, ast.Is | ast.IsNot))
    return True


def _path(node: ast.expr) -> tuple[str, ...]:
    """A name and the attributes behind it; empty for an attribute of anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def _value(source: FunctionSource, path: tuple[str, ...], assigned: Mapping[tuple[int, str], Any]) -> Any:
    """What a name, with the attributes behind it, stands for; `UNKNOWN` if that may be another thing at the next
    call."""
    name, *attributes = path
    if name not in source.globals:
        return vars(builtins).get(name, UNKNOWN) if name in BUILTINS and not attributes else UNKNOWN
    value = source.globals[name]
    if (id(source.globals), name) in assigned:
        return UNKNOWN
    if not isinstance(value, types.ModuleType):
        return value if not attributes or isinstance(value, np.ndarray) else UNKNOWN
    return abs if attributes and _root(value.__name__) in LIBRARIES else UNKNOWN


def _is_fixed(value: Any) -> bool:
    """Whether it is a number, an array, or something of a library or of Python's own."""
    return isinstance(value, CONSTANT) or (callable(value) and _is_of_library(value))


def _is_of_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    return _root(module) in {*LIBRARIES, "builtins"} and "random" not in module


def _root(module: str) -> str:
    return module.partition(".")[0]


def _read(function: types.FunctionType) -> FunctionSource | None:
    try:
        return function_source(function)
    except BadArgument:
        return None


def only_computes(function: Any) -> bool:
    """Whether a function leaves nothing behind that a second call would change."""
    if not isinstance(function, types.FunctionType) or is_generated(function):
        return False
    nodes = [*ast.walk(function_source(function).node)]
    names = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    stores = (isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store) for node in nodes)
    declares = (isinstance(node, ast.Global | ast.Nonlocal) for node in nodes)
    return not (names & CHANGING) and not any(stores) and not any(declares)
