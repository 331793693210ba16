"""Which function '-f' names: one of the script, of a module that it imports, or a method."""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from daad.cli.script.definitions import module_functions
from daad.cli.script.running import Script
from daad.errors import BadArgument
from daad.messages.suggestions import listed, suggest


@dataclass(frozen=True)
class Target:
    """`root` is a name that the script binds; the function is that, or what stands behind the attributes `path`."""

    root: str
    path: tuple[str, ...] = ()

    @staticmethod
    def of(name: str) -> Target:
        """As '-f' names it: 'simulate', 'heat.simulate', 'Model.loss'."""
        root, *path = name.split(".")
        return Target(root, tuple(path))

    @property
    def shown(self) -> str:
        return ".".join((self.root, *self.path))

    def is_bound_by(self, statement: ast.stmt) -> bool:
        """Whether this statement itself (not one inside it) may give the root a value."""
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return statement.name == self.root
            case ast.ClassDef():
                return statement.name == self.root and bool(self.path)
            case ast.Assign():
                return any(self.root in _stored(target) for target in statement.targets)
            case ast.AnnAssign():
                return self.root in _stored(statement.target)
            case ast.Import():
                return any((alias.asname or alias.name.partition(".")[0]) == self.root for alias in statement.names)
            case ast.ImportFrom():
                return any((alias.asname or alias.name) in (self.root, "*") for alias in statement.names)
        return False


def _stored(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements that are not inside a class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, ast.ClassDef):
            yield from statements(child)


def require_bound(script: Script, target: Target) -> None:
    """Refuse a name that the script never binds before anything of it runs."""
    found = list(statements(script.tree))
    if any(target.is_bound_by(statement) for statement in found):
        return
    names = [*functions_of(script)]
    if any(isinstance(statement, ast.ClassDef) and statement.name == target.shown for statement in found):
        methods = [name for name in names if name.startswith(f"{target.shown}.")]
        such = f"Name one of its methods, such as '{methods[0]}'." if methods else "Name a function."
        raise BadArgument(f"'{target.shown}' is a class.", hint=such)
    same = [name for name in names if name.rpartition(".")[2] == target.shown]
    hint = f"Did you mean {listed(same, 'or')}?" if same else suggest(target.shown, names)
    raise BadArgument(f"'{script.shown}' has no function '{target.shown}'.", hint=hint)


def functions_of(script: Script) -> Iterator[str]:
    """What '-f' may name: functions and methods of the script, functions of modules that lie beside it."""
    for statement in statements(script.tree):
        match statement:
            case ast.FunctionDef():
                yield statement.name
            case ast.ClassDef():
                methods = (node.name for node in statement.body if isinstance(node, ast.FunctionDef))
                yield from (f"{statement.name}.{name}" for name in methods if not name.startswith("_"))
            case ast.Import():
                for alias in statement.names:
                    found = module_functions(alias.name, os.path.dirname(script.path))
                    yield from (f"{alias.asname or alias.name}.{name}" for name in found)


class Method:
    """Stands for a method in its class: whatever binds the method, binds it for `stand_in`."""

    def __init__(self, method: Any, stand_in: Callable[[Any], Any]) -> None:
        self._method, self._stand_in = method, stand_in

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self._stand_in(self._method.__get__(instance, owner))


class Replaced:
    """Attributes that something else stands for, for a while."""

    def __init__(self) -> None:
        self._originals: list[tuple[Any, str, Any]] = []
        self.missing: BadArgument | None = None

    def replace(self, owner: Any, name: str, stand_in: Callable[[Any], Any]) -> bool:
        """`stand_in` makes of a function what stands for it; whatever is no function is left alone.

        False where a class or module has nothing of that name, which `missing` tells.
        """
        is_class = isinstance(owner, type)
        if isinstance(owner, type | ModuleType) and not hasattr(owner, name):
            known = [known for known, value in vars(owner).items() if callable(value) and not known.startswith("_")]
            message = f"'{owner.__name__}' has no function '{name}'."
            self.missing = BadArgument(message, hint=suggest(name, known))
            return False
        if is_class and name not in vars(owner):
            owner = next((base for base in owner.__mro__ if name in vars(base)), owner)
        value = vars(owner).get(name) if is_class else getattr(owner, name, None)
        is_method = is_class and callable(getattr(owner, name, None)) and hasattr(value, "__get__")
        new = Method(value, stand_in) if is_method else stand_in(value)
        if new is value or isinstance(value, (Method, type)):
            return True
        with contextlib.suppress(AttributeError, TypeError):  # a class of C cannot be changed
            setattr(owner, name, new)
            self._originals.append((owner, name, value))
        return True

    def restore(self) -> None:
        """All attributes as they were."""
        for owner, name, value in reversed(self._originals):
            setattr(owner, name, value)
