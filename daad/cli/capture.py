"""The first call of one function of a script: the script runs unchanged until then."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from daad.cli.copies import own_copies
from daad.cli.script import Script, Stop, execute, suggest
from daad.errors import BadArgument

HOOK = "__daad_intercept__"


@dataclass(frozen=True)
class Call:
    """A call that was about to happen; the arrays are the callee's own."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Intercepted:
    """Stands for the function in the script; everything but a call goes through to it."""

    def __init__(self, function: Callable[..., Any], calls: list[Call]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._calls = calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._calls.append(Call(self.__wrapped__, *own_copies(args, kwargs)))
        raise Stop

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)


def capture(script: Script, function: str, namespace: dict[str, Any]) -> Call:
    """Run the script in `namespace` up to the first call of `function`."""
    _require_binding(script, function)
    calls: list[Call] = []
    namespace[HOOK] = functools.partial(_intercept, calls=calls)
    ended_itself = False
    with contextlib.suppress(Stop):
        ended_itself = not execute(hooked(script.tree, function), script.path, namespace)
    del namespace[HOOK]
    bound = namespace.get(function)
    if isinstance(bound, Intercepted):
        namespace[function] = bound.__wrapped__
    if not calls:
        how = "exited" if ended_itself else "ended"
        raise BadArgument(
            f"The script {how} without a call of '{function}'.",
            hint="Call it in the script: the arguments of its first call are the point of differentiation.",
        )
    return calls[0]


def _intercept(value: Any, calls: list[Call]) -> Any:
    if isinstance(value, (type, Intercepted)) or not callable(value):
        return value
    return Intercepted(value, calls)


def _require_binding(script: Script, function: str) -> None:
    """Refuse a name that the script never binds before anything of it runs."""
    statements = list(_statements(script.tree))
    if any(_binds(statement, function) for statement in statements):
        return
    functions = [statement.name for statement in statements if isinstance(statement, ast.FunctionDef)]
    raise BadArgument(f"'{script.shown}' has no function '{function}'.", hint=suggest(function, functions))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements that are not inside a class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, ast.ClassDef):
            yield from _statements(child)


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether this statement itself (not one inside it) may give `name` a function."""
    match statement:
        case ast.FunctionDef():
            return statement.name == name
        case ast.Assign():
            return any(isinstance(t, ast.Name) and t.id == name for t in statement.targets)
        case ast.ImportFrom():
            return any((alias.asname or alias.name) in (name, "*") for alias in statement.names)
    return False


def hooked(tree: ast.Module, function: str) -> ast.Module:
    """The same script with `function = hook(function)` after each statement that binds it."""
    return ast.fix_missing_locations(_Hooking(function).visit(copy.deepcopy(tree)))


class _Hooking(ast.NodeTransformer):
    def __init__(self, function: str) -> None:
        self.function = function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, list(self._with_hooks(value)))
        return node

    def _with_hooks(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """A name bound again by the very next statement (`f = jit(f)`) is hooked after that one."""
        for statement, following in itertools.zip_longest(body, body[1:]):
            yield statement
            bound_again = following is not None and _binds(following, self.function)
            if _binds(statement, self.function) and not bound_again:
                yield ast.copy_location(self._hook(statement), statement)

    def _hook(self, statement: ast.stmt) -> ast.stmt:
        hook = f"{self.function} = {HOOK}({self.function})"
        star = isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
        return ast.parse(f"if {self.function!r} in globals(): {hook}" if star else hook).body[0]
